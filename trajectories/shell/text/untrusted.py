"""Untrusted text, made safe to display."""

from __future__ import annotations

import re
import unicodedata

from django.utils.html import escape
from django.utils.safestring import SafeString, mark_safe

from core.episodes.tokens import mask_tokens

# Characters that reorder or hide the text around them. Pages show their codes. Tabs and line ends are kept.
INVISIBLE = re.compile(
    "[\u0000-\u0008\u000b\u000c\u000e-\u001f\u007f-\u009f\u061c\u200b-\u200f\u202a-\u202e\u2060-\u2069\ufeff"
    "\U000e0000-\U000e007f]"
)
# No script puts more combining marks than this on a letter; stacks of marks would cover adjacent lines.
MARKS_MOST = 8
_MARK = "".join(
    map(chr, filter(lambda code: unicodedata.category(chr(code)) in ("Mn", "Me"), range(0x1FFFF)))
)
_HEAP = re.compile(f"([{_MARK}]{{{MARKS_MOST}}})([{_MARK}]+)")
# A quick test for texts that may have such stacks, since searching for the marks takes 1,000 times as long.
_PERHAPS = re.compile(rf"[^\w\s\x00-\x7f]{{{MARKS_MOST + 1}}}")

# Rows show the beginnings of texts. More is read than a row can show, since formulas become shorter as plain
# text, and one more character is read to find out whether the text continues.
BEGINNING_CHARS = 400
BEGINNING_FETCHED = BEGINNING_CHARS + 1


def goes_on(beginning: str) -> bool:
    """Return True if a text, read up to ``BEGINNING_FETCHED`` characters, is longer than a beginning."""
    return len(beginning) > BEGINNING_CHARS


def visible(text: object) -> str:
    """Return a value as text, with codes for invisible characters and counts for stacks of marks."""
    return _heaps(INVISIBLE.sub(_code_point, mask_tokens(str(text))), "{}")


def visible_html(text: object) -> SafeString:
    """Return ``visible`` text as escaped HTML that styles codes and counts differently; None is empty."""
    escaped = escape(mask_tokens("" if text is None else str(text)))
    shown = INVISIBLE.sub(lambda match: f'<span class="invisible">{_code_point(match)}</span>', escaped)
    shown = _heaps(shown, '<span class="invisible">{}</span>')
    return mark_safe(shown)  # noqa: S308 (escaped above; only our own markup is added)


def first_line(value: str, limit: int = 160) -> str:
    """Return the first line that is not blank, cut to ``limit`` characters."""
    line = next((line.strip() for line in (value or "").splitlines() if line.strip()), "")
    return cut(line, limit)


def cut(line: str, limit: int) -> str:
    return line if len(line) <= limit else line[: limit - 1].rstrip() + "…"


def _heaps(text: str, form: str) -> str:
    """Keep at most ``MARKS_MOST`` marks on any letter; ``form`` formats the number of removed marks."""
    if not _PERHAPS.search(text):
        return text
    return _HEAP.sub(lambda match: match[1] + form.format(f"+{len(match[2]):,} marks"), text)


def _code_point(match: re.Match[str]) -> str:
    return f"U+{ord(match.group()):04X}"
