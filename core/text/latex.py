"""Problem text split into words, formulas and figures, ready to be rendered.

Benchmarks write LaTeX inside running text. This tokenizer alone decides where a formula begins and ends;
pages, parity checks and the fallback without JavaScript all use it.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass
from functools import lru_cache
from typing import Literal

TextFormat = Literal["plain", "latex"]
SegmentKind = Literal["text", "inline", "display", "source"]

# These start display math even outside dollars; other environments (tabular, itemize) are shown as source.
MATH_ENVIRONMENTS = frozenset(
    {"align", "alignat", "array", "cases", "equation", "gather", "multline", "split", "eqnarray"}
)
ESCAPED_IN_TEXT = frozenset("$%&#_{}")

# Some backslashes are lost in MATH: `$$ 1$` is one dollar, but as a display formula it would extend to the
# next price.
_MONEY = r"(?P<money>\$)(?=\$\s*[\d.,]+\$(?!\$))"
_OPENER = re.compile(rf"\[asy\]|\\begin\{{(?P<environment>[a-zA-Z]+\*?)\}}|{_MONEY}|\$\$?|\\.", re.DOTALL)
_IN_DOLLARS = re.compile(r"\\.|[{}]|\$\$?", re.DOTALL)
_ESCAPE = re.compile(r"\\.", re.DOTALL)
_BLANK_LINES = re.compile(r"\n[ \t]*\n\s*")


@dataclass(frozen=True, kw_only=True)
class Segment:
    """A piece of text. ``text`` is its content (a formula without its delimiters), ``raw`` is its source."""

    kind: SegmentKind
    text: str
    raw: str

    @property
    def is_formula(self) -> bool:
        return self.kind in ("inline", "display")


@dataclass(frozen=True, kw_only=True)
class Block:
    """A paragraph of words and formulas, or one figure shown as its source."""

    kind: Literal["paragraph", "source"]
    segments: tuple[Segment, ...]

    @property
    def text(self) -> str:
        return "".join(segment.text for segment in self.segments)


@lru_cache(maxsize=4096)
def blocks_split(text: str, *, text_format: TextFormat) -> tuple[Block, ...]:
    """Split a problem's text into blocks. In ``plain`` text a dollar is a currency, and opens no formula."""
    if text_format == "plain":
        parts = [part for part in _BLANK_LINES.split(text.strip()) if part]
        return tuple(_paragraph([Segment(kind="text", text=part, raw=part)]) for part in parts)
    blocks: list[Block] = []
    run: list[Segment] = []
    for segment in segments_split(text):
        if segment.kind != "source":
            run.append(segment)
            continue
        blocks += [_paragraph(part) for part in _paragraphs(run)]
        blocks.append(Block(kind="source", segments=(segment,)))
        run = []
    return (*blocks, *(_paragraph(part) for part in _paragraphs(run)))


def segments_split(text: str) -> Iterator[Segment]:
    """Split LaTeX into segments whose joined ``raw`` is the input. An opener without a closer is text."""
    start = position = 0
    while (match := _OPENER.search(text, position)) is not None:
        segment = _segment_at(text, match)
        if segment is None:
            position = match.end()
            continue
        if match.start() > start:
            yield _words(text[start : match.start()])
        yield segment
        start = position = match.start() + len(segment.raw)
    if start < len(text):
        yield _words(text[start:])


def _segment_at(text: str, match: re.Match[str]) -> Segment | None:
    opener, begin, after = match.group(), match.start(), match.end()
    if match["money"]:
        return None
    if opener == "[asy]":
        return _closed(text, begin=begin, after=after, close="[/asy]", is_math=False)
    if (environment := match["environment"]) is not None:
        is_math = environment.rstrip("*") in MATH_ENVIRONMENTS
        return _closed(text, begin=begin, after=after, close=f"\\end{{{environment}}}", is_math=is_math)
    if opener in ("$", "$$"):
        return _dollars(text, opener=opener, begin=begin, after=after)
    if opener in (r"\[", r"\("):
        closer = r"\]" if opener == r"\[" else r"\)"
        end = next((m.start() for m in _ESCAPE.finditer(text, after) if m.group() == closer), -1)
        return _formula(text, begin=begin, after=after, end=end, close=closer, is_display=opener == r"\[")
    return None


def _dollars(text: str, *, opener: str, begin: int, after: int) -> Segment | None:
    """Match up to the next dollar outside braces, so that ``$\\text{if $x>0$}$`` is one formula."""
    depth = 0
    end = -1
    for match in _IN_DOLLARS.finditer(text, after):
        mark = match.group()
        if mark in "{}":
            depth += 1 if mark == "{" else -1
        elif mark[0] == "$" and (mark == opener or opener == "$"):
            # If the braces never close, the nearest dollar ends the formula, and the page shows it as source.
            end = match.start() if end < 0 or depth <= 0 else end
            if depth <= 0:
                break
    return _formula(text, begin=begin, after=after, end=end, close=opener, is_display=opener == "$$")


def _formula(text: str, *, begin: int, after: int, end: int, close: str, is_display: bool) -> Segment | None:
    inside = text[after:end].strip() if end >= 0 else ""
    if not inside:
        return None
    raw = text[begin : end + len(close)]
    if "[asy]" in inside:
        return Segment(kind="source", text=inside, raw=raw)
    return Segment(kind="display" if is_display else "inline", text=inside, raw=raw)


def _closed(text: str, *, begin: int, after: int, close: str, is_math: bool) -> Segment | None:
    end = text.find(close, after)
    if end < 0:
        return None
    raw = text[begin : end + len(close)]
    return Segment(kind="display" if is_math and "[asy]" not in raw else "source", text=raw, raw=raw)


def _words(raw: str) -> Segment:
    return Segment(kind="text", text=_ESCAPE.sub(_unescaped, raw), raw=raw)


def _unescaped(match: re.Match[str]) -> str:
    mark = match.group()[1]
    return mark if mark in ESCAPED_IN_TEXT else match.group()


def _paragraphs(run: list[Segment]) -> Iterator[list[Segment]]:
    """Split segments into paragraphs at blank lines; empty paragraphs are dropped."""
    paragraphs: list[list[Segment]] = [[]]
    for segment in run:
        if segment.kind != "text":
            paragraphs[-1].append(segment)
            continue
        first, *rest = _BLANK_LINES.split(segment.raw)
        paragraphs[-1].append(_words(first))
        paragraphs += [[_words(part)] for part in rest]
    for paragraph in paragraphs:
        if any(segment.text.strip() for segment in paragraph):
            yield [segment for segment in paragraph if segment.text]


def _paragraph(segments: list[Segment]) -> Block:
    return Block(kind="paragraph", segments=tuple(segments))
