"""Queries and records of the calls about labels."""

from __future__ import annotations

import re
from datetime import datetime
from typing import Annotated, Any

from msgspec import UNSET, Meta, Struct, UnsetType

from core.fields import Id, checked, choice
from core.paging import Query
from palaestra.protocol.arms import ARMS
from trajectories.models import Annotator, Label

ANSWER_CHARS = 200


ANSWER = re.compile(r"([a-z0-9_]+):([a-z0-9_]+)")


def _answer_read(text: str) -> tuple[str, str]:
    match = ANSWER.fullmatch(text)
    if match is None or len(text) > ANSWER_CHARS:
        raise ValueError("Write it as field:answer, such as type:reasoning.")
    return match[1], match[2]


Answer = Annotated[
    str,
    checked(
        _answer_read,
        pattern=f"^{ANSWER.pattern.replace('(', '').replace(')', '')}$",
        maxLength=ANSWER_CHARS,
        minLength=1,
    ),
]


class LabelsQuery(Query, kw_only=True):
    project: Id | UnsetType = UNSET
    episode: Id | UnsetType = UNSET
    run: Id | UnsetType = UNSET
    arm: Annotated[str, choice(ARMS)] | UnsetType = UNSET
    layer: Annotated[str, choice(Label.Layer.values)] | UnsetType = UNSET
    annotator_kind: Annotated[str, choice(Annotator.Kind.values)] | UnsetType = UNSET
    answer: Annotated[
        Answer | UnsetType,
        Meta(
            description="`field:answer`, such as `type:reasoning`; of a field with several answers, one of "
            "them."
        ),
    ] = UNSET


class LabelRecord(Struct, kw_only=True):
    """An annotator's current label of a unit. ``annotator`` is a number, since names are for the lab.

    ``values`` are answers by field, ``spans`` places in the thought, ``links`` steps by answer.
    """

    id: int
    project: int
    episode: int
    step: int
    paragraph: int
    begin: int
    end: int
    other_episode: int | None
    other_step: int | None
    stratum: str
    weight: float
    annotator: int
    annotator_kind: str
    layer: str
    view: str
    is_swapped: bool
    version: int
    codebook: str
    values: dict[str, Any]
    spans: list[list[int]]
    links: dict[str, int]
    note: str
    is_unsure: bool
    reason: str
    active_ms: int | None
    created_at: datetime


class LabelPage(Struct, kw_only=True):
    """``next`` is null on the last page."""

    results: list[LabelRecord]
    next: str | None


class Consensus(Struct, kw_only=True):
    """The label of a unit that counts.

    ``source`` is ``adjudicated``, or ``majority``: then each field has the answer of more than half of
    ``people``, or null if there is none.
    """

    source: str
    people: int
    values: dict[str, Any]


class UnitRecord(Struct, kw_only=True):
    """A unit of a project with its labels; ``consensus`` is null while no person has labelled it.

    Of a pair ``episode`` is the first and ``other_episode`` the second, as answers call them; ``step`` and
    ``other_step`` are theirs. ``weight`` is the number of steps, trajectories or pairs that the unit stands
    for; of a paragraph its part of them.
    """

    project: int
    episode: int
    step: int
    paragraph: int
    begin: int
    end: int
    other_episode: int | None
    other_step: int | None
    weight: float
    consensus: Consensus | None
    labels: list[LabelRecord]


class EpisodeLabels(Struct, kw_only=True):
    results: list[UnitRecord]
