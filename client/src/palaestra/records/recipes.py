"""The recipe by which the page of a fork is restored to its parent's."""

from __future__ import annotations

from typing import Any

import msgspec

from palaestra.protocol.action_results import ActionResult
from palaestra.protocol.answers import AnswerForm


class Served(msgspec.Struct, frozen=True, kw_only=True):
    """A document that the arena served: the number of its site event, and its path below the first page."""

    seq: int
    path: str


class PastAct(msgspec.Struct, frozen=True, kw_only=True):
    """The action of a parent's step, and the page after it: address, observation format, and the SHA-256 of
    text and screenshot. ``seq`` is the number of the last site event by then."""

    index: int
    action: dict[str, Any] | None = None
    action_result: ActionResult | None = None
    result_message: str | None = None
    url: str
    kind: str
    sha256: str
    screenshot: str | None = None
    served: list[Served] = []
    seq: int


class Recipe(msgspec.Struct, frozen=True, kw_only=True):
    """Answer of ``POST /episodes/{id}/restore``. ``element_ids`` are the keys of the ids that elements had,
    in the order of their numbers; ``steps`` begin with the opening of the first page, index 0."""

    start_url: str
    answer_form: AnswerForm = "line"
    is_site: bool = False
    next_index: int
    element_ids: str
    steps: list[PastAct]
