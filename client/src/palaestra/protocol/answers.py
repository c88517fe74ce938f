"""Answers in free text; ``palaestra.extraction`` has the rule by which each form is read."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Literal

AnswerForm = Literal["line", "block", "program", "values"]
"""The form of an answer where no page takes it: one line, a fenced block of lines, a fenced program, or
values with ``|`` between."""
_NO_LINE = 'There is no line that begins with "Answer:".'
_NO_BLOCK = "There is no fenced code block."
_LINE = 'End your turn with one: "Answer:", followed by your final answer'
_BLOCK = 'End your turn with a line that says "Answer:" and, below it, your {} in one fenced code block.'
REPAIRS: Mapping[AnswerForm, str] = {
    "line": f"{_NO_LINE} {_LINE}.",
    "values": f'{_NO_LINE} {_LINE}, with " | " between several values.',
    "block": f"{_NO_BLOCK} {_BLOCK.format('final answer')}",
    "program": f"{_NO_BLOCK} {_BLOCK.format('program')}",
}
"""The result of a completion in free text without an answer, by the form of the answer."""
