"""Search across trajectories by words in thoughts and by filters.

The hits are steps if the search contains words, otherwise episodes. Words and filters on facts only match
episodes whose facts have been computed (some seconds after their end); other filters also match open
episodes.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from datetime import date, timedelta
from pathlib import Path
from typing import Any

from core.database.sql import Statement
from core.text.toml import toml_load
from tasks_app.task_words import task_query, tasks_with
from trajectories.actions.checks import MISMATCHES
from trajectories.behaviour.facts.types import CONFIGURATION, QUERY_WORDS_MAX, query_terms, web_query
from trajectories.models.origins import ORIGIN_SQL
from trajectories.shell.grid.view import Sort
from trajectories.shell.queries.previews import EpisodeRow, Place, episode_rows

HITS_PER_PAGE = 50
# Counts are exact up to this number; counting further would take seconds.
COUNTED_MAX = 10_000
RUNS_COUNTED = 20
# Up to this many hits are all read and sorted; if there are more, steps are read from the newest backwards.
RARE_MAX = 2_000
EXPORTED_AT_ONCE = 500

_TABLES = toml_load(Path(__file__).with_name("conditions.toml"), dict[str, Any])
EPISODE_CONDITIONS: dict[str, str] = {
    **_TABLES["episode"],
    "origin": f"{ORIGIN_SQL} = %(origin)s",
    "problem": f"e.task_id IN ({tasks_with('%(problem)s')})",
}
JOINS: dict[str, str] = _TABLES["joins"]
# As in a run's means, all of an episode's unexplained events count, including those outside steps.
MISMATCH_COLUMNS = {kind: f"a.{kind} > 0" for kind in MISMATCHES} | {
    "unexplained": "a.unexplained_events > 0"
}
_RUN_EXTENT = Statement(__file__, "run_extent")
_STEPS_MATCHING = Statement(__file__, "steps_matching")
NEWEST = "e.id"


@dataclass(frozen=True, kw_only=True)
class Cursor:
    """The last hit of a page; ``index`` is 0 if hits are episodes."""

    episode: int
    index: int = 0


@dataclass(frozen=True, kw_only=True)
class Counts:
    """Numbers of hits and of their episodes, and by outcome (or status), arm and the most frequent runs.
    Unless ``is_exact``, only the first ``COUNTED_MAX`` hits are counted.
    """

    total: int
    episodes: int
    is_exact: bool
    outcomes: Mapping[str, int]
    arms: Mapping[str, int]
    runs: Mapping[int, int]


@dataclass(frozen=True, kw_only=True)
class HitPage:
    """One page of hits, newest first; ``older`` is the cursor of the next page."""

    hits: Sequence[EpisodeRow]
    older: Cursor | None


@dataclass(frozen=True, kw_only=True)
class Search:
    """A query in websearch syntax ("phrase", or, -without) and filters.

    The filters are those of ``EPISODE_CONDITIONS``, ``action`` (a type) and ``action_check`` (a mismatch).
    With words, the last two apply to the matching step itself; without words, any step of the episode may
    match (for ``unexplained``, any event). The day ``opened_to`` is included. The filter ``problem`` contains
    words of the task's key and prompt in the same syntax. Other filter names raise ``KeyError``. ``sort``
    orders episodes by a column of ``grid/episodes.py``; steps are always newest first.
    """

    query: str = ""
    filters: Mapping[str, Any]
    sort: Sort | None = None

    @property
    def words(self) -> str:
        return web_query(self.query)

    @property
    def error(self) -> str:
        """Reason why the query cannot match anything; empty if it can."""
        terms = query_terms(self.query)
        if sum(len(words) for _, words in terms) > QUERY_WORDS_MAX:
            return f"The query has more than {QUERY_WORDS_MAX} words."
        if not self.query.strip() or self.words:
            return ""
        if any(sign == "-" for sign, _ in terms):
            return "The query only excludes words; add at least one word to match."
        return "The query needs at least one word or number to match."


def search_page(search: Search, *, after: Cursor | None = None, limit: int = HITS_PER_PAGE) -> HitPage:
    """Return one page of a search's hits, starting after the cursor."""
    if search.error:
        return HitPage(hits=[], older=None)
    places = _places(search, after=after, limit=limit + 1)
    shown = _at_steps(search, places[:limit])
    last = places[limit - 1] if len(places) > limit else None
    older = Cursor(episode=last[0], index=last[1] or 0) if last else None
    return HitPage(hits=episode_rows(shown, query=search.query), older=older)


def search_counts(search: Search) -> Counts:
    """Count the hits by outcome, arm and run, up to ``COUNTED_MAX``."""
    if search.error:
        return Counts(total=0, episodes=0, is_exact=True, outcomes={}, arms={}, runs={})
    hits, parameters = _source(search, columns="e.id, e.arm, e.run_id, e.verdict_id, e.status")
    rows = _rows("search_counts", hits, counted_max=COUNTED_MAX, **parameters)
    total = rows[0][4] if rows else 0
    runs = [(row[2], row[3]) for row in rows if row[2] is not None]
    return Counts(
        total=min(total, COUNTED_MAX),
        episodes=rows[0][5] if rows else 0,
        is_exact=total <= COUNTED_MAX,
        outcomes={row[0]: row[3] for row in rows if row[0] is not None},
        arms={row[1]: row[3] for row in rows if row[1] is not None},
        runs=dict(runs[:RUNS_COUNTED]),
    )


