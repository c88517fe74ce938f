"""Text that others wrote, made safe to look at."""

from __future__ import annotations

import re
import unicodedata

from django.utils.html import escape
from django.utils.safestring import SafeString, mark_safe

from core.tokens import mask_tokens

# Characters that reorder or hide what is around them: a page names them, and so says what is really there.
# Tab and line ends stay.
UNSEEN = re.compile(
    "[\u0000-\u0008\u000b\u000c\u000e-\u001f\u007f-\u009f\u061c\u200b-\u200f\u202a-\u202e\u2060-\u2069\ufeff"
    "\U000e0000-\U000e007f]"
)
# No script sets as many marks on one letter; more of them grow over lines and pages.
MARKS_MOST = 8
_MARK = "".join(map(chr, filter(lambda one: unicodedata.category(chr(one)) in ("Mn", "Me"), range(0x1FFFF))))
_HEAP = re.compile(f"([{_MARK}]{{{MARKS_MOST}}})([{_MARK}]+)")
# Looking for marks takes a thousand times as long as looking for what they may be among.
_PERHAPS = re.compile(rf"[^\w\s\x00-\x7f]{{{MARKS_MOST + 1}}}")

# Rows are made of how texts begin: of more than they have room for, since formulas are shorter when they are
# told in plain characters, and of one character beyond it, which says that the text goes on.
BEGINNING_CHARS = 400
BEGINNING_FETCHED = BEGINNING_CHARS + 1


def goes_on(beginning: str) -> bool:
    """Whether the text of whose beginning ``BEGINNING_FETCHED`` characters were fetched is longer."""
    return len(beginning) > BEGINNING_CHARS


def visible(text: str) -> str:
    """The text with unseen characters named and heaps of marks counted, where no markup can stand."""
    return _heaps(UNSEEN.sub(_number, mask_tokens(text)), "{}")


def visible_html(text: str) -> SafeString:
    """The same, escaped, with the names set apart from the text itself."""
    shown = UNSEEN.sub(
        lambda found: f'<span class="unseen">{_number(found)}</span>', escape(mask_tokens(text))
    )
    shown = _heaps(shown, '<span class="unseen">{}</span>')
    return mark_safe(shown)  # noqa: S308 (escaped above; what is added is ours)


def first_line(value: str, limit: int = 160) -> str:
    """The first line that says something, cut to ``limit`` characters."""
    line = next((line.strip() for line in (value or "").splitlines() if line.strip()), "")
    return cut(line, limit)


def cut(line: str, limit: int) -> str:
    return line if len(line) <= limit else line[: limit - 1].rstrip() + "…"


def _heaps(text: str, form: str) -> str:
    """The text with no more than ``MARKS_MOST`` marks on a letter; ``form`` holds how many there are more."""
    if not _PERHAPS.search(text):
        return text
    return _HEAP.sub(lambda found: found[1] + form.format(f"+{len(found[2]):,} marks"), text)


def _number(found: re.Match[str]) -> str:
    return f"U+{ord(found.group()):04X}"
