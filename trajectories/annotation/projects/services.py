"""Creation of projects: the sample, its units, and the people who label them."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace

from django.contrib.auth.models import User
from django.db import transaction

from core.database.sql import Statement
from core.errors import GymError
from trajectories.annotation.codebook.own_fields import extend_codebook
from trajectories.annotation.codebook.types import Field
from trajectories.annotation.projects import sample
from trajectories.behaviour.thoughts.substeps import substep_spans
from trajectories.models import AnnotationProject, AnnotationUnit, Annotator, CodebookVersion, Episode
from trajectories.models.access import DEFAULT_PROJECT
from trajectories.models.annotation import views_default
from trajectories.shell import roles

STEPS_MAX = 100_000
LONG_AT_ONCE = 500
_LONG = Statement(__file__, "units_long")
_SLOTS = Statement(__file__, "slots_make")


@dataclass(frozen=True, kw_only=True)
class Plan:
    """The plan of an annotation project.

    ``steps`` is the number of units to draw; ``kind``, a key of ``sample.KINDS``, says what they are. They
    are drawn from those ``episodes`` that belong to ``project``, stratified ``by`` some of ``sample.PARTS``.
    A share of ``overlap_share`` is labelled by ``overlap_people`` each, the rest by one person each. Each of
    the ``views`` has different people, because nobody labels a unit twice.
    """

    name: str
    source: str
    episodes: list[int]
    steps: int
    seed: int
    project: str = DEFAULT_PROJECT
    by: list[str] = field(default_factory=list)
    is_equal: bool = True
    overlap_share: float = 1.0
    overlap_people: int = 2
    repeat_share: float = 0.0
    reservation_minutes: int = 30
    shows_setup: bool = False
    kind: str = "step"
    own_fields: Sequence[Field] = ()
    views: list[str] = field(default_factory=views_default)  # Trajectories and pairs have the full view only.

    @property
    def people(self) -> int:
        """The most people who label the same unit."""
        return (self.overlap_people if self.overlap_share > 0 else 1) * len(self.views)


@transaction.atomic
def project_create(plan: Plan, *, people: Sequence[User], creator: User | None) -> AnnotationProject:
    """Create a project with its units and annotators.

    Raises ``GymError`` 422 if there is nothing to label, or if there are fewer people than a unit needs.
    """
    if plan.kind != "step":
        plan = replace(plan, views=views_default())
    plan = replace(plan, episodes=_episodes_of(plan))
    if plan.people > max(len(people), 1):
        message = (
            f"The plan needs {plan.people} people to label the same unit, but only {len(people)} "
            f"{'is' if len(people) == 1 else 'are'} selected. "
            "Select more annotators, or lower the overlap or the number of views."
        )
        raise GymError("too_few_annotators", message, status=422)
    drawn = _sample(plan)
    if not any(stratum.drawn for stratum in drawn):
        raise GymError("nothing_to_label", sample.KINDS[plan.kind].none, status=422)
    project = _project_store(plan, drawn, creator)
    sample.units_draw(
        project=project.pk, episodes=plan.episodes, by=plan.by, seed=plan.seed, sample=drawn, kind=plan.kind
    )
    if project.level == AnnotationProject.Level.STEP:
        _paragraphs_split(project.pk)
    _SLOTS.run(
        project=project.pk,
        seed=plan.seed,
        share=plan.overlap_share,
        people=plan.overlap_people,
        views=plan.views,
    )
    for user in people:
        annotator_add(project, user)
    return project


def annotator_add(project: AnnotationProject, user: User) -> Annotator:
    """Add a person to a project as an annotator; adding them again changes nothing.

    Raises ``GymError`` 422 ``name_taken`` if the project has imported labels by an annotator with the same
    name.
    """
    named = Annotator.objects.filter(project=project, name=user.get_username()).first()
    if named is not None and named.user_id != user.pk:
        message = f"This project has imported labels by an annotator called {named.name}."
        raise GymError("name_taken", message, status=422)
    annotator, _ = Annotator.objects.get_or_create(
        project=project,
        user=user,
        defaults={"name": user.get_username(), "is_adjudicator": roles.is_adjudicator(user)},
    )
    return annotator


def adjudicator_set(project: AnnotationProject, annotator_id: int, *, is_adjudicator: bool) -> None:
    """Grant or revoke a person's right to settle the project's disagreements."""
    people = Annotator.objects.filter(project=project, kind=Annotator.Kind.PERSON, user__isnull=False)
    people.filter(pk=annotator_id).update(is_adjudicator=is_adjudicator)


def quotas_set(project: AnnotationProject, quotas: Mapping[int, int | None]) -> None:
    """Set annotators' maximum numbers of units, by annotator id; None means no limit."""
    for annotator, quota in quotas.items():
        Annotator.objects.filter(project=project, pk=annotator, kind=Annotator.Kind.PERSON).update(
            quota=quota
        )


