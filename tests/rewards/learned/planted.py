"""Lessons with a signal of known strength, and recorded episodes whose words reveal their outcome."""

from __future__ import annotations

from functools import cache
from typing import Any

import numpy as np
from msgspec import structs, to_builtins
from scipy.stats import norm

from tasks_app.models import Task
from tests import factories
from trajectories.models import Episode, RewardModel
from trajectories.rewards.learned.card import build_card
from trajectories.rewards.learned.fit import parameters_fit
from trajectories.rewards.learned.lessons import Lesson, Lessons, is_held_apart
from trajectories.rewards.learned.store import Model, model_of, sha256_of
from trajectories.rewards.learned.types import Card, Parameters, Recorded

NEUTRAL = ("look", "at", "the", "page", "and", "then", "go", "on", "with", "what", "is", "there", "to", "see")
RIGHT, WRONG = "I compare all rooms and verify the price.", "I guess one of them at once."


def recorded(number: int, *, item: int, texts: list[str], **facts: float) -> Recorded:
    return Recorded(
        episode=number,
        item=item,
        project="default",
        has_answer=True,
        texts=texts,
        facts={"steps": 10.0, **facts},
    )


def lessons(
    *, distance: float, length: float = 0.0, items: int = 150, each: int = 4, seed: int = 1
) -> Lessons:
    """Draw lessons, half of which are successes.

    In successes, the share of confirmed actions is ``distance`` standard deviations higher, and completions
    are longer by the share ``length``. All words come from the same vocabulary.
    """
    rng = np.random.default_rng(seed)
    made = []
    for number in range(items * each):
        label = bool(rng.random() < 0.5)
        share = float(np.clip(0.5 + 0.1 * (rng.normal() + distance * label), 0, 1))
        words = int(rng.integers(20, 60) * (1 + length * label))
        text = " ".join(rng.choice(NEUTRAL, size=words))
        one = recorded(number + 1, item=number // each + 1, texts=[text], confirmed=10 * share)
        made.append(Lesson(recorded=one, label=label, benchmark="gsm8k"))
    return Lessons(episodes=made)


def auroc_of_distance(distance: float) -> float:
    """Return the AUROC of two normal distributions with equal deviation, ``distance`` deviations apart."""
    return float(norm.cdf(distance / np.sqrt(2)))


def played(task: Task, text: str, outcome: str, **fields: Any) -> Episode:
    """Create an episode of one step, with an answer and a verdict."""
    episode = factories.episode(task=task, **fields)
    factories.step(
        episode, 1, raw=text, thought="", action={"type": "click", "target": "e3"}, action_type="click"
    )
    factories.submission(episode)
    factories.verdict(episode, outcome)
    return episode


def history(*, held: int = 13) -> list[Episode]:
    """Create a correct and a wrong episode of each task, which differ in their words.

    At least ``held`` of the tasks are held out.
    """
    run, groups = factories.run(), []
    while sum(is_held_apart(group.task_id) for group in groups) < held or len(groups) < 2 * held:
        groups.append(factories.group(run=run))
    return [
        played(group.task, text, outcome, group=group)
        for group in groups
        for text, outcome in ((RIGHT, "correct"), (WRONG, "incorrect"))
    ]


@cache
def _words_fitted() -> tuple[Parameters, Card]:
    made = Lessons(
        episodes=[
            Lesson(recorded=recorded(2 * item + label, item=item, texts=[text]), label=bool(label))
            for item in range(1, 61)
            for label, text in enumerate((WRONG, RIGHT))
        ]
    )
    parameters, strength = parameters_fit(made.parted()[0])
    return parameters, build_card("words", parameters, lessons=made, strength=strength, earlier=0)


def stored(*, low: float | None = None, **fields: Any) -> Model:
    """Store a model that distinguishes correct from wrong by words; ``low`` is the lower end of its AUROC."""
    parameters, card = _words_fitted()
    if low is not None:
        card = structs.replace(card, auroc=structs.replace(card.auroc, low=low))
    parameters = structs.replace(parameters, **fields)
    row = RewardModel.objects.create(
        name=card.name,
        sha256=sha256_of(parameters, card),
        features=parameters.features,
        parameters=to_builtins(parameters),
        card=to_builtins(card),
    )
    row.refresh_from_db()
    return model_of(row)
