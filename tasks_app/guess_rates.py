"""Guess rates: how often an answer is right that uses only the benchmark and the question's first words.

This is the published rule. A task with k choices has the rate 1/k. For the other tasks of a split:

1. Up to 1,000 tasks are sampled in the order of a hash of their keys. Tasks with disputed golds are dropped.
2. Tasks are classified by what the question reveals about its answer: the family's tag, if the benchmark has
   families, together with the first two words of the question ("how many", "is the"), with its first word, or
   alone. A class needs 30 sampled tasks; tasks of a smaller one move to the next coarser class. The coarsest
   class is the whole sample, where a guesser without a clue bets on the commonest answer.
3. The four commonest golds of a class are tried blindly. An answer's rate is the share of the class that it
   gets right by the official verifier, excluding the task that it comes from: (right - 1) / (tasks - 1). The
   class gets its best answer's rate. (Leave-one-out voting would give 0 to two equally common answers.)
4. Every task of the split gets its class's rate. With fewer than 30 tasks in total, the rate is 0.

If the official verifier runs programs, none is run here: a blind answer is right only if it equals the gold
exactly. This gives 0 for programs and a lower bound for other answers.
"""

from __future__ import annotations

import re
from collections import Counter, defaultdict
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass

from django.db import connection, transaction

from tasks_app import gold_answers, loader
from tasks_app.models import Gold as StoredGold
from tasks_app.questions import questions
from tasks_app.types import BenchmarkPlugin
from verifiers import registry
from verifiers.children import ChildPool, VerifierCrash, VerifierTimeout, judge_guarded
from verifiers.types import Evidence, Gold

SAMPLE_MAX = 1_000
CLASS_MIN = 30
BLIND_ANSWERS = 4
DECIMALS = 4
WORD = re.compile(r"[^\W\d_]+(?:['\u2019][^\W\d_]+)?")
QUESTION_CHARS = 200
RUNGS = 4

Class = tuple[str, ...]
WHOLE_SAMPLE: Class = ()
NO_CLASS: Class = ("",)
Judge = Callable[[Gold, Evidence], bool]

_QUESTIONS = """
SELECT t.id, left(t.payload->>'text', %(chars)s), t.tags FROM tasks_app_task t
WHERE (t.benchmark_id, t.split) = (%(benchmark)s, %(split)s) AND NOT t.payload ? 'choices'
ORDER BY md5(t.key) COLLATE "C", t.key"""

_WRITE = """
UPDATE tasks_app_task t SET guess_rate = %(rate)s, updated_at = clock_timestamp()
WHERE t.id = ANY(%(ids)s) AND t.guess_rate <> %(rate)s"""

_MEAN = """
SELECT avg(t.guess_rate) FROM tasks_app_task t
WHERE (t.benchmark_id, t.split) = (%(benchmark)s, %(split)s)"""


@dataclass(frozen=True)
class Sampled:
    """A sampled task with its gold and the answer that the gold holder would submit."""

    kind: Class
    gold: Gold
    answer: str | tuple[str, ...]


def guess_rates_store(plugin: BenchmarkPlugin, *, split: str) -> float | None:
    """Measure and store ``guess_rate`` of a loaded split, and return the mean, or None for an empty split.

    The result depends only on keys, questions and golds, so measuring again changes nothing.
    """
    parameters = {"benchmark": plugin.id, "split": split}
    with connection.cursor() as cursor:
        cursor.execute(_QUESTIONS, {**parameters, "chars": QUESTION_CHARS})
        ladders = [(pk, _ladder(text or "", tags, plugin)) for pk, text, tags in cursor.fetchall()]
    by_rate = _measured(plugin, ladders)
    with transaction.atomic(), connection.cursor() as cursor:
        loader.turn_take(cursor)
        for rate, ids in by_rate.items():
            cursor.execute(_WRITE, {"rate": rate, "ids": ids})
        cursor.execute(_MEAN, parameters)
        mean: float | None = cursor.fetchone()[0]
    return mean


