"""Thoughts with sentences coloured by class, and a ribbon that shows the shares of the classes."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from functools import cached_property

from django.utils.html import format_html
from django.utils.safestring import SafeString, mark_safe

from core.episodes.tokens import mask_tokens
from trajectories.behaviour.thoughts.codebook import SentenceClass, codebook
from trajectories.behaviour.thoughts.scores import Score, scores
from trajectories.behaviour.thoughts.sentences import sentence_spans
from trajectories.shell.text.long_text import SHOWN_CHARS
from trajectories.shell.text.untrusted import visible_html

CLASSES = {one.letter: one for one in codebook().classes}
# The height of a bar, in units of its SVG.
BAR_HEIGHT = 40


def coloured(thought: str, letters: str) -> SafeString:
    """Return the beginning of a thought, escaped, with an element around each sentence for its class.

    ``letters`` are the classes of the thought's sentences in order; a sentence without a class gets no
    element.
    """
    text = mask_tokens(thought)[:SHOWN_CHARS]
    parts: list[SafeString] = []
    place = 0
    for (begin, end), letter in zip(sentence_spans(text), letters, strict=False):
        if letter not in CLASSES:
            continue
        parts += [visible_html(text[place:begin]), _sentence(text[begin:end], CLASSES[letter])]
        place = end
    parts.append(visible_html(text[place:]))
    return mark_safe("".join(parts))  # noqa: S308 (each part was escaped)


def _sentence(text: str, kind: SentenceClass) -> SafeString:
    return format_html(
        '<span class="sentence sentence-{}" data-does="{}">{}</span>', kind.id, kind.title, visible_html(text)
    )


@dataclass(frozen=True, kw_only=True)
class Part:
    """A class within a bar, with its number of sentences and the position at which it is drawn."""

    kind: SentenceClass
    count: int
    y: str
    height: str


@dataclass(frozen=True, kw_only=True)
class Bar:
    """A bar that shows a step's sentences by class, in the codebook's order; empty without sentences."""

    index: int
    letters: str

    @cached_property
    def counts(self) -> Counter[str]:
        return Counter(self.letters)

    @property
    def parts(self) -> list[Part]:
        parts, y = [], 0.0
        for letter, kind in CLASSES.items():
            if count := self.counts[letter]:
                height = BAR_HEIGHT * count / len(self.letters)
                parts.append(Part(kind=kind, count=count, y=f"{y:.2f}", height=f"{height:.2f}"))
                y += height
        return parts

    @property
    def words(self) -> str:
        """The bar in words: ``2 calculates, 1 announces``."""
        return ", ".join(f"{part.count} {part.kind.title.lower()}" for part in self.parts) or "no thought"


@dataclass(frozen=True, kw_only=True)
class Total:
    """A class's total over all bars. ``score`` is the rules' accuracy for it; None if not measured."""

    kind: SentenceClass
    count: int
    share: float
    score: Score | None


@dataclass(frozen=True, kw_only=True)
class Ribbon:
    """A row of bars, one for each step whose sentences are known."""

    bars: Sequence[Bar]

    @classmethod
    def of(cls, letters: Iterable[tuple[int, str | None]]) -> Ribbon:
        """Build a ribbon from pairs of a step number and the letters of its sentences."""
        return cls(bars=[Bar(index=index, letters=of_step) for index, of_step in letters if of_step])

    @property
    def count(self) -> int:
        return sum(len(bar.letters) for bar in self.bars)

    @property
    def totals(self) -> list[Total]:
        counts = sum((bar.counts for bar in self.bars), Counter())
        measured = scores()
        return [
            Total(
                kind=kind,
                count=counts[letter],
                share=counts[letter] / self.count if self.count else 0.0,
                score=measured.get(kind.id),
            )
            for letter, kind in CLASSES.items()
        ]

    def __bool__(self) -> bool:
        return self.count > 0
