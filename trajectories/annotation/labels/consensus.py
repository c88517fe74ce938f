"""The final label of a unit that several people labelled, and its readers for exports and rewards."""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Iterable, Mapping, Sequence
from typing import Any

import msgspec
from django.db.models import QuerySet

from trajectories.annotation.columns import label_paths
from trajectories.annotation.labels import versions
from trajectories.models import AnnotationProject, AnnotationUnit, Annotator, Label, View

Values = Mapping[str, Any]
SUCCESS = "success"
SUCCESS_ANSWERS = {"succeeded": True, "failed": False}
"""The clear answers about success; partial success and undecidable cases have no entry."""
# Columns of a label that ``find_consensus`` reads.
COLUMNS = ("layer", "annotator_kind", "view", "values")
PLACE = ("episode", "step", "begin", "end")


def find_consensus(labels: Sequence[Mapping[str, Any]]) -> dict[str, Any] | None:
    """Return a unit's final label: the adjudicated one or, failing that, the majority of the newest labels.

    If people saw different parts of the unit, only those who saw the whole unit count. Returns None if no
    person labelled it.
    """
    settled = [label for label in labels if label["layer"] == Label.Layer.ADJUDICATED]
    people = [
        label
        for label in labels
        if label["layer"] == Label.Layer.BLIND and label["annotator_kind"] == Annotator.Kind.PERSON
    ]
    people = [label for label in people if label["view"] == View.FULL] or people
    if settled:
        (newest,) = settled
        return {"source": "adjudicated", "people": len(people), "values": newest["values"]}
    if not people:
        return None
    values = find_majority([label["values"] for label in people])
    return {"source": "majority", "people": len(people), "values": values}


def find_majority(given: Sequence[Values]) -> dict[str, Any]:
    """Return for each field the answer that more than half gave, or all such answers if it takes several."""
    half = len(given) / 2
    return {
        field: _most([values.get(field) for values in given], half)
        for field in sorted({field for values in given for field in values})
    }


def read_consensus(*, project: int, episodes: list[int]) -> list[tuple[dict[str, Any], dict[str, Any]]]:
    """Return the units of these episodes that have a final label, with its answers."""
    labels = versions.filter_newest_done().filter(unit__project_id=project, unit__episode_id__in=episodes)
    agreed = [(rows[0], find_consensus(rows)) for rows in _by_unit(labels.order_by("unit_id", "pk"))]
    return [(unit, counts["values"]) for unit, counts in agreed if counts]


def read_gold_places(*, project: int, episodes: list[int]) -> set[tuple[int, int]]:
    """Return the episode and step of each labelled gold unit in these episodes."""
    golds = AnnotationUnit.objects.filter(project_id=project, episode_id__in=episodes, gold__isnull=False)
    return set(golds.filter(labels__isnull=False).values_list("episode_id", "step"))


def list_labelled_episodes(*, project: int) -> QuerySet[AnnotationUnit, int]:
    """Return the ids of the episodes that have labels in a project."""
    units = AnnotationUnit.objects.filter(project_id=project, labels__isnull=False)
    return units.values_list("episode_id", flat=True).distinct()


def read_successes(project: AnnotationProject) -> dict[int, bool]:
    """Return whether each trajectory succeeded according to people's labels, by episode.

    Repeats, gold units and labels made with another codebook do not count.
    """
    labels = versions.filter_newest_done().filter(
        unit__project=project,
        unit__step=0,
        unit__other_episode_id__isnull=True,
        codebook_id=project.codebook_id,
        values__has_key=SUCCESS,
    )
    agreed = {rows[0]["episode"]: find_consensus(rows) for rows in _by_unit(labels)}
    answers = {episode: SUCCESS_ANSWERS.get(one["values"][SUCCESS]) for episode, one in agreed.items() if one}
    return {episode: answer for episode, answer in answers.items() if answer is not None}


def _by_unit(labels: QuerySet[Label]) -> Iterable[list[dict[str, Any]]]:
    """Group labels by unit, keeping their order; each label comes with its unit's place."""
    by_unit: dict[int, list[dict[str, Any]]] = defaultdict(list)
    names = (*PLACE, *COLUMNS)
    for unit, *row in labels.values_list("unit_id", *label_paths(names)):
        by_unit[unit].append(dict(zip(names, row, strict=True)))
    return by_unit.values()


def _most(answers: Sequence[Any], half: float) -> Any:
    if any(isinstance(answer, list) for answer in answers):
        counts = Counter(one for answer in answers if isinstance(answer, list) for one in answer)
        return sorted(one for one, count in counts.items() if count > half)
    counts = Counter(msgspec.json.encode(answer) for answer in answers)
    (answer, count) = counts.most_common(1)[0]
    return msgspec.json.decode(answer) if count > half else None
