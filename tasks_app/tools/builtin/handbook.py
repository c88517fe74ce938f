"""Search in the handbook for the sections with the most words of a query; words in titles weigh more."""

from __future__ import annotations

import re

from tasks_app.tools.data import Section, ToolData
from tasks_app.tools.readers import folded
from tasks_app.tools.types import Arguments, Field, Tool, ToolError, tool_register

WORD = re.compile(r"[a-z]+")
IDLE = {
    "a",
    "an",
    "and",
    "at",
    "does",
    "for",
    "how",
    "in",
    "is",
    "it",
    "many",
    "most",
    "much",
    "of",
    "the",
    "to",
    "what",
}
TITLE_WEIGHT = 3
SHOWN = 2


def _stems(text: str) -> set[str]:
    """Return the words without a plural ending, so that ``boats`` equals ``boat``."""
    return {word.removesuffix("s") for word in WORD.findall(text.casefold()) if word not in IDLE}


def rank_sections(query: str, data: ToolData) -> list[Section]:
    """List the sections that contain a word of the query, best first, then in the handbook's order."""
    words = _stems(query)
    scores = [
        (TITLE_WEIGHT * len(words & _stems(section.title)) + len(words & _stems(section.text)), section)
        for section in data.sections
    ]
    matching = [(score, section) for score, section in scores if score]
    return [section for _, section in sorted(matching, key=lambda pair: -pair[0])]


def read(text: str, data: ToolData) -> str:
    """Replace a query by the title of its best section, so that queries can be compared.

    Raises ``ToolError``.
    """
    sections = rank_sections(folded(text), data)
    if not sections:
        titles = ", ".join(section.title for section in data.sections)
        raise ToolError(f"No section has these words. The handbook is about: {titles}.")
    return sections[0].title


def run(values: Arguments, data: ToolData) -> str:
    sections = rank_sections(values["query"], data)[:SHOWN]
    return "\n".join(f"{section.title}: {section.text}" for section in sections)


tool_register(
    Tool(
        id="handbook",
        title="Handbook search",
        description="Finds the sections of the club's handbook that have most of the words given.",
        button="Search handbook",
        fields=(Field(name="query", label="Words", kind="text", read=read, hint="a few words"),),
        run=run,
    )
)
