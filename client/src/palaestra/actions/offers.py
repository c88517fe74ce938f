"""Which actions and fields an episode offers. The server has the same rule (``trajectories/actions``)."""

from __future__ import annotations

from typing import Literal

# page: there is one. ids: elements are shown with ids. positions: a picture is shown, whose pixels count.
# outline: the text of the page is shown. site: the page belongs to a mock site. answer: the API takes the
# answer, no page does. tools: the task has tools, and no page shows them. sequence: several actions are
# allowed in one turn. never: carried out, never offered.
Condition = Literal["page", "ids", "positions", "outline", "site", "answer", "tools", "sequence", "never"]
Conditions = frozenset[Condition]


def conditions_of(
    *,
    has_page: bool,
    has_ids: bool = False,
    has_positions: bool = False,
    has_outline: bool = False,
    is_site: bool = False,
    answer_channel: str = "page",
    actions_per_turn: int = 1,
    has_tools: bool = False,
) -> Conditions:
    """Return the conditions that an episode meets. Those of a page need one, and ``tools`` needs that there
    is none: a page shows its tools as forms."""
    of_page: dict[Condition, bool] = {
        "page": True,
        "ids": has_ids,
        "positions": has_positions,
        "outline": has_outline,
        "site": is_site,
        "sequence": actions_per_turn > 1,
    }
    conditions = {condition for condition, holds in of_page.items() if has_page and holds}
    if not has_page or answer_channel == "api":
        conditions.add("answer")
    if has_tools and not has_page:
        conditions.add("tools")
    return frozenset(conditions)
