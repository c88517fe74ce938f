"""Common code of the benchmarks with choices: drafts, ineligibility for the modality gap, stable numbers."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from pathlib import Path

from tasks_app import kinds
from tasks_app.benchmarks import _contest
from tasks_app.benchmarks._choice_order import decide_order
from tasks_app.sources import dash_name
from tasks_app.types import BadRow, Record, Records, TaskDraft

CHOOSE_AND_SUBMIT_STEPS = 2
LETTERS = tuple("ABCDEFGHIJKLMNOPQRSTUVWXYZ")

AMBIGUOUS_TAG = "ambiguous-choices"
AMBIGUOUS_REASON = "two choices read exactly alike"

_PICTURE = r"(?:diagram|figure|picture|illustration|drawing|photograph|image|graph|chart|map)s?"
MISSING_FIGURE = re.compile(
    rf"\bas (?:shown|pictured|depicted|illustrated)(?=[.,;:?]|$| (?:below|above|here|at|on)\b"
    rf"| in (?:the|this) {_PICTURE}\b)"
    rf"|\b{_PICTURE} (?:\w+ )?(?:below|above|here|at (?:the )?(?:left|right))\b"
    rf"|\b(?:this|these|the) (?:\w+ ){{0,2}}?{_PICTURE} (?:shows?|represents?|illustrates?|depicts?)\b"
    rf"|\b(?:use|see|study|examine|look at|refer to|based on|according to|in|on) (?:the|this|these)"
    rf" (?:following )?{_PICTURE}\b(?! of\b)",
    re.IGNORECASE,
)


def with_choices(
    draft: TaskDraft, texts: Sequence[str], *, labels: Sequence[str] = (), passage: str = ""
) -> TaskDraft:
    """Add choices to a draft whose gold answer is the label of the right choice.

    ``labels`` are shown as given; by default they are letters from A. ``<image k>`` in a text marks where a
    picture goes. Raises ``ValueError`` for empty strings, fewer than two choices, and bad labels or answers.
    """
    question, passage, texts = cleaned(draft.payload["text"]), cleaned(passage), [*map(cleaned, texts)]
    labels = tuple(labels) or LETTERS[: len(texts)]
    _check(question=question, texts=texts, labels=labels, answer=draft.gold.answer)
    payload = {**draft.payload, "text": question}
    if passage:
        payload["passage"] = passage
    payload["choices"] = [{"label": label, "text": text} for label, text in zip(labels, texts, strict=True)]
    payload["order"] = decide_order(texts)
    # Tag any two equal texts: tagging only duplicates of the right answer would reveal which choice is right.
    is_ambiguous = len(set(texts)) < len(texts)
    reason = AMBIGUOUS_REASON if is_ambiguous else ""
    return replace(
        draft,
        kind=kinds.CHOICE,
        payload=payload,
        gold=replace(draft.gold, accepted=find_alike(draft.gold.answer, labels=labels, texts=texts)),
        tags=(*draft.tags, AMBIGUOUS_TAG) if is_ambiguous else draft.tags,
        guess_rate=1 / len(texts),
        oracle_steps=CHOOSE_AND_SUBMIT_STEPS,
        gap_reason=reason or _missing_figure(f"{passage}\n{question}", has_pictures=bool(draft.pictures)),
    )


def find_alike(answer: str, *, labels: Sequence[str], texts: Sequence[str]) -> tuple[str, ...]:
    """List the labels of other choices that read exactly like choice ``answer`` and so are equally right."""
    right = texts[labels.index(answer)]
    pairs = zip(labels, texts, strict=True)
    return tuple(label for label, text in pairs if text == right and label != answer)


def cleaned(text: str) -> str:
    return text.replace("\r\n", "\n").replace("\r", "\n").strip()


def to_letter(index: int, *, count: int) -> str:
    """Convert the source's index, counted from 0, to a choice's letter. Raises ``ValueError``."""
    if not 0 <= index < min(count, len(LETTERS)):
        raise ValueError(f"the answer {index} is not one of the {count} choices, counted from 0")
    return LETTERS[index]


def split_of(file: Path, names: Mapping[str, str]) -> str | None:
    """Return the split that the file is named after or, failing that, the one its folder is named after.

    ``names`` maps the sources' names of splits to ours.
    """
    stem = f"-{dash_name(file.stem)}-"
    splits = [split for name, split in names.items() if f"-{dash_name(name)}-" in stem]
    return splits[0] if splits else names.get(file.parent.name.casefold())


def renumber(rows: Records, group_of: Callable[[Record], str | None]) -> Records:
    """Number records from 1 within their group, so that keys do not depend on which other files are read.

    An unreadable row counts in the group named after its file.
    """
    numbers: Counter[str | None] = Counter()
    for record in rows:
        group = record.place.rpartition(":")[0] if isinstance(record, BadRow) else group_of(record)
        numbers[group] += 1
        yield record if isinstance(record, BadRow) else replace(record, number=numbers[group])


def _check(*, question: str, texts: Sequence[str], labels: Sequence[str], answer: str) -> None:
    if not question:
        raise ValueError("the question is empty")
    if not 2 <= len(texts) <= len(LETTERS):
        raise ValueError(f"the number of choices is {len(texts)}")
    if not all(texts):
        raise ValueError("a choice is empty")
    if len(labels) != len(texts) or len(set(labels)) != len(labels):
        raise ValueError(f"the labels {', '.join(labels)[:80]} do not name {len(texts)} choices")
    if answer not in labels:
        raise ValueError(f"the answer {answer[:80]!r} is not one of {', '.join(labels)}")


def _missing_figure(text: str, *, has_pictures: bool) -> str:
    return _contest.MISSING_FIGURE_REASON if not has_pictures and MISSING_FIGURE.search(text) else ""
