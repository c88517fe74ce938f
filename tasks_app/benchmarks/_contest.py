r"""Shared by the contests AMC and AIME: keys from addresses, numeric answers, missing figures.

Neither set has pictures. A problem that needs one stays, marked as not eligible for the modality gap:

- ``[asy]``: the figure stands as code in the text;
- the text refers to a missing figure: "as shown" (pictured, depicted, illustrated), any "diagram",
  "the figure" or "see figure" (with one word between, as in "the first figure"; also picture and
  illustration), or "in the example below" (any noun). "This figure" does not count: it may be a shape
  that the text has just described.
"""

from __future__ import annotations

import re
from dataclasses import dataclass

from tasks_app.benchmarks import _competition
from tasks_app.types import GoldDraft, TaskDraft

MISSING_FIGURE = re.compile(
    r"\bas (?:shown|pictured|depicted|illustrated)\b"
    r"|\bdiagrams?\b"
    r"|\b(?:the|see) (?:\w+ )?(?:figures?|pictures?|illustrations?)\b"
    r"|\bin the \w+ below\b(?! (?:it|the)\b)",
    re.IGNORECASE,
)
MISSING_FIGURE_REASON = "the text refers to a figure that the data does not have"
ADDRESS = re.compile(r"/(?P<year>\d{4})_(?P<paper>A[A-Z]+_\w+?)_Problems/Problem_(?P<number>\d+)$")


@dataclass(frozen=True)
class Place:
    """Where a problem was set: its year, its paper as the contest names it (``12A``, ``II``), its number."""

    year: int
    paper: str
    number: int

    @property
    def key(self) -> str:
        return "-".join(part for part in (str(self.year), self.paper, str(self.number)) if part)


def place_of(url: str) -> Place | None:
    """The place in an address such as ``.../2022_AMC_12A_Problems/Problem_10``; None for other forms."""
    match = ADDRESS.search(url)
    if match is None:
        return None
    return Place(int(match["year"]), match["paper"].partition("_")[2], int(match["number"]))


def gap_reason(text: str) -> str:
    """Why a problem is not eligible for the modality gap; empty when it is."""
    if _competition.FIGURE in text:
        return _competition.FIGURE_REASON
    return MISSING_FIGURE_REASON if MISSING_FIGURE.search(text) else ""


def task_draft(
    *, key: str, problem: str, gold: GoldDraft, contest: str, place: Place | None, last_number: int
) -> TaskDraft:
    """Raises ``ValueError`` for an empty problem or a number that the paper does not have.

    A paper's problems get harder: difficulty is 0 for the first and 1 for number ``last_number``.
    """
    text = problem.strip()
    if not text:
        raise ValueError("the problem is empty")
    if place and not 1 <= place.number <= last_number:
        raise ValueError(f"the problem number {place.number} is not between 1 and {last_number}")
    return TaskDraft(
        key=key,
        prompt=text,
        payload={"text": text, "format": "latex"},
        gold=gold,
        difficulty=(place.number - 1) / (last_number - 1) if place else None,
        tags=_tags(contest, place),
        gap_reason=gap_reason(text),
        place=gold.source,
    )


def _tags(contest: str, place: Place | None) -> tuple[str, ...]:
    if place is None:
        return ()
    year = f"year-{place.year}"
    return (f"{contest}-{place.paper.lower()}", year) if place.paper else (year,)
