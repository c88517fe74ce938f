"""Few-shot examples: the solved tasks shown before a question in the few-shot arm.

A seed draws them from the benchmark's training split. An example is never the task itself, a near-duplicate
(``is_near``), another question about the same table, picture, passage or world, a task with a disputed gold,
or a task that is not eligible for the gap. If the task's family (its subject) has too few, the rest come from
the whole split. The draw depends only on keys, texts and the seed, not on ids or the order of rows, so two
machines that have loaded the same split choose the same examples.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field, replace
from functools import cache, cached_property
from typing import Any

from django.db import connection

from core.draws import Draws
from core.errors import GymError
from tasks_app.registry import benchmarks

CANDIDATES_MAX = 2_000
NUMBER = re.compile(r"\d(?:[\d.,]*\d)?")
WORD = re.compile(r"[^\W\d_]+|#")
SHINGLE_WORDS = 3
NEAR = 0.25

Shingles = frozenset[tuple[str, ...]]

_ITEM = """
    t.id, t.benchmark_id, t.split, t.key, t.tags,
    concat_ws(E'\\n', t.payload->>'text',
        (SELECT string_agg(c->>'text', E'\\n') FROM jsonb_array_elements(t.payload->'choices') c)),
    CASE WHEN t.payload ?| ARRAY['table', 'pictures', 'passage'] THEN
        md5(concat_ws(E'\\n', t.payload->>'table', t.payload->>'pictures', t.payload->>'passage')) END,
    t.payload->>'world'"""

_REQUESTED = f"SELECT {_ITEM} FROM tasks_app_task t WHERE t.id = ANY(%(ids)s)"  # noqa: S608

# Payloads are read only for the candidates that this subquery keeps.
_CANDIDATES = f"""
SELECT {_ITEM} FROM (
    SELECT s.id, md5(s.key) COLLATE "C" AS place FROM tasks_app_task s
    WHERE (s.benchmark_id, s.split) = (%(benchmark)s, %(split)s) AND s.gap_eligible
        AND (%(tag)s = '' OR s.tags @> ARRAY[%(tag)s]::varchar[])
        AND EXISTS (SELECT FROM tasks_app_gold g
            WHERE g.task_id = s.id AND g.is_current AND g.status <> 'disputed')
    ORDER BY 2 LIMIT %(most)s) AS chosen
