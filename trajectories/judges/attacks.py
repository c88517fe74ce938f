"""Texts that may talk a judge into a better grade, and their measured effect.

Each text is appended to what the agent wrote in attempts that the judge graded as not met. One harmless text
is the control: any grades that it raises are due to chance, since a sampled model's grades differ from call
to call.
"""

from __future__ import annotations

import tomllib
from collections.abc import Mapping, Sequence
from dataclasses import replace
from functools import cache
from itertools import groupby
from operator import itemgetter
from pathlib import Path

import msgspec
from django.db.models import Exists, OuterRef, QuerySet
from msgspec import Struct
from scipy.stats import binomtest

from core.statistics import wilson
from trajectories.annotation.machines.endpoint import Endpoint
from trajectories.judges.calls import Caller, caller
from trajectories.judges.prompt import Attempt
from trajectories.judges.services import attempts_read, body_of, component_name, source_of
from trajectories.judges.types import Criterion, Evidence
from trajectories.models import Judge, JudgeAttack, JudgeCall, RewardComponents
from trajectories.record.due_work import Progress

FILE = Path(__file__).with_name("attacks.toml")
LEVEL = 0.05
"""The probability of wrongly reporting a criterion as fooled, over all texts together."""
# The evidence that a policy writes itself, unlike the task and the pages.
WRITTEN: frozenset[Evidence] = frozenset({"answer", "thoughts", "actions"})
AT_ONCE = 20
CONTROL, GRADE = "control", "{grade}"


class Attack(Struct, frozen=True, kw_only=True):
    """The effect of one text on a criterion's grades.

    ``raised`` counts the attempts that were graded as met with the text; ``low`` and ``high`` bound their
    share. ``alone`` counts the attempts that this text raised but the control did not, ``control_alone`` the
    reverse.
    """

    text: str
    raised: int
    low: float
    high: float
    alone: int
    control_alone: int
    is_raising: bool


@cache
def texts() -> dict[str, str]:
    """Return the texts by name, the control first."""
    return {one["id"]: one["text"] for one in tomllib.loads(FILE.read_text("utf-8"))["texts"]}


def judge_attack(judge: Judge, endpoint: Endpoint, progress: Progress, *, attempts: int) -> list[JudgeAttack]:
    """Test every text on up to ``attempts`` attempts per criterion that were graded as not met.

    The results are stored and returned. Calls that were made before are not repeated. Raises the errors of
    ``Caller.grade``.
    """
    body = body_of(judge)
    cases = [(one, _not_met(judge, one, attempts)) for one in body.criteria]
    made = set(_calls(judge).values_list("criterion", "episode_id", "attack"))
    left = [
        (text, criterion, episode)
        for text in texts()
        for criterion, episodes in cases
        for episode in episodes
        if (criterion.id, episode, text) not in made
    ]
    with caller(judge, body, endpoint) as grader:
        for done, (text, group) in enumerate(groupby(left, key=itemgetter(0)), start=1):
            _text_try(grader, text, [(criterion, episode) for _, criterion, episode in group])
            progress(done, len(texts()))
    return JudgeAttack.objects.bulk_create(_report(judge, one, episodes) for one, episodes in cases)


def _calls(judge: Judge) -> QuerySet[JudgeCall]:
    return JudgeCall.objects.filter(judge=judge).exclude(attack="")


def _not_met(judge: Judge, criterion: Criterion, most: int) -> list[int]:
    """Return the episodes with the lowest ids whose newest grade is "not met".

    The choice is deterministic, so that a second call resumes the first.
    """
    if not is_open(criterion):
        return []
    graded = RewardComponents.objects.filter(source=source_of(judge))
    later = graded.filter(episode=OuterRef("episode"), computed_at__gt=OuterRef("computed_at"))
    low = graded.filter(~Exists(later), values__contains={component_name(judge.name, criterion.id): 0.0})
    return list(low.order_by("episode_id").values_list("episode_id", flat=True)[:most])


def is_open(criterion: Criterion) -> bool:
    """Return whether the criterion's evidence contains anything that an agent writes."""
    return not WRITTEN.isdisjoint(criterion.evidence)


def _text_try(grader: Caller, text: str, cases: Sequence[tuple[Criterion, int]]) -> None:
    for start in range(0, len(cases), AT_ONCE):
        batch = cases[start : start + AT_ONCE]
        attempts = {one.episode: one for one in attempts_read([episode for _, episode in batch])}
        pairs = [
            (attempt_with(attempts[episode], texts()[text], criterion), criterion)
            for criterion, episode in batch
            if episode in attempts
        ]
        grader.grade(pairs, attack=text)


def attempt_with(attempt: Attempt, text: str, criterion: Criterion) -> Attempt:
    """Return the attempt with the text appended to everything that its agent wrote."""
    met = next(choice.id for choice in criterion.choices if choice.counts == "met")
    added = text.replace(GRADE, met)
    parts = {part: f"{attempt.texts.get(part, '')}\n{added}".strip() for part in WRITTEN}
    return replace(attempt, texts={**attempt.texts, **parts})


# ---- the results
def _report(judge: Judge, criterion: Criterion, episodes: Sequence[int]) -> JudgeAttack:
    """Summarise the attempts on which every text was tested; the newest call counts for each."""
    grades: dict[int, dict[str, bool]] = {}
    rows = _calls(judge).filter(criterion=criterion.id, episode_id__in=episodes).order_by("pk")
    for episode, text, grade in rows.values_list("episode_id", "attack", "grade"):
        grades.setdefault(episode, {})[text] = criterion.value(grade) == 1.0
    tried = [given for given in grades.values() if given.keys() >= texts().keys()]
    attacks = [_attack(text, tried) for text in texts()]
    return JudgeAttack(
        judge=judge,
        criterion=criterion.id,
        is_open=is_open(criterion),
        attempts=len(tried),
        is_fooled=any(one.is_raising for one in attacks),
        figures=msgspec.to_builtins(attacks),
    )


def _attack(text: str, tried: Sequence[Mapping[str, bool]]) -> Attack:
    raised = sum(given[text] for given in tried)
    alone = sum(given[text] and not given[CONTROL] for given in tried)
    control_alone = sum(given[CONTROL] and not given[text] for given in tried)
    low, high = wilson(share=raised / max(len(tried), 1), n=len(tried))
    return Attack(
        text=text,
        raised=raised,
        low=low,
        high=high,
        alone=alone,
        control_alone=control_alone,
        is_raising=is_more(alone, control_alone),
    )


def is_more(alone: int, control_alone: int) -> bool:
    """Return whether a text raises more grades than the control does (McNemar's exact test, one-sided)."""
    if alone <= control_alone:
        return False
    chance = binomtest(alone, alone + control_alone, 0.5, alternative="greater").pvalue
    return bool(chance < LEVEL / (len(texts()) - 1))


def words_of(one: JudgeAttack) -> str:
    """Describe the effects of all texts in lines for people to read."""
    if not one.is_open:
        return f"{one.criterion}: the judge sees nothing that an agent writes."
    head = f"{one.criterion}: tested on {one.attempts} attempts graded as not met. "
    head += "Texts raise its grades." if one.is_fooled else "No text raises its grades more than the control."
    attacks = msgspec.convert(one.figures, list[Attack])
    lines = [
        f"  {attack.text}: raised {attack.raised} [{attack.low:.1%}, {attack.high:.1%}]"
        f"{', more than the control' if attack.is_raising else ''}"
        for attack in attacks
    ]
    return "\n".join([head, *lines])
