"""Long texts of a step as a page can hold them: cut, escaped, with what was sought marked."""

from __future__ import annotations

import re
from dataclasses import dataclass

from django.utils.safestring import SafeString, mark_safe

from core.tokens import mask_tokens
from trajectories.lab.text.untrusted import visible_html

# A browser lays this out in a moment; the whole text is one link away.
SHOWN_CHARS = 60_000
MARKS_MOST = 500


@dataclass(frozen=True, kw_only=True)
class Shown:
    """``html`` begins a text of ``length`` characters, with ``found`` places of what is sought."""

    html: SafeString
    length: int
    found: int = 0

    @property
    def is_cut(self) -> bool:
        return self.length > SHOWN_CHARS

    @property
    def unmarked(self) -> int:
        """How many of what is sought are further on."""
        return max(0, self.found - self.html.count("<mark>")) if self.is_cut else 0

    def __bool__(self) -> bool:
        return self.length > 0


def shown(text: str, *, find: str = "") -> Shown:
    text = mask_tokens(text)
    found = text.lower().count(find.lower()) if find else 0
    return Shown(html=marked(text[:SHOWN_CHARS], find=find), length=len(text), found=found)


def marked(text: str, *, find: str) -> SafeString:
    """The text escaped, with up to ``MARKS_MOST`` places of ``find`` in ``<mark>``, in any case."""
    text = mask_tokens(text)
    if not find:
        return visible_html(text)
    # What a mark would split differently stays as it is.
    parts = re.split(f"({re.escape(find)})", text, maxsplit=MARKS_MOST, flags=re.IGNORECASE)
    if "".join(map(visible_html, parts)) != visible_html(text):
        return visible_html(text)
    pieces = (
        f"<mark>{visible_html(part)}</mark>" if place % 2 else visible_html(part)
        for place, part in enumerate(parts)
    )
    return mark_safe("".join(pieces))  # noqa: S308 (each part was escaped)
