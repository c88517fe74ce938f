"""The thoughts in a completion, which are recorded but never read as an answer or an action.

Models write their thoughts between marks of several families (``marks``) or in channels (``channels``). Every
completion passes through this package, so that a guess within a thought is never submitted. The rules are:

- A block begins at a mark that opens a line, or that cannot be a word in the surrounding sentence, because
  the block spans several lines, or the mark ends its line, or no blank follows it. The block ends at its own
  end mark (nested blocks are counted) or, if there is none, at the end of the completion.
- An end mark without a beginning ends a thought that the chat template began, so everything before it is
  thought.
- Marks in quotation marks, backticks and fenced code blocks are text, and so are marks within the line of an
  answer or an action.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import replace

from palaestra.completion import Completion
from palaestra.thoughts.blocks import blocks_cut
from palaestra.thoughts.channels import HARMONY_TOKENS, channels_cut
from palaestra.thoughts.marks import Tags, marks_pattern, tags_check

__all__ = ["Tags", "is_mark", "tags_check", "thoughts_separate", "thoughts_split"]

# After their thoughts, Hunyuan, ERNIE, Marco-o1, OpenThinker and Cohere put these tags around the answer.
_WRAPPED = re.compile(
    r"\s*(?:<(?P<name>answer|response|output|solution|conclusion)>|<\|(?:begin_of_solution|START_RESPONSE)\|>)"
    r"(?P<content>.*?)"
    r"(?:</(?:answer|response|output|solution|conclusion)>|<\|(?:end_of_solution|END_RESPONSE)\|>|\Z)\s*\Z",
    re.DOTALL | re.IGNORECASE,
)


def thoughts_split(text: str, *, tags: Sequence[Tags] = (), is_begun: bool = False) -> tuple[str | None, str]:
    """Split ``text`` into its thoughts, or None if it has none, and the rest.

    ``tags`` are a model's own pairs of marks, in addition to those of the known families. ``is_begun``: other
    thoughts of the same completion are already known, so the chat template did not begin the thoughts in
    ``text``.
    """
    thoughts, rest = channels_cut(text)
    more, rest = blocks_cut(rest, tags=tags, is_begun=is_begun or bool(thoughts))
    thoughts += more
    if not thoughts:
        return None, rest
    wrapped = _WRAPPED.fullmatch(rest)
    rest = wrapped["content"].strip() if wrapped else rest.lstrip("\r\n")
    return "\n\n".join(filter(None, map(str.strip, thoughts))), rest


def thoughts_separate(completion: Completion, *, tags: Sequence[Tags] = ()) -> Completion:
    """Return the completion with the thoughts moved from its text to its ``reasoning``."""
    inline, text = thoughts_split(completion.text, tags=tags, is_begun=completion.reasoning is not None)
    if inline is None:
        return completion if text == completion.text else replace(completion, text=text)
    reasoning = "\n\n".join(filter(None, (completion.reasoning, inline)))
    return replace(completion, text=text, reasoning=reasoning)


def is_mark(text: str, *, tags: Sequence[Tags] = ()) -> bool:
    """Return whether a token, given as text, marks the beginning or end of a thought or channel."""
    pattern = marks_pattern(tuple((begin, end) for begin, end in tags))
    return text in HARMONY_TOKENS or pattern.fullmatch(text) is not None
