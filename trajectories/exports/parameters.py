"""The parameters of an export: its filters and options, in the form in which they are stored."""

from __future__ import annotations

from datetime import datetime
from typing import Annotated, Any, Literal

import msgspec
from msgspec import Meta, Struct

from core.database.integers import BIGINT_MAX, INT_MAX
from core.errors import GymError

Format = Literal["jsonl", "parquet"]
PAIRS_MAX = 4
TEXT_CHARS = 2_000


class Labels(Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """A filter by the labels that steps have in an annotation project.

    ``weights`` has the weight of each answer to ``field``, and other answers weigh 0. Rows without a label,
    and rows with weight 0, are left out.
    """

    project: int
    field: str
    weights: dict[str, float]


class Revision(Struct, frozen=True, forbid_unknown_fields=True):
    """A thought that turns a failed attempt around.

    It belongs to one ``episode``, after its first bad ``step``, or fits any if ``episode`` is None.
    """

    text: Annotated[str, Meta(min_length=1, max_length=TEXT_CHARS)]
    episode: Annotated[int, Meta(ge=1, le=BIGINT_MAX)] | None = None
    step: Annotated[int, Meta(ge=1, le=INT_MAX)] | None = None


class Parameters(Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """The filters and options of an export.

    Empty lists and None do not filter. ``export_request`` fills in the kind's outcomes and origins; exports
    stored without origins contain plain episodes only. ``as_of`` is the time at which the export began, and
    only episodes that had ended by then are taken.
    """

    format: Format = "jsonl"
    runs: list[int] = []
    benchmarks: list[str] = []
    splits: list[str] = []
    arms: list[str] = []
    outcomes: list[str] = []
    origins: list[str] = []
    policy_version_min: int | None = None
    policy_version_max: int | None = None
    opened_from: datetime | None = None
    opened_before: datetime | None = None
    labels: Labels | None = None
    pairs_max: int = PAIRS_MAX
    revisions: list[Revision] = []
    segments: list[str] = []
    reward_profile: str = ""
    seed: int = 0
    golds: bool = False
    locked: bool = False
    solutions: bool = False
    as_of: datetime | None = None


def parameters_read(stored: dict[str, Any]) -> Parameters:
    return msgspec.convert(stored, Parameters)


def parameters_store(parameters: Parameters) -> dict[str, Any]:
    stored: dict[str, Any] = msgspec.to_builtins(parameters)
    return stored


REVISIONS_MAX_BYTES = 1024 * 1024
REVISIONS_MAX = 1_000
ERROR_CHARS = 300


def revisions_read(data: bytes) -> list[Revision]:
    """Parse a file of revision thoughts.

    Raises ``GymError`` 422 ``bad_revisions``, whose message names the first bad line.
    """
    if len(data) > REVISIONS_MAX_BYTES or data.count(b"\n") > REVISIONS_MAX:
        most = f"{REVISIONS_MAX:,} lines and {REVISIONS_MAX_BYTES:,} bytes"
        message = f"A file of revision thoughts may have at most {most}."
        raise GymError("bad_revisions", message, status=422)
    revisions = [
        _revision(line, number) for number, line in enumerate(data.split(b"\n"), start=1) if line.strip()
    ]
    if not revisions:
        raise GymError("bad_revisions", "This file contains no revision thoughts.", status=422)
    return revisions


def _revision(line: bytes, number: int) -> Revision:
    try:
        return msgspec.json.decode(line, type=Revision)
    except (msgspec.MsgspecError, UnicodeError, RecursionError) as error:
        message = f"Line {number}: {error}."[:ERROR_CHARS]
        raise GymError("bad_revisions", message, status=422) from error
