"""The search that an address describes, and related addresses."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from typing import Any
from urllib.parse import urlencode

from django.http import QueryDict
from django.urls import reverse

from core.database.integers import BIGINT_MAX, is_id
from core.text.toml import toml_load
from trajectories.behaviour.facts.types import web_query
from trajectories.lab.search.form import SearchForm
from trajectories.lab.search.selectors import Cursor, Search
from trajectories.shell.grid.episodes import EPISODES as EPISODE_TABLE
from trajectories.shell.grid.episodes import MATCH_COLUMNS
from trajectories.shell.grid.view import GridView
from trajectories.shell.queries import runs, tasks
from trajectories.shell.text.untrusted import cut, visible

CURSOR = "after"
EPISODES = "episodes"
CURSOR_PATTERN = re.compile(r"([0-9]{1,19})(?:-([0-9]{1,9}))?")
CHIP_CHARS = 60
MS_PER_SECOND = 1000
# Addresses of these views keep the columns and the order. Files have all columns and their own order.
VIEWED = ("search", "search_counts")
CHIPS = toml_load(Path(__file__).with_name("chips.toml"), dict[str, str])


@dataclass(frozen=True, kw_only=True)
class Chip:
    """A filter that is set. ``without`` is the address of the same search without this filter."""

    label: str
    code: str
    without: str
    is_ignored: bool = False


class SearchRequest:
    """A search read from an address. Its ``parameters`` are untrusted; invalid ones are ignored."""

    def __init__(self, parameters: QueryDict) -> None:
        if len(selected := parameters.getlist(EPISODES)) > 1:
            parameters = parameters.copy()
            parameters[EPISODES] = ",".join(filter(None, selected))
        run = parameters.get("run", "")
        # Model names are written as displayed, so that no address or page contains characters that reorder
        # text.
        self._models = {visible(model): model for model in runs.list_models()}
        self.form = SearchForm(
            parameters,
            runs=runs.run_choices(selected=int(run) if is_id(run) else None),
            models=list(self._models),
            benchmarks=tasks.list_benchmarks(),
        )
        self._parameters = parameters
        self._values = {
            name: value for name in self.form.fields if (value := str(parameters.get(name, "")).strip())
        }
        self._cursor = parameters.get(CURSOR, "")
        has_words = bool(web_query(self._values.get("q", "")))
        first = MATCH_COLUMNS if has_words else ()
        self.view = GridView(EPISODE_TABLE, parameters, is_sortable=not has_words, first=first)

    @cached_property
    def filters(self) -> dict[str, Any]:
        return self.form.filters()

    @cached_property
    def search(self) -> Search:
        filters = dict(self.filters)
        query = filters.pop("q", "")
        for end in ("min", "max"):
            if (seconds := filters.pop(f"seconds_{end}", None)) is not None:
                filters[f"duration_{end}_ms"] = seconds * MS_PER_SECOND
        if "model" in filters:
            filters["model"] = self._models[filters["model"]]
        if "run" in filters:
            filters["run"] = int(filters["run"])
        sort = None if self.view.is_default_order else self.view.sort
        return Search(query=query, filters=filters, sort=sort)

    @cached_property
    def after(self) -> Cursor | None:
        """The position in the list of hits, read from the address."""
        match = CURSOR_PATTERN.fullmatch(self._cursor)
        if match is None or int(match.group(1)) > BIGINT_MAX:
            return None
        return Cursor(episode=int(match.group(1)), index=int(match.group(2) or 0))

    @property
    def query_error(self) -> str:
        """Reason why the query cannot be run; empty if it can."""
        return self.form.query_error() or self.search.error

    @cached_property
    def errors(self) -> Sequence[str]:
        """Messages about the other invalid parameters, which are ignored."""
        errors = [*self.form.error_messages(), *self.view.errors]
        if self._cursor and self.after is None:
            cursor = cut(visible(self._cursor), CHIP_CHARS)
            errors.append(f"“{cursor}” is not a position in this list; showing its top.")
        return errors

    @property
    def has_empty_selection(self) -> bool:
        """True if the form was sent with no box selected; ignoring this would match every episode."""
        is_invalid = EPISODES in self.form.errors
        return EPISODES in self._parameters and EPISODES not in self.filters and not is_invalid

    @property
    def is_set(self) -> bool:
        return bool(self._values)

    def address(self, name: str = "search", *, without: str = "", **changes: str) -> str:
        """Return the address of this search's first page, or of the view ``name`` for this search."""
        values = {field: value for field, value in self._values.items() if field != without}
        view = self.view.parameters if name in VIEWED else {}
        query = urlencode({**values, **view, **changes})
        return f"{reverse(name)}?{query}" if query else reverse(name)

    def address_after(self, cursor: Cursor) -> str:
        place = f"{cursor.episode}-{cursor.index}" if cursor.index else str(cursor.episode)
        return self.address(**{CURSOR: place})

    def chips(self) -> list[Chip]:
        return [
            Chip(
                label=cut(visible(self._chip_label(name, value)), CHIP_CHARS),
                code=value if name in self.filters and self.form.label_of(name, value) else "",
                without=self.address(without=name),
                is_ignored=name not in self.filters,
            )
            for name, value in self._values.items()
            if name != "q"
        ]

    def _chip_label(self, name: str, value: str) -> str:
        field = str(self.form.fields[name].label)
        if name not in self.filters:
            return f"{field}: {value}"
        template = CHIPS.get(name, f"{field.lower()}: {{}}")
        return template.format(self.form.label_of(name, value) or value)