def _project_store(plan: Plan, drawn: list[sample.Stratum], creator: User | None) -> AnnotationProject:
    level = sample.KINDS[plan.kind].level
    return AnnotationProject.objects.create(
        name=plan.name,
        project=plan.project,
        codebook=_codebook_store(level, plan.own_fields),
        level=level,
        source=plan.source,
        seed=plan.seed,
        strata=[stratum.as_dict() for stratum in drawn],
        overlap_share=plan.overlap_share,
        overlap_people=plan.overlap_people,
        repeat_share=plan.repeat_share,
        reservation_minutes=plan.reservation_minutes,
        shows_setup=plan.shows_setup,
        views=plan.views,
        created_by=creator,
    )


def _episodes_of(plan: Plan) -> list[int]:
    own = Episode.objects.filter(pk__in=plan.episodes, run__project=plan.project)
    known = set(own.values_list("pk", flat=True))
    return [episode for episode in plan.episodes if episode in known]


def _sample(plan: Plan) -> list[sample.Stratum]:
    strata = sample.count_strata(episodes=plan.episodes, by=plan.by, seed=plan.seed, kind=plan.kind)
    counts = {stratum.name: stratum.steps for stratum in strata}
    drawn = sample.split_shares(counts, total=min(plan.steps, STEPS_MAX), is_equal=plan.is_equal)
    return [replace(stratum, drawn=drawn[stratum.name]) for stratum in strata]


def _codebook_store(level: str, own_fields: Sequence[Field]) -> CodebookVersion:
    codebook = extend_codebook(level, own_fields)
    version, _ = CodebookVersion.objects.get_or_create(
        pk=codebook.sha256, defaults={"content": codebook.content()}
    )
    return version


def _paragraphs_split(project_id: int) -> None:
    """Split each unit with a long thought into one unit for each of the thought's paragraphs."""
    after = 0
    while rows := _LONG.rows(project=project_id, after=after, words=WORDS_MAX, limit=LONG_AT_ONCE):
        after = rows[-1][0]
        units = AnnotationUnit.objects.in_bulk([unit_id for unit_id, _ in rows])
        changed, created = [], []
        for unit_id, thought in rows:
            first, *others = _units_of(units[unit_id], split_paragraphs(thought))
            changed.append(first)
            created += others
        AnnotationUnit.objects.bulk_update(changed, ["paragraph", "begin", "end", "weight"])
        AnnotationUnit.objects.bulk_create(created)


def _units_of(unit: AnnotationUnit, places: list[tuple[int, int]]) -> list[AnnotationUnit]:
    """Return the unit, cut down to its first paragraph, and new units for the rest; all share its weight."""
    units, weight = [], unit.weight / len(places)
    for number, (begin, end) in enumerate(places, start=1):
        one = (
            unit
            if number == 1
            else AnnotationUnit(
                project_id=unit.project_id,
                position=unit.position,
                episode_id=unit.episode_id,
                step=unit.step,
                stratum=unit.stratum,
            )
        )
        one.paragraph = number if len(places) > 1 else 0
        one.begin, one.end, one.weight = begin, end, weight
        units.append(one)
    return units


WORDS_MAX = 150


def split_paragraphs(thought: str) -> list[tuple[int, int]]:
    """Return the character ranges of a thought's units: its substeps if it is long, else the whole of it."""
    return substep_spans(thought) if len(thought.split()) > WORDS_MAX else [(0, len(thought))]
