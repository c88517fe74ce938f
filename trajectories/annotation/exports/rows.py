"""Labels as rows of files: the label, its author, and the weight of its unit."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any

import msgspec
from django.db.models import BooleanField, ExpressionWrapper, Q

from core.csv_text import encode_csv
from trajectories.models import AnnotationProject, Annotator, Label

COLUMNS = {
    "key": "key",
    "episode": "unit__episode_id",
    "step": "unit__step",
    "paragraph": "unit__paragraph",
    "begin": "unit__begin",
    "end": "unit__end",
    "other_episode": "unit__other_episode_id",
    "other_step": "unit__other_step",
    "stratum": "unit__stratum",
    "weight": "unit__weight",
    "annotator": "annotator_id",
    "annotator_kind": "annotator__kind",
    "layer": "layer",
    "view": "view",
    "is_repeat": "is_repeat",
    "is_gold": "is_gold",
    "is_swapped": "is_swapped",
    "version": "version",
    "codebook": "codebook_id",
    "state": "state",
    "is_unsure": "is_unsure",
    "reason": "reason",
    "active_ms": "active_ms",
    "created_at": "created_at",
    "note": "note",
    "values": "values",
    "spans": "spans",
    "links": "links",
}
# In a table they are spread over columns, or written short.
NESTED = ("values", "spans", "links")
PLAIN = tuple(name for name in COLUMNS if name not in NESTED)
BETWEEN = ";"
IS_GOLD = ExpressionWrapper(Q(unit__gold__isnull=False), output_field=BooleanField())


def label_rows(project: AnnotationProject, *, names: dict[int, str]) -> Iterator[dict[str, Any]]:
    """Yield every version of every label, oldest first, corrected ones included."""
    labels = Label.objects.filter(unit__project=project).annotate(is_gold=IS_GOLD).order_by("pk")
    for row in labels.values_list(*COLUMNS.values()).iterator():
        label = dict(zip(COLUMNS, row, strict=True))
        label["annotator"] = names[label["annotator"]]
        yield label


def annotator_names(annotators: Sequence[Annotator], *, with_names: bool) -> dict[int, str]:
    """Name the annotators as in files: people A1, A2 and so on, in the order in which they joined."""
    people = [one.pk for one in annotators if one.kind == Annotator.Kind.PERSON]
    aliases = {pk: f"A{number}" for number, pk in enumerate(sorted(people), start=1)}
    return {one.pk: one.name if with_names else aliases.get(one.pk, one.name) for one in annotators}


def json_line(row: dict[str, Any]) -> bytes:
    return msgspec.json.encode(row) + b"\n"


def csv_head(fields: Sequence[str]) -> bytes:
    """A column for each of the codebook's ``fields``."""
    return encode_csv([[*PLAIN, *fields, "spans", "links"]])


def csv_line(row: dict[str, Any], fields: Sequence[str]) -> bytes:
    """The same as ``json_line``; several answers, spans or links are separated by ``;``."""
    answers = [_joined(row["values"].get(field, "")) for field in fields]
    spans = BETWEEN.join(f"{begin}-{end}" for begin, end in row["spans"])
    links = BETWEEN.join(f"{name}={step}" for name, step in row["links"].items())
    return encode_csv([[*(row[name] for name in PLAIN), *answers, spans, links]])


def _joined(answer: Any) -> Any:
    return BETWEEN.join(answer) if isinstance(answer, list) else answer
