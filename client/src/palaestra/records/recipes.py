"""The recipe for restoring a fork's page to the state of its parent's page."""

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
    """The action of one of the parent's steps, and the page after it.

    The page is described by its URL, its observation format, and the SHA-256 of its text and screenshot.
    ``seq`` is the number of the last site event at that time.
    """

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
    """The response of ``POST /episodes/{id}/restore``.

    ``element_ids`` are the keys of the elements' ids, in the order of their numbers; ``steps`` begin with the
    opening of the first page, which has index 0.
    """

    start_url: str
    answer_form: AnswerForm = "line"
    is_site: bool = False
    next_index: int
    element_ids: str
    steps: list[PastAct]
