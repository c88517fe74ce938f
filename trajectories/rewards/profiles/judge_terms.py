"""Checks of the terms that pay for judges' grades: their criteria must exist and be certified."""

from __future__ import annotations

from collections.abc import Iterable, Iterator

from core.errors import GymError
from palaestra.protocol.suggestions import did_you_mean
from trajectories.models import Judge, JudgeAttack, JudgeCertification
from trajectories.rewards.components.judge import JUDGE
from trajectories.rewards.profiles.types import Profile
from trajectories.rewards.registry import FAMILY

MARK = f"{JUDGE}{FAMILY}"
# With fewer attempts, a text would only be noticed if it worked on most of them.
ATTEMPTS_MIN = 20


def unknown_judges(components: Iterable[str]) -> list[str]:
    """Return a message for each component that refers to an unknown judge or criterion."""
    return [problem for judge, criterion in _judges_in(components) for problem in _unknown(judge, criterion)]


def check_certified(profile: Profile) -> None:
    """Refuse a profile that pays for a criterion that is not certified or whose grade texts can raise.

    A term for all of a judge's criteria is refused if this is true of any of them. Raises ``GymError``
    ``judge_not_certified`` (422).
    """
    problems = _payment_problems_of(term.component for term in profile.terms)
    if problems:
        message = " ".join(
            [*problems, "A training run may be paid only for certified criteria (docs/judges.md)."]
        )
        raise GymError("judge_not_certified", message, status=422, fields={"profile": problems})


def find_payable_judges(components: Iterable[str]) -> dict[str, bool]:
    """Map each judge's component to True if a training run may be paid for it."""
    names = [name for name in components if name.startswith(MARK)]
    return {name: not (unknown_judges([name]) or _payment_problems_of([name])) for name in names}


def _payment_problems_of(components: Iterable[str]) -> list[str]:
    named = _judges_in(components)
    return [problem for judge, criterion in named for problem in payment_problems(judge, criterion)]


def payment_problems(name: str, criterion: str) -> Iterator[str]:
    """Yield reasons why no training run may be paid for a judge's criterion; an empty one stands for all."""
    judge = Judge.objects.get(name=name)
    stored = JudgeCertification.objects.filter(judge=judge)
    results = dict(stored.values_list("criterion", "is_certified"))
    for one in [criterion] if criterion else _criteria(judge):
        if one not in results:
            yield f"{MARK}{name}{FAMILY}{one} has not been compared with people's labels."
        elif not results[one]:
            yield f"{MARK}{name}{FAMILY}{one} was compared with people's labels and is not certified."
        elif problem := _attack_problem(attack_latest(judge, one)):
            yield f"{MARK}{name}{FAMILY}{one} {problem}"


def list_named_judges(profile: Profile) -> list[tuple[str, str]]:
    """Return the judge and criterion of each term that pays for grades; all criteria are an empty string."""
    return _judges_in(term.component for term in profile.terms)


def _judges_in(components: Iterable[str]) -> list[tuple[str, str]]:
    names = dict.fromkeys(name for name in components if name.startswith(MARK))
    parts = (name.removeprefix(MARK).partition(FAMILY) for name in names)
    return [(judge, criterion) for judge, _, criterion in parts]


def _unknown(name: str, criterion: str) -> Iterator[str]:
    judge = Judge.objects.filter(name=name).first()
    if judge is None:
        hint = did_you_mean(name, Judge.objects.values_list("name", flat=True))
        yield f"There is no judge {name!r}. {hint}"
    elif criterion and criterion not in (known := _criteria(judge)):
        yield f"The judge {name!r} has no criterion {criterion!r}. {did_you_mean(criterion, known)}"


def _attack_problem(attack: JudgeAttack | None) -> str:
    if attack is None or (attack.is_open and attack.attempts < ATTEMPTS_MIN):
        return f"has not been tried with texts that ask for a grade on at least {ATTEMPTS_MIN} attempts."
    return "is raised by texts that ask for a grade." if attack.is_fooled else ""


def _criteria(judge: Judge) -> list[str]:
    return [one["id"] for one in judge.body["criteria"]]


def attack_latest(judge: Judge, criterion: str) -> JudgeAttack | None:
    """Return the attack that counts, which is the latest one."""
    return JudgeAttack.objects.filter(judge=judge, criterion=criterion).order_by("-pk").first()
