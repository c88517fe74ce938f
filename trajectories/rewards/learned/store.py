"""Stored models that this installation has fitted, their scores, and the check that they may pay."""

from __future__ import annotations

import hashlib
import logging
import math
import re
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from datetime import datetime

import msgspec
from django.db.models import Q, QuerySet
from msgspec import to_builtins

from core.errors import GymError
from trajectories.models import RewardModel, RewardSource
from trajectories.record import projects
from trajectories.record.projects import EVERYTHING, Viewer
from trajectories.rewards.components.learned import LEARNED, MARK
from trajectories.rewards.learned.card import AUROC_MIN, build_card, may_pay
from trajectories.rewards.learned.features import VERSION
from trajectories.rewards.learned.fit import check_enough, parameters_fit
from trajectories.rewards.learned.lessons import EPISODES_MAX, Opinions, lessons_read
from trajectories.rewards.learned.source import scores_of
from trajectories.rewards.learned.types import Card, Parameters, Recorded
from trajectories.rewards.types import Values

logger = logging.getLogger(__name__)

ID_CHARS = 12
SHOWN_MAX = 100
NAME = re.compile(r"[a-z][a-z0-9_.-]{0,63}")


@dataclass(frozen=True, kw_only=True)
class Model:
    """A project's learned model. Its id is the beginning of the hash of its content."""

    project: str
    sha256: str
    parameters: Parameters
    card: Card
    created_at: datetime

    @property
    def id(self) -> str:
        return self.sha256[:ID_CHARS]

    @property
    def component(self) -> str:
        """The component name of the model's values."""
        return MARK + self.id

    @property
    def may_pay(self) -> bool:
        """True if the profile of a training run may use the model."""
        return may_pay(self.card)


def sha256_of(parameters: Parameters, card: Card) -> str:
    """Return the hash that identifies a model, computed from its parameters and its card."""
    return hashlib.sha256(msgspec.json.encode([parameters, card], order="sorted")).hexdigest()


def model_of(row: RewardModel) -> Model:
    """Decode a row's model.

    Raises ``GymError`` 422 ``model_refused`` if the model cannot be read or does not match its hash.
    """
    try:
        parameters = msgspec.convert(row.parameters, Parameters)
        card = msgspec.convert(row.card, Card)
    except msgspec.ValidationError as error:
        raise _refused(row, f"it cannot be read ({error})") from error
    if sha256_of(parameters, card) != row.sha256:
        raise _refused(row, "its content does not match its hash")
    return Model(
        project=row.project, sha256=row.sha256, parameters=parameters, card=card, created_at=row.created_at
    )


def _refused(row: RewardModel, why: str) -> GymError:
    message = (
        f"The learned reward {row.sha256[:ID_CHARS]} is refused: {why}. Only models that "
        "`manage.py fit_reward` has fitted in this installation are used, so fit the model here."
    )
    return GymError("model_refused", message, status=422)


def list_shown_models(viewer: Viewer) -> list[Model]:
    """Return the newest models that the viewer may see, whether or not they may pay."""
    rows = projects.visible(RewardModel.objects.order_by("-pk"), viewer)[:SHOWN_MAX]
    return list(_readable(rows))


def models_current() -> list[Model]:
    """Return all models that use the current version of the features."""
    return list(_readable(RewardModel.objects.filter(features=VERSION).order_by("pk")))


def _readable(rows: Iterable[RewardModel]) -> Iterator[Model]:
    for row in rows:
        try:
            yield model_of(row)
        except GymError as error:
            logger.warning("%s", error.message)


# ---- learned rewards in profiles
def names_in(components: Sequence[str]) -> list[str]:
    """Return the names of learned rewards among the components' names, without duplicates."""
    return list(dict.fromkeys(name for name in components if name.startswith(MARK)))


def load_named_models(names: Sequence[str], *, viewer: Viewer = EVERYTHING) -> dict[str, Model]:
    """Return the models by component name, without unknown names. Raises ``GymError`` ``model_refused``."""
    models = map(model_of, projects.visible(_filter_named(names), viewer))
    return {model.component: model for model in models}


