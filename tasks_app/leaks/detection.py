"""Detection of a task's answer in a text that is meant to help with the task.

Everything in the text that could be an answer is submitted to the task's own training verifier. A number or a
single letter that also occurs in the question gives nothing away unless the text announces it as the answer.
The check sees only what is written, not what follows from it, so "one less than six" passes.
"""

from __future__ import annotations

import re
import threading
import time
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace

from core.errors import GymError
from tasks_app import kinds
from tasks_app.leaks import phrases
from tasks_app.leaks.phrases import Phrase
from tasks_app.models import Gold as StoredGold
from tasks_app.models import Task
from tasks_app.registry import benchmarks
from verifiers import denotations, registry
from verifiers.children import ChildPool, VerifierCrash, VerifierTimeout
from verifiers.limits import SHORT_ANSWER_CHARS, TOGETHER_MAX
from verifiers.numbers.notation import written_number
from verifiers.types import Evidence, Gold
from verifiers.wire import Job

TEXT_CHARS_MAX = 10_000
# Characters of context read before a text, for words that announce an answer and an answer's other values.
BEFORE_CHARS = 2_000
PHRASES_MAX = 20_000
CHECK_S = 10.0
ALONE_S = 1.0
WORDS_MAX = 12
CHILDREN = 2
LINED = ("reasoning_gym-v1",)
NUMERIC, DENOTATION = "numeric-v1", "denotation-v1"
NAMED_MAX, NAMED_CHARS = 5, 40
COMMAND = re.compile(r"\\(?:begin|end)\{\w*\}|\\(?!text|mathrm|mbox)[A-Za-z]+")
VARIABLE, MATRIX = re.compile("[A-Za-z]"), "matrix}"
WORD = re.compile(r"[^\W\d_]{2,}")
ANNOUNCED = re.compile(
    r"(?:\b(?:answer|result|solution)\b(?:\s+\w+){0,2}?\s*(?:\bis\b|\bequals\b|[:=])?|#{3,}|\\(?:boxed|fbox)\s*\{|=|>>)"
    r"[\s$*_(\[{\\\"']*\Z",
    re.IGNORECASE,
)
ANNOUNCED_CHARS = 60

_pool: ChildPool | None = None
_pool_lock = threading.Lock()


@dataclass(frozen=True, order=True)
class Leak:
    """A part of a text that is the answer: its characters ``start`` to ``end`` and their content."""

    start: int
    end: int
    phrase: str


@dataclass(frozen=True)
class _Target:
    """A part of the answer: phrases to be judged, with their jobs, and phrases that certainly are it."""

    tries: tuple[tuple[Phrase, Job], ...] = ()
    certain: tuple[Phrase, ...] = ()

    @property
    def repeatable(self) -> _Target:
        return _Target(tuple(attempt for attempt in self.tries if attempt[0].may_repeat))


def leaks(task: Task, text: str) -> list[Leak]:
    """Find the places where a text contains a task's answer, in order and without overlaps.

    An answer with several values leaks only if all of them occur. Raises ``GymError`` 422: ``text_too_long``;
    ``no_leak_check`` if answers are run as programs; ``leak_check_unfinished`` if the verifier takes too long
    to read the text. No message contains the answer.
    """
    gold = StoredGold.objects.filter(task=task, is_current=True).first()
    if gold is None:
        raise GymError("no_leak_check", f"Task {task.pk} has no gold to check the text against.", status=422)
    return gold_leaks(task, gold, text)


def gold_leaks(task: Task, gold: StoredGold, text: str) -> list[Leak]:
    """Find leaks as ``leaks`` does, with a gold that is already loaded.

    Raises ``GymError`` as ``leaks`` does.
    """
    if len(text) > TEXT_CHARS_MAX:
        message = (
            f"The text has {len(text):,} characters; at most {TEXT_CHARS_MAX:,} can be checked for leaks."
        )
        raise GymError("text_too_long", message, status=422)
    children()  # starting the children does not count towards the time limit
    deadline = time.monotonic() + CHECK_S
    hits: list[Phrase] = []
    for number, target in enumerate(_targets(task, gold, text)):
        accepted = _accepted(target, deadline=deadline)
        if any(phrase.may_repeat for phrase in accepted):
            repeated = _targets(task, gold, _question(task))[number].repeatable
            if _accepted(repeated, deadline=deadline):
                accepted = [
                    phrase for phrase in accepted if not phrase.may_repeat or _is_announced(text, phrase)
                ]
        if not accepted:
            return []
        hits += accepted
    return _distinct(text, hits)


