"""MMMU: college questions about pictures, in 30 subjects (Yue et al. 2024, arXiv:2311.16502), and MMMU-Pro.

The official files are Parquet, in one folder per subject. ``question`` and ``options`` contain ``<image k>``
where picture ``image_k`` belongs. The ``answer`` to an open question is a value or a list of accepted values.
MMMU-Pro (arXiv:2409.02813) has the same fields except ``question_type``, and up to ten options. The answers
of the test split are hidden (``?``), so its rows are refused. The official check is in ``mmmu_rules.py`` of
``verifiers``.
"""

from __future__ import annotations

import ast
import re
from collections.abc import Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Literal

import msgspec

from core.errors import GymError
from core.text import latex
from tasks_app import kinds, record_files
from tasks_app.benchmarks import _choices, _picture_sources
from tasks_app.registry import benchmark_register
from tasks_app.solutions import sentences
from tasks_app.types import BenchmarkPlugin, GoldDraft, HubSource, PictureDraft, Record, TaskDraft

PICTURES_MAX = 7
PRO = "pro-standard"
PRO_FOLDER = "standard (10 options)"
SPLITS = ("validation", "dev", PRO)
ID = re.compile(r"(?P<split>dev|validation|test)_(?P<subject>\w+)_\d+")
HIDDEN = "?"
NO_SLUG = re.compile(r"[^a-z0-9]+")
DIFFICULTIES = {"easy": 0.0, "medium": 0.5, "hard": 1.0}

QuestionType = Literal["multiple-choice", "open"]


class OfficialRow(msgspec.Struct, kw_only=True):
    """A row without its pictures ``image_1`` and so on. Only MMMU-Pro has no ``question_type``."""

    id: str
    question: str
    options: str | list[str]
    answer: str | list[str]
    explanation: str | None = ""
    img_type: str | None = ""
    topic_difficulty: str | None = ""
    question_type: QuestionType | None = None
    subfield: str | None = ""


def files(folder: Path, split: str) -> list[Path]:
    """List the files of a split, or of MMMU-Pro, in a folder of all subjects.

    Raises ``GymError`` ``no_file``.
    """
    if split == PRO:
        paths = [file for file in record_files.source_files(folder) if _is_pro(file)]
    else:
        paths = [file for file in record_files.source_files(folder) if file.match(f"{split}-*.parquet")]
    if not paths:
        names = f"{PRO_FOLDER}/*.parquet or *.jsonl" if split == PRO else f"{split}-*.parquet"
        raise GymError(
            "no_file", f"The folder {folder} contains no {names}; MMMU's splits are {', '.join(SPLITS)}."
        )
    return paths


def _is_pro(file: Path) -> bool:
    return file.suffix == ".jsonl" or (file.suffix == ".parquet" and file.parent.name == PRO_FOLDER)


def draft_of(record: Record) -> TaskDraft:
    """Build a draft whose key is the row's id. Raises ``ValueError``.

    The draft's pictures are numbered from 1 without gaps, so ``<image 3>`` may become ``<image 2>``.
    """
    row = record.read(OfficialRow)
    named = ID.fullmatch(row.id)
    if named is None:
        raise ValueError(f"the id {row.id[:80]!r} is not like validation_Accounting_1")
    pictures = read_pictures(record)
    options = row.options if isinstance(row.options, list) else list_read(row.options)
    question, explanation, *texts = _renumbered([row.question, row.explanation or "", *options], pictures)
    answer, *others = gold_values(row.answer)
    is_open = row.question_type == "open"
    draft = TaskDraft(
        key=row.id,
        kind=kinds.PICTURE,
        payload={
            "text": _choices.cleaned(question),
            "format": "latex" if is_latex([question, *texts]) else "plain",
        },
        pictures=tuple(pictures[number] for number in sorted(pictures)),
        gold=GoldDraft(
            answer=answer,
            accepted=tuple(others),
            solution="" if explanation == HIDDEN else explanation,
            extra={"options": texts, "question_type": "open" if is_open else "multiple-choice"},
        ),
        split=named["split"] if row.question_type else PRO,
        difficulty=DIFFICULTIES.get((row.topic_difficulty or "").casefold()),
        tags=list_tags(row, subject=named["subject"]),
    )
    if not draft.payload["text"]:
        raise ValueError("the question is empty")
    if is_open:
        return draft
    draft = _choices.with_choices(draft, texts)
    # MMMU's choices keep their order, even if they could be permuted.
    return replace(draft, payload={**draft.payload, "order": "fixed"})


def read_pictures(record: Record) -> dict[int, PictureDraft]:
    """Return the pictures by the number in their column's name, such as ``image_3``. There may be gaps."""
    cells = {number: record.value.get(f"image_{number}") for number in range(1, PICTURES_MAX + 1)}
    return {
        number: _picture_sources.picture_draft(cell, folder=record.file.parent)
        for number, cell in cells.items()
        if cell is not None
    }


