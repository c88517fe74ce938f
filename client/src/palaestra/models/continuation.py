"""Continuation of a message that was begun for a model (prefill): ways to request it, and a trial of each."""

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
    "vLLM and SGLang continue a message (without a parser of thoughts), as do llama.cpp, Mistral, DeepSeek "
    "and Anthropic's models; OpenAI's and Azure's begin a new one."
)


@dataclass(frozen=True, kw_only=True)
class Form:
    """One way to request it: extra ``fields`` of the call, and fields that ``mark`` the message."""

    id: str
    fields: Mapping[str, Any] = field(default_factory=dict)
    mark: Mapping[str, Any] = field(default_factory=dict)

    def apply(self, call: Mapping[str, Any]) -> dict[str, Any]:
        """Return a call whose last message is to be continued."""
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
    # llama.cpp, Anthropic and its proxies
    Form(id="last message"),
)


def is_begun(messages: Sequence[Message]) -> bool:
    """Return whether the last message is the model's own, which it is to continue."""
    return bool(messages) and messages[-1]["role"] == ASSISTANT


def strip_beginning(completion: Completion, begun: str) -> str:
    """Return the text of a completion without the message ``begun``, which some endpoints repeat."""
    return completion.text.removeprefix(begun)


def is_continued(completion: Completion) -> bool:
    """Return whether the answer to ``TRIAL`` continues its message."""
    return not completion.reasoning and strip_beginning(completion, BEGUN).startswith(NEXT)


def describe_failure(completion: Completion) -> str:
    """Return what an endpoint did instead of continuing, for an error message."""
    thoughts = " after thoughts apart" if completion.reasoning else ""
    return f"wrote {completion.text[:EXCERPT_CHARS]!r}{thoughts}"
