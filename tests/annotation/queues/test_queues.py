from __future__ import annotations

from concurrent.futures import ThreadPoolExecutor
from datetime import timedelta

import pytest
from django.contrib.auth.models import User
from django.db import connection
from django.utils import timezone

from core.errors import GymError
from tests.annotation import scene
from trajectories.annotation.queues import selectors, services
from trajectories.annotation.queues.tickets import Ticket, ticket_make, ticket_read
from trajectories.models import AnnotationSlot, Annotator, Label


@pytest.fixture
def two(db: None) -> tuple[User, User]:
    return scene.labeller("one"), scene.labeller("two")


def unit_of(slot: int) -> int:
    return AnnotationSlot.objects.get(pk=slot).unit_id


def label_all(annotator: Annotator) -> list[int]:
    """Label until nothing is left; the units in order."""
    units = []
    while (slot := services.slot_next(annotator.pk)) is not None:
        units.append(unit_of(slot))
        scene.label(slot)
    return units


def expire() -> None:
    AnnotationSlot.objects.filter(reserved_until__isnull=False).update(
        reserved_until=timezone.now() - timedelta(minutes=1)
    )


def test_an_unfinished_unit_comes_first_again(two: tuple[User, User]) -> None:
    annotator = scene.annotator(scene.project(*two), two[0])
    slot = services.slot_next(annotator.pk)
    assert services.slot_next(annotator.pk) == slot
    beside = services.slot_next(annotator.pk, beside=[slot])
    assert unit_of(beside) != unit_of(slot)


def test_without_overlap_nobody_is_given_what_another_has(two: tuple[User, User]) -> None:
    project = scene.project(*two, overlap_share=0.0)
    first, second = (scene.annotator(project, user) for user in two)
    held = services.slot_next(first.pk)
    units = label_all(second)
    assert unit_of(held) not in units
    assert len(units) == 9
    assert label_all(first) == [unit_of(held)]


def test_with_overlap_everyone_labels_each_unit_once_in_the_same_order(two: tuple[User, User]) -> None:
    project = scene.project(*two)
    first, second = (label_all(scene.annotator(project, user)) for user in two)
    assert first == second
    assert len(set(first)) == 10


def test_an_expired_unit_goes_to_the_next_person_and_a_late_label_counts(two: tuple[User, User]) -> None:
    project = scene.project(*two, of=scene.episodes(1, steps=1), overlap_share=0.0)
    first, second = (scene.annotator(project, user) for user in two)
    slot = services.slot_next(first.pk)
    unit = AnnotationSlot.objects.select_related("unit__project__codebook").get(pk=slot).unit
    assert services.slot_next(second.pk) is None
    expire()
    assert services.slot_next(second.pk) == slot
    ticket = Ticket(annotator=first.pk, unit=unit.pk, is_repeat=False)
    services.label_save(scene.saving(), ticket=ticket, unit=unit, annotator=first)
    scene.label(slot)
    assert set(Label.objects.values_list("annotator_id", flat=True)) == {first.pk, second.pk}
    assert [one.unit_id for one in selectors.slots_recent(first)] == [unit.pk]


def test_an_expired_unit_that_nobody_took_is_still_its_holders(two: tuple[User, User]) -> None:
    annotator = scene.annotator(scene.project(*two), two[0])
    slot = services.slot_next(annotator.pk)
    expire()
    assert services.slot_next(annotator.pk) == slot


def test_a_skipped_unit_goes_to_someone_else(two: tuple[User, User]) -> None:
    project = scene.project(*two, of=scene.episodes(1, steps=1), overlap_share=0.0)
    first, second = (scene.annotator(project, user) for user in two)
    slot = services.slot_next(first.pk)
    scene.label(slot, state=Label.State.SKIPPED)
    assert services.slot_next(first.pk) is None
    assert label_all(second) == [unit_of(slot)]
    (progress,) = selectors.progress_of([first])
    assert (progress.labelled, progress.skipped, progress.left) == (0, 1, 0)


def test_repeats_come_back_to_the_same_person_alone(two: tuple[User, User]) -> None:
    project = scene.project(*two, overlap_share=0.0, repeat_share=1.0)
    first, second = (scene.annotator(project, user) for user in two)
    units = label_all(first)
    assert len(units) == 20
    assert units[:10] == units[10:]
    assert label_all(second) == []
    assert Label.objects.filter(is_repeat=True).count() == 10


def test_a_quota_ends_a_queue(two: tuple[User, User]) -> None:
    annotator = scene.annotator(scene.project(*two), two[0])
    Annotator.objects.filter(pk=annotator.pk).update(quota=3)
    assert len(label_all(annotator)) == 3


def test_only_the_last_ten_can_be_opened_again(two: tuple[User, User]) -> None:
    annotator = scene.annotator(scene.project(*two, of=scene.episodes(3)), two[0])
    slots = []
    while (slot := services.slot_next(annotator.pk)) is not None:
        slots.append(slot)
        scene.label(slot)
    opened = [slot for slot in slots if selectors.slot_of(annotator, slot)]
    assert opened == slots[-10:]


def test_a_foreign_ticket_is_refused() -> None:
    ticket = Ticket(annotator=1, unit=2, is_repeat=True)
    assert ticket_read(ticket_make(ticket)) == ticket
    with pytest.raises(GymError, match="damaged"):
        ticket_read(ticket_make(ticket)[:-1])


@pytest.mark.django_db(transaction=True)
@pytest.mark.slow
def test_many_at_once_are_never_given_the_same_unit() -> None:
    people = [scene.labeller(f"person {number}") for number in range(8)]
    project = scene.project(*people, of=scene.episodes(4, steps=20), overlap_people=2)
    annotators = [scene.annotator(project, user) for user in people]

    def work(annotator: Annotator) -> list[int]:
        try:
            return label_all(annotator)
        finally:
            connection.close()

    with ThreadPoolExecutor(len(annotators)) as pool:
        units = [unit for of_one in pool.map(work, annotators) for unit in of_one]
    assert len(units) == 160
    assert {units.count(unit) for unit in set(units)} == {2}
