"""Action that reads a part of the page, even one that the observation left out."""

from __future__ import annotations

from palaestra.actions import fields
from palaestra.actions.base import Action, ActionFailed
from palaestra.actions.fields import field
from palaestra.pages.surface import Surface
from palaestra.protocol.actions import ACTION_SPECS

PART_CHARS = 6_000
"""Approximate number of characters of a part, into which longer sections are divided."""
PARTS_MAX = 1_000


class Read(Action):
    spec = ACTION_SPECS["read"]
    section: str = field(fields.TEXT)
    part: int = field(fields.number(PARTS_MAX), default=1)

    async def perform(self, page: Surface) -> str:
        read = await page.call("section", self.section)
        if "names" in read:
            known = ", ".join(f'"{name}"' for name in ("page", *read["names"]))
            message = page.masked(f'There is no section "{self.section:.80}". There are: {known}.')
            raise ActionFailed("no_target", message)
        parts = parts_of(page.masked(read["text"]))
        if not 1 <= self.part <= len(parts):
            raise ActionFailed("no_target", f"This section has {len(parts)} part(s).")
        text = parts[self.part - 1]
        if len(parts) == 1:
            return f"\n{text}"
        rest = sum(map(len, parts[self.part :]))
        more = f"\n... {rest:,} more characters: read part {self.part + 1}" if rest else ""
        return f"Part {self.part} of {len(parts)}:\n{text}{more}"


def parts_of(text: str) -> list[str]:
    """Split a text into parts of whole lines; only a line that is longer than a part is divided."""
    parts = [""]
    for line in text.split("\n"):
        for start in range(0, max(len(line), 1), PART_CHARS):
            piece = line[start : start + PART_CHARS]
            if parts[-1] and len(parts[-1]) + len(piece) >= PART_CHARS:
                parts.append(piece)
            else:
                parts[-1] = f"{parts[-1]}\n{piece}" if parts[-1] else piece
    return parts
