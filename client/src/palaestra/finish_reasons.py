"""The reasons for which a model stopped writing, under the many names that endpoints give them."""

from __future__ import annotations

import re
from typing import Literal

Ending = Literal["length", "content_filter", "error", "tool_calls", "stop"]

# The words that a name holds, in the order in which they count: Cohere's ERROR_LIMIT is a limit. The names
# are those of OpenAI, Azure, Anthropic, Gemini, Mistral, Cohere, Bedrock, DeepSeek, Zhipu, OpenRouter, TGI,
# vLLM and SGLang; others are likely to hold the same words.
_ENDINGS: tuple[tuple[Ending, re.Pattern[str]], ...] = (
    (
        "length",
        re.compile(
            r"length|max_?(?:new_|output_|completion_|gen_)?tok|(?<!rate_)limit|context_?window|truncat"
            r"|incomplete|budget|num_predict|\bmax\b|\bcut|too_?long|overlong|out_of_tok|tok\w*_exhaust|repetiti"
        ),
    ),
    (
        "content_filter",
        re.compile(
            r"filter|safety|recitation|block|prohibit|spii|sensitive|guardrail|toxic|moderat|flagged|refus"
            r"|violation|inappropriate|censor|polic[iy]|unsafe|harm|\brisk|inspection|profan|malicious|\blanguage\b"
        ),
    ),
    (
        "error",
        re.compile(
            r"error|abort|cancel|fail|insufficient|rate_limit|time_?out|unavailable|interrupt|overload"
            r"|preempt|lost|disconnect|shut_?down|crash|out_of_mem|\boom\b|kill|\binternal\b|exhaust|\bother\b"
        ),
    ),
    ("tool_calls", re.compile(r"tool|function")),
)
_UNSAID = frozenset({"", "null", "none", "unspecified", "unknown"})
_PREFIX = re.compile(r"^(?:finish_?reason|stop_?reason)[_.]")
_WORD_END = re.compile(r"(?<=[a-z0-9])(?=[A-Z])")


def ending_of(finish_reason: str | None) -> Ending | None:
    """Return the meaning of a finish reason, None for an empty one. An unknown name is a ``stop``."""
    words = _WORD_END.sub("_", finish_reason or "").strip().lower()
    name = _PREFIX.sub("", re.sub(r"[\s-]+", "_", words))
    if name in _UNSAID:
        return None
    return next((ending for ending, pattern in _ENDINGS if pattern.search(name)), "stop")
