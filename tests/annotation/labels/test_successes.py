"""Whether trajectories succeeded as people see it."""

from __future__ import annotations

import uuid

import pytest
from django.contrib.auth.models import User

from tests.annotation import scene
from tests.annotation.pairs.test_pairs import choose
from trajectories.annotation.labels.consensus import read_successes
from trajectories.annotation.queues import services
from trajectories.management.commands.fit_reward import opinions_of
from trajectories.models import AnnotationProject, AnnotationSlot, Annotator, Label

REST = {"loops": "none", "first_wrong_step": 1}


@pytest.fixture
def people(db: None) -> list[User]:
    return [scene.labeller(name) for name in ("one", "two", "three")]


def judge(room: AnnotationProject, user: User, answers: dict[int, str]) -> None:
    """Answer by the episode; a person who is not sure adds a note."""
    annotator = scene.annotator(room, user)
    while (number := services.slot_next(annotator.pk)) is not None:
        answer = answers[AnnotationSlot.objects.select_related("unit").get(pk=number).unit.episode_id]
        values = {"success": answer, **REST}
        scene.label(number, values=values, answers={"note": "Why."})


def test_more_than_half_of_the_people_decide(people: list[User]) -> None:
    plain, split, partly, unclear = made = scene.attempts(4)
    room = scene.project(*people, of=made, kind="trajectory")
    for user, of_split in zip(people, ("succeeded", "failed", "partly"), strict=True):
        judge(
            room,
            user,
            {
                plain.pk: "failed" if user == people[0] else "succeeded",
                split.pk: of_split,
                partly.pk: "partly",
                unclear.pk: "cannot_judge",
            },
        )
    assert read_successes(room) == {plain.pk: True}


def test_a_settled_answer_counts_before_the_people_and_machines_do_not_count(people: list[User]) -> None:
    (one,) = scene.attempts(1)
    room = scene.project(people[0], of=[one], kind="trajectory", overlap_people=1)
    assert read_successes(room) == {}
    judge(room, people[0], {one.pk: "succeeded"})
    label = Label.objects.get()
    machine = Annotator.objects.create(project=room, kind=Annotator.Kind.RULES, name="rules")
    for annotator, layer, answer in (
        (machine, Label.Layer.BLIND, "failed"),
        (label.annotator, Label.Layer.ADJUDICATED, "failed"),
    ):
        before = read_successes(room)
        Label.objects.create(
            unit=label.unit, annotator=annotator, codebook=label.codebook, layer=layer, version=1,
            state=Label.State.DONE, values={"success": answer}, key=uuid.uuid4(),
        )  # fmt: skip
    assert (before, read_successes(room)) == ({one.pk: True}, {one.pk: False})


def test_learned_rewards_learn_from_all_rooms_of_a_project(people: list[User]) -> None:
    good, bad = made = scene.attempts(2)
    choose(scene.project(people[0], of=made, kind="trajectory_pair", overlap_people=1), people[0],
           better=str(bad.pk))  # fmt: skip
    judge(
        scene.project(people[1], of=made, kind="trajectory", overlap_people=1),
        people[1],
        {good.pk: "succeeded", bad.pk: "failed"},
    )
    scene.project(people[2], of=scene.episodes(), overlap_people=1)
    opinions = opinions_of("default")
    assert opinions.successes == {good.pk: True, bad.pk: False}
    assert opinions.preferences == [(bad.pk, good.pk)]
    assert opinions_of("other") == ({}, [])