def _renumbered(texts: Sequence[str], pictures: Mapping[int, PictureDraft]) -> list[str]:
    question, explanation, *options = texts
    if not pictures:
        raise ValueError("it has no picture")
    missing = places_in([question, *options]) - set(pictures)
    if missing:
        raise ValueError(f"the text refers to <image {min(missing)}>, but the row has no such picture")
    numbers = {old: new for new, old in enumerate(sorted(pictures), start=1)}
    return [renumber(text, numbers) for text in (question, explanation, *options)]


def gold_values(answer: str | list[str]) -> tuple[str, ...]:
    """Return the accepted answers: one value, or the values of a list literal. Raises ``ValueError``."""
    golds = [answer] if isinstance(answer, str) else answer
    if isinstance(answer, str) and answer.startswith(("['", '["')):
        golds = list_read(answer)
    values = tuple(gold.strip() for gold in golds)
    if values == (HIDDEN,) or values == ("",):
        raise ValueError("its official answer is hidden")
    if not all(values) or not values:
        raise ValueError("an accepted answer is empty")
    return values


def list_tags(row: OfficialRow, *, subject: str) -> tuple[str, ...]:
    """List the tags: subject, subfield and kinds of picture; a broken list of kinds gives none."""
    try:
        kinds = list_read(row.img_type or "[]")
    except ValueError:
        kinds = []
    slugs = [NO_SLUG.sub("-", name.casefold()).strip("-") for name in (subject, row.subfield or "", *kinds)]
    return tuple(dict.fromkeys(slug for slug in slugs if slug))


LITERAL_MAX_CHARS = 20_000
PLACE = re.compile(r"<image ?(\d{1,2})>")

# A command, an exponent or an index, but not a row of underscores to be filled in.
COMMAND_OR_SCRIPT = re.compile(r"\\[A-Za-z]+|[A-Za-z0-9)\]}|']\s?[\^_]\s?[A-Za-z0-9{(\\*+-]")
WORDS_OF_FORMULA = re.compile(r"\\(?:text|mathrm|mbox)\w*\s*\{[^{}]*\}|\\[A-Za-z]+")
# Text between two prices, such as "10 or", "10-" or "10 and the owner".
BETWEEN_PRICES = re.compile(
    r"[\d.,]+\s*(?:[-\u2013/+(]\s*$|[A-Za-z]{2,})|.*[A-Za-z]{3,} [A-Za-z]{3,}", re.DOTALL
)


def list_read(text: str) -> list[str]:
    """Parse a list literal such as ``['$6', '<image 2>']``, with numbers as text. Raises ``ValueError``."""
    if len(text) > LITERAL_MAX_CHARS:
        raise ValueError(f"a list has {len(text):,} characters; at most {LITERAL_MAX_CHARS:,} are allowed")
    try:
        items = ast.literal_eval(text.strip())
    except (ValueError, SyntaxError, TypeError, MemoryError, RecursionError):
        items = None
    if not isinstance(items, list) or not all(type(item) in (str, int, float) for item in items):
        raise ValueError(f"{text[:80]!r} is not a list of texts")
    return [str(item) for item in items]


def places_in(texts: Sequence[str]) -> set[int]:
    return {int(number) for text in texts for number in PLACE.findall(text)}


def renumber(text: str, numbers: Mapping[int, int]) -> str:
    """Renumber the picture references in a text, leaving those without a new number unchanged."""
    return PLACE.sub(
        lambda place: f"<image {numbers[int(place[1])]}>" if int(place[1]) in numbers else place[0], text
    )


def is_latex(texts: Sequence[str]) -> bool:
    """Return whether a formula has a command, an exponent or an index, and no two dollar signs are prices.

    In most subjects dollar signs mean money. A text that has both is better shown as written.
    """
    formulas = [
        segment.text for text in texts for segment in latex.segments_split(text) if segment.is_formula
    ]
    if any(BETWEEN_PRICES.match(WORDS_OF_FORMULA.sub("", formula)) for formula in formulas):
        return False
    return any(COMMAND_OR_SCRIPT.search(formula) for formula in formulas)


benchmark_register(
    BenchmarkPlugin(
        id="mmmu",
        title="MMMU: college questions about pictures",
        kind=kinds.CHOICE,
        license="Apache-2.0 (the set); the pictures come from textbooks and the web",
        source="https://github.com/MMMU-Benchmark/MMMU",
        verifier_official="mmmu-v1",
        verifier_training="mmmu_strict-v2",
        cut=sentences.cut,
        splits=SPLITS,
        example_split="dev",
        draft_of=draft_of,
        files=files,
        hub=HubSource(
            repo="MMMU/MMMU",
            files={
                "validation": ("*/validation-*.parquet",),
                "dev": ("*/dev-*.parquet",),
                PRO: (f"{PRO_FOLDER}/*.parquet",),
            },
            repos={PRO: "MMMU/MMMU_Pro"},
        ),
    )
)