def _measured(
    plugin: BenchmarkPlugin, ladders: Sequence[tuple[int, Sequence[Class]]]
) -> Mapping[float, list[int]]:
    """Group the ids of all tasks by rate. The tasks are given in sampling order."""
    golds = _golds([pk for pk, _ in ladders[:SAMPLE_MAX]])
    counted = [(pk, ladder) for pk, ladder in ladders[:SAMPLE_MAX] if pk in golds]
    classes = find_classes([ladder for _, ladder in counted])
    sample = [Sampled(_class(ladder, classes), *golds[pk]) for pk, ladder in counted]
    kinds = {pk: _class(ladder, classes) for pk, ladder in ladders}
    rates = _rates(plugin, sample, classes=classes.intersection(kinds.values()))
    by_rate: dict[float, list[int]] = defaultdict(list)
    for pk, kind in kinds.items():
        by_rate[rates.get(kind, 0.0)].append(pk)
    return by_rate


def find_classes(ladders: Sequence[Sequence[Class]]) -> set[Class]:
    """List the classes that have enough tasks. Each task counts in its finest class with enough tasks."""
    left = list(ladders)
    classes = {WHOLE_SAMPLE} if len(left) >= CLASS_MIN else set()
    for step in range(RUNGS):
        counts = Counter(ladder[step] for ladder in left)
        classes |= {kind for kind, count in counts.items() if count >= CLASS_MIN}
        left = [ladder for ladder in left if ladder[step] not in classes]
    return classes


def blind_share(sample: Sequence[Sampled], *, judge: Judge) -> float:
    """Return the rate of the best blind answer for one class, which has at least two tasks."""
    counted = Counter(item.answer for item in sample).items()
    commonest = sorted(counted, key=lambda pair: (-pair[1], str(pair[0])))[:BLIND_ANSWERS]
    rights = [
        sum(item.answer == answer or judge(item.gold, Evidence(answer)) for item in sample)
        for answer, _ in commonest
    ]
    return (max(rights) - 1) / (len(sample) - 1)


def _ladder(text: str, tags: Sequence[str], plugin: BenchmarkPlugin) -> list[Class]:
    """List the classes that a task may fall into, finest first. There are ``RUNGS`` of them."""
    words = [word.lower() for word in WORD.findall(text)[:2]]
    family = [tag for tag in tags if plugin.example_tag and tag.startswith(plugin.example_tag)][:1]
    return [(*family, *words), (*family, *words[:1]), (*family,), WHOLE_SAMPLE]


def _class(ladder: Sequence[Class], classes: set[Class]) -> Class:
    return next((kind for kind in ladder if kind in classes), NO_CLASS)


def _rates(
    plugin: BenchmarkPlugin, sample: Sequence[Sampled], *, classes: Iterable[Class]
) -> dict[Class, float]:
    members = {
        kind: [item for item in sample if kind in (item.kind, WHOLE_SAMPLE)] for kind in sorted(classes)
    }
    with _judging(plugin.verifier_official) as judge:
        return {kind: round(blind_share(items, judge=judge), DECIMALS) for kind, items in members.items()}


@contextmanager
def _judging(verifier_id: str) -> Iterator[Judge]:
    if verifier_id in registry.list_sandboxed():
        yield lambda _gold, _evidence: False
        return
    pool = ChildPool(1)

    def is_right(gold: Gold, evidence: Evidence) -> bool:
        try:
            return judge_guarded(pool, verifier_id=verifier_id, gold=gold, evidence=evidence).correct
        except (VerifierTimeout, VerifierCrash):
            return False

    try:
        yield is_right
    finally:
        pool.close()


def _golds(ids: Sequence[int]) -> Mapping[int, tuple[Gold, str | tuple[str, ...]]]:
    """Map tasks to their undisputed golds and the answers that the gold holder would submit."""
    stored = StoredGold.objects.filter(task__in=ids, is_current=True)
    rows = stored.exclude(status=StoredGold.Status.DISPUTED).values_list(
        "task_id", "task__kind", "answer", "accepted", "extra"
    )
    golds: dict[int, tuple[Gold, str | tuple[str, ...]]] = {}
    for pk, kind, answer, accepted, extra in rows:
        typed = gold_answers.write_gold_answer(answer, form=questions.get(kind).answer_form)
        gold = Gold(answer, tuple(accepted), "", extra)
        golds[pk] = gold, typed if isinstance(typed, str) else tuple(typed)
    return golds
