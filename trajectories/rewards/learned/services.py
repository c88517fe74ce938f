"""Fitting a model from recordings, and storing it with its card."""

from __future__ import annotations

import re
from collections.abc import Sequence

from msgspec import to_builtins

from core.errors import GymError
from trajectories.models import RewardModel
from trajectories.rewards.learned.card import card_of
from trajectories.rewards.learned.fit import check_enough, parameters_fit
from trajectories.rewards.learned.lessons import EPISODES_MAX, Opinions, lessons_read
from trajectories.rewards.learned.store import Model, model_of, sha256_of

NAME = re.compile(r"[a-z][a-z0-9_.-]{0,63}")


def model_fit(
    *, name: str, project: str, opinions: Opinions, runs: Sequence[int] = (), limit: int = EPISODES_MAX
) -> tuple[Model, bool]:
    """Fit a model to a project's labelled episodes; return it, and whether it is new.

    The same lessons give the same model.

    Raises ``GymError`` 422 ``invalid_name`` and ``too_few_labels``.
    """
    if not NAME.fullmatch(name):
        message = f"{name!r} is no name for a learned reward: use small letters, digits and - _ ."
        raise GymError("invalid_name", message, status=422)
    lessons = lessons_read(project=project, opinions=opinions, runs=runs, limit=limit)
    fitted, held = lessons.parted()
    check_enough(fitted, part="fitted")
    check_enough(held, part="held-apart")
    parameters, strength = parameters_fit(fitted)
    models = RewardModel.objects.filter(project=project)
    same = models.filter(parameters=to_builtins(parameters), card__data_sha256=lessons.sha256).first()
    if same is not None:
        return model_of(same), False
    card = card_of(name, parameters, lessons=lessons, strength=strength, earlier=models.count())
    row = RewardModel.objects.create(
        project=project,
        name=name,
        sha256=sha256_of(parameters, card),
        features=parameters.features,
        parameters=to_builtins(parameters),
        card=to_builtins(card),
    )
    row.refresh_from_db()
    return model_of(row), True
