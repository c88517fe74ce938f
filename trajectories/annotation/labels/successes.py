"""Success of trajectories as judged by people."""

from __future__ import annotations

from collections import defaultdict
from typing import Any

from trajectories.annotation.labels import versions
from trajectories.annotation.labels.consensus import consensus
from trajectories.models import AnnotationProject, Label

FIELD = "success"
ANSWERS = {"succeeded": True, "failed": False}
"""Answers that say so plainly; a part done, and what nobody can judge, are neither."""
# What ``consensus`` reads of a label.
COLUMNS = {"layer": "layer", "annotator_kind": "annotator__kind", "view": "view", "values": "values"}


def successes_of(project: AnnotationProject) -> dict[int, bool]:
    """Return the answers about whole trajectories by episode, from the label of each that counts.

    Repeats, units for training and labels by another codebook do not count.
    """
    labels = Label.objects.filter(
        unit__project=project,
        unit__step=0,
        unit__other_episode_id__isnull=True,
        unit__gold__isnull=True,
        is_repeat=False,
        codebook_id=project.codebook_id,
        state=Label.State.DONE,
        values__has_key=FIELD,
    )
    given: dict[int, list[dict[str, Any]]] = defaultdict(list)
    for episode, *row in versions.newest_only(labels).values_list("unit__episode_id", *COLUMNS.values()):
        given[episode].append(dict(zip(COLUMNS, row, strict=True)))
    agreed = {episode: consensus(rows) for episode, rows in given.items()}
    answers = {episode: ANSWERS.get(one["values"][FIELD]) for episode, one in agreed.items() if one}
    return {episode: answer for episode, answer in answers.items() if answer is not None}
