"""MMMU: college questions about pictures, in 30 subjects (Yue et al. 2024, arXiv:2311.16502), and MMMU-Pro.

Official files: Parquet, a folder per subject, with ``question`` and ``options`` that hold ``<image k>`` where
picture ``image_k`` stands, and for open questions a value or a list of accepted values as ``answer``.
MMMU-Pro (arXiv:2409.02813) has the same fields without ``question_type`` and up to ten options. The answers
of the test split are hidden (``?``): its rows are refused. The official check is in ``mmmu_rules.py`` of
``verifiers``.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import replace
from functools import partial
from pathlib import Path
from typing import Any, Literal

import msgspec

from core.errors import GymError
from tasks_app import kinds, record_files
from tasks_app.benchmarks import _choices, _drawings, _mmmu, _picture_sources
from tasks_app.registry import benchmarks
from tasks_app.types import (
    BadRow,
    BenchmarkPlugin,
    GoldDraft,
    HubSource,
    PictureDraft,
    Record,
    Row,
    TaskDraft,
)

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
    """``image_k`` is bytes, ``{"bytes", "path"}`` or a path; only MMMU-Pro has no ``question_type``."""

    id: str
    question: str
    options: str | list[str]
    answer: str | list[str]
    explanation: str | None = ""
    image_1: Any = None
    image_2: Any = None
    image_3: Any = None
    image_4: Any = None
    image_5: Any = None
    image_6: Any = None
    image_7: Any = None
    img_type: str | None = ""
    topic_difficulty: str | None = ""
    question_type: QuestionType | None = None
    subfield: str | None = ""

    def pictures(self, folder: Path) -> dict[int, PictureDraft]:
        """By the number in their column's name, which need not be without gaps."""
        cells = {number: getattr(self, f"image_{number}") for number in range(1, PICTURES_MAX + 1)}
        return {
            number: _picture_sources.picture_draft(cell, folder=folder)
            for number, cell in cells.items()
            if cell is not None
        }


def rows(records: Iterator[Record | BadRow]) -> Iterator[Row]:
    """One draft per row; the key is its id."""
    return record_files.drafts(records, _draft_of)


def files(folder: Path, split: str) -> list[Path]:
    """A split's files in a folder of all subjects, or of MMMU-Pro. Raises ``GymError`` ``no_file``."""
    if split == PRO:
        paths = [file for file in record_files.source_files(folder) if _is_pro(file)]
    else:
        paths = [file for file in record_files.source_files(folder) if file.match(f"{split}-*.parquet")]
    if not paths:
        names = f"{PRO_FOLDER}/*.parquet or *.jsonl" if split == PRO else f"{split}-*.parquet"
        raise GymError(
            "no_file", f"The folder {folder} holds no {names}; MMMU's splits are {', '.join(SPLITS)}."
        )
    return paths


def _is_pro(file: Path) -> bool:
    return file.suffix == ".jsonl" or (file.suffix == ".parquet" and file.parent.name == PRO_FOLDER)


def _draft_of(record: Record) -> TaskDraft:
    row = msgspec.convert(record.value, OfficialRow)
    named = ID.fullmatch(row.id)
    if named is None:
        raise ValueError(f"the id {row.id[:80]!r} is not like validation_Accounting_1")
    split = named["split"] if row.question_type else PRO
    pictures = row.pictures(record.file.parent)
    return task_draft(row, pictures=pictures, subject=named["subject"], split=split, place=record.place)


def task_draft(
    row: OfficialRow,
    *,
    pictures: Mapping[int, PictureDraft],
    subject: str,
    split: str | None = None,
    place: str = "",
) -> TaskDraft:
    """``pictures`` by the numbers that the row's texts use. Raises ``ValueError``.

    The draft's are numbered from 1 without gaps, so ``<image 3>`` may become ``<image 2>``.
    """
    options = row.options if isinstance(row.options, list) else _mmmu.list_read(row.options)
    texts = _renumbered([row.question, row.explanation or "", *options], pictures)
    golds = gold_values(row.answer)
    is_open = row.question_type == "open"
    item = _choices.ChoiceItem(
        key=row.id,
        question=texts[0],
        texts=texts[2:],
        answer=golds[0],
        is_latex=_mmmu.is_latex([texts[0], *texts[2:]]),
        pictures=tuple(pictures[number] for number in sorted(pictures)),
        solution="" if texts[1] == HIDDEN else texts[1],
        extra={"options": texts[2:], "question_type": "open" if is_open else "multiple-choice"},
        split=split,
        difficulty=DIFFICULTIES.get((row.topic_difficulty or "").casefold()),
        tags=tags_of(row, subject=subject),
        place=place,
    )
    return _open_draft(item, golds) if is_open else _choice_draft(item)


def _renumbered(texts: Sequence[str], pictures: Mapping[int, PictureDraft]) -> list[str]:
    question, explanation, *options = texts
    if not pictures:
        raise ValueError("it has no picture")
    missing = _mmmu.places_in([question, *options]) - set(pictures)
    if missing:
        raise ValueError(f"the text places <image {min(missing)}>, and the row has no such picture")
    numbers = {old: new for new, old in enumerate(sorted(pictures), start=1)}
    return [_mmmu.renumbered(text, numbers) for text in (question, explanation, *options)]


