"""The arithmetic of the loop: what each sample is worth, and the loss that makes good ones likelier."""

from __future__ import annotations

from collections.abc import Sequence
from random import Random
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from torch import Tensor


def advantages(rewards: Sequence[float | None]) -> list[float]:
    """Each reward less the mean of its group. A void sample (None) moves neither the mean nor the model."""
    judged = [reward for reward in rewards if reward is not None]
    mean = sum(judged) / len(judged) if judged else 0.0
    return [0.0 if reward is None else reward - mean for reward in rewards]


def shuffled(rewards: Sequence[Sequence[float | None]], seed: int) -> list[list[float | None]]:
    """The control: the same rewards, dealt out to the samples of all groups by chance."""
    dealt = [reward for group in rewards for reward in group]
    Random(seed).shuffle(dealt)
    rest = iter(dealt)
    return [[next(rest) for _ in group] for group in rewards]


def entropies(logprobs: Tensor) -> Tensor:
    """In nats, of each row; what a row does not offer has the log-probability minus infinity."""
    return -(logprobs.exp() * logprobs.clamp(min=-100.0)).sum(-1)


def entropies_after(logprobs: Tensor, count: int) -> Tensor:
    """In nats, of the second of two choices, given the first: each row of ``logprobs`` has the pairs, the
    ``count`` second ones of each first one together. Where there is no first one it is that of the row."""
    firsts = logprobs.unflatten(-1, (-1, count)).logsumexp(-1)
    return entropies(logprobs) - entropies(firsts)


def loss_of(
    logprobs: Tensor,
    choices: Sequence[Sequence[int]],
    worths: Sequence[Sequence[float]],
    *,
    bonus: float,
    spread: Tensor | None = None,
) -> Tensor:
    """REINFORCE: ``logprobs`` has a row for each group, ``choices`` and ``worths`` an entry for each sample.

    Less ``bonus`` times the entropy (``spread``, that of the rows by default), which keeps a policy from
    settling before it has tried.
    """
    samples = sum(map(len, choices))
    gained = sum(
        worth * logprobs[row, choice]
        for row, (group, worth_of) in enumerate(zip(choices, worths, strict=True))
        for choice, worth in zip(group, worth_of, strict=True)
    )
    spread = entropies(logprobs) if spread is None else spread
    return -gained / samples - bonus * spread.mean()


def bonus_adapted(bonus: float, *, entropy: float, reward: float, limits: tuple[float, float]) -> float:
    """The entropy bonus of the next update, within ``limits``.

    It grows by a quarter where the policy is surer than it is right, and shrinks by as much otherwise: an
    entropy below 1 - ``reward`` nats says that it settles on something that is often wrong.
    """
    factor = 1.25 if entropy < 1 - reward else 0.8
    return min(max(bonus * factor, limits[0]), limits[1])


def divergence(logprobs: Tensor, reference: Tensor) -> float:
    """Kullback-Leibler, in nats, from a reference policy: the mean over prompts."""
    gap = logprobs.clamp(min=-100.0) - reference.clamp(min=-100.0)
    return float((logprobs.exp() * gap).sum(-1).mean())
