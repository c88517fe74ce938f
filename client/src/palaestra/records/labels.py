"""Labels by people and machines, as the REST API lists them."""

from __future__ import annotations

from typing import Any

import msgspec


class Label(msgspec.Struct, frozen=True, kw_only=True):
    """An annotator's label of a step's thought, of a whole trajectory (step 0), or of a pair.

    ``values`` are the answers by field of the project's codebook, ``spans`` are ranges of the thought, and
    ``links`` are steps by answer. ``weight`` is the number of steps in its stratum that the step represents.
    """

    id: int
    project: int
    episode: int
    step: int
    paragraph: int = 0
    begin: int = 0
    end: int = 0
    other_episode: int | None = None
    other_step: int | None = None
    weight: float = 1.0
    annotator: int
    annotator_kind: str
    layer: str
    view: str = "full"
    codebook: str = ""
    values: dict[str, Any]
    spans: list[list[int]] = []
    links: dict[str, int] = {}
    note: str = ""
    is_unsure: bool = False


class Consensus(msgspec.Struct, frozen=True, kw_only=True):
    """The label that counts for a unit; ``source`` is ``adjudicated`` or ``majority``."""

    source: str
    people: int
    values: dict[str, Any]


class LabelledUnit(msgspec.Struct, frozen=True, kw_only=True):
    """A unit with its labels; ``consensus`` is None while no person has labelled it.

    In a pair, ``episode`` is the one that answers call the first, and ``other_episode`` the second.
    """

    project: int
    episode: int
    step: int
    paragraph: int = 0
    other_episode: int | None = None
    other_step: int | None = None
    weight: float = 1.0
    consensus: Consensus | None = None
    labels: list[Label]
