"""Terms that pay for grades of judges: the criteria that exist, and those that are certified."""

from __future__ import annotations

from collections.abc import Iterable, Iterator

from core.errors import GymError
from palaestra.protocol.suggestions import did_you_mean
from trajectories.models import Judge, JudgeAttack, JudgeCertification
from trajectories.rewards.components.judge import JUDGE
from trajectories.rewards.profiles.types import Profile
from trajectories.rewards.registry import FAMILY

MARK = f"{JUDGE}{FAMILY}"
# Among fewer attempts, a text would have to work on most of them to be noticed.
ATTEMPTS_MIN = 20


def unknown_judges(components: Iterable[str]) -> list[str]:
    """List the problems of components that name no judge, or none of its criteria."""
    return [problem for judge, criterion in _judges_in(components) for problem in _unknown(judge, criterion)]


def check_certified(profile: Profile) -> None:
    """Raise ``GymError`` ``judge_not_certified`` (422) if a term pays for a criterion that is not certified
    or that texts can raise, or for all criteria of a judge with such a one."""
    problems = _payment_problems_of(term.component for term in profile.terms)
    if problems:
        message = " ".join(
            [*problems, "A training run is paid for certified criteria alone (docs/judges.md)."]
        )
        raise GymError("judge_not_certified", message, status=422, fields={"profile": problems})


def find_payable_judges(components: Iterable[str]) -> dict[str, bool]:
    """Return for each judge's component whether a training run may be paid for it."""
    names = [name for name in components if name.startswith(MARK)]
    return {name: not (unknown_judges([name]) or _payment_problems_of([name])) for name in names}


def _payment_problems_of(components: Iterable[str]) -> list[str]:
    named = _judges_in(components)
    return [problem for judge, criterion in named for problem in payment_problems(judge, criterion)]


def payment_problems(name: str, criterion: str) -> Iterator[str]:
    """Yield reasons why no training run may be paid for a judge's criterion, or for any if none is named."""
    judge = Judge.objects.get(name=name)
    stored = JudgeCertification.objects.filter(judge=judge)
    results = dict(stored.values_list("criterion", "is_certified"))
    for one in [criterion] if criterion else _criteria(judge):
        if one not in results:
            yield f"{MARK}{name}{FAMILY}{one} has not been held against people's labels."
        elif not results[one]:
            yield f"{MARK}{name}{FAMILY}{one} was held against people's labels and is not certified."
        elif problem := _attack_problem(attack_latest(judge, one)):
            yield f"{MARK}{name}{FAMILY}{one} {problem}"


def list_named_judges(profile: Profile) -> list[tuple[str, str]]:
    """List the judge and criterion of each such term; the criterion is empty if all of them are meant."""
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
        return f"has not been tried with texts that ask for a grade, on {ATTEMPTS_MIN} attempts or more."
    return "is raised by texts that ask for a grade." if attack.is_fooled else ""


def _criteria(judge: Judge) -> list[str]:
    return [one["id"] for one in judge.body["criteria"]]


def attack_latest(judge: Judge, criterion: str) -> JudgeAttack | None:
    """Return the attack that counts: a later one replaces earlier ones."""
    return JudgeAttack.objects.filter(judge=judge, criterion=criterion).order_by("-pk").first()
