"""Whether trajectories succeeded as people see it."""

from __future__ import annotations

from collections import defaultdict

from trajectories.annotation.labels import versions
from trajectories.models import AnnotationProject, Annotator, Label

FIELD = "success"
ANSWERS = {"succeeded": True, "failed": False}
"""Answers that say so plainly; a part done, and what nobody can judge, are neither."""


def successes_of(project: AnnotationProject) -> dict[int, bool]:
    """The answers on whole trajectories by episode: the settled one, else that of most people.

    Repeats and units for training do not count, nor do machines.
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
        annotator__kind=Annotator.Kind.PERSON,
    )
    votes: dict[int, list[bool | None]] = defaultdict(list)
    settled: dict[int, bool | None] = {}
    for episode, layer, values in versions.newest_only(labels).values_list(
        "unit__episode_id", "layer", "values"
    ):
        answer = ANSWERS.get(values[FIELD])
        if layer == Label.Layer.ADJUDICATED:
            settled[episode] = answer
        else:
            votes[episode].append(answer)
    answers = {episode: _majority(given) for episode, given in votes.items()} | settled
    return {episode: answer for episode, answer in answers.items() if answer is not None}


def _majority(given: list[bool | None]) -> bool | None:
    return next((answer for answer in (True, False) if given.count(answer) * 2 > len(given)), None)
