"""Labels as trainers read them."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest

from tests import factories
from tests.annotation import scene
from tests.annotation.scene import COMPLETE
from trajectories.annotation.labels.consensus import find_majority
from trajectories.annotation.queues import services
from trajectories.models import AnnotationProject, Annotator, Label

pytestmark = pytest.mark.django_db
NARRATION = {**COMPLETE, "type": "narration", "behaviours": []}


@pytest.fixture
def project() -> AnnotationProject:
    """Two episodes of one unit each: both people agree on the first, the second was skipped by one."""
    people = [scene.labeller(name) for name in ("ana", "ben")]
    project = scene.project(*people, of=scene.episodes(2, steps=1), repeat_share=1.0)
    first, second = (scene.annotator(project, user) for user in people)
    slot = services.slot_next(first.pk)
    scene.label(slot, values=NARRATION)
    scene.label(slot, version=1)
    scene.label(services.slot_next(first.pk), values=NARRATION)
    scene.label(services.slot_next(first.pk))  # a repeat
    slots = [services.slot_next(second.pk)]
    scene.label(slots[0], state="skipped")
    scene.label(services.slot_next(second.pk), values=NARRATION)
    return project


@pytest.fixture
def read(api: Callable[..., Any]) -> Callable[[str], Any]:
    def get(rest: str, status: int = 200) -> Any:
        answered, body = api("read").json("GET", rest)
        assert answered == status, body
        return body

    return get


def test_the_newest_label_of_each_annotator_is_listed_page_by_page(
    project: AnnotationProject, read: Callable[..., Any]
) -> None:
    whole = read("/labels")["results"]
    assert [row["values"]["type"] for row in whole] == ["reasoning", "narration", "narration"]
    assert "ana" not in str(whole)
    assert whole[0]["version"] == 2
    first = read("/labels?limit=2")
    second = read(f"/labels?limit=2&cursor={first['next']}")
    assert first["results"] + second["results"] == whole
    assert second["next"] is None


def test_labels_can_be_filtered(project: AnnotationProject, read: Callable[..., Any]) -> None:
    episode = project.units.order_by("pk")[0].episode_id
    run = factories.run()
    Annotator.objects.filter(project=project, name="ben").update(kind="model", user=None)
    for query, count in {
        f"project={project.pk}": 3,
        f"project={project.pk + 1}": 0,
        "annotator_kind=model": 1,
        "layer=adjudicated": 0,
        "layer=blind": 3,
        "answer=type:narration": 2,
        "answer=behaviours:plan": 1,
        "answer=behaviours:verify": 0,
        "arm=text_zero_shot": 0,
        f"run={run.pk}": 0,
        "answer=nothing:x": 0,
    }.items():
        assert len(read(f"/labels?{query}")["results"]) == count, query
    ofs = [read(f"/labels?episode={unit.episode_id}")["results"] for unit in project.units.all()]
    assert sorted(len(one) for one in ofs) == [1, 2]
    assert all(row["episode"] == episode for row in read(f"/labels?episode={episode}")["results"])


def test_the_number_of_a_step_is_an_answer(read: Callable[..., Any]) -> None:
    user = scene.labeller("ana")
    project = scene.project(user, of=scene.attempts(1, steps=3), kind="trajectory")
    values = {"success": "failed", "loops": "none", "first_wrong_step": 2}
    scene.label(services.slot_next(scene.annotator(project, user).pk), values=values)
    assert [row["values"] for row in read("/labels?answer=first_wrong_step:2")["results"]] == [values]
    assert read("/labels?answer=first_wrong_step:3")["results"] == []


BAD = ("answer=type", "arm=gymm", "layer=x", "project=0", "colour=red", "cursor=x")


@pytest.mark.parametrize("query", BAD)
def test_a_query_that_cannot_be_meant_is_refused(read: Callable[..., Any], query: str) -> None:
    read(f"/labels?{query}", 400)


def test_an_episode_has_what_counts_of_its_units(
    project: AnnotationProject, read: Callable[..., Any]
) -> None:
    both = Label.objects.filter(is_repeat=False, state="done").order_by("-pk")[0].unit
    (unit,) = read(f"/episodes/{both.episode_id}/labels")["results"]
    assert (unit["step"], unit["weight"], len(unit["labels"])) == (1, 1.0, 2)
    assert unit["consensus"]["source"] == "majority"
    assert unit["consensus"]["people"] == 2
    last = Label.objects.filter(unit=both, state="done", is_repeat=False).latest("pk")
    last.pk, last.layer, last.key = None, "adjudicated", "5a6f4e0e-0000-4000-8000-000000000002"
    last.values = {**COMPLETE, "target": "both"}
    last.save(force_insert=True)
    (unit,) = read(f"/episodes/{both.episode_id}/labels")["results"]
    assert unit["consensus"]["source"] == "adjudicated"
    assert unit["consensus"]["values"]["target"] == "both"


def test_labels_outlive_their_episode_and_stay_within_a_keys_splits(
    project: AnnotationProject, api: Callable[..., Any], read: Callable[..., Any]
) -> None:
    other = api("read", splits=["elsewhere"])
    episode = project.units.all()[0].episode_id
    assert other.json("GET", "/labels")[1]["results"] == []
    assert other.json("GET", f"/episodes/{episode}/labels")[0] == 404
    read("/episodes/999999/labels", 404)
    unlabelled = factories.episode()
    assert read(f"/episodes/{unlabelled.pk}/labels")["results"] == []
    project.units.filter(episode_id=episode).update(episode_id=10**6)
    assert read(f"/episodes/{10**6}/labels")["results"]
    assert api().json("GET", "/labels")[0] == 401


def test_a_majority_is_more_than_half() -> None:
    given = [
        {"type": "reasoning", "behaviours": ["plan", "verify"]},
        {"type": "narration", "behaviours": ["plan"]},
    ]
    assert find_majority(given) == {"type": None, "behaviours": ["plan"]}
    assert find_majority([*given, {"type": "reasoning"}]) == {"type": "reasoning", "behaviours": ["plan"]}
    assert find_majority([{"type": "empty"}, {"type": "empty", "target": "both"}]) == {
        "type": "empty",
        "target": None,
    }


def test_a_pair_is_listed_with_both_its_episodes(read: Callable[..., Any]) -> None:
    user = scene.labeller("cy")
    pairs = scene.project(user, of=scene.attempts(2), kind="trajectory_pair")
    label = scene.label(
        services.slot_next(scene.annotator(pairs, user).pk), values={"better": "first", "why": []}
    )
    first, second = label.unit.episode_id, label.unit.other_episode_id
    for episode in (first, second):
        (unit,) = read(f"/episodes/{episode}/labels")["results"]
        assert (unit["episode"], unit["other_episode"]) == (first, second)
        assert unit["consensus"]["values"]["better"] == "first"
        assert [one["id"] for one in read(f"/labels?episode={episode}")["results"]] == [label.pk]