def leaks_behind(task: Task, text: str, *, before: str) -> list[Leak]:
    """Find leaks in a text that follows another one, of which the last ``BEFORE_CHARS`` characters are read.

    Positions are relative to ``text``. A leak that ends before the text is left out; one that begins before
    the text and ends in it starts at 0.
    """
    length = min(len(before), BEFORE_CHARS, max(0, TEXT_CHARS_MAX - len(text)))
    joined = leaks(task, before[len(before) - length :] + text)
    return [
        replace(leak, start=max(0, leak.start - length), end=leak.end - length)
        for leak in joined
        if leak.end > length
    ]


def leaks_refuse(task: Task, text: str, *, before: str = "") -> None:
    """Raise ``GymError`` 422 ``guidance_leaks`` if a text contains the answer when read after ``before``.

    All errors of ``leaks`` may be raised as well. The message quotes places in the text and reveals nothing
    beyond the two texts.
    """
    if spans := leaks_behind(task, text, before=before):
        places = ", ".join(f"{leak.start} to {leak.end} ({leak.phrase!r})" for leak in spans[:NAMED_MAX])
        message = f"The text gives away the answer to task {task.pk}, at characters {places}."
        raise GymError("guidance_leaks", message, status=422, fields={"text": [message]})


def _question(task: Task) -> str:
    """Return the question without its choices, since the choices always contain the answer."""
    return "\n\n".join(str(task.payload.get(name, "")) for name in ("passage", "text"))


# ---- what is tried as an answer
def _targets(task: Task, stored: StoredGold, text: str) -> list[_Target]:
    """List the parts of the answer in a fixed order, each with everything in the text that might be it."""
    verifier = benchmarks.get(task.benchmark_id).verifier_training
    gold = Gold(stored.answer, tuple(stored.accepted), extra=stored.extra)
    if registry.is_sandboxed(verifier, dataset=gold.extra.get("dataset")):
        message = f"Answers to task {task.pk} are run as programs, so no text can be checked for them."
        raise GymError("no_leak_check", message, status=422)
    if task.payload.get("choices"):
        return [_choice(task.payload["choices"], gold, verifier, text)]
    return [_open(part, verifier, text) for part in _parts(task, gold, verifier)]


def _parts(task: Task, gold: Gold, verifier: str) -> list[Gold]:
    """Split an answer with several values into one gold for each; otherwise return the gold itself."""
    if task.kind != kinds.SITE and verifier != DENOTATION:
        return [gold]
    items = denotations.split_cell(gold.answer)
    if len(items) < 2:
        return [
            replace(gold, extra={name: gold.extra[name] for name in ("canonical",) if name in gold.extra})
        ]
    canonical = denotations.split_cell(str(gold.extra.get("canonical") or gold.answer))
    return [
        Gold(item, extra={"canonical": denotations.join_cell([meaning])} if verifier == DENOTATION else {})
        for item, meaning in zip(items, canonical, strict=True)
        if item.strip()
    ]


def _choice(choices: Sequence[Mapping[str, str]], gold: Gold, verifier: str, text: str) -> _Target:
    """Collect the labels that the text names as choices, and places that repeat the right choice's text."""
    texts = {str(choice["label"]): str(choice["text"]) for choice in choices}
    judged_by = replace(gold, extra={**gold.extra, "choices": texts})
    tries = _tries(phrases.labels(text), verifier, judged_by)
    certain: list[Phrase] = []
    for right in {texts.get(label, "") for label in (gold.answer, *gold.accepted)} - {""}:
        if written_number(right):
            tries += _tries(phrases.numbers(text), NUMERIC, Gold(right))
        else:
            certain += phrases.repeats(text, right)
    return _Target(tuple(tries), tuple(certain))


def _open(gold: Gold, verifier: str, text: str) -> _Target:
    """Collect numbers, formulas, and phrases with as many words or lines as the answer."""
    answers = (gold.answer, *gold.accepted)
    tried: list[Iterable[Phrase]] = [phrases.numbers(text)]
    if verifier != NUMERIC:
        tried.append(phrase for phrase in phrases.formulas(text) if _is_like(phrase.answer, answers))
        if any(WORD.search(COMMAND.sub(" ", answer)) for answer in answers):
            most = max(len(answer.split()) for answer in answers) + 1
            tried.append(phrases.words(text, most=min(most, WORDS_MAX)))
    if verifier in LINED:
        tried.append(phrases.lines(text, count=gold.answer.strip().count("\n") + 1))
    return _Target(tuple(_tries((phrase for kind in tried for phrase in kind), verifier, gold)))


