"""How a model is asked to go on with a message that is begun for it, and whether its endpoint does so."""

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
# A message of its own may begin with "six", but never with a comma.
NEXT = ", six"
SHOWN_CHARS = 60
WHO = (
    "vLLM and SGLang go on with a message (without a parser of thoughts), llama.cpp, Mistral, DeepSeek and "
    "Anthropic's models too; OpenAI's and Azure's begin a new one."
)


@dataclass(frozen=True, kw_only=True)
class Form:
    """One way to ask for it: ``fields`` of the call, and those that ``mark`` the message."""

    id: str
    fields: Mapping[str, Any] = field(default_factory=dict)
    mark: Mapping[str, Any] = field(default_factory=dict)

    def sent(self, call: Mapping[str, Any]) -> dict[str, Any]:
        """A call of which the last message is to be continued."""
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
    """Whether the last message is the model's own, which it is to go on with."""
    return bool(messages) and messages[-1]["role"] == ASSISTANT


def rest_of(completion: Completion, begun: str) -> str:
    """What a completion adds to the message ``begun``: some endpoints repeat that."""
    return completion.text.removeprefix(begun)


def goes_on(completion: Completion) -> bool:
    """Whether the answer to ``TRIAL`` goes on with its message."""
    return not completion.reasoning and rest_of(completion, BEGUN).startswith(NEXT)


def shown(completion: Completion) -> str:
    """What an endpoint did instead of going on, for an error."""
    thoughts = " after thoughts apart" if completion.reasoning else ""
    return f"wrote {completion.text[:SHOWN_CHARS]!r}{thoughts}"
