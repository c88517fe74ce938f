"""Database queries for the episodes of a comparison and their steps."""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping, Sequence
from itertools import groupby
from operator import attrgetter
from typing import Any, NamedTuple

from django.db.models import OuterRef, Q, QuerySet, Subquery
from django.db.models.functions import Left
from django.http import Http404

from core.episodes.tokens import mask_tokens
from tasks_app.models import Gold, Task
from trajectories.actions import elements
from trajectories.behaviour.facts import behaviour
from trajectories.lab.compare.alignment import Key
from trajectories.models import Episode, Picture, Step, StepFacts
from trajectories.rollouts.episodes.forks.lineage import list_held_steps
from trajectories.shell.queries.step_facts import step_labels
from trajectories.shell.queries.steps import HAS_PICTURE
from trajectories.shell.text.values import name_fields

STEPS_MAX = 1_000
CHOICES_MAX = 50
THOUGHT_CHARS = 3_000
# Steps shown at most of an episode without pages, which is shown next to the other episodes' steps.
TEXT_STEPS_MAX = 50
COMPLETION_CHARS = 50_000
# The facts compute a step's place from the same number of characters.
OBSERVATION_CHARS = 100_000
KEY_COLUMNS = ("index", "action", "screenshot", "url", "shown_text")
SHOWN_COLUMNS = (
    "episode_id",
    "index",
    "action",
    "action_type",
    "action_result",
    "screenshot",
    "duration_ms",
    "thought_start",
    "more__thought_hidden",
    "has_picture",
)


class Place(NamedTuple):
    """A step's number, and the episode that stores the step (for a fork, possibly an ancestor)."""

    holder: int
    number: int


def episodes_get(ids: Sequence[int]) -> list[Episode]:
    """Return the episodes in the order of ``ids``. Raises ``Http404`` with the ids that do not exist."""
    episodes = (
        Episode.objects.select_related("run", "task", "verdict")
        .defer("task__payload", "run__settings")
        .in_bulk(list(ids))
    )
    if missing := [str(pk) for pk in ids if pk not in episodes]:
        raise Http404(f"There is no episode {' and no episode '.join(missing)}.")
    return [episodes[pk] for pk in ids]


def answer_step(episode_id: int, answers: Sequence[str]) -> int | None:
    """Return the number of the step that typed one of the answers, or of the last step if none did."""
    steps = Step.objects.filter(episode_id=episode_id).order_by("index").values_list("index", flat=True)
    return steps.filter(action__text__in=list(answers)).first() or steps.last()


def episodes_other(*, task_id: int, ids: Sequence[int], limit: int) -> list[Episode]:
    """Return a task's latest episodes, without those in ``ids``."""
    return list(
        Episode.objects.filter(task_id=task_id)
        .exclude(pk__in=ids)
        .select_related("run", "verdict")
        .only("arm", "status", "sample_index", "policy_version", "run__name", "verdict__outcome")
        .order_by("-id")[:limit]
    )


def task_fields(task_ids: Iterable[int]) -> dict[int, list[str]]:
    """Return the names of the values that each task asks for, by task."""
    rows = Task.objects.filter(pk__in=list(task_ids), payload__has_key="fields")
    return {pk: name_fields({"fields": fields}) for pk, fields in rows.values_list("pk", "payload__fields")}


def step_keys(episode: Episode) -> tuple[list[Place], list[Key]]:
    """Return an episode's first ``STEPS_MAX`` steps, including inherited ones, and the keys that align them.

    The benchmark is part of a page's key because all benchmarks share the arena's addresses. Places are
    stored with the facts after an episode has ended; until then they are computed here by the same rule.
    """
    facts = StepFacts.objects.filter(episode_id=OuterRef("episode_id"), index=OuterRef("index"))
    text = Left("observation_text", OBSERVATION_CHARS)
    places = [Place(*held) for held in list_held_steps(episode.pk)[:STEPS_MAX]]
    rows = list(
        Step.objects.filter(_is_at(places))
        .annotate(place=Subquery(facts.values("place")), shown_text=text)
        .order_by("index")
        .values(*KEY_COLUMNS, "place")
    )
    unplaced = {row["screenshot"] for row in rows if row["place"] is None and not row["shown_text"]}
    hashes = dict(Picture.objects.filter(pk__in=unplaced - {""}).values_list("sha256", "phash"))
    site = str(episode.task.benchmark_id)
    return places, [_key(row, hashes, site=site) for row in rows]


def _is_at(places: Sequence[Place]) -> Q:
    """Return a query condition that selects these steps, which are consecutive within each episode."""
    condition = Q(pk__in=[])
    for holder, held in groupby(places, key=attrgetter("holder")):
        numbers = [place.number for place in held]
        condition |= Q(episode_id=holder, index__range=(numbers[0], numbers[-1]))
    return condition


def _key(row: Mapping[str, Any], hashes: Mapping[str, str], *, site: str) -> Key:
    place = row["place"]
    if place is None:
        picture = hashes.get(row["screenshot"]) or row["screenshot"]
        turn = behaviour.Turn(index=row["index"], observation=row["shown_text"], picture=picture)
        place = behaviour.place_of(turn)
    action = _action_text(row["action"], observation=row["shown_text"])
    return Key(place=place, page=f"{site} {mask_tokens(row['url'])}" if row["url"] else "", action=action)


def _action_text(action: object, *, observation: str) -> str:
    """Format an action with its target's role and name, since element ids change between observations."""
    if not isinstance(action, dict):
        return ""
    target = elements.target_of(action, observation=observation)
    described = {**action, "target": str(target)} if target else action
    return json.dumps(described, sort_keys=True, default=str)


def steps_get(numbers: Mapping[int, Iterable[int]]) -> dict[tuple[int, int], dict[str, Any]]:
    """Return the steps with the given ``numbers`` of each episode, by episode and number."""
    shown: dict[tuple[int, int], dict[str, Any]] = {}
    for episode_id, indexes in numbers.items():
        steps = Step.objects.filter(episode_id=episode_id, index__in=list(indexes)).order_by("index")
        rows = _shown(steps, thought_chars=THOUGHT_CHARS)
        labels = step_labels(episode_id=episode_id, indexes=[row["index"] for row in rows])
        for row in rows:
            shown[episode_id, row["index"]] = {**row, "label": labels[row["index"]]}
    return shown


def first_steps(episode_id: int) -> list[dict[str, Any]]:
    """Return the first steps of an episode without pages; thoughts are cut to ``COMPLETION_CHARS``."""
    steps = Step.objects.filter(episode_id=episode_id).order_by("index")[:TEXT_STEPS_MAX]
    rows = _shown(steps, thought_chars=COMPLETION_CHARS)
    labels = step_labels(episode_id=episode_id, indexes=[row["index"] for row in rows])
    return [{**row, "label": labels[row["index"]]} for row in rows]


def golds_current(task_ids: Iterable[int]) -> dict[int, str]:
    """Return the current golds by task. Call it only for users who pass ``access.sees_golds``."""
    golds = Gold.objects.filter(task_id__in=list(task_ids), is_current=True)
    return dict(golds.values_list("task_id", "answer"))


def _shown(steps: QuerySet[Step], *, thought_chars: int) -> list[dict[str, Any]]:
    start = Left("thought", thought_chars)
    return list(steps.annotate(thought_start=start, has_picture=HAS_PICTURE).values(*SHOWN_COLUMNS))
