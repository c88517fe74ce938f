"""The forms of whole trajectories and of pairs."""

from __future__ import annotations

import re
from collections.abc import Callable

import pytest
from django.contrib.auth.models import User
from django.db import connection
from django.test.utils import CaptureQueriesContext

from tests import factories
from tests.annotation import scene
from tests.annotation.pages.test_annotation_pages import form_of, queue
from tests.conftest import LabClient
from trajectories.annotation.pages import queue_views
from trajectories.annotation.queues import tickets
from trajectories.models import AnnotationProject, AnnotationSlot, AnnotationUnit, Annotator, Episode, Label

Lab = Callable[[User | None], LabClient]
TRAJECTORY = {"success": "partly", "loops": "none", "first_wrong_step": "step"}


@pytest.fixture
def person(db: None) -> User:
    return scene.labeller("person")


def save(client: LabClient, project: AnnotationProject, html: str, **fields: object) -> int:
    return client.post(f"/annotation/{project.pk}/label", {**form_of(html), **fields}).status_code


def test_a_trajectory_shows_its_steps_and_neither_outcome_nor_model(lab: Lab, person: User) -> None:
    run = factories.run(name="run-canary", model="model-canary")
    episode, _ = scene.attempts(2, steps=3, group=factories.group(run=run))
    factories.step(episode, 4, thought="<b>I give up.</b>", more={})
    project = scene.project(person, of=[episode], kind="trajectory")
    html = queue(lab(person), project)
    assert re.findall(r'data-step="(\d)"', html) == ["1", "2", "3", "4"]
    assert html.count('<details class="walk-step"') == 4
    assert "&lt;b&gt;I give up.&lt;/b&gt;" in html
    assert "page 2" in html
    hidden = ["run-canary", "model-canary", "incorrect", f"/episodes/{episode.pk}"]
    assert [word for word in hidden if word in html] == []


def test_the_first_wrong_step_is_a_number_of_the_trajectory(lab: Lab, person: User) -> None:
    project = scene.project(person, of=scene.attempts(1, steps=3), kind="trajectory")
    client = lab(person)
    html = queue(client, project)
    assert save(client, project, html, **TRAJECTORY) == 422
    assert save(client, project, html, **TRAJECTORY, **{"step-first_wrong_step": "4"}) == 422
    assert save(client, project, html, **TRAJECTORY, **{"step-first_wrong_step": "3"}) == 302
    assert Label.objects.get().values == {**TRAJECTORY, "first_wrong_step": 3}
    again = queue(client, project, f"?slot={AnnotationSlot.objects.get().public_id}")
    assert re.search(r'name="step-first_wrong_step"[^>]*value="3"', again)
    assert "Partly, None, step 3" in again


def test_a_trajectory_without_a_wrong_step(lab: Lab, person: User) -> None:
    project = scene.project(person, of=scene.attempts(1), kind="trajectory")
    client = lab(person)
    none = {**TRAJECTORY, "first_wrong_step": "none", "step-first_wrong_step": "2"}
    assert save(client, project, queue(client, project), **none) == 302
    assert Label.objects.get().values["first_wrong_step"] == "none"


@pytest.mark.parametrize("swapped", [False, True])
def test_the_two_of_a_pair_are_stored_as_the_unit_names_them(
    lab: Lab, person: User, monkeypatch: pytest.MonkeyPatch, swapped: bool
) -> None:
    for module in (tickets, queue_views):
        monkeypatch.setattr(module, "is_swapped", lambda *_, **__: swapped)
    project = scene.project(person, of=scene.attempts(2), kind="trajectory_pair")
    client = lab(person)
    html = queue(client, project)
    slot = AnnotationSlot.objects.select_related("unit").get()
    places = [slot.unit.episode_id, slot.unit.other_episode_id]
    shown = [int(number) for number in re.findall(r"Thought 1 of (\d+)\.</p>", html)]
    assert shown == (places[::-1] if swapped else places)
    assert save(client, project, html, better="first", why=["goal"]) == 302
    label = Label.objects.get()
    assert label.is_swapped == swapped
    assert label.values == {"better": "second" if swapped else "first", "why": ["goal"]}
    again = queue(client, project, f"?slot={slot.public_id}")
    assert re.search(r'value="first"[^>]*checked', again)
    assert "The first, Reaches the goal" in again


def test_a_person_sees_about_half_of_the_pairs_swapped_and_each_always_in_the_same_order(
    person: User,
) -> None:
    project = scene.project(person, of=scene.attempts(2), kind="trajectory_pair")
    annotator = Annotator.objects.get(project=project)
    units = [AnnotationUnit(pk=pk, project=project) for pk in range(1, 401)]

    def drawn(**fields: bool) -> list[bool]:
        return [
            tickets.is_swapped(unit, annotator=annotator, **{"is_repeat": False, **fields}) for unit in units
        ]

    assert 160 < sum(drawn()) < 240
    assert drawn() == drawn()
    assert drawn() != drawn(is_repeat=True)
    project.level = annotator.project.level = AnnotationProject.Level.STEP
    assert not any(drawn())


