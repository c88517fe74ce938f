"""Marks around thoughts in a text: their positions, and which beginnings and ends belong together."""

from __future__ import annotations

import re
from bisect import bisect_left
from collections import defaultdict
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import lru_cache

_LINE = re.compile(r"[^\n]+")
_DECLARED = re.compile(r"[ \t>#*_`-]*(?:answer|action)[*_`]*[ \t]*:[ \t*_]*", re.IGNORECASE)
# Neither an apostrophe nor a single quotation mark on a line (5") opens a quotation.
_QUOTATION = re.compile(
    r"\"(?:[^\"\\\n]|\\.){0,9000}\"|`[^`\n]{0,9000}`|“[^”\n]{0,500}”"
    r"|(?<![\w\\])'(?:[^'\\\n]|\\.|(?<=\w)'(?=\w)){0,500}'(?!\w)"
)
_SENTENCE_ENDS = tuple(".!?…:")
_NEVER_FIRST = "().,;:!?"
Tags = Sequence[str]
"""A model's own pair of marks: one that begins a thought and one that ends it."""

# A word for thinking, in names such as <seed:think>, <longcat_think>, <antThinking>, <thinking_process>.
# "reason" is not one of them, because actions have an argument with that name.
_LONG = r"[a-z]{0,12}(?:think(?:ing)?|thoughts?|reasoning|reflection|scratchpad|monologue)"
_SHORT = r"(?:analysis|cot|rationale|ponder(?:ing)?|chain_of_thought)"
_WORD = rf"(?:{_LONG}|{_SHORT})"
_NAME = rf"(?:[a-z0-9]{{1,20}}[:|_]){{0,2}}(?:{_LONG}(?:[:_][a-z0-9]{{1,40}}){{0,3}}|{_SHORT})"
# Names that contain the beginning or end: <begin_of_thought>, <think_end>.
_BEGIN = r"(?:(?:begin|start)[_▁ ]?(?:of[_▁ ])?)"
_END = r"(?:(?:end|stop)[_▁ ]?(?:of[_▁ ])?)"
_ENDS = rf"(?=(?:[a-z0-9]{{1,20}}[:|_])?{_END}|[\w:|]{{1,60}}_(?:end|stop)\b)"
_SIDE = re.compile(r"(?<![a-z])(?:begin|start|end|stop|of)(?![a-z])|[_▁ ]", re.IGNORECASE)
# For each family, the pattern of its beginning and the pattern of its end.
_PAIRS = (
    # DeepSeek, Qwen, GLM and most others; EXAONE's <thought>, Marco-o1's <Thought>. Some escape the brackets.
    (
        rf"(?:<|&lt;)\s?(?!{_ENDS})(?P<tag>{_NAME})(?:\s[^<>\n]{{0,200}}(?<!/))?(?:>|&gt;)",
        rf"(?:<|&lt;)\s?(?:[/\\]\s?|{_ENDS})(?P<tag_end>{_NAME})\s?(?:>|&gt;|$)",
    ),
    (r"\[THINK\]", r"\[/THINK\]"),  # Magistral
    (r"◁think▷", r"◁/think▷"),  # Kimi
    # OpenThinker's <|begin_of_thought|>, Cohere's <|START_THINKING|>
    (
        rf"<[|｜](?!{_ENDS})(?:[a-z0-9]{{1,20}}_)?{_BEGIN}?{_WORD}(?:_(?:begin|start))?[|｜]>",
        rf"<[|｜](?:[a-z0-9]{{1,20}}_)?(?:(?:/|{_END}){_WORD}|{_WORD}_(?:end|stop))[|｜]>",
    ),
    (r"<\|inner_prefix\|>", r"<\|inner_suffix\|>"),  # Apertus
    (r"<\|channel>(?:thought\b)?", r"<channel\|>"),  # Gemma
    (r"\[unused16\]", r"\[unused17\]"),  # Pangu
    (r"<unused94>(?:thought\b)?", r"<unused95>"),  # MedGemma
)
# Marks that count only in pairs, because headings look the same, and web interfaces fold more than thoughts.
_ONLY_PAIRS = (
    (rf"\[{_BEGIN}?{_WORD}\]", rf"\[(?:/|{_END}){_WORD}\]"),
    (
        r"<details(?:\s[^<>\n]{0,200})?\stype=[\"']?reasoning\b[^<>\n]{0,200}>"
        rf"|<details[^<>\n]{{0,200}}>\s*<summary>[^<>\n]{{0,20}}{_WORD}[^<>\n]{{0,40}}</summary>",
        r"</details>",
    ),
)


@dataclass(frozen=True, kw_only=True)
class Mark:
    """A mark in a text, with the number of its line.

    ``is_glued``: text follows a beginning, or is next to an end, without a blank between them.
    ``is_declared``: the mark follows ``Answer:`` or ``Action:`` on its line; ``is_value``: nothing else does.
    ``is_paired``: the marks of its family count only in pairs of a beginning and an end.
    """

    begin: int
    end: int
    family: str
    is_end: bool
    line: int
    begins_line: bool
    ends_line: bool
    follows_sentence: bool
    is_glued: bool
    is_declared: bool
    is_value: bool
    is_paired: bool

    @property
    def is_strong(self) -> bool:
        """True if its position is that of a mark, not that of a word in a sentence."""
        return self.begins_line or self.ends_line or self.is_glued


def marks_read(text: str, *, tags: Sequence[Tags] = ()) -> list[Mark]:
    """Return the marks of a text, without those in quotation marks and backticks."""
    pattern = marks_pattern(tuple((begin, end) for begin, end in tags))
    lines = enumerate(_LINE.finditer(text))
    marks = [mark for number, line in lines for mark in _read_line(line, number, pattern, len(tags))]
    return _drop_unpaired(marks)


