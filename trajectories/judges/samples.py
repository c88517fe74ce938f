"""A judge's blind sample: episodes that it has graded, drawn by stratum for people to label."""

from __future__ import annotations

import string
from collections.abc import Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import NamedTuple

from django.contrib.auth.models import User
from django.db import transaction
from django.db.models import Exists, OuterRef

from core.errors import GymError
from trajectories.annotation.codebook.own_fields import KEYS_TAKEN
from trajectories.annotation.codebook.registry import build_codebook
from trajectories.annotation.codebook.types import Field, Option
from trajectories.annotation.projects.sample import PARTS
from trajectories.annotation.projects.services import Plan, project_create
from trajectories.judges.services import body_of, source_of
from trajectories.judges.types import Criterion, JudgeBody
from trajectories.models import AnnotationUnit, Episode, Judge, JudgeSample, RewardComponents, RewardSource
from trajectories.models.access import DEFAULT_PROJECT

LEVEL = "trajectory"
MARK = "judge_"
# This rank puts criteria after the fields that every project has.
RANK = 100


@dataclass(frozen=True, kw_only=True)
class SamplePlan:
    """The plan for a sample of ``units`` episodes from the ``runs``, or from all runs if none are named.

    The sample is stratified ``by`` some of ``sample.PARTS``, and ``people_each`` people label each episode.
    """

    units: int
    seed: int
    runs: Sequence[int] = ()
    by: Sequence[str] = PARTS
    people_each: int = 1
    project: str = DEFAULT_PROJECT
    people: Sequence[User] = field(default_factory=list)


@transaction.atomic
def sample_draw(judge: Judge, plan: SamplePlan) -> JudgeSample:
    """Create the annotation project whose labels will measure the judge.

    Strata are sampled in proportion to their sizes. Episodes in another judge's sample are left out, since
    the author of this judge may know their labels. Raises ``GymError`` 409 ``judge_has_sample`` if the judge
    already has a sample, and the errors of ``project_create``.
    """
    Judge.objects.select_for_update().get(pk=judge.pk)
    if JudgeSample.objects.filter(judge=judge).exists():
        message = (
            f"{judge.name!r} already has a sample. A judge is measured once; a changed judge is a new one."
        )
        raise GymError("judge_has_sample", message, status=409)
    project = project_create(
        Plan(
            name=f"Judge {judge.name}",
            source="/search/",
            episodes=_candidates(judge, plan.runs),
            steps=plan.units,
            seed=plan.seed,
            project=plan.project,
            by=list(plan.by),
            is_equal=False,
            overlap_share=1.0,
            overlap_people=plan.people_each,
            kind=LEVEL,
            own_fields=fields_of(body_of(judge)),
        ),
        people=plan.people,
        creator=None,
    )
    return JudgeSample.objects.create(judge=judge, project=project)


def _candidates(judge: Judge, runs: Sequence[int]) -> list[int]:
    graded = RewardComponents.objects.filter(episode_id=OuterRef("pk"), source=source_of(judge))
    spent = AnnotationUnit.objects.filter(episode_id=OuterRef("pk"), project__judge_sample__isnull=False)
    episodes = Episode.objects.filter(Exists(graded), ~Exists(spent))
    if runs:
        episodes = episodes.filter(run__in=runs)
    return list(episodes.order_by("pk").values_list("pk", flat=True))


def field_name(criterion: str) -> str:
    """Return the id of the label field in which people answer a criterion's question."""
    return f"{MARK}{criterion}"


def fields_of(body: JudgeBody) -> list[Field]:
    """Return the criteria as codebook fields. Raises ``GymError`` 422 if keys do not suffice for choices."""
    keys = _keys()
    choices = sum(len(one.choices) for one in body.criteria)
    if choices > len(free := list(keys)):
        message = (
            f"The criteria have {choices} choices, but a label form has only {len(free)} free keys: divide "
            "the criteria between several judges."
        )
        raise GymError("too_many_choices", message, status=422)
    given = iter(free)
    return [_field(one, RANK + place, given) for place, one in enumerate(body.criteria)]


def _keys() -> Iterator[str]:
    fields = build_codebook(LEVEL).fields
    taken = {option.key for one in fields for option in one.options} | KEYS_TAKEN[LEVEL]
    return (key for key in string.digits + string.ascii_lowercase if key not in taken)


def _field(one: Criterion, rank: int, keys: Iterator[str]) -> Field:
    return Field(
        id=field_name(one.id),
        rank=rank,
        level=LEVEL,
        title=one.id.replace("_", " ").capitalize(),
        question=one.question,
        options=[
            Option(
                id=choice.id,
                key=next(keys),
                title=choice.id.replace("_", " ").capitalize(),
                definition=choice.text,
                positive=[],
                negative=[],
            )
            for choice in one.choices
        ],
    )


class Grades(NamedTuple):
    """An episode's reward components by name, and its task, or None if the task was deleted."""

    task: int | None
    values: Mapping[str, float | None]


def grades_latest(
    judge: Judge, *, episodes: Collection[int] | None = None, runs: Sequence[int] = ()
) -> dict[int, Grades]:
    """Return the judge's newest grades by episode, restricted to these episodes and these runs, if given."""
    rows = RewardComponents.objects.filter(
        source__kind=RewardSource.Kind.JUDGE, source__name=judge.name, source__version=judge.sha256
    )
    if episodes is not None:
        rows = rows.filter(episode_id__in=episodes)
    if runs:
        rows = rows.filter(episode__run__in=runs)
    # Sort ascending, so that later grades replace earlier ones.
    ordered = rows.order_by("computed_at").values_list("episode_id", "episode__task_id", "values")
    return {episode: Grades(task, values) for episode, task, values in ordered}
