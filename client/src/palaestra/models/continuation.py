"""Continuation of a message that was begun for a model (prefill): ways to request it, and a test of each."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from palaestra.completion import Completion
from palaestra.records import Message

ASSISTANT = "assistant"
BEGUN = "one, two, three, four, five"
TRIAL: Sequence[Message] = (
    {"role": "user", "content": "Write the numbers from one to nine as words, separated by commas."},
    {"role": ASSISTANT, "content": BEGUN},
)
# A model that starts a new message may begin with "six", but never with a comma.
NEXT = ", six"
EXCERPT_CHARS = 60
WHO = (
    "vLLM and SGLang continue a message (if they run without a reasoning parser), as do llama.cpp, Mistral, "
    "DeepSeek and Anthropic's models; OpenAI's and Azure's models begin a new message."
)


@dataclass(frozen=True, kw_only=True)
class Form:
    """One way to request a continuation: extra ``fields`` for the call, and a ``mark`` for the message."""

    id: str
    fields: Mapping[str, Any] = field(default_factory=dict)
    mark: Mapping[str, Any] = field(default_factory=dict)

    def apply(self, call: Mapping[str, Any]) -> dict[str, Any]:
        """Return the call with its last message marked for continuation."""
        messages = list(call["messages"])
        messages[-1] = {**messages[-1], **self.mark}
        return {**call, **self.fields, "messages": messages}


FORMS: Sequence[Form] = (
    # vLLM, SGLang
    Form(
        id="continue_final_message", fields={"continue_final_message": True, "add_generation_prompt": False}
    ),
    # Mistral, DeepSeek
    Form(id="prefix", mark={"prefix": True}),
    # llama.cpp, Anthropic and proxies for Anthropic
    Form(id="last message"),
)


def is_begun(messages: Sequence[Message]) -> bool:
    """Return whether the last message is one that the model should continue."""
    return bool(messages) and messages[-1]["role"] == ASSISTANT


def strip_beginning(completion: Completion, begun: str) -> str:
    """Return a completion's text without the message ``begun``, which some endpoints repeat."""
    return completion.text.removeprefix(begun)


def is_continued(completion: Completion) -> bool:
    """Return whether the answer to ``TRIAL`` continues its message."""
    return not completion.reasoning and strip_beginning(completion, BEGUN).startswith(NEXT)


def describe_failure(completion: Completion) -> str:
    """Describe, for an error message, what an endpoint did instead of continuing."""
    thoughts = " after separate thoughts" if completion.reasoning else ""
    return f"wrote {completion.text[:EXCERPT_CHARS]!r}{thoughts}"
