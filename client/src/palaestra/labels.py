"""The labels of people and machines, as the REST API lists them."""

from __future__ import annotations

from typing import Any

import msgspec


class Label(msgspec.Struct, frozen=True, kw_only=True):
    """What an annotator says of the thought of a step, or of a whole trajectory (step 0) or a pair.

    ``values`` are answers by field of the project's codebook, ``spans`` places in the thought, ``links``
    steps by answer; ``weight`` is how many steps of its stratum the step stands for.
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
    """What counts as the label of a unit: ``source`` is ``adjudicated`` or ``majority``."""

    source: str
    people: int
    values: dict[str, Any]


class LabelledUnit(msgspec.Struct, frozen=True, kw_only=True):
    """A unit with its labels; ``consensus`` is None while no person has labelled it.

    Of a pair ``episode`` is the first and ``other_episode`` the second, as answers call them.
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
