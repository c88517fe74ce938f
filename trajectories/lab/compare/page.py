"""Data of the comparison page for the episodes in its address."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property

from django.http import HttpResponse, QueryDict
from django.shortcuts import redirect, render
from django.urls import reverse

from core.database.integers import is_id
from tasks_app.models import Task
from trajectories.lab.compare import selectors
from trajectories.lab.compare.comparison import EPISODES_MAX, Column, Comparison, columns_of
from trajectories.models import Episode
from trajectories.shell.access import LabRequest, lab_page, sees_golds
from trajectories.shell.forms import DIVERGENCE_ANCHOR, RowsForm

NAMING = ("benchmark", "a", "b", "better")
EPISODES_MIN = 2
EPISODES = "episodes"


@dataclass(frozen=True, kw_only=True)
class Pairs:
    """A position in a report's list of pairs: pair ``number`` of ``total``. ``query`` identifies the list."""

    report: int
    number: int
    total: int
    query: str

    @property
    def parameters(self) -> str:
        """The parameters of this comparison's address, except its episodes."""
        return f"report={self.report}&{self.query}&pair={self.number}&pairs={self.total}"

    @property
    def list_address(self) -> str:
        return f"{reverse('report_items', kwargs={'report_id': self.report})}?{self.query}"

    @property
    def earlier(self) -> str:
        return self._address(self.number - 1) if self.number > 1 else ""

    @property
    def later(self) -> str:
        return self._address(self.number + 1) if self.number < self.total else ""

    def _address(self, number: int) -> str:
        return f"{reverse('report_pair', kwargs={'report_id': self.report, 'number': number})}?{self.query}"


def pairs_of(parameters: QueryDict) -> Pairs | None:
    """Return the pair's position in its list; None if the address does not refer to a list of pairs."""
    words = [parameters.get(name, "") for name in ("report", "pair", "pairs")]
    if not all(map(is_id, words)):
        return None
    report, number, total = map(int, words)
    query = QueryDict(mutable=True)
    query.update({name: parameters.get(name, "") for name in NAMING if name in parameters})
    return Pairs(report=report, number=number, total=total, query=query.urlencode())


class ComparePage:
    """A comparison's page, described by its address.

    ``?episodes=1,2`` lists up to four episodes, and ``from`` is the number of a row. An unknown episode
    raises ``Http404``.
    """

    anchor = DIVERGENCE_ANCHOR

    def __init__(self, parameters: QueryDict, *, sees_golds: bool = False) -> None:
        self._parameters = parameters
        self._sees_golds = sees_golds
        self._form = RowsForm(parameters)
        # If no box is selected, the form sends an empty value.
        words = (word.strip() for text in parameters.getlist(EPISODES) for word in text.split(","))
        self._words = list(dict.fromkeys(filter(None, words)))

    @property
    def redirect(self) -> str:
        """The short address of this comparison, for sharing; empty if the request already has it."""
        joined = ",".join(self._words)
        if EPISODES not in self._parameters or self._parameters.getlist(EPISODES) == (
            [joined] if joined else []
        ):
            return ""
        parameters = self._parameters.copy()
        del parameters[EPISODES]
        rest = parameters.urlencode(safe=",")
        query = "&".join(filter(None, (f"{EPISODES}={joined}" if joined else "", rest)))
        return f"{reverse('compare')}?{query}" if query else reverse("compare")

    @cached_property
    def _numbers(self) -> dict[str, int]:
        """Maps each word of the address that can be an episode number to that number."""
        return {word: int(word) for word in self._words if is_id(word)}

    @property
    def invalid(self) -> list[str]:
        return [word for word in self._words if word not in self._numbers]

    @cached_property
    def _requested(self) -> list[int]:
        return list(dict.fromkeys(self._numbers.values()))

    @property
    def is_over(self) -> bool:
        return len(self._requested) > EPISODES_MAX

    @cached_property
    def episodes(self) -> list[Episode]:
        return selectors.episodes_get(self._requested[:EPISODES_MAX])

    @property
    def ids(self) -> str:
        return ",".join(str(episode.pk) for episode in self.episodes)

    @cached_property
    def pairs(self) -> Pairs | None:
        return pairs_of(self._parameters)

    @property
    def room(self) -> int:
        return EPISODES_MAX - len(self.episodes)

    @cached_property
    def tasks(self) -> list[Task]:
        return list({episode.task_id: episode.task for episode in self.episodes}.values())

    @property
    def task(self) -> Task | None:
        """The task that all episodes share; None if their tasks differ."""
        return self.tasks[0] if len(self.tasks) == 1 else None

    @property
    def _first(self) -> int | None:
        number: int | None = self._form.filters().get("from")
        return number

    @cached_property
    def comparison(self) -> Comparison | None:
        if len(self.episodes) < EPISODES_MIN:
            return None
        return Comparison(self.episodes, first=self._first, golds=self.golds)

    @cached_property
    def golds(self) -> dict[int, str]:
        """The golds by task; empty for readers who may not see them."""
        return selectors.golds_current(task.pk for task in self.tasks) if self._sees_golds else {}

    @cached_property
    def alone(self) -> Column | None:
        return columns_of(self.episodes)[0] if len(self.episodes) == 1 else None

    @cached_property
    def choices(self) -> list[tuple[Task, list[Episode]]]:
        """Each task with its other episodes, which can be added to the comparison."""
        if not self.room:
            return []
        shown = [episode.pk for episode in self.episodes]
        limit = selectors.CHOICES_MAX // max(1, len(self.tasks))
        others = [selectors.episodes_other(task_id=task.pk, ids=shown, limit=limit) for task in self.tasks]
        return [(task, episodes) for task, episodes in zip(self.tasks, others, strict=True) if episodes]

    @property
    def errors(self) -> list[str]:
        errors = self._form.error_messages()
        first = self._first or 1
        if self.comparison and first > max(1, self.comparison.rows):
            errors.append(f"There is no row {first:,}; showing the last rows.")
        return errors


@lab_page
def compare_detail(request: LabRequest) -> HttpResponse:
    page = ComparePage(request.GET, sees_golds=sees_golds(request.user))
    if page.redirect:
        return redirect(page.redirect)
    return render(request, "lab/compare/compare.html", {"here": "search", "page": page})