def search_episode_ids(search: Search) -> Iterator[int]:
    """Yield the ids of all hits' episodes, newest first and each only once."""
    if search.error:
        return
    after, last = None, None
    while True:
        places = _places(search, after=after, limit=EXPORTED_AT_ONCE)
        for episode_id, _ in places:
            if episode_id != last:
                yield episode_id
            last = episode_id
        if len(places) < EXPORTED_AT_ONCE or last is None:
            return
        # The next batch begins after the last step of that episode.
        after = Cursor(episode=last, index=0)


def _places(search: Search, *, after: Cursor | None, limit: int) -> list[Place]:
    if not search.words:
        hits, parameters = _source(search, columns="e.id, NULL::int", after=after)
        return _rows("episodes_sorted", hits, limit=limit, order=_order(search), **parameters)
    rare = _places_of_rare(search, after=after, limit=limit)
    if rare is not None:
        return rare
    hits, parameters = _source(search, columns="f.episode_id, f.index", after=after)
    return _rows("newest_steps", hits, limit=limit, **parameters)


def _places_of_rare(search: Search, *, after: Cursor | None, limit: int) -> list[Place] | None:
    """Return the hits from the word index if there are few enough to sort them all, otherwise None.

    If asked only for the newest hits, Postgres reads steps from the newest backwards until enough of them
    match. That is right for frequent words. But Postgres also assumes that an unknown word is frequent, and
    would then read everything.
    """
    hits, parameters = _source(search, columns="f.episode_id, f.index", after=after)
    rows = _rows("rare_hits", hits, rare_max=RARE_MAX, limit=limit, **parameters)
    if rows[0][0] > RARE_MAX:
        return None
    return [(episode_id, index) for _, episode_id, index in rows if episode_id is not None]


def _order(search: Search) -> str:
    """Return the SQL order of episodes, with their ids as the last key."""
    return search.sort.order_by(NEWEST) if search.sort else f"{NEWEST} DESC"


def _at_steps(search: Search, places: list[Place]) -> list[Place]:
    """Move the hits of a step filter to the first matching step of each episode."""
    step = {name: search.filters.get(name) for name in ("action", "action_check")}
    if search.words or not places or not any(step.values()):
        return places
    first = dict(_STEPS_MATCHING.rows(episodes=[episode_id for episode_id, _ in places], **step))
    return [(episode_id, first.get(episode_id)) for episode_id, _ in places]


def _rows(name: str, hits: str, *, order: str = "", **parameters: Any) -> list[Any]:
    """Run a statement around the query ``hits``, which is built only from this package's constants."""
    return Statement(__file__, name, hits=hits, order=order).rows(**parameters)


def _source(search: Search, *, columns: str, after: Cursor | None = None) -> tuple[str, dict[str, Any]]:
    """Return an unordered query for the hits and its parameters; it joins only the tables that it needs."""
    conditions = _conditions(search)
    parameters = {**search.filters, "words": search.words}
    if "opened_to" in parameters and isinstance(parameters["opened_to"], date):
        parameters["opened_to"] += timedelta(days=1)
    if "problem" in parameters:
        parameters["problem"] = task_query(parameters["problem"])
    if search.words and "run" in parameters:
        # A run's episode ids are mostly contiguous, and a range of ids can be combined with the word index.
        first, last = _RUN_EXTENT.rows(run=parameters["run"])[0]
        parameters.update(run_first=first, run_last=last)
        conditions.append("f.episode_id BETWEEN %(run_first)s AND %(run_last)s")
    if after:
        parameters.update(after=after.episode, after_index=after.index)
        conditions.append(_after(search))
    order = "" if search.words else _order(search)
    needed = {alias for alias in JOINS for part in (*conditions, columns, order) if f"{alias}." in part}
    if needed - {"f"}:
        needed.add("e")
    if search.words:
        tables = ["trajectories_stepfacts f", *(JOINS[alias] for alias in JOINS if alias in needed)]
    else:
        tables = ["trajectories_episode e", *(JOINS[alias] for alias in JOINS if alias in needed - {"e"})]
    where = f"WHERE {' AND '.join(conditions)}" if conditions else ""
    return f"SELECT {columns} FROM {' '.join(tables)} {where}", parameters  # noqa: S608 (constants)


def _after(search: Search) -> str:
    """Return the SQL condition for the hits that follow the cursor in the search's order."""
    if search.words:
        return "(f.episode_id, f.index) < (%(after)s, %(after_index)s)"
    if search.sort is None:
        return f"{NEWEST} < %(after)s"
    column = search.sort.sql
    joins = " ".join(join for alias, join in JOINS.items() if alias != "e" and f"{alias}." in column)
    return search.sort.after(NEWEST, tables=f"trajectories_episode e {joins}")


def _conditions(search: Search) -> list[str]:
    conditions = []
    if search.words:
        conditions.append(f"f.words @@ websearch_to_tsquery('{CONFIGURATION}'::regconfig, %(words)s)")
    for name, value in search.filters.items():
        if name == "action":
            conditions.append("f.action_type = %(action)s" if search.words else "a.action_types ? %(action)s")
        elif name == "action_check":
            column = MISMATCH_COLUMNS[value]
            conditions.append("f.action_check = %(action_check)s" if search.words else column)
        else:
            conditions.append(EPISODE_CONDITIONS[name])
    return conditions
