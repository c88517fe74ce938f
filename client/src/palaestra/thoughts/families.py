"""Marks around thoughts by family of models, as in the parsers of vLLM and SGLang."""

from __future__ import annotations

import re
from collections.abc import Sequence
from functools import lru_cache

Tags = Sequence[str]
"""A pair of marks of a model's own: the one that begins a thought and the one that ends it."""

# A word of thinking, in names such as <seed:think>, <longcat_think>, <antThinking>, <thinking_process>. Not
# "reason", which is an argument of actions.
_LONG = r"[a-z]{0,12}(?:think(?:ing)?|thoughts?|reasoning|reflection|scratchpad|monologue)"
_SHORT = r"(?:analysis|cot|rationale|ponder(?:ing)?|chain_of_thought)"
_WORD = rf"(?:{_LONG}|{_SHORT})"
_NAME = rf"(?:[a-z0-9]{{1,20}}[:|_]){{0,2}}(?:{_LONG}(?:[:_][a-z0-9]{{1,40}}){{0,3}}|{_SHORT})"
# Names that begin or end: <begin_of_thought>, <think_end>.
_BEGIN = r"(?:(?:begin|start)[_▁ ]?(?:of[_▁ ])?)"
_END = r"(?:(?:end|stop)[_▁ ]?(?:of[_▁ ])?)"
_ENDS = rf"(?=(?:[a-z0-9]{{1,20}}[:|_])?{_END}|[\w:|]{{1,60}}_(?:end|stop)\b)"
_SIDE = re.compile(r"(?<![a-z])(?:begin|start|end|stop|of)(?![a-z])|[_▁ ]", re.IGNORECASE)
# Each alternative: the pattern of its beginning and that of its end.
_PAIRS = (
    # DeepSeek, Qwen, GLM and most others; <thought> of EXAONE, <Thought> of Marco-o1. Some escape them.
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
# Marks only in pairs: headings look the same, and web interfaces fold more than thoughts.
_ONLY_PAIRS = (
    (rf"\[{_BEGIN}?{_WORD}\]", rf"\[(?:/|{_END}){_WORD}\]"),
    (
        r"<details(?:\s[^<>\n]{0,200})?\stype=[\"']?reasoning\b[^<>\n]{0,200}>"
        rf"|<details[^<>\n]{{0,200}}>\s*<summary>[^<>\n]{{0,20}}{_WORD}[^<>\n]{{0,40}}</summary>",
        r"</details>",
    ),
)


@lru_cache
def marks_pattern(tags: tuple[tuple[str, str], ...] = ()) -> re.Pattern[str]:
    """Return the pattern of all marks.

    Its groups ``begin_<n>`` and ``end_<n>`` say which family a mark is of; ``tag`` and ``tag_end`` name its
    tag in the family of tags.
    """
    own = [(re.escape(begin), re.escape(end)) for begin, end in tags]
    alternatives = [
        f"(?P<begin_{number}>{begin})|(?P<end_{number}>{end})"
        for number, (begin, end) in enumerate([*own, *_PAIRS, *_ONLY_PAIRS])
    ]
    return re.compile("|".join(alternatives), re.IGNORECASE)


def find_family(match: re.Match[str], *, tags: int) -> tuple[str, bool]:
    """Return the family of a mark, and whether it counts only in pairs; ``tags`` counts a model's own."""
    number = (match.lastgroup or "").partition("_")[2]
    name = _SIDE.sub("", match["tag"] or match["tag_end"] or "").lower()
    return f"{number} {name}", int(number) - tags >= len(_PAIRS)


def tags_check(tags: Sequence[Tags]) -> None:
    """Raise ``ValueError`` unless a model's own marks are pairs of different texts."""
    for pair in tags:
        if isinstance(pair, str) or len(set(pair)) != 2 or len(pair) != 2 or not all(map(str.strip, pair)):
            raise ValueError(f"{pair!r} is no pair of marks around thoughts, such as ('<plan>', '</plan>').")
