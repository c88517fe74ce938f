"""Queries and records of the API calls about tasks."""

from __future__ import annotations

from typing import Annotated, Any, Literal

from msgspec import UNSET, Meta, Struct, UnsetType

from core.api.paging import PAGE_DEFAULT, PAGE_MAX, Cursor, Limit
from core.database.integers import BIGINT_MAX
from core.structs.bodies import Body
from core.structs.fields import Id, checked, string

NAME_MAX_CHARS = 200
TAGS_MAX = 100
IDS_CHARS = 25_000
IDS_PATTERN = "^ *[0-9]{1,18} *(, *[0-9]{1,18} *)*$"


def _ids_read(text: str) -> list[int]:
    """Parse a comma-separated list of ids."""
    if len(text) > IDS_CHARS:
        raise ValueError(f"At most {IDS_CHARS:,} characters.")
    parts = [part.strip() for part in text.split(",") if part.strip()]
    if len(parts) > PAGE_MAX:
        raise ValueError(f"At most {PAGE_MAX:,} ids.")
    digits = len(str(BIGINT_MAX))
    ids = [int(part) for part in parts if part.isascii() and part.isdigit() and len(part) <= digits]
    if len(ids) < len(parts) or not ids or max(ids) > BIGINT_MAX:
        raise ValueError("Ids must be whole numbers separated by commas, e.g. 3,14,15.")
    return ids


Name = Annotated[str, string(NAME_MAX_CHARS)]
Difficulty = Annotated[
    Annotated[float, Meta(ge=0, le=1)] | UnsetType,
    Meta(description="Tasks of unknown difficulty are left out."),
]


class ExportQuery(Body, kw_only=True):
    """Filters for tasks."""

    benchmark: Name | UnsetType = UNSET
    split: Name | UnsetType = UNSET
    tag: Annotated[
        Annotated[list[Name], Meta(max_length=TAGS_MAX)] | UnsetType,
        Meta(description="May be repeated; a task must have all of the tags."),
    ] = UNSET
    ids: Annotated[
        Annotated[str, checked(_ids_read, pattern=IDS_PATTERN, maxLength=IDS_CHARS, minLength=1)] | UnsetType,
        Meta(description=f"At most {PAGE_MAX:,} task ids, separated by commas."),
    ] = UNSET
    difficulty_min: Difficulty = UNSET
    difficulty_max: Difficulty = UNSET
    drawn: Annotated[
        bool,
        Meta(description="Only tasks with a picture of the question, for `gym_image` and `prompt_image`."),
    ] = False


class TaskListQuery(ExportQuery, kw_only=True):
    """Filters for tasks, by page."""

    limit: Limit = PAGE_DEFAULT
    cursor: Cursor | UnsetType = UNSET


class Task(Struct):
    """One problem as it is shown. It never contains a gold."""

    id: Id
    benchmark: str
    split: str
    key: Annotated[
        str, Meta(description="Identifies the task in its source; unique within its benchmark and split.")
    ]
    kind: Annotated[str, Meta(description="The question kind, e.g. `free_answer`.")]
    prompt: Annotated[
        str, Meta(description="The question as text, for arms without a page; formulas are in LaTeX.")
    ]
    payload: Annotated[
        dict[str, Any], Meta(description="What the question kind shows, e.g. `{text, format: plain|latex}`.")
    ]
    difficulty: Annotated[float | None, Meta(description="From 0 (easy) to 1 (hard), or null if unknown.")]
    tags: list[str]
    max_steps: Annotated[int, Meta(description="ceil(1.5 * oracle_steps) + 5.")]
    guess_rate: Annotated[
        float, Meta(description="Chance of answering correctly without reading the question.")
    ]
    oracle_steps: Annotated[int, Meta(description="Number of actions in the scripted solution on a page.")]
    gap_eligible: Annotated[bool, Meta(description="Whether the item may count in a modality gap.")]


class TaskPage(Struct):
    results: list[Task]
    next: Annotated[str | None, Meta(description="Cursor of the next page; null on the last page.")]


class Gold(Struct):
    """The current reference answer of one task."""

    task: Id
    benchmark: str
    split: str
    key: str
    answer: str
    accepted: Annotated[list[str], Meta(description="Other correct answers.")]
    solution: str
    version: Annotated[int, Meta(description="Counts from 1; a changed gold is a new version.")]
    status: Literal["valid", "disputed", "corrected"]


class Verifiers(Struct):
    official: Annotated[str, Meta(description="Judges evaluation runs.")]
    training: Annotated[str, Meta(description="Judges training runs; at least as strict as `official`.")]


class Benchmark(Struct):
    id: str
    title: str
    kind: str
    license: str
    source: str
    splits: Annotated[dict[str, int], Meta(description="Number of tasks per split that the key may see.")]
    impossible_share: Annotated[
        dict[str, float],
        Meta(description="Share of impossible tasks, for splits that have any; each has a possible twin."),
    ]
    verifiers: Verifiers
