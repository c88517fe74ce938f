"""A question's text, formulas and pictures in the order in which pages and text forms show them."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any, Literal

from core.text import latex
from tasks_app.figures import Figure, figures_split, list_figures, unplaced, with_markdown

PREFORMATTED = "preformatted"


@dataclass(frozen=True, kw_only=True)
class FigureBlock:
    """A picture between paragraphs."""

    figure: Figure
    kind: Literal["figure"] = "figure"


Piece = latex.Block | FigureBlock


@dataclass(frozen=True, kw_only=True)
class Choice:
    """A choice under the label with which it is shown."""

    label: str
    pieces: tuple[Piece, ...]


@dataclass(frozen=True, kw_only=True)
class Prose:
    """A payload cut into the parts that a page draws; ``passage`` and ``choices`` may be empty."""

    passage: tuple[Piece, ...]
    question: tuple[Piece, ...]
    choices: tuple[Choice, ...]
    is_plain: bool

    @property
    def pieces(self) -> tuple[Piece, ...]:
        return (*self.passage, *self.question, *(piece for choice in self.choices for piece in choice.pieces))

    @property
    def has_formulas(self) -> bool:
        blocks = [piece for piece in self.pieces if isinstance(piece, latex.Block)]
        return any(segment.is_formula for block in blocks for segment in block.segments)

    @property
    def has_figures(self) -> bool:
        return any(isinstance(piece, FigureBlock) for piece in self.pieces)


def cut_prose(payload: Mapping[str, Any], *, scale: int = 1) -> Prose:
    """Cut a payload into parts; only ``text`` is required. Pictures are drawn at ``scale``."""
    figures = [
        replace(figure, width=figure.width * scale, height=figure.height * scale)
        for figure in list_figures(payload)
    ]
    first = tuple(FigureBlock(figure=figure) for figure in unplaced(figures, list_texts(payload)))
    is_latex = payload.get("format") == "latex"

    def cut(text: str) -> tuple[Piece, ...]:
        return _pieces(text, figures, text_format="latex" if is_latex else "plain")

    text = str(payload["text"])
    is_preformatted = payload.get("layout") == PREFORMATTED
    return Prose(
        passage=cut(str(payload.get("passage", ""))),
        question=(*first, *((_preformatted(text),) if is_preformatted else cut(text))),
        choices=tuple(
            Choice(label=str(choice["label"]), pieces=cut(str(choice["text"])))
            for choice in payload.get("choices", ())
        ),
        is_plain=not is_latex,
    )


def list_texts(payload: Mapping[str, Any]) -> list[str]:
    """List all texts in a payload that may contain a picture."""
    choices = [str(choice["text"]) for choice in payload.get("choices", ())]
    return [str(payload.get("passage", "")), str(payload["text"]), *choices]


def write_markdown(payload: Mapping[str, Any]) -> str:
    """Write the question for arms without a page: passage, unplaced pictures, text, lettered choices."""
    figures = list_figures(payload)
    parts = [
        str(payload.get("passage", "")),
        *(figure.markdown for figure in unplaced(figures, list_texts(payload))),
        str(payload["text"]),
        "\n".join(f"{choice['label']}. {choice['text']}" for choice in payload.get("choices", ())),
    ]
    return with_markdown("\n\n".join(part for part in parts if part), figures)


def _pieces(text: str, figures: Sequence[Figure], *, text_format: latex.TextFormat) -> tuple[Piece, ...]:
    pieces: list[Piece] = []
    for part in figures_split(text, figures):
        if isinstance(part, Figure):
            pieces.append(FigureBlock(figure=part))
        else:
            pieces += latex.blocks_split(part, text_format=text_format)
    return tuple(pieces)


def _preformatted(text: str) -> latex.Block:
    segment = latex.Segment(kind="source", text=text, raw=text)
    return latex.Block(kind="source", segments=(segment,))