def test_two_next_steps_are_shown_on_the_page_that_both_saw(lab: Lab, person: User) -> None:
    group = factories.group()
    for text in ("click", "scroll"):
        one = factories.episode(group=group)
        factories.step(one, 1, observation_text="page-canary", action={"type": text}, thought=f"I {text}.")
    project = scene.project(person, of=list(Episode.objects.all()), kind="step_pair")
    html = queue(lab(person), project)
    assert html.count("page-canary") == 1
    assert "I click." in html
    assert "I scroll." in html


def test_a_pair_of_which_one_was_deleted_can_be_skipped(lab: Lab, person: User) -> None:
    made = scene.attempts(2)
    project = scene.project(person, of=made, kind="trajectory_pair")
    made[0].delete()
    client = lab(person)
    html = queue(client, project)
    assert "One of the two has been deleted" in html
    assert save(client, project, html, skip="1") == 302


def test_a_long_trajectory_takes_as_many_queries_as_a_short_one(lab: Lab, person: User) -> None:
    counts = []
    for steps in (2, 12):
        project = scene.project(person, of=scene.attempts(2, steps=steps), kind="trajectory_pair")
        client = lab(person)
        with CaptureQueriesContext(connection) as queries:
            queue(client, project)
        counts.append(len(queries))
    assert counts[0] == counts[1]


def test_a_long_trajectory_has_pages_of_steps_and_any_of_them_can_be_the_first_wrong_one(
    lab: Lab, person: User, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("trajectories.annotation.pages.trajectory_unit.STEPS_SHOWN", 5)
    project = scene.project(person, of=scene.attempts(1, steps=12), kind="trajectory")
    client = lab(person)
    first = queue(client, project)
    slot = AnnotationSlot.objects.get().public_id
    links = re.findall(r'href="([^"]*steps=\d+)"', first)
    assert links == [f"/annotation/{project.pk}/queue?slot={slot}&amp;steps={step}" for step in (1, 6, 11)]
    shown = [queue(client, project, f"?slot={slot}&steps={step}") for step in ("1", "6", "12", "99", "x")]
    steps = [re.findall(r'data-step="(\d+)"', html) for html in shown]
    assert steps == [list("12345"), ["6", "7", "8", "9", "10"], ["11", "12"], ["11", "12"], list("12345")]
    assert save(client, project, shown[2], **TRAJECTORY, **{"step-first_wrong_step": "12"}) == 302


def test_the_two_of_a_pair_have_pages_of_their_own(
    lab: Lab, person: User, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("trajectories.annotation.pages.trajectory_unit.STEPS_SHOWN", 5)
    project = scene.project(person, of=scene.attempts(2, steps=7), kind="trajectory_pair")
    client = lab(person)
    queue(client, project)
    slot = AnnotationSlot.objects.get().public_id
    html = queue(client, project, f"?slot={slot}&steps2=6")
    assert re.findall(r'data-step="(\d+)"', html) == list("1234567")
    assert f"?slot={slot}&amp;steps2=6&amp;steps=6" in html


def test_the_agreement_of_pairs_says_what_the_order_did(lab: Lab, owner: User, person: User) -> None:
    project = scene.project(person, owner, of=scene.attempts(2), kind="trajectory_pair")
    for user in (person, owner):
        client = lab(user)
        assert save(client, project, queue(client, project), better="first", why=["goal"]) == 302
    html = lab(owner).get(f"/annotation/{project.pk}/agreement").content.decode()
    assert "Choices for the member shown first" in html
    assert "2 of 2" in html
    cell = "agreement/units?field=better&one=first&other=first"
    assert lab(owner).get(f"/annotation/{project.pk}/{cell}").status_code == 200


@pytest.mark.parametrize(
    ("kind", "status", "words"),
    [("trajectory", 302, ""), ("step_pair", 422, "same page in the same task"), ("mood", 422, "mood")],
)
def test_the_form_of_a_project_asks_what_is_labelled(
    lab: Lab, owner: User, kind: str, status: int, words: str
) -> None:
    scene.attempts(1)
    body = {
        "search": "", "name": "New", "kind": kind, "steps": "10", "is_equal": "1", "seed": "3",
        "people": [owner.pk], "overlap": "0", "overlap_people": "1", "repeats": "0",
        "reservation_minutes": "30", "views": ["full"],
    }  # fmt: skip
    response = lab(owner).post("/annotation/create", body)
    assert response.status_code == status
    assert words in response.content.decode()
    assert [one.level for one in AnnotationProject.objects.all()] == ([kind] if status == 302 else [])