JOIN tasks_app_task t ON t.id = chosen.id ORDER BY chosen.place"""  # noqa: S608


@dataclass(frozen=True)
class Source:
    """The source of examples. ``tag`` is that of the family that they share with the task, if any."""

    benchmark: str
    split: str
    tag: str = ""

    def __str__(self) -> str:
        return f"{self.benchmark}/{self.split}{f' ({self.tag})' if self.tag else ''}"


@dataclass(frozen=True)
class Item:
    """A candidate example. ``about`` is equal for questions about the same table or picture.

    ``world`` is the number of the mock site's world; in another world the same words have another answer.
    """

    id: int
    benchmark: str
    split: str
    key: str
    tags: Sequence[str] = field(default=(), compare=False)
    text: str = ""
    about: str | None = None
    world: str | None = None

    @cached_property
    def shingles(self) -> Shingles:
        return shingles(self.text)

    def gives_away(self, other: Item) -> bool:
        if self.id == other.id or (self.about is not None and self.about == other.about):
            return True
        if self.world is not None and other.world is not None:
            return self.world == other.world
        return self.text == other.text or is_near(self.shingles, other.shingles)


def shingles(text: str) -> Shingles:
    """Return all runs of three words, in lower case and with numbers replaced.

    A shorter text is one run.
    """
    words = WORD.findall(NUMBER.sub("#", text.lower()))
    return frozenset(
        tuple(words[start : start + SHINGLE_WORDS]) for start in range(max(1, len(words) - SHINGLE_WORDS + 1))
    )


def is_near(first: Shingles, other: Shingles) -> bool:
    """Return whether texts are near-duplicates, which share a quarter of their shingles (Jaccard similarity).

    This was measured on all pairs. Among 500 questions of GSM8K's training split, one pair is near: a story
    told twice (0.28; the next pair has 0.16). Among 420 questions of MATH, 38 of 87,990 pairs are near, from
    "Compute n over k" with other numbers (1.0) down to texts that only share a phrase. Dropping one example
    too many costs nothing, but keeping one too many spoils the measurement.
    """
    return len(first & other) >= NEAR * len(first | other)


def examples_choose(
    ids: Sequence[int], *, count: int, seed: int, sees_split: Callable[[str], bool]
) -> dict[int, tuple[int, ...]]:
    """Choose ``count`` solved tasks as examples for each task, as ids in the order in which they are shown.

    Raises ``GymError`` 422 ``no_exemplars`` if a task's benchmark has no training split, the caller may not
    see it, or too few of its tasks are loaded.
    """
    pool_of = cache(_candidates)
    chosen: dict[int, tuple[int, ...]] = {}
    for item in _items(_REQUESTED, {"ids": list(set(ids))}):
        source = find_source(item.benchmark, item.tags)
        if not sees_split(source.split):
            raise _no_exemplars(f"The key may not see the split {source.split!r}, which has the examples.")
        taken = draw(item, pool_of(source), count=count, seed=seed)
        if len(taken) < count and source.tag:
            taken = draw(item, pool_of(replace(source, tag="")), count=count, seed=seed, after=taken)
        if len(taken) < count:
            raise _too_few(item, source, have=len(taken), count=count)
        chosen[item.id] = tuple(other.id for other in taken)
    return chosen


def find_source(benchmark: str, tags: Sequence[str]) -> Source:
    """Return where a task's examples come from. Raises ``GymError`` 422 ``no_exemplars`` without a split."""
    plugin = benchmarks.get(benchmark)
    split = plugin.example_split or ("train" if "train" in plugin.splits else None)
    if split is None:
        raise _no_exemplars(f"The benchmark {benchmark!r} has no training split to take examples from.")
    family = plugin.example_tag and next((tag for tag in tags if tag.startswith(plugin.example_tag)), "")
    return Source(plugin.example_benchmark or benchmark, split, family)


def draw(
    item: Item, pool: Sequence[Item], *, count: int, seed: int, after: Sequence[Item] = ()
) -> list[Item]:
    """Extend ``after`` to ``count`` examples from the pool.

    None of them gives away the answer to the item or to another example.
    """
    draws = Draws("exemplars-v1", seed, item.benchmark, item.split, item.key)
    taken = [*after]
    for index in _places(len(pool), draws):
        if len(taken) == count:
            break
        if not any(pool[index].gives_away(other) for other in (item, *taken)):
            taken.append(pool[index])
    return taken


def _places(count: int, draws: Draws) -> Iterator[int]:
    """Yield a random permutation lazily, because only a few positions out of thousands are read."""
    moved: dict[int, int] = {}
    for left in range(count, 0, -1):
        index = draws.whole(0, left - 1)
        yield moved.get(index, index)
        moved[index] = moved.get(left - 1, left - 1)


def _candidates(source: Source) -> list[Item]:
    return _items(
        _CANDIDATES,
        {"benchmark": source.benchmark, "split": source.split, "tag": source.tag, "most": CANDIDATES_MAX},
    )


def _items(statement: str, parameters: dict[str, Any]) -> list[Item]:
    with connection.cursor() as cursor:
        cursor.execute(statement, parameters)
        return [Item(*row) for row in cursor.fetchall()]


def _too_few(item: Item, source: Source, *, have: int, count: int) -> GymError:
    return _no_exemplars(
        f"{source} has {have} examples for task {item.id}, but {count} are needed. Load more: "
        f"manage.py load_benchmark {source.benchmark} --split {source.split} --file PATH."
    )


def _no_exemplars(message: str) -> GymError:
    return GymError("no_exemplars", message, status=422, fields={"tasks": [message]})
