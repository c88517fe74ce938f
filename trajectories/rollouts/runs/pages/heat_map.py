"""Heat map of tasks by arm, which shows tasks that one arm solves and another does not."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from urllib.parse import urlencode

from django.http import Http404, QueryDict
from django.urls import reverse

from core.database.integers import is_id
from core.database.sql import Statement
from palaestra.protocol.arms import ARMS
from palaestra.protocol.outcomes import CORRECT, JUDGED
from trajectories.models import Episode
from trajectories.rollouts.runs.pages.family import Family, Member
from trajectories.shell.forms import DIVERGENCE_ANCHOR

TASKS_SHOWN = 60
# A pair of episodes that differ is searched for among this many of each arm's latest.
EPISODES_LOOKED_AT = 200
_HEAT_MAP = Statement(__file__, "heat_map")


@dataclass(frozen=True, kw_only=True)
class Cell:
    """One task in one arm.

    If the arm differs from the first arm that has the task, ``address`` opens a pair of episodes; otherwise
    it opens the arm's own episodes."""

    label: str
    correct: int
    judged: int
    address: str
    is_discordant: bool
    words: str

    @property
    def text(self) -> str:
        if self.judged > 1:
            return f"{self.correct}/{self.judged}"
        return "✓" if self.correct else "✗"

    @property
    def level(self) -> int:
        """The share of right answers in quarters, which chooses the colour."""
        return round(4 * self.correct / self.judged)


@dataclass(frozen=True, kw_only=True)
class TaskRow:
    """A row of the heat map. ``cells`` are None for arms that have not judged the task."""

    task: int
    benchmark: str
    excerpt: str
    cells: Sequence[Cell | None]


@dataclass(frozen=True, kw_only=True)
class HeatMap:
    """A heat map of tasks that two arms have judged.

    Of ``shared`` such tasks, the arms differ on ``differing``; ``rows`` shows some of them.
    """

    labels: Sequence[str]
    rows: Sequence[TaskRow]
    shared: int
    differing: int


def build_heat_map(family: Family) -> HeatMap | None:
    """Build the heat map, or return None unless two arms share a task."""
    members = family.members
    if len(members) < 2:
        return None
    rows = _HEAT_MAP.rows(
        run=family.run.pk,
        runs=[member.run.pk for member in members],
        arms=[member.key.arm for member in members],
        limit=TASKS_SHOWN,
    )
    if not rows:
        return None
    return HeatMap(
        labels=[member.key.label for member in members],
        rows=[
            _row(
                family,
                task,
                benchmark,
                excerpt,
                dict(zip(places, zip(right, judged, strict=True), strict=True)),
            )
            for task, benchmark, excerpt, places, right, judged, *_ in rows
        ],
        shared=rows[0][6],
        differing=rows[0][7],
    )


def _row(
    family: Family, task: int, benchmark: str, excerpt: str, counts: Mapping[int, tuple[int, int]]
) -> TaskRow:
    base = min(counts)
    cells = [
        _cell(family, task, (base, place), counts) if place in counts else None
        for place in range(1, len(family.members) + 1)
    ]
    return TaskRow(task=task, benchmark=benchmark, excerpt=excerpt, cells=cells)


def _cell(family: Family, task: int, places: tuple[int, int], counts: Mapping[int, tuple[int, int]]) -> Cell:
    base, member = (family.members[place - 1] for place in places)
    (base_correct, base_judged), (correct, judged) = (counts[place] for place in places)
    is_discordant = correct * base_judged != base_correct * judged
    words = _words(correct, judged)
    if is_discordant:
        query: dict[str, object] = {"task": task, "a": _named(base), "b": _named(member)}
        address = reverse("run_pair", kwargs={"run_id": family.run.pk})
        than = _words(base_correct, base_judged)
        words = f"{than} as {base.key.label}, {words} as {member.key.label}: compare"
    else:
        query = {"run": member.run.pk, "task": task, "arm": member.key.arm}
        address, words = reverse("search"), f"{words}: its episodes"
    return Cell(
        label=member.key.label,
        correct=correct,
        judged=judged,
        address=f"{address}?{urlencode(query)}",
        is_discordant=is_discordant,
        words=words,
    )


def _words(correct: int, judged: int) -> str:
    return f"{correct} of {judged} correct" if judged > 1 else "right" if correct else "wrong"


def _named(member: Member) -> str:
    return f"{member.run.pk}.{member.key.arm}"


def pair_address(parameters: QueryDict) -> str:
    """Return the address that compares two episodes of ``task``, one in arm ``a`` and one in arm ``b``.

    Arms are written as ``run.arm``. The episodes are the latest with different outcomes or, if there are
    none, the latest. Raises ``Http404``.
    """
    task = parameters.get("task", "")
    sides = [_side(parameters.get(name, "")) for name in ("a", "b")]
    if not is_id(task) or None in sides:
        raise Http404("The address must name a task and two arms of runs.")
    first, second = (_judged(int(task), *side) for side in sides if side)
    if not first or not second:
        raise Http404(f"One of these arms has no judged episode of task {task}.")
    shares = [sum(is_right for _, is_right in side) / len(side) for side in (first, second)]
    is_better = shares[0] >= shares[1]
    a = next((pk for pk, is_right in first if is_right == is_better), first[0][0])
    b = next((pk for pk, is_right in second if is_right != is_better), second[0][0])
    return f"{reverse('compare')}?episodes={a},{b}#{DIVERGENCE_ANCHOR}"


def _side(name: str) -> tuple[int, str] | None:
    run, _, arm = name.partition(".")
    return (int(run), arm) if is_id(run) and arm in ARMS else None


def _judged(task: int, run: int, arm: str) -> list[tuple[int, bool]]:
    """Return the latest judged episodes, newest first, and whether each is right."""
    made = Episode.objects.filter(task=task, run=run, arm=arm, is_plain=True, verdict__outcome__in=JUDGED)
    rows = made.order_by("-pk").values_list("pk", "verdict__outcome")[:EPISODES_LOOKED_AT]
    return [(pk, outcome == CORRECT) for pk, outcome in rows]
