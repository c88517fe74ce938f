"""The lengths of recorded episodes' prompts under each history policy, not only the one that was played.

Observations and completions are recorded, so the prompts under any policy can be rebuilt. A linear fit to the
model's own usage figures gives the tokens per character and the tokens that every prompt has in addition
(tools, the chat template).
"""

from __future__ import annotations

import statistics
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from palaestra.api import Client
from palaestra.conversation import prompts_read
from palaestra.records import Message, PromptSize, Run

HISTORIES = ("full", "last_k:1", "last_k:3", "diff")
# Keys of a message whose values are not text for the model.
UNREAD = frozenset({"role", "type", "id", "tool_call_id", "image_url"})


@dataclass(frozen=True, kw_only=True)
class TokenRate:
    """A linear model of a prompt's tokens, given its characters."""

    per_character: float
    per_prompt: float

    def estimate(self, characters: int) -> int:
        """Return the estimated number of tokens in a prompt with this many characters."""
        return round(self.per_character * characters + self.per_prompt)


@dataclass(frozen=True, kw_only=True)
class PromptLengths:
    """The prompt lengths of one episode.

    ``characters`` are by history policy; ``measured`` are pairs of the characters that were sent and the
    tokens that the model read, for the prompts with reported usage.
    """

    episode: int
    characters: Mapping[str, Sequence[int]]
    measured: Sequence[tuple[int, int]]

    def compute_size(self, history: str, *, rate: TokenRate | None) -> PromptSize:
        """Return the total length and the longest prompt under a history policy."""
        characters = self.characters[history]
        tokens = [rate.estimate(count) for count in characters] if rate else None
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
    """Return the lengths of an episode's prompts."""
    trajectory = await client.trajectory(episode)
    prompts = await prompts_read(
        client,
        episode,
        trajectory,
        run,
        histories=dict.fromkeys((*histories, run.history)),
        # It matters only whether pictures are the same, so their digests replace them.
        picture=_encode_digest,
    )
    characters = {name: [count_characters(prompt) for prompt in prompts[name]] for name in prompts}
    read = [(step.get("usage") or {}).get("prompt") for step in trajectory["steps"]]
    sent = zip(prompts[run.history], characters[run.history], read, strict=True)
    return PromptLengths(
        episode=episode,
        characters={name: characters[name] for name in histories},
        # Prompts with pictures are excluded, because a picture's tokens do not depend on characters.
        measured=[(count, tokens) for prompt, count, tokens in sent if tokens and not shows_picture(prompt)],
    )


def fit_rate(measured: Iterable[tuple[int, int]]) -> TokenRate | None:
    """Return the least-squares fit to pairs of characters and tokens, or None if there are no pairs.

    A fit with a negative slope or intercept makes no sense, so the ratio of the sums replaces it.
    """
    points = list(measured)
    if not points:
        return None
    characters, tokens = zip(*points, strict=True)
    if len(set(characters)) > 1:
        slope, start = statistics.linear_regression(characters, tokens)
        if slope > 0 and start >= 0:
            return TokenRate(per_character=slope, per_prompt=start)
    return TokenRate(per_character=sum(tokens) / sum(characters), per_prompt=0.0)


def count_characters(value: Any) -> int:
    """Return the number of characters that a model reads in a message, or in part of a message."""
    if isinstance(value, str):
        return len(value)
    if isinstance(value, Mapping):
        return sum(count_characters(part) for name, part in value.items() if name not in UNREAD)
    if isinstance(value, (list, tuple)):
        return sum(map(count_characters, value))
    return 0


def shows_picture(prompt: Sequence[Message]) -> bool:
    """Return whether a prompt contains a picture."""
    contents = [message["content"] for message in prompt if isinstance(message.get("content"), list)]
    return any(part["type"] == "image_url" for content in contents for part in content)


async def _encode_digest(digest: str) -> bytes:
    return digest.encode()