def _is_like(formula: str, answers: Sequence[str]) -> bool:
    """Return whether a formula might be the answer, to save attempts that cost a millisecond each.

    A formula with variables never equals a number, and matrices equal only matrices.
    """
    has_variables = VARIABLE.search(COMMAND.sub(" ", formula)) is not None
    return any(
        (not has_variables or VARIABLE.search(COMMAND.sub(" ", answer)) is not None)
        and (MATRIX not in answer or MATRIX in formula or formula[:1] in {"(", "[", "\\"})
        for answer in answers
    )


def _tries(tried: Iterable[Phrase], verifier: str, gold: Gold) -> list[tuple[Phrase, Job]]:
    most = max(SHORT_ANSWER_CHARS, 2 * len(gold.answer)) if verifier in LINED else SHORT_ANSWER_CHARS
    jobs: dict[str, Job] = {}
    pairs: list[tuple[Phrase, Job]] = []
    for phrase in phrases.short(tried, most_chars=most):
        job = jobs.setdefault(phrase.answer, Job(verifier, gold, Evidence(phrase.answer, gold.extra)))
        pairs.append((phrase, job))
    return pairs


# ---- judging
def children() -> ChildPool:
    """Return this process's pool for leak checks; the first caller creates it and waits until it is warm."""
    global _pool
    with _pool_lock:
        if _pool is None:
            _pool = ChildPool(CHILDREN)
            _pool.warm()
        return _pool


def _accepted(target: _Target, *, deadline: float) -> list[Phrase]:
    """Return the phrases that the verifier accepts as the answer. Equal phrases are judged once."""
    jobs = list({id(job): job for _, job in target.tries}.values())
    if len(jobs) > PHRASES_MAX:
        raise _unfinished(f"has {len(jobs):,} parts that could be answers, more than {PHRASES_MAX:,}")
    verdicts: dict[str, bool] = {}
    for first in range(0, len(jobs), TOGETHER_MAX):
        batch = jobs[first : first + TOGETHER_MAX]
        for job, verdict in zip(batch, children().verify_together(batch), strict=True):
            is_right = verdict.correct if verdict else _is_right_alone(job, deadline=deadline)
            verdicts[_key(job)] = is_right
        if time.monotonic() > deadline:
            raise _unfinished(f"takes longer than {CHECK_S:g} s to check")
    return [*target.certain, *(phrase for phrase, job in target.tries if verdicts[_key(job)])]


def _key(job: Job) -> str:
    return f"{job.verifier} {job.evidence.answer}"


def _is_right_alone(job: Job, *, deadline: float) -> bool:
    """Judge one phrase whose batch gave no verdict.

    Raises ``GymError`` if the verifier cannot read it in time.
    """
    try:
        left_s = min(ALONE_S, max(0.0, deadline - time.monotonic()))
        return children().verify(job.verifier, gold=job.gold, evidence=job.evidence, timeout_s=left_s).correct
    except (VerifierCrash, VerifierTimeout):
        answer = str(job.evidence.answer)[:NAMED_CHARS]
        raise _unfinished(f"has a part that the task's verifier cannot read in time ({answer!r})") from None


def _unfinished(problem: str) -> GymError:
    return GymError("leak_check_unfinished", f"The text {problem}. Shorten it.", status=422)


def _is_announced(text: str, phrase: Phrase) -> bool:
    return ANNOUNCED.search(text[max(0, phrase.start - ANNOUNCED_CHARS) : phrase.start]) is not None


def _distinct(text: str, hits: Iterable[Phrase]) -> list[Leak]:
    """Return leaks in order, keeping the shortest of overlapping phrases."""
    chosen: list[Leak] = []
    for phrase in sorted(hits, key=lambda hit: (hit.end - hit.start, hit.start)):
        if all(phrase.end <= other.start or phrase.start >= other.end for other in chosen):
            chosen.append(Leak(phrase.start, phrase.end, text[phrase.start : phrase.end]))
    return sorted(chosen)
