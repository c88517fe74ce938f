"""The actions of Anthropic's computer-use tool, ``computer_20250124`` and later.

Each may also be called by its own name, as in Anthropic's toolset.
"""

from __future__ import annotations

from typing import ClassVar

from palaestra.grammars.computer import ComputerGrammar
from palaestra.grammars.counterparts import ANTHROPIC

POSITION = {"type": "array", "items": {"type": "integer"}, "minItems": 2, "maxItems": 2}


class ComputerAnthropic(ComputerGrammar):
    id = "computer_anthropic"
    table = ANTHROPIC
    key = "action"
    schemas: ClassVar = {
        "coordinate": {**POSITION, "description": "[x, y] of the action; where a drag ends."},
        "start_coordinate": {**POSITION, "description": "[x, y] where a drag begins."},
        "scroll_direction": {"type": "string", "enum": ["up", "down", "left", "right"]},
        "scroll_amount": {"type": "number", "description": "Notches of the mouse wheel."},
        "text": {"type": "string", "description": "The text to type, or the key to press, such as ctrl+a."},
        "duration": {"type": "number", "description": "Seconds to wait."},
    }
