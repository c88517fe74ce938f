r"""MMLU: multiple-choice questions in 57 subjects (Hendrycks et al. 2021, arXiv:2009.03300).

The official files are one CSV file per subject and split, such as ``data/test/anatomy_test.csv``. Each row
holds the question, four choices and a letter. There is no header, and one in a copy is skipped. The
hub's rows have ``question``, ``subject``, ``choices`` and ``answer``, counted from 0. The official check, in
the repository's ``evaluate.py``, is that the predicted letter is the gold letter.

Dollar signs mean money in most subjects. The items of ``high_school_mathematics`` that come from MATH have
formulas between dollar signs, except that their choices may be bare formulas (``\frac{1}{2}``). Those get
dollar signs, and the item counts as LaTeX.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from pathlib import Path

import msgspec

from tasks_app import kinds
from tasks_app.benchmarks import _choices
from tasks_app.registry import benchmark_register
from tasks_app.types import BenchmarkPlugin, GoldDraft, HubSource, Record, Records, TaskDraft

CHOICES = 4
CELLS = CHOICES + 2
ANSWER_NAMES = frozenset({"answer", "target", "label", "correct"})
AUXILIARY = "auxiliary_train"
SPLIT_NAMES = {AUXILIARY: AUXILIARY, "test": "test", "validation": "val", "val": "val", "dev": "dev"}
FILE_NAME = re.compile(r"(?P<subject>\w+)_(?:test|val|dev)")

# Pandoc's rule tells a formula's dollar signs from those of prices: no space inside, no digit after.
FORMULA = re.compile(r"\$\$[^$]+\$\$|(?<!\\)\$(?=\S)(?P<inside>(?:\\.|[^$\\\n])+)(?<=\S)\$(?!\d)")
COMMAND = re.compile(r"\\[A-Za-z]+")
DOLLAR = re.compile(r"(?<!\\)\$")
WORDS = re.compile(r"[A-Za-z]{3,} [A-Za-z]{3,}")


class HubRow(msgspec.Struct):
    question: str
    choices: list[str]
    answer: int | str
    subject: str = ""


def records(rows: Records) -> Records:
    """Number the rows within their subject and split, dropping the header that some copies have."""
    return _choices.renumber(_without_names(rows), _group)


def _without_names(rows: Records) -> Records:
    for record in rows:
        is_header = isinstance(record, Record) and record.line == 1 and _is_header(record.value)
        if not is_header:
            yield record


def _is_header(cells: object) -> bool:
    """Return whether the cells are a header: only a header ends in the word "answer"."""
    return isinstance(cells, list) and len(cells) == CELLS and cells[-1].strip().casefold() in ANSWER_NAMES


def _group(record: Record) -> str:
    if isinstance(record.value, dict):
        return f"{_split(record.file)}/{record.value.get('subject')}"
    return record.file.name


def draft_of(record: Record) -> TaskDraft:
    """Build a draft whose key is the subject and the row's number in the subject's file (``anatomy/12``).

    Raises ``ValueError`` if there are not four choices, a text is empty, or the letter names no choice.
    """
    split = _split(record.file)
    if isinstance(record.value, dict):
        row = record.read(HubRow)
        subject = row.subject or split or record.file.stem
    else:
        row = _from_cells(msgspec.convert(record.value, list[str]))
        named = FILE_NAME.fullmatch(record.file.stem)
        subject = named["subject"] if named else record.file.stem
    if len(row.choices) != CHOICES:
        raise ValueError(f"it has {len(row.choices)} choices, not {CHOICES}")
    is_latex = has_formulas(row.question, row.choices)
    letter = row.answer if isinstance(row.answer, str) else _choices.to_letter(row.answer, count=CHOICES)
    draft = TaskDraft(
        key=f"{subject}/{record.number}",
        payload={"text": row.question, "format": "latex" if is_latex else "plain"},
        gold=GoldDraft(answer=letter),
        split=split,
        tags=(f"subject-{subject}",),
    )
    return _choices.with_choices(
        draft, [with_dollars(text) for text in row.choices] if is_latex else row.choices
    )


def _from_cells(cells: Sequence[str]) -> HubRow:
    if len(cells) != CELLS:
        raise ValueError(f"it has {len(cells)} cells; question, {CHOICES} choices and answer make {CELLS}")
    return HubRow(question=cells[0], choices=[*cells[1:-1]], answer=cells[-1].strip())


def _split(file: Path) -> str | None:
    return _choices.split_of(file, SPLIT_NAMES)


def has_formulas(question: str, choices: Sequence[str]) -> bool:
    """Return whether an item is LaTeX: it contains a formula, and every dollar sign belongs to one."""
    texts = (question, *choices)
    if not any("$" in text or "\\" in text for text in texts):
        return False
    bare = [FORMULA.sub(_without_formula, text) for text in texts]
    if any(DOLLAR.search(text) for text in bare):
        return False
    return bare != list(texts) or any(_is_bare_formula(text) for text in choices)


def with_dollars(choice: str) -> str:
    r"""Enclose a choice in dollar signs if it is one bare formula, such as ``-\frac{1}{2}``."""
    return f"${choice.strip()}$" if _is_bare_formula(choice) else choice


def _is_bare_formula(text: str) -> bool:
    return bool(COMMAND.search(text)) and not DOLLAR.search(text) and not WORDS.search(COMMAND.sub("", text))


def _without_formula(match: re.Match[str]) -> str:
    """Remove a formula, but keep a match that is prose between two prices."""
    return match[0] if match["inside"] and WORDS.search(COMMAND.sub("", match["inside"])) else ""


benchmark_register(
    BenchmarkPlugin(
        id="mmlu",
        title="MMLU: questions in 57 subjects with four choices",
        kind=kinds.CHOICE,
        license="MIT",
        source="https://github.com/hendrycks/test",
        verifier_official="choice-v2",
        splits=("test", "val", "dev", AUXILIARY),
        example_split="dev",
        example_tag="subject-",
        records=records,
        draft_of=draft_of,
        hub=HubSource(
            repo="cais/mmlu",
            files={
                "test": ("all/test-*.parquet",),
                "val": ("all/validation-*.parquet",),
                "dev": ("all/dev-*.parquet",),
                AUXILIARY: (f"all/{AUXILIARY}-*.parquet",),
            },
        ),
    )
)
