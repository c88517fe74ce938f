"""Answers in free text; ``palaestra.extraction`` has the rule for parsing each form."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Literal

AnswerForm = Literal["line", "block", "program", "values"]
"""The form of an answer in arms without a page: one line, a fenced block of lines, a fenced program, or
values separated by ``|``.
"""
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
"""The result message of a free-text completion without an answer, by the form of the answer."""
