"""Text from others, made safe to display."""

from __future__ import annotations

import re
import unicodedata

from django.utils.html import escape
from django.utils.safestring import SafeString, mark_safe

from core.episodes.tokens import mask_tokens

# Characters that reorder or hide the text around them; pages show their codes. Tabs and line ends stay.
INVISIBLE = re.compile(
    "[\u0000-\u0008\u000b\u000c\u000e-\u001f\u007f-\u009f\u061c\u200b-\u200f\u202a-\u202e\u2060-\u2069\ufeff"
    "\U000e0000-\U000e007f]"
)
# No script puts more combining marks on a letter; heaps of them cover neighbouring lines.
MARKS_MOST = 8
_MARK = "".join(
    map(chr, filter(lambda code: unicodedata.category(chr(code)) in ("Mn", "Me"), range(0x1FFFF)))
)
_HEAP = re.compile(f"([{_MARK}]{{{MARKS_MOST}}})([{_MARK}]+)")
# A quick test for texts that may have heaps: looking for marks takes a thousand times as long.
_PERHAPS = re.compile(rf"[^\w\s\x00-\x7f]{{{MARKS_MOST + 1}}}")

# Rows show how texts begin. More is read than a row can show, since formulas become shorter as plain text,
# and one more character, which tells whether the text goes on.
BEGINNING_CHARS = 400
BEGINNING_FETCHED = BEGINNING_CHARS + 1


def goes_on(beginning: str) -> bool:
    """Return whether a text continues after its first ``BEGINNING_FETCHED`` characters, which were read."""
    return len(beginning) > BEGINNING_CHARS


def visible(text: object) -> str:
    """Return a value's text without markup, with invisible characters named and heaps of marks counted."""
    return _heaps(INVISIBLE.sub(_code_point, mask_tokens(str(text))), "{}")


def visible_html(text: object) -> SafeString:
    """Return the same, escaped, with the names styled differently from the text itself; nothing for None."""
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
    """Leave at most ``MARKS_MOST`` marks on a letter of the text; ``form`` formats the number of others."""
    if not _PERHAPS.search(text):
        return text
    return _HEAP.sub(lambda match: match[1] + form.format(f"+{len(match[2]):,} marks"), text)


def _code_point(match: re.Match[str]) -> str:
    return f"U+{ord(match.group()):04X}"