def payable(components: Sequence[str]) -> dict[str, bool]:
    """Map each learned reward among the components to True if it may pay a training run.

    A model that is refused may not.
    """
    names = names_in(components)
    models = {model.component: model for model in _readable(_filter_named(names))}
    return {name: name in models and models[name].may_pay for name in names}


def _filter_named(names: Sequence[str]) -> QuerySet[RewardModel]:
    ids = [name.removeprefix(MARK) for name in names if len(name) == len(MARK) + ID_CHARS]
    any_of = Q()
    for one in ids:
        any_of |= Q(sha256__startswith=one)
    return RewardModel.objects.filter(any_of) if ids else RewardModel.objects.none()


def list_problems(components: Sequence[str], *, viewer: Viewer, is_training: bool) -> list[str]:
    """Return sentences that say why a profile may not use the learned rewards among the components."""
    names = names_in(components)
    models = load_named_models(names, viewer=viewer)
    problems = [
        f"There is no learned reward {name!r}: `GET /rewards/learned` lists the existing ones."
        for name in names
        if name not in models
    ]
    if is_training:
        problems += [_unfit(model) for model in models.values() if not model.may_pay]
    return problems


def _unfit(model: Model) -> str:
    auroc = model.card.auroc
    low = "unknown" if auroc.low is None else f"{auroc.low:.3f}"
    return (
        f"{model.component!r} may not pay a training run: the lower end of the 95% interval of its AUROC on "
        f"held-out tasks is {low}, but must be at least {AUROC_MIN}. Remove it from the profile, or fit a "
        "model with more labels."
    )


# ---- values
def values_of(model: Model, recorded: Sequence[Recorded]) -> dict[int, dict[str, Values]]:
    """Return a model's values by episode and name.

    Episodes of other projects, and those in which the policy did nothing, have no value. A value is null if
    no completion is recorded, or if the model uses another version of the features.
    """
    applies = [one for one in recorded if one.project == model.project and one.texts]
    is_current = model.parameters.features == VERSION
    scores = scores_of(model.parameters, applies) if applies and is_current else [math.nan] * len(applies)
    return {
        one.episode: {model.component: Values(_value(one, float(score)))}
        for one, score in zip(applies, scores, strict=True)
    }


def _value(one: Recorded, score: float) -> float | None:
    return score if math.isfinite(score) and any(text.strip() for text in one.texts) else None


def source_of(model: Model) -> int:
    """Return the id of the source under which the model's values are stored."""
    source, _ = RewardSource.objects.get_or_create(
        kind=RewardSource.Kind.LEARNED,
        name=model.id,
        version=model.sha256,
        defaults={"detail": {"name": model.card.name, "component": LEARNED}},
    )
    return int(source.pk)


def model_fit(
    *, name: str, project: str, opinions: Opinions, runs: Sequence[int] = (), limit: int = EPISODES_MAX
) -> tuple[Model, bool]:
    """Fit a model to a project's labelled episodes. Return the model, and True if it is new.

    The same lessons give the same model. Raises ``GymError`` 422 ``invalid_name`` or ``too_few_labels``.
    """
    if not NAME.fullmatch(name):
        message = f"{name!r} cannot name a learned reward: use lower-case letters, digits and - _ ."
        raise GymError("invalid_name", message, status=422)
    lessons = lessons_read(project=project, opinions=opinions, runs=runs, limit=limit)
    fitted, held = lessons.parted()
    check_enough(fitted, part="fitted")
    check_enough(held, part="held-out")
    parameters, strength = parameters_fit(fitted)
    models = RewardModel.objects.filter(project=project)
    same = models.filter(parameters=to_builtins(parameters), card__data_sha256=lessons.sha256).first()
    if same is not None:
        return model_of(same), False
    card = build_card(name, parameters, lessons=lessons, strength=strength, earlier=models.count())
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
