"""Shared by benchmarks with choices: the draft, why an item is unfit for the modality gap, stable numbers."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any

from tasks_app import kinds
from tasks_app.benchmarks import _contest
from tasks_app.benchmarks._choice_order import order_of
from tasks_app.types import BadRow, GoldDraft, PictureDraft, Record, TaskDraft

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


@dataclass(frozen=True, kw_only=True)
class ChoiceItem:
    """A question with choices as its source has it. ``answer`` is the label of the right one.

    ``labels`` are as shown, the letters from A where the source names none. A picture's place in a text is
    ``<image k>``.
    """

    key: str
    question: str
    texts: Sequence[str]
    answer: str
    labels: Sequence[str] = ()
    passage: str = ""
    is_latex: bool = False
    pictures: tuple[PictureDraft, ...] = ()
    solution: str = ""
    extra: Mapping[str, Any] = field(default_factory=dict)
    split: str | None = None
    difficulty: float | None = None
    tags: tuple[str, ...] = ()
    place: str = ""


def task_draft(item: ChoiceItem) -> TaskDraft:
    """Raises ``ValueError`` for an empty text, fewer than two choices, bad labels or a bad answer."""
    question, passage = cleaned(item.question), cleaned(item.passage)
    texts = [cleaned(text) for text in item.texts]
    labels = tuple(item.labels) or LETTERS[: len(texts)]
    _check(question=question, texts=texts, labels=labels, answer=item.answer)
    payload: dict[str, Any] = {"text": question, "format": "latex" if item.is_latex else "plain"}
    if passage:
        payload["passage"] = passage
    payload["choices"] = [{"label": label, "text": text} for label, text in zip(labels, texts, strict=True)]
    payload["order"] = order_of(texts)
    # Applies to any two texts: marking only the right one's double would reveal which choice is right.
    is_ambiguous = len(set(texts)) < len(texts)
    reason = AMBIGUOUS_REASON if is_ambiguous else ""
    return TaskDraft(
        key=item.key,
        kind=kinds.CHOICE,
        payload=payload,
        pictures=item.pictures,
        gold=GoldDraft(
            answer=item.answer,
            accepted=alike(item.answer, labels=labels, texts=texts),
            solution=item.solution,
            extra=item.extra,
            source=item.place,
        ),
        split=item.split,
        difficulty=item.difficulty,
        tags=(*item.tags, AMBIGUOUS_TAG) if is_ambiguous else item.tags,
        guess_rate=1 / len(texts),
        oracle_steps=CHOOSE_AND_SUBMIT_STEPS,
        gap_reason=reason or _missing_figure(f"{passage}\n{question}", has_pictures=bool(item.pictures)),
        place=item.place,
    )


def alike(answer: str, *, labels: Sequence[str], texts: Sequence[str]) -> tuple[str, ...]:
    """The labels of other choices that read exactly like the one labelled ``answer``: as right as it is."""
    right = texts[labels.index(answer)]
    pairs = zip(labels, texts, strict=True)
    return tuple(label for label, text in pairs if text == right and label != answer)


def cleaned(text: str) -> str:
    return text.replace("\r\n", "\n").replace("\r", "\n").strip()


def letter_of(index: int, *, count: int) -> str:
    """The letter of a choice that the source numbers from 0. Raises ``ValueError``."""
    if not 0 <= index < min(count, len(LETTERS)):
        raise ValueError(f"the answer {index} is not one of the {count} choices, counted from 0")
    return LETTERS[index]


def split_of(file: Path, *, names: Mapping[str, str]) -> str | None:
    """The split named by a file, or else by its folder; ``names`` are those that sources use."""
    stem = f"-{_dashed(file.stem)}-"
    splits = [split for name, split in names.items() if f"-{_dashed(name)}-" in stem]
    return splits[0] if splits else names.get(file.parent.name.casefold())


def renumbered(
    rows: Iterable[Record | BadRow], group_of: Callable[[Record], str]
) -> Iterator[Record | BadRow]:
    """Records numbered from 1 within their group, so that keys do not depend on what else is read.

    An unreadable row counts in the group named after its file.
    """
    numbers: Counter[str] = Counter()
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


def _dashed(name: str) -> str:
    return re.sub(r"[^a-z0-9]+", "-", name.casefold())