def match_ends(marks: Sequence[Mark]) -> dict[int, Mark]:
    """Return the end mark of each beginning, by the position of the beginning.

    Two kinds of beginnings may lack an end of their own. A repeated one (``<think><think>...</think>``) ends
    together with the next beginning. One whose family has no end in the text (``<think>...</thinking>``) ends
    at the next unmatched end of another family.
    """
    opened: defaultdict[str, _Opened] = defaultdict(_Opened)
    ends, left = dict[int, Mark](), list[Mark]()
    for mark in marks:
        if not mark.is_end:
            opened[mark.family].add(mark)
        elif (beginning := opened[mark.family].close(mark)) is not None:
            ends[beginning.begin] = mark
        else:
            left.append(mark)
    closed = {mark.family for mark in marks if mark.is_end}
    positions = [mark.begin for mark in left]
    following = dict[str, Mark]()
    for mark in reversed([mark for mark in marks if not mark.is_end and mark.is_strong]):
        if mark.begin not in ends and mark.family in following:
            ends[mark.begin] = following[mark.family]
        elif mark.family not in closed and (others := left[bisect_left(positions, mark.begin) :][:1]):
            ends[mark.begin] = others[0]
        if mark.begin in ends:
            following[mark.family] = ends[mark.begin]
    return ends


class _Opened:
    """The open beginnings of one family; those that look like words in a sentence are kept separately."""

    def __init__(self) -> None:
        self._strong, self._weak = list[Mark](), list[Mark]()

    def add(self, mark: Mark) -> None:
        (self._strong if mark.is_strong else self._weak).append(mark)

    def close(self, end: Mark) -> Mark | None:
        """Remove and return the beginning that ``end`` belongs to; marks that look like words form pairs."""
        if not self._strong:
            return self._weak.pop() if self._weak else None
        if self._weak and not end.is_strong and self._weak[-1].begin > self._strong[-1].begin:
            return self._weak.pop()
        self._weak.clear()
        return self._strong.pop()


def _drop_unpaired(marks: list[Mark]) -> list[Mark]:
    opened, single = defaultdict[str, list[Mark]](list), set[int]()
    for mark in marks:
        if not mark.is_paired:
            continue
        if not mark.is_end:
            opened[mark.family].append(mark)
        elif opened[mark.family]:
            opened[mark.family].pop()
        else:
            single.add(mark.begin)
    single.update(mark.begin for left in opened.values() for mark in left)
    return [mark for mark in marks if mark.begin not in single]


def _read_line(line: re.Match[str], number: int, pattern: re.Pattern[str], tags: int) -> Iterator[Mark]:
    text, start, stop = line.string, *line.span()
    matches = list(pattern.finditer(text, start, stop))
    if not matches:
        return
    quoted = [quotation.span() for quotation in _QUOTATION.finditer(text, start, stop)]
    declared = _DECLARED.match(text, start, stop)
    for match in matches:
        begin, end = match.span()
        index = bisect_left(quoted, (begin, begin)) - 1
        if index >= 0 and end <= quoted[index][1]:
            continue
        kind = (match.lastgroup or "").partition("_")[0]
        family, is_paired = find_family(match, tags=tags)
        before, after = text[max(start, begin - 1) : begin], text[end : min(stop, end + 1)]
        ends_line = match is matches[-1] and not text[end:stop].strip()
        is_declared = declared is not None and declared.end() <= begin
        yield Mark(
            begin=begin,
            end=end,
            family=family,
            is_end=kind == "end",
            line=number,
            begins_line=match is matches[0] and not text[start:begin].strip(),
            ends_line=ends_line,
            follows_sentence=text[max(start, begin - 3) : begin].rstrip()[-1:] in _SENTENCE_ENDS,
            is_glued=_is_glued(after) or (kind == "end" and _is_glued(before)),
            is_declared=is_declared,
            is_value=is_declared and ends_line and declared is not None and declared.end() == begin,
            is_paired=is_paired,
        )
        if kind == "end":  # after a thought, the line counts as starting again
            declared = _DECLARED.match(text, end, stop) or declared


def _is_glued(character: str) -> bool:
    return bool(character.strip()) and character not in _NEVER_FIRST


@lru_cache
def marks_pattern(tags: tuple[tuple[str, str], ...] = ()) -> re.Pattern[str]:
    """Return a pattern that matches all marks.

    Its groups ``begin_<n>`` and ``end_<n>`` identify a mark's family; in the family of tags, ``tag`` and
    ``tag_end`` hold the tag's name.
    """
    own = [(re.escape(begin), re.escape(end)) for begin, end in tags]
    alternatives = [
        f"(?P<begin_{number}>{begin})|(?P<end_{number}>{end})"
        for number, (begin, end) in enumerate([*own, *_PAIRS, *_ONLY_PAIRS])
    ]
    return re.compile("|".join(alternatives), re.IGNORECASE)


def find_family(match: re.Match[str], *, tags: int) -> tuple[str, bool]:
    """Return a mark's family, and whether it counts only in pairs; ``tags`` is the number of custom pairs."""
    number = (match.lastgroup or "").partition("_")[2]
    name = _SIDE.sub("", match["tag"] or match["tag_end"] or "").lower()
    return f"{number} {name}", int(number) - tags >= len(_PAIRS)


def tags_check(tags: Sequence[Tags]) -> None:
    """Raise ``ValueError`` unless a model's own marks are pairs of two different texts."""
    for pair in tags:
        if isinstance(pair, str) or len(set(pair)) != 2 or len(pair) != 2 or not all(map(str.strip, pair)):
            raise ValueError(
                f"{pair!r} is not a pair of marks around thoughts, such as ('<plan>', '</plan>')."
            )
