"""How long the prompts of recorded episodes are under each history, whichever was played.

What a model was shown and what it wrote is on record, so the prompts under any history can be made again. The
model's own usage figures say how many tokens a character is, and how many every prompt has besides (tools,
the chat template).
"""

from __future__ import annotations

import statistics
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from palaestra.api import Client
from palaestra.conversation import grammar_recorded, prompts_rebuild
from palaestra.lineage import line_read
from palaestra.records import Message, PromptSize, Run

HISTORIES = ("full", "last_k:1", "last_k:3", "diff")
# Of a message: what a model reads; a picture is no text.
UNREAD = frozenset({"role", "type", "id", "tool_call_id", "image_url"})


@dataclass(frozen=True, kw_only=True)
class TokenRate:
    """Tokens of a prompt, by its characters."""

    per_character: float
    per_prompt: float

    def tokens(self, characters: int) -> int:
        return round(self.per_character * characters + self.per_prompt)


@dataclass(frozen=True, kw_only=True)
class PromptLengths:
    """Of one episode: the characters of its prompts by history, and of those that were sent, each with the
    tokens that the model read, where its usage says."""

    episode: int
    characters: Mapping[str, Sequence[int]]
    measured: Sequence[tuple[int, int]]

    def size(self, history: str, *, rate: TokenRate | None) -> PromptSize:
        """Their size under a history."""
        characters = self.characters[history]
        tokens = [rate.tokens(count) for count in characters] if rate else None
        return PromptSize(
            episode=self.episode,
            characters=sum(characters),
            longest_characters=max(characters, default=0),
            tokens=sum(tokens) if tokens is not None else None,
            longest_tokens=max(tokens, default=0) if tokens is not None else None,
        )


async def measure_prompts(
    client: Client, run: Run, episode: int, *, histories: Sequence[str] = HISTORIES
) -> PromptLengths:
    """The lengths of an episode's prompts."""
    trajectory = await client.trajectory(episode)
    # To tell pictures apart, their names do.
    line = await line_read(client, trajectory, picture=_name)
    inherited = len(line.steps) - len(trajectory["steps"])
    opening = [one for one in await client.opening_messages(episode) if not one.get("prefill")]
    grammar = grammar_recorded(run, arm=trajectory["arm"])
    prompts = {
        history: prompts_rebuild(history=history, grammar=grammar, opening=opening, turns=line.turns)[
            inherited:
        ]
        for history in dict.fromkeys((*histories, run.history))
    }
    characters = {name: [characters_read(prompt) for prompt in prompts[name]] for name in prompts}
    read = [(step.get("usage") or {}).get("prompt") for step in trajectory["steps"]]
    sent = zip(prompts[run.history], characters[run.history], read, strict=True)
    return PromptLengths(
        episode=episode,
        characters={name: characters[name] for name in histories},
        # The tokens of a picture are not those of its text.
        measured=[(count, tokens) for prompt, count, tokens in sent if tokens and not shows_picture(prompt)],
    )


def fit_rate(measured: Iterable[tuple[int, int]]) -> TokenRate | None:
    """The rate that fits prompts of so many characters and tokens best; None without any."""
    points = list(measured)
    if not points:
        return None
    characters, tokens = zip(*points, strict=True)
    if len(set(characters)) > 1:
        slope, start = statistics.linear_regression(characters, tokens)
        if slope > 0 and start >= 0:
            return TokenRate(per_character=slope, per_prompt=start)
    return TokenRate(per_character=sum(tokens) / sum(characters), per_prompt=0.0)


def characters_read(value: Any) -> int:
    """The characters that a model reads of a message, or of a part of one."""
    if isinstance(value, str):
        return len(value)
    if isinstance(value, Mapping):
        return sum(characters_read(part) for name, part in value.items() if name not in UNREAD)
    if isinstance(value, (list, tuple)):
        return sum(map(characters_read, value))
    return 0


def shows_picture(prompt: Sequence[Message]) -> bool:
    """Whether a picture is in a prompt."""
    contents = [message["content"] for message in prompt if isinstance(message.get("content"), list)]
    return any(part["type"] == "image_url" for content in contents for part in content)


async def _name(digest: str) -> bytes:
    return digest.encode()
