"""What words and formulas say in an observation, for the parity of pages with their source.

A formula is said between dollars, whatever delimiters its source wrote; everything else is said as it is.
"""

from __future__ import annotations

import re

from gymsite.core import latex
from gymsite.core.errors import GymError

ESCAPED = re.compile(r"\\(?:([$%&#_{}])|.)", re.DOTALL)
DELIMITERS = (("$$", "$$"), ("\\[", "\\]"), ("\\(", "\\)"), ("$", "$"))


def text_said(text: str, *, text_format: str) -> str:
    """Raises ``GymError`` ``text_lost`` when cutting the text into words and formulas lost some of it."""
    if text_format != "latex":
        return text
    segments = list(latex.segments_split(text))
    if "".join(segment.raw for segment in segments) != text:
        raise GymError("text_lost", "Cutting the text into words and formulas lost some of it.")
    return "".join(_segment_said(segment) for segment in segments)


def _segment_said(segment: latex.Segment) -> str:
    if segment.is_formula:
        return f"${_formula_body(segment.raw)}$"
    if segment.kind == "source":
        return segment.raw
    return ESCAPED.sub(lambda found: found[1] or found[0], segment.raw)


def _formula_body(raw: str) -> str:
    """A formula without its delimiters; an environment is its own."""
    for opener, closer in DELIMITERS:
        if raw.startswith(opener) and raw.endswith(closer):
            return raw[len(opener) : -len(closer)]
    return raw
