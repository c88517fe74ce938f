"""History of a unit's labels: every version with its author, its time and what it changed."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

from trajectories.annotation.codebook.types import Codebook, load_codebook
from trajectories.annotation.labels import versions
from trajectories.models import AnnotationUnit, CodebookNote, Label


@dataclass(frozen=True, kw_only=True)
class Change:
    """A difference between two versions of a label; in a first version, ``before`` is empty."""

    name: str
    before: str
    after: str


@dataclass(frozen=True, kw_only=True)
class Version:
    """A version of a label, with its changes since the previous version."""

    label: Label
    changes: list[Change]
    is_first: bool


def read_history(unit: AnnotationUnit) -> list[Version]:
    """Return every version of every label of the unit, oldest first."""
    rows = Label.objects.filter(unit=unit).select_related("annotator", "codebook")
    before: dict[tuple[Any, ...], Label] = {}
    history = []
    for label in rows.order_by(*versions.ORDER):
        # All adjudicated labels share one sequence of versions, whoever made them.
        is_settled = label.layer == Label.Layer.ADJUDICATED
        chain = (
            (label.layer,) if is_settled else (label.layer, label.annotator_id, label.is_repeat, label.view)
        )
        previous = before.get(chain)
        changes = list(_changes(previous, label, load_codebook(label.codebook)))
        history.append(Version(label=label, changes=changes, is_first=previous is None))
        before[chain] = label
    return sorted(history, key=lambda one: (one.label.created_at, one.label.pk))


def list_codebook_notes(sha256: str, *, limit: int) -> list[CodebookNote]:
    """Return adjudicators' requests for the next version of a codebook, newest first."""
    rows = CodebookNote.objects.filter(codebook_id=sha256).select_related("author", "project")
    return list(rows.order_by("-pk")[:limit])


def _changes(previous: Label | None, label: Label, codebook: Codebook) -> Iterator[Change]:
    before = _lines(previous, codebook) if previous else {}
    after = _lines(label, codebook)
    for name in {**before, **after}:
        old, new = before.get(name, ""), after.get(name, "")
        if old != new:
            yield Change(name=name, before=old, after=new)


def _lines(label: Label, codebook: Codebook) -> dict[str, str]:
    """Describe every part of a label in words, keyed by the part's title."""
    lines = {"State": label.get_state_display()} if label.state != Label.State.DONE else {}
    # Restore the codebook's order, since Postgres does not keep the order of JSON keys.
    places = {field.id: place for place, field in enumerate(codebook.fields)}
    for name, value in sorted(label.values.items(), key=lambda one: places.get(one[0], len(places))):
        field = codebook.field(name)
        lines[field.title if field else name] = field.words(value) if field else str(value)
    lines["Marked"] = ", ".join(f"{begin}–{end}" for begin, end in label.spans)
    lines["Carried out"] = ", ".join(f"{name}: step {step}" for name, step in label.links.items())
    lines["Unsure"] = "yes" if label.is_unsure else ""
    lines["Note"] = label.note
    lines["Why the answers differed"] = label.reason.replace("_", " ")
    return {name: text for name, text in lines.items() if text}
