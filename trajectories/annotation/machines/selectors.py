"""Contents of a project's Machines page."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property

from django.db.models import Count, Q

from trajectories.annotation.agreement.selectors import UnitLabels, read_clusters, read_labelled_units
from trajectories.annotation.agreement.table import FieldAgreement, agreement
from trajectories.annotation.codebook.types import Codebook, load_codebook
from trajectories.annotation.labels.versions import filter_newest
from trajectories.annotation.machines.comparison import Comparison, compare_machine, keep_annotators
from trajectories.models import AnnotationProject, Annotator, Label
from trajectories.models.annotation import View


@dataclass(frozen=True, kw_only=True)
class Group:
    """Annotators of one kind, and their agreement with each other; ``id`` names the group in URLs."""

    id: str
    title: str
    names: list[str]
    fields: list[FieldAgreement]


@dataclass(frozen=True, kw_only=True)
class MachinesPage:
    """The agreement of machines with people, among machines, and among imported annotators."""

    project: AnnotationProject

    @cached_property
    def codebook(self) -> Codebook:
        return load_codebook(self.project.codebook)

    @cached_property
    def annotators(self) -> list[Annotator]:
        """All annotators with a label, each with its counts of labelled units and of unusable answers."""
        labels = Label.objects.filter(
            annotator__project=self.project, layer=Label.Layer.BLIND, is_repeat=False
        )
        newest = Q(labels__in=filter_newest(labels))
        rows = Annotator.objects.filter(project=self.project).annotate(
            labelled=Count("labels", filter=newest & Q(labels__state=Label.State.DONE)),
            unusable=Count("labels", filter=newest & Q(labels__state=Label.State.SKIPPED)),
        )
        return list(rows.filter(Q(labelled__gt=0) | Q(unusable__gt=0)).order_by("kind", "name"))

    @property
    def machines(self) -> list[Annotator]:
        return [annotator for annotator in self.annotators if annotator.kind != Annotator.Kind.PERSON]

    @property
    def people(self) -> list[Annotator]:
        return [annotator for annotator in self.annotators if annotator.kind == Annotator.Kind.PERSON]

    @property
    def imported(self) -> list[Annotator]:
        """Annotators from other installations, who count as people here."""
        return [person for person in self.people if person.user_id is None]

    @property
    def view(self) -> str:
        return View.FULL if View.FULL in self.project.views else self.project.views[0]

    @cached_property
    def units(self) -> list[UnitLabels]:
        """The labelled units, in full view if people have it, since machines see units in full."""
        return read_labelled_units(self.project, view=self.view, kinds=list(Annotator.Kind))

    @cached_property
    def comparisons(self) -> list[Comparison]:
        return [self.compare_with_people(machine) for machine in self.machines] if self.people else []

    def compare_with_people(self, machine: Annotator) -> Comparison:
        """Compare a machine with people."""
        of_both = keep_annotators(self.units, {machine.pk} | {person.pk for person in self.people})
        return compare_machine(machine, of_both, codebook=self.codebook, people=self._people_fields)

    @cached_property
    def _people_fields(self) -> list[FieldAgreement]:
        return self._agreement(self.people)

    @property
    def groups(self) -> list[Group]:
        """The groups of machines and of imported annotators, if they have two or more members."""
        sorts = [
            ("machines", "Machines with each other", self.machines),
            ("imported", "Imported annotators with each other", self.imported),
        ]
        return [
            Group(
                id=name,
                title=title,
                names=[member.name for member in members],
                fields=self._agreement(members),
            )
            for name, title, members in sorts
            if len(members) > 1
        ]

    @cached_property
    def _clusters(self) -> dict[int, str]:
        return read_clusters(self.project)

    def _agreement(self, members: Sequence[Annotator]) -> list[FieldAgreement]:
        units = keep_annotators(self.units, {member.pk for member in members})
        return agreement(units, self.codebook, clusters=self._clusters)
