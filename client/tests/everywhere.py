"""The conditions of an episode that offers every action, so that parsing depends only on the completion."""

from __future__ import annotations

from palaestra.grammars import Turn
from palaestra.grammars import json as json_grammar
from palaestra.protocol.offers import Conditions, conditions_of

EVERYWHERE: Conditions = conditions_of(
    has_page=True,
    has_ids=True,
    has_positions=True,
    has_outline=True,
    is_site=True,
    answer_channel="api",
    actions_per_turn=5,
)
ONE_A_TURN = EVERYWHERE - {"sequence"}


def turn_parse(text: str, *, conditions: Conditions = ONE_A_TURN, shown: str = "") -> Turn:
    """Parse a completion with the grammar ``json``."""
    return json_grammar.turn_parse(text, conditions, shown=shown)
