"""The marks between which models write their thoughts, as the parsers of vLLM and SGLang know them."""

from __future__ import annotations

import re
from collections.abc import Sequence
from functools import lru_cache

Tags = Sequence[str]
"""A pair of marks of a model's own: the one that begins a thought and the one that ends it."""

# With a prefix of the model's: <seed:think>, <mm:think>, <longcat_think>, <ifm|think>.
_NAME = (
    r"(?:[a-z0-9]{1,20}[:|_])?"
    r"(?:think(?:ing)?|thoughts?|thought_process|reasoning|reflection|scratchpad|analysis|cot"
    r"|chain_of_thought|inner_(?:monologue|thoughts?))"
)
# Each alternative: the pattern of its beginning and that of its end.
_PAIRS = (
    # DeepSeek, Qwen, GLM and most others; <thought> of EXAONE, <Thought> of Marco-o1
    (rf"<\s?(?P<tag>{_NAME})(?:\s[^<>\n]{{0,200}})?>", rf"<\s?/\s?(?P<tag_end>{_NAME})\s?>"),
    (r"\[THINK\]", r"\[/THINK\]"),  # Magistral
    (r"◁think▷", r"◁/think▷"),  # Kimi
    # OpenThinker's <|begin_of_thought|>, Cohere's <|START_THINKING|>
    (
        r"<[|｜](?:(?:begin|start)(?:[_▁]?of)?[_▁]?)?(?:think(?:ing)?|thought|reasoning)[|｜]>",
        r"<[|｜](?:/|end(?:[_▁]?of)?[_▁]?)(?:think(?:ing)?|thought|reasoning)[|｜]>",
    ),
    (r"<\|inner_prefix\|>", r"<\|inner_suffix\|>"),  # Apertus
    (r"<\|channel>(?:thought\b)?", r"<channel\|>"),  # Gemma
    (r"\[unused16\]", r"\[unused17\]"),  # Pangu
    (r"<unused94>(?:thought\b)?", r"<unused95>"),  # MedGemma
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
        for number, (begin, end) in enumerate([*own, *_PAIRS])
    ]
    return re.compile("|".join(alternatives), re.IGNORECASE)


def tags_check(tags: Sequence[Tags]) -> None:
    """Raise ``ValueError`` unless a model's own marks are pairs of different texts."""
    for pair in tags:
        if isinstance(pair, str) or len(set(pair)) != 2 or len(pair) != 2 or not all(map(str.strip, pair)):
            raise ValueError(f"{pair!r} is no pair of marks around thoughts, such as ('<plan>', '</plan>').")
