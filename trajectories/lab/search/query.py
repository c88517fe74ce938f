"""What an address asks for: a search, what of it makes no sense, and the addresses around it."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any
from urllib.parse import urlencode

from django.http import QueryDict
from django.urls import reverse

from core.integers import BIGINT_MAX
from trajectories.lab.forms import parameter_errors
from trajectories.lab.queries import runs, tasks
from trajectories.lab.search.form import SearchForm
from trajectories.lab.search.selectors import Cursor, Search
from trajectories.lab.text.action_check import check_label
from trajectories.lab.text.untrusted import cut, visible

PLACE = "after"
EPISODES = "episodes"
CURSOR = re.compile(r"([0-9]{1,19})(?:-([0-9]{1,9}))?")
ID_DIGITS = 19
GOLDS = "golds"  # Of what is taken away.
CHIP_CHARS = 60
MS_PER_SECOND = 1000
AMOUNTS = {
    "policy_version": "policy version {}",
    "episodes": "episodes {}",
    "task": "task {}",
    "problem": "task text has “{}”",
    "steps_min": "at least {} steps",
    "steps_max": "at most {} steps",
    "seconds_min": "at least {} s",
    "seconds_max": "at most {} s",
    "opened_from": "opened from {}",
    "opened_to": "opened until {}",
}


@dataclass(frozen=True, kw_only=True)
class Chip:
    """A filter that is set; ``without`` is the address of the search without it."""

    said: str
    without: str
    is_left_out: bool = False


class Asked:
    """A search as its address tells it; ``parameters`` may hold anything."""

    def __init__(self, parameters: QueryDict) -> None:
        if len(ticked := parameters.getlist(EPISODES)) > 1:
            parameters = parameters.copy()
            parameters[EPISODES] = ",".join(filter(None, ticked))
        wanted_run = parameters.get("run", "")
        is_run = wanted_run.isascii() and wanted_run.isdigit() and len(wanted_run) <= ID_DIGITS
        self.runs = dict(runs.run_choices(selected=int(wanted_run) if is_run else None))
        # A name is asked for as it is shown, so that no address or page holds what would reorder it.
        self._models = {visible(model): model for model in runs.models_known()}
        self.form = SearchForm(
            parameters,
            runs=list(self.runs.items()),
            models=list(self._models),
            benchmarks=tasks.benchmarks_known(),
        )
        self._given = {
            name: given for name in self.form.fields if (given := str(parameters.get(name, "")).strip())
        }
        self._place = parameters.get(PLACE, "")
        self._parameters = parameters

    @cached_property
    def search(self) -> Search:
        filters = self._filters
        query = filters.pop("q", "")
        for end in ("min", "max"):
            if (seconds := filters.pop(f"seconds_{end}", None)) is not None:
                filters[f"duration_{end}_ms"] = seconds * MS_PER_SECOND
        if "model" in filters:
            filters["model"] = self._models[filters["model"]]
        if "run" in filters:
            filters["run"] = int(filters["run"])
        return Search(query=query, filters=filters)

    @property
    def _filters(self) -> dict[str, Any]:
        return self.form.filters()

    @cached_property
    def after(self) -> Cursor | None:
        """The place in the list that the address names."""
        found = CURSOR.fullmatch(self._place)
        if found is None or int(found.group(1)) > BIGINT_MAX:
            return None
        return Cursor(episode=int(found.group(1)), index=int(found.group(2) or 0))

    @property
    def query_problem(self) -> str:
        """Why nothing can be looked for; without one there are hits, or none."""
        return self.form.query_problem() or self.search.problem

    @cached_property
    def problems(self) -> Sequence[str]:
        """What else makes no sense, and is left out."""
        known = {*self.form.fields, PLACE, GOLDS}
        found = [
            *self.form.error_messages(),
            *parameter_errors(self._parameters, known=known, page="a search"),
        ]
        if self._place and self.after is None:
            found.append(
                f"“{cut(visible(self._place), CHIP_CHARS)}” is not a position in this list; showing its top."
            )
        return found

    @property
    def is_unticked(self) -> bool:
        """Boxes were sent, and none of them was ticked: without a filter this would be a search for all."""
        is_wrong = EPISODES in self.form.errors
        return EPISODES in self._parameters and EPISODES not in self._filters and not is_wrong

    @property
    def is_anything(self) -> bool:
        return bool(self._given)

    def choices(self, name: str) -> set[Any]:
        """The values that a filter takes, numbers as numbers."""
        values = [value for value, _ in self.form.fields[name].choices]  # type: ignore[attr-defined]
        return {int(value) if value.isdigit() else value for value in values}

    def address(self, name: str = "search", *, without: str = "", **changes: str) -> str:
        """The address of this search, at its top; or of what ``name`` gives of it."""
        kept = {field: value for field, value in self._given.items() if field != without}
        query = urlencode({**kept, **changes})
        return f"{reverse(name)}?{query}" if query else reverse(name)

    def address_behind(self, cursor: Cursor) -> str:
        place = f"{cursor.episode}-{cursor.index}" if cursor.index else str(cursor.episode)
        return self.address(**{PLACE: place})

    def chips(self) -> list[Chip]:
        return list(self._chips())

    def _chips(self) -> Iterator[Chip]:
        filters = self._filters
        for name, given in self._given.items():
            if name == "q":
                continue
            said = self._said(name, given) if name in filters else f"{self.form.fields[name].label}: {given}"
            yield Chip(
                said=cut(visible(said), CHIP_CHARS),
                without=self.address(without=name),
                is_left_out=name not in filters,
            )

    def _said(self, name: str, given: str) -> str:
        if name in AMOUNTS:
            return AMOUNTS[name].format(given)
        if name == "action_check":
            return check_label(given)
        shown = f"{given} · {self.runs[int(given)]}" if name == "run" else given
        return f"{str(self.form.fields[name].label).lower()}: {shown}"
