"""Long texts of a step, prepared for a page: cut, escaped, and with a search's matches highlighted."""

from __future__ import annotations

import re
from dataclasses import dataclass

from django.utils.safestring import SafeString, mark_safe

from core.episodes.tokens import mask_tokens
from trajectories.shell.text.untrusted import visible_html

# A browser quickly lays out a text of this length; the page links to the whole text.
SHOWN_CHARS = 60_000
MARKS_MOST = 500


@dataclass(frozen=True, kw_only=True)
class Shown:
    """A text on a page. ``html`` is its beginning; ``length`` and ``matches`` count in the whole text."""

    html: SafeString
    length: int
    matches: int = 0

    @property
    def is_cut(self) -> bool:
        return self.length > SHOWN_CHARS

    @property
    def unmarked(self) -> int:
        """Number of matches in the part of the text that is not shown."""
        return max(0, self.matches - self.html.count("<mark>")) if self.is_cut else 0

    def __bool__(self) -> bool:
        return self.length > 0


def shown(text: str, *, find: str = "") -> Shown:
    text = mask_tokens(text)
    matches = text.lower().count(find.lower()) if find else 0
    return Shown(html=marked(text[:SHOWN_CHARS], find), length=len(text), matches=matches)


def beginning(text: str) -> SafeString:
    """Return the part of a text that a page shows."""
    return shown(text).html


def marked(text: str, find: str) -> SafeString:
    """Escape a text and put up to ``MARKS_MOST`` case-insensitive matches of ``find`` in ``<mark>``."""
    text = mask_tokens(text)
    if not find:
        return visible_html(text)
    # The marks are left out if they would change how the text is escaped.
    parts = re.split(f"({re.escape(find)})", text, maxsplit=MARKS_MOST, flags=re.IGNORECASE)
    if "".join(map(visible_html, parts)) != visible_html(text):
        return visible_html(text)
    pieces = (
        f"<mark>{visible_html(part)}</mark>" if place % 2 else visible_html(part)
        for place, part in enumerate(parts)
    )
    return mark_safe("".join(pieces))  # noqa: S308 (each part was escaped)
