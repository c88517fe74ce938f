"""Export of every version of every label in a project, with its annotator and its unit's weight."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import Any

from django.db.models import BooleanField, ExpressionWrapper, Q

from trajectories.annotation.codebook.types import load_codebook
from trajectories.annotation.columns import COLUMNS, NESTED, label_paths
from trajectories.exports.registry import PROJECT_KINDS
from trajectories.exports.types import ProjectKind, Row
from trajectories.models import AnnotationProject, Annotator, Label

PLAIN = tuple(name for name in COLUMNS if name not in NESTED)
# Separates several answers, spans or links in one cell.
BETWEEN = ";"
IS_GOLD = ExpressionWrapper(Q(unit__gold__isnull=False), output_field=BooleanField())


def read_labels(
    project: AnnotationProject, names: Mapping[int, str], left_out: Counter[str]
) -> Iterator[Row]:
    """Yield every version of every label, oldest first, including those that were corrected later."""
    labels = Label.objects.filter(unit__project=project).annotate(is_gold=IS_GOLD).order_by("pk")
    for values in labels.values_list(*label_paths(COLUMNS)).iterator():
        label = dict(zip(COLUMNS, values, strict=True))
        yield label | {"annotator": names[label["annotator"]]}


def name_annotators(annotators: Sequence[Annotator], *, with_names: bool) -> dict[int, str]:
    """Return each annotator's name in files.

    Unless ``with_names`` is set, people become A1, A2 and so on, in the order in which they joined.
    """
    people = [annotator.pk for annotator in annotators if annotator.kind == Annotator.Kind.PERSON]
    aliases = {pk: f"A{number}" for number, pk in enumerate(sorted(people), start=1)}
    return {
        annotator.pk: annotator.name if with_names else aliases.get(annotator.pk, annotator.name)
        for annotator in annotators
    }


def flatten_labels(project: AnnotationProject) -> tuple[Sequence[str], Callable[[Row], Row]]:
    """Return a label table's columns, including one for each codebook field, and a function for its rows."""
    fields = [field.id for field in load_codebook(project.codebook).fields]

    def flatten(label: Row) -> Row:
        return {
            **{name: label[name] for name in PLAIN},
            **{field: _join_answers(label["values"].get(field, "")) for field in fields},
            "spans": BETWEEN.join(f"{begin}-{end}" for begin, end in label["spans"]),
            "links": BETWEEN.join(f"{name}={step}" for name, step in label["links"].items()),
        }

    return (*PLAIN, *fields, "spans", "links"), flatten


def _join_answers(answer: Any) -> Any:
    return BETWEEN.join(answer) if isinstance(answer, list) else answer


PROJECT_KINDS.register(
    "labels",
    ProjectKind(
        id="labels",
        columns={name: column.type for name, column in COLUMNS.items()},
        rows=read_labels,
        stems=tuple(Label.Layer.values),
        stem=lambda label: str(label["layer"]),
        table=flatten_labels,
    ),
)
