"""Arithmetic of the training loop: advantages of samples and the policy-gradient loss."""

from __future__ import annotations

from collections.abc import Sequence
from random import Random
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from torch import Tensor


def advantages(rewards: Sequence[float | None]) -> list[float]:
    """Return each reward minus its group's mean, as in GRPO without division by the deviation.

    A void sample (None) affects neither the mean nor the model.
    """
    judged = [reward for reward in rewards if reward is not None]
    mean = sum(judged) / len(judged) if judged else 0.0
    return [0.0 if reward is None else reward - mean for reward in rewards]


def shuffled(rewards: Sequence[Sequence[float | None]], seed: int) -> list[list[float | None]]:
    """Return the rewards randomly redistributed over the samples of all groups, as the control condition."""
    dealt = [reward for group in rewards for reward in group]
    Random(seed).shuffle(dealt)
    rest = iter(dealt)
    return [[next(rest) for _ in group] for group in rewards]


def entropies(logprobs: Tensor) -> Tensor:
    """Return the entropy of each row in nats. A log-probability of minus infinity stands for no choice."""
    return -(logprobs.exp() * logprobs.clamp(min=-100.0)).sum(-1)


def entropies_after(logprobs: Tensor, count: int) -> Tensor:
    """Return the conditional entropy, in nats, of the second of two choices given the first.

    Each row of ``logprobs`` contains the pairs grouped by the first choice, with ``count`` second choices in
    each group. By the chain rule, H(second | first) = H(pair) - H(first).
    """
    firsts = logprobs.unflatten(-1, (-1, count)).logsumexp(-1)
    return entropies(logprobs) - entropies(firsts)


def compute_loss(
    logprobs: Tensor,
    choices: Sequence[Sequence[int]],
    worths: Sequence[Sequence[float]],
    *,
    bonus: float,
    spread: Tensor | None = None,
) -> Tensor:
    """Return the REINFORCE loss (Williams 1992) with an entropy bonus.

    ``logprobs`` has one row per group; ``choices`` and ``worths`` (advantages) have one entry per sample.
    ``bonus`` times the entropy (``spread``, by default that of the rows) is subtracted, which keeps a policy
    from settling before it has explored.
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
    """Return the entropy bonus for the next update, within ``limits``.

    It grows by a quarter if the policy is more certain than its success justifies, and shrinks by a fifth
    otherwise. An entropy below 1 - ``reward`` nats means that the policy settles on choices that are often
    wrong.
    """
    factor = 1.25 if entropy < 1 - reward else 0.8
    return min(max(bonus * factor, limits[0]), limits[1])


def divergence(logprobs: Tensor, reference: Tensor) -> float:
    """Return the Kullback-Leibler divergence from a reference policy in nats, averaged over prompts."""
    gap = logprobs.clamp(min=-100.0) - reference.clamp(min=-100.0)
    return float((logprobs.exp() * gap).sum(-1).mean())