def gold_values(answer: str | list[str]) -> tuple[str, ...]:
    """One value, or the values of a list literal, each of which counts. Raises ``ValueError``."""
    golds = [answer] if isinstance(answer, str) else answer
    if isinstance(answer, str) and answer.startswith(("['", '["')):
        golds = _mmmu.list_read(answer)
    values = tuple(gold.strip() for gold in golds)
    if values == (HIDDEN,) or values == ("",):
        raise ValueError("its official answer is hidden")
    if not all(values) or not values:
        raise ValueError("an accepted answer is empty")
    return values


def tags_of(row: OfficialRow, *, subject: str) -> tuple[str, ...]:
    """Subject, subfield and kinds of picture; a broken list of kinds gives none."""
    try:
        kinds = _mmmu.list_read(row.img_type or "[]")
    except ValueError:
        kinds = []
    slugs = [NO_SLUG.sub("-", name.casefold()).strip("-") for name in (subject, row.subfield or "", *kinds)]
    return tuple(dict.fromkeys(slug for slug in slugs if slug))


def _choice_draft(item: _choices.ChoiceItem) -> TaskDraft:
    """Choices stay in their order: MMMU is not permuted, whatever its choices say."""
    draft = _choices.task_draft(item)
    return replace(draft, payload={**draft.payload, "order": "fixed"})


def _open_draft(item: _choices.ChoiceItem, golds: tuple[str, ...]) -> TaskDraft:
    text = _choices.cleaned(item.question)
    if not text:
        raise ValueError("the question is empty")
    return TaskDraft(
        key=item.key,
        kind=kinds.PICTURE,
        payload={"text": text, "format": "latex" if item.is_latex else "plain"},
        pictures=item.pictures,
        gold=GoldDraft(
            answer=golds[0], accepted=golds[1:], solution=item.solution, extra=item.extra, source=item.place
        ),
        split=item.split,
        difficulty=item.difficulty,
        tags=item.tags,
        place=item.place,
    )


SAMPLES = (
    (
        OfficialRow(
            id="starter-1",
            question="Two plots of land are drawn on a grid. <image 1> Every square of it is one hectare. "
            "Which plot is larger?",
            options=["Plot P", "Plot Q", "They are equally large.", "The drawing does not say."],
            answer="B",
            explanation="Plot P covers 3 times 4 squares, plot Q 7 times 2, so Q is larger by 2 hectares.",
            img_type="['Diagrams']",
            topic_difficulty="Easy",
            subfield="Geometry",
        ),
        (_drawings.plots,),
        "Math",
    ),
    (
        OfficialRow(
            id="starter-2",
            question="A quantity is measured once a day and doubles from one day to the next. Which of the "
            "graphs can show it?",
            options=["<image 1>", "<image 2>", "<image 3>"],
            answer="C",
            explanation="Doubling adds more from day to day, so the line gets ever steeper.",
            img_type="['Plots and Charts']",
            topic_difficulty="Medium",
            subfield="Algebra",
        ),
        tuple(partial(_drawings.curve, form=form) for form in ("line", "root", "double")),
        "Math",
    ),
    (
        OfficialRow(
            id="starter-3",
            question=r"Resistors of $R_1 = 6\,\Omega$ and $R_2 = 12\,\Omega$ are joined as in <image 1> to "
            r"a source of $U = 9\,\mathrm{V}$. How many watts does the source deliver?",
            options=[],
            answer="20.25",
            explanation=r"In parallel they are $4\,\Omega$, and $9^2 / 4 = 20.25$.",
            img_type="['Diagrams']",
            topic_difficulty="Hard",
            question_type="open",
            subfield="Electrical Circuit",
        ),
        (_drawings.circuit,),
        "Electronics",
    ),
    (
        OfficialRow(
            id="starter-4",
            question="A shop sells lamps at the prices of <image 1> and sold as many as <image 2> says. "
            "Which lamp brought in the most money?",
            options=["Desk", "Floor", "Wall", "Garden", "String"],
            answer="D",
            explanation="Desk 40*30 = 1200, floor 90*10 = 900, wall 25*45 = 1125, garden 60*25 = 1500 and "
            "string 15*60 = 900 dollars.",
            img_type="['Tables', 'Plots and Charts']",
            topic_difficulty="Medium",
            subfield="Retailing",
        ),
        (_drawings.prices, _drawings.sales),
        "Marketing",
    ),
)


def _sample(row: OfficialRow, drawings: Sequence[Callable[[], bytes]], subject: str) -> TaskDraft:
    pictures = {number: PictureDraft(data=drawn) for number, drawn in enumerate(drawings, start=1)}
    return task_draft(row, pictures=pictures, subject=subject)


benchmarks.register(
    "mmmu",
    BenchmarkPlugin(
        id="mmmu",
        title="MMMU: college questions about pictures",
        kind=kinds.CHOICE,
        license="Apache-2.0 (the set); the pictures come from textbooks and the web",
        source="https://github.com/MMMU-Benchmark/MMMU",
        verifier_official="mmmu-v1",
        verifier_training="mmmu_strict-v1",
        splits=SPLITS,
        example_split="dev",
        rows=rows,
        files=files,
        samples=tuple(_sample(*sample) for sample in SAMPLES),
        hub=HubSource(
            repo="MMMU/MMMU",
            files={
                "validation": ("*/validation-*.parquet",),
                "dev": ("*/dev-*.parquet",),
                PRO: (f"{PRO_FOLDER}/*.parquet",),
            },
            repos={PRO: "MMMU/MMMU_Pro"},
        ),
    ),
)
