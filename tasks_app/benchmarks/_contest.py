r"""Common code of the contests AMC and AIME: keys, numeric answers, missing figures.

Keys come from URLs or file names. Neither set includes pictures. A problem that needs one is kept but marked
as not eligible for the modality gap. A problem needs a picture if

- the text contains a figure as Asymptote code, ``[asy]``, or
- the text refers to a missing figure: "as shown" (pictured, depicted, illustrated), any "diagram", "the
  figure" or "see figure" (also picture or illustration, and also with one word between, as in "the first
  figure"), or "in the example below" (or any other noun). "This figure" does not count because it may be a
  shape that the text has just described.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from dataclasses import dataclass

import msgspec

from tasks_app.benchmarks import _competition
from tasks_app.types import GoldDraft, Record, TaskDraft

MISSING_FIGURE = re.compile(
    r"\bas (?:shown|pictured|depicted|illustrated)\b"
    r"|\bdiagrams?\b"
    r"|\b(?:the|see) (?:\w+ )?(?:figures?|pictures?|illustrations?)\b"
    r"|\bin the \w+ below\b(?! (?:it|the)\b)",
    re.IGNORECASE,
)
MISSING_FIGURE_REASON = "the text refers to a figure that is missing from the data"
ADDRESS = re.compile(r"/(?P<year>\d{4})_(?P<paper>A[A-Z]+_\w+?)_Problems/Problem_(?P<number>\d+)$")


class OfficialRow(msgspec.Struct):
    """A row, whose ``answer`` is or contains numbers; copies call the problem ``question``."""

    answer: int | float | str
    problem: str = ""
    question: str = ""
    id: int | str | None = None
    url: str = ""
    solution: str | None = None


# "aime2025-II.jsonl" and "amc_2023_12A.json" each hold one paper's problems in order.
PAPER_FILE = re.compile(
    r"(?<!\d)(?P<year>(?:19|20)\d\d)[-_ ]?(?P<paper>II?|1[02][AB])(?![A-Za-z0-9])", re.IGNORECASE
)
# Markup that may surround a number: formula delimiters, a box, a degree sign.
WRAPPING = re.compile(r"^(?:\$|\\\(|\\boxed\{)+|(?:\^?\{?\\circ\}?|°|\\degree|\s*degrees?|\$|\\\)|\}|\.)+$")


@dataclass(frozen=True)
class Place:
    """The origin of a problem: its year, its paper as the contest names it (``12A``), and its number."""

    year: int
    paper: str
    number: int

    @property
    def key(self) -> str:
        return "-".join(part for part in (str(self.year), self.paper, str(self.number)) if part)


def parse_place(url: str) -> Place | None:
    """Parse a URL such as ``.../2022_AMC_12A_Problems/Problem_10``; None for any other form."""
    match = ADDRESS.search(url)
    if match is None:
        return None
    return Place(int(match["year"]), match["paper"].partition("_")[2], int(match["number"]))


def place_in_file(record: Record) -> Place | None:
    """Derive a record's place from its file's name, or return None if that names no paper."""
    named = PAPER_FILE.search(record.file.stem)
    return Place(int(named["year"]), named["paper"].upper(), record.line) if named else None


def bare(cell: int | float | str) -> str:
    r"""Strip the markup from an answer cell, so that ``$336^\circ$`` becomes ``336``."""
    return WRAPPING.sub("", str(cell).strip()).strip()


def gap_reason(text: str) -> str:
    """Explain why a problem is not eligible for the modality gap; empty if it is eligible."""
    return MISSING_FIGURE_REASON if MISSING_FIGURE.search(text) else ""


@dataclass(frozen=True)
class Contest:
    """A contest. ``answers_of`` lists the accepted answers in a cell, or raises ``ValueError``."""

    name: str
    last_number: int
    answers_of: Callable[[int | float | str], Sequence[str]]

    def draft_of(self, record: Record) -> TaskDraft:
        """Build a draft whose key is year, paper and number (``2022-II-8``), or the ``id`` or row."""
        row = record.read(OfficialRow)
        place = parse_place(row.url) or (place_in_file(record) if row.id is None else None)
        return self.draft(
            key=place.key if place else str(record.number if row.id is None else row.id),
            problem=row.problem or row.question,
            answer=row.answer,
            solution=row.solution or "",
            place=place,
        )

    def draft(
        self, *, key: str, problem: str, answer: int | float | str, solution: str = "", place: Place | None
    ) -> TaskDraft:
        """Build a draft. Raises ``ValueError`` for an empty problem or a number that no paper has.

        A paper's problems get harder: the difficulty is 0 for the first and 1 for number ``last_number``.
        """
        if place and not 1 <= place.number <= self.last_number:
            raise ValueError(f"the problem number {place.number} is not between 1 and {self.last_number}")
        first, *others = self.answers_of(answer)
        return _competition.problem_draft(
            key=key,
            problem=problem,
            gold=GoldDraft(answer=first, accepted=tuple(others), solution=solution),
            difficulty=(place.number - 1) / (self.last_number - 1) if place else None,
            tags=self._tags(place),
            gap_reason=gap_reason(problem),
        )

    def _tags(self, place: Place | None) -> tuple[str, ...]:
        if place is None:
            return ()
        year = f"year-{place.year}"
        return (f"{self.name}-{place.paper.lower()}", year) if place.paper else (year,)
