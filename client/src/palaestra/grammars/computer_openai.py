"""The actions of OpenAI's computer-use tool: one in the arguments, or a list of them under ``actions``."""

from __future__ import annotations

from typing import ClassVar

from palaestra.grammars.computer import ComputerGrammar
from palaestra.grammars.counterparts import OPENAI

PIXELS = {"type": "integer"}


class ComputerOpenai(ComputerGrammar):
    id = "computer_openai"
    table = OPENAI
    key = "type"
    batch = "actions"
    schemas: ClassVar = {
        "x": PIXELS,
        "y": PIXELS,
        "button": {"type": "string", "enum": ["left", "right", "wheel"]},
        "path": {
            "type": "array",
            "description": "Where a drag begins and ends.",
            "items": {"type": "object", "properties": {"x": PIXELS, "y": PIXELS}, "required": ["x", "y"]},
        },
        "scroll_x": PIXELS,
        "scroll_y": {**PIXELS, "description": "Pixels to scroll by; positive is down."},
        "text": {"type": "string", "description": "The text to type."},
        "keys": {
            "type": "array",
            "description": "The keys to press together, such as CTRL and A.",
            "items": {"type": "string"},
        },
        "ms": {"type": "integer", "description": "Milliseconds to wait."},
    }
