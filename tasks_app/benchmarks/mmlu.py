r"""MMLU: multiple-choice questions of 57 subjects (Hendrycks et al. 2021, arXiv:2009.03300).

Official files: one CSV file per subject and split, ``data/test/anatomy_test.csv``, without a line of names:
question, four choices, letter. On the hub ``question``, ``subject``, ``choices`` and ``answer``, counted from
0. Official check, in the repository's ``evaluate.py``: the predicted letter is the gold letter.

Dollars are money in most subjects; the items of ``high_school_mathematics`` that come from MATH have formulas
between dollars, but bare ones in their choices (``\frac{1}{2}``). Those get dollars, and the item is LaTeX.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import lru_cache
from pathlib import Path

import msgspec

from tasks_app import kinds, record_files
from tasks_app.benchmarks import _choices
from tasks_app.registry import benchmarks
from tasks_app.types import BadRow, BenchmarkPlugin, HubSource, Record, Row, TaskDraft

CHOICES = 4
CELLS = CHOICES + 2
AUXILIARY = "auxiliary_train"
SPLIT_NAMES = {AUXILIARY: AUXILIARY, "test": "test", "validation": "val", "val": "val", "dev": "dev"}
FILE_NAME = re.compile(r"(?P<subject>\w+)_(?:test|val|dev)")

# Dollars around a formula, as Pandoc tells them from prices: no space inside, no digit after.
FORMULA = re.compile(r"\$\$[^$]+\$\$|(?<!\\)\$(?=\S)(?P<inside>(?:\\.|[^$\\\n])+)(?<=\S)\$(?!\d)")
COMMAND = re.compile(r"\\[A-Za-z]+")
DOLLAR = re.compile(r"(?<!\\)\$")
WORDS = re.compile(r"[A-Za-z]{3,} [A-Za-z]{3,}")


@dataclass(frozen=True, kw_only=True)
class Question:
    """A row in either format; ``letter`` is the answer."""

    question: str
    choices: Sequence[str]
    letter: str


class HubRow(msgspec.Struct):
    question: str
    choices: list[str]
    answer: int
    subject: str = ""


def rows(records: Iterator[Record | BadRow]) -> Iterator[Row]:
    """One draft per row; the key is subject and number of the row in the subject's file (``anatomy/12``)."""
    return record_files.drafts(_choices.renumbered(records, _group), _draft_of)


def _group(record: Record) -> str:
    if isinstance(record.value, dict):
        return f"{_file_facts(record.file)[1]}/{record.value.get('subject')}"
    return record.file.name


def _draft_of(record: Record) -> TaskDraft:
    subject, split = _file_facts(record.file)
    if isinstance(record.value, dict):
        row = msgspec.convert(record.value, HubRow)
        subject = row.subject or split or record.file.stem
        letter = _choices.letter_of(row.answer, count=len(row.choices))
        item = Question(question=row.question, choices=row.choices, letter=letter)
    else:
        item = _from_cells(msgspec.convert(record.value, list[str]))
    key = f"{subject}/{record.number}"
    return task_draft(item, subject=subject, key=key, split=split, place=record.place)


def _from_cells(cells: Sequence[str]) -> Question:
    if len(cells) != CELLS:
        raise ValueError(f"it has {len(cells)} cells; question, {CHOICES} choices and answer are {CELLS}")
    return Question(question=cells[0], choices=cells[1:-1], letter=cells[-1].strip())


@lru_cache(maxsize=512)
def _file_facts(file: Path) -> tuple[str, str | None]:
    """The subject and the split that a file's name says; an auxiliary file is named after its source."""
    named = FILE_NAME.fullmatch(file.stem)
    return named["subject"] if named else file.stem, _choices.split_of(file, names=SPLIT_NAMES)


def task_draft(
    row: Question, *, subject: str, key: str, split: str | None = None, place: str = ""
) -> TaskDraft:
    """Raises ``ValueError`` for other than four choices, an empty text, a letter that names none."""
    if len(row.choices) != CHOICES:
        raise ValueError(f"it has {len(row.choices)} choices, not {CHOICES}")
    is_latex = has_formulas(row.question, row.choices)
    return _choices.task_draft(
        _choices.ChoiceItem(
            key=key,
            question=row.question,
            texts=[with_dollars(text) for text in row.choices] if is_latex else row.choices,
            answer=row.letter,
            is_latex=is_latex,
            split=split,
            tags=(f"subject-{subject}",),
            place=place,
        )
    )


def has_formulas(question: str, choices: Sequence[str]) -> bool:
    """Whether an item is LaTeX: it holds a formula, and every dollar of it belongs to one."""
    texts = (question, *choices)
    if not any("$" in text or "\\" in text for text in texts):
        return False
    bare = [FORMULA.sub(_without_formula, text) for text in texts]
    if any(DOLLAR.search(text) for text in bare):
        return False
    return bare != list(texts) or any(_is_bare_formula(text) for text in choices)


def with_dollars(choice: str) -> str:
    r"""A choice that is one bare formula, such as ``-\frac{1}{2}``, between dollars; another as it is."""
    return f"${choice.strip()}$" if _is_bare_formula(choice) else choice


def _is_bare_formula(text: str) -> bool:
    return bool(COMMAND.search(text)) and not DOLLAR.search(text) and not WORDS.search(COMMAND.sub("", text))


def _without_formula(match: re.Match[str]) -> str:
    """An empty text for a formula; prose between two prices stays."""
    return match[0] if match["inside"] and WORDS.search(COMMAND.sub("", match["inside"])) else ""


SAMPLES = (
    (
        "astronomy",
        Question(
            question="Seen from the Moon, how often does the Sun rise in one Earth year, roughly?",
            choices=("Never", "12 times", "52 times", "365 times"),
            letter="B",
        ),
    ),
    (
        "high_school_mathematics",
        Question(
            question=r"If $f(x) = \frac{x}{x+1}$, what is $f(f(1))$?",
            choices=(r"\frac{1}{3}", r"\frac{1}{2}", r"\frac{2}{3}", "1"),
            letter="A",
        ),
    ),
    (
        "high_school_microeconomics",
        Question(
            question="A cinema lowers its ticket price from $12 to $9 and takes in more money than before. "
            "In this range, demand for tickets is",
            choices=("perfectly inelastic", "inelastic", "elastic", "none of the above"),
            letter="C",
        ),
    ),
    (
        "logical_fallacies",
        Question(
            question='"Nobody has shown that the lake is empty of monsters, so there is one." This argument',
            choices=(
                "attacks a person instead of a claim.",
                "takes a part for the whole.",
                "both A and B",
                "takes missing evidence for evidence.",
            ),
            letter="D",
        ),
    ),
)

benchmarks.register(
    "mmlu",
    BenchmarkPlugin(
        id="mmlu",
        title="MMLU: questions of 57 subjects with four choices",
        kind=kinds.CHOICE,
        license="MIT",
        source="https://github.com/hendrycks/test",
        verifier_official="choice-v1",
        verifier_training="choice-v1",
        splits=("test", "val", "dev", AUXILIARY),
        example_split="dev",
        example_tag="subject-",
        rows=rows,
        samples=tuple(
            task_draft(row, subject=subject, key=f"starter-{n}")
            for n, (subject, row) in enumerate(SAMPLES, start=1)
        ),
        hub=HubSource(
            repo="cais/mmlu",
            files={
                "test": ("all/test-*.parquet",),
                "val": ("all/validation-*.parquet",),
                "dev": ("all/dev-*.parquet",),
                AUXILIARY: (f"all/{AUXILIARY}-*.parquet",),
            },
        ),
    ),
)
