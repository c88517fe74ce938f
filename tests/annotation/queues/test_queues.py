from __future__ import annotations

from concurrent.futures import ThreadPoolExecutor
from datetime import timedelta
from uuid import uuid4

import pytest
from django.contrib.auth.models import User
from django.db import connection
from django.utils import timezone

from core.errors import GymError
from tests.annotation import scene
from tests.annotation.scene import COMPLETE
from trajectories.annotation.queues import golds, selectors, services
from trajectories.annotation.queues.tickets import Ticket, ticket_make, ticket_read
from trajectories.models import AnnotationSlot, Annotator, Label, Step


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
    beside = services.slot_next(annotator.pk, beside=[AnnotationSlot.objects.get(pk=slot).public_id])
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
    ticket = Ticket(annotator=first.pk, unit=unit.pk, is_repeat=False, slot=uuid4())
    services.label_save(scene.saving(), ticket=ticket, unit=unit, annotator=first)
    scene.label(slot)
    assert set(Label.objects.values_list("annotator_id", flat=True)) == {first.pk, second.pk}
    assert [one.unit_id for one in selectors.list_recent_slots(first)] == [unit.pk]


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
    (progress,) = selectors.read_progress([first])
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
    opened = [slot for slot in slots if selectors.find_slot(annotator, pk=slot)]
    assert opened == slots[-10:]


def test_with_several_views_a_person_sees_a_step_in_one_of_them(db: None) -> None:
    people = [scene.labeller(f"person {number}") for number in range(4)]
    (episode,) = scene.episodes(1, steps=6)
    Step.objects.filter(index=1).update(thought=f"{'first ' * 100}\n\n{'other ' * 100}")
    project = scene.project(*people, of=[episode], views=["full", "page"])
    annotators = [scene.annotator(project, user) for user in people]
    for annotator in annotators:
        label_all(annotator)
    labels = Label.objects.values_list("unit", "unit__step", "annotator", "view")
    assert len(labels) == 7 * 4
    assert len({(unit, annotator) for unit, _, annotator, _ in labels}) == len(labels)
    views = {(step, annotator): view for _, step, annotator, view in labels}
    assert all(views[step, annotator] == view for _, step, annotator, view in labels)
    for unit in {row[0] for row in labels}:
        assert sorted(row[3] for row in labels if row[0] == unit) == ["full"] * 2 + ["page"] * 2
    # Who comes first does not see one view alone.
    assert {views[step, annotators[0].pk] for step in range(1, 7)} == {"full", "page"}


def test_a_repeat_has_the_view_of_its_first_time(two: tuple[User, User]) -> None:
    project = scene.project(*two, views=["thought", "page"], repeat_share=1.0)
    label_all(scene.annotator(project, two[0]))
    views = {(one.unit_id, one.is_repeat): one.view for one in Label.objects.all()}
    assert all(views[unit, False] == view for (unit, is_repeat), view in views.items() if is_repeat)
    assert len(views) == 20


def test_progress_counts_the_units_of_an_hour_and_a_quota(two: tuple[User, User]) -> None:
    project = scene.project(*two, repeat_share=1.0, of=scene.episodes(1, steps=4))
    annotator = scene.annotator(project, two[0])
    Annotator.objects.filter(pk=annotator.pk).update(quota=3)
    golds.gold_set(project.units.order_by("position")[2], values=COMPLETE, why="So it is.")
    annotator.refresh_from_db()
    left = [selectors.read_progress([annotator])[0].left]
    scene.label(services.slot_next(annotator.pk), active_ms=30_000)
    scene.label(services.slot_next(annotator.pk), active_ms=60_000)
    (progress,) = selectors.read_progress([annotator])
    # The gold unit, and three of the other three; then two of these and a repeat.
    assert [*left, progress.left] == [4, 3]
    assert (progress.done, progress.per_hour) == (2, 80.0)
    assert len(label_all(annotator)) == 5
    assert selectors.read_progress([annotator])[0].left == 0


def test_public_ids_of_slots_tell_nothing(two: tuple[User, User]) -> None:
    project = scene.project(*two, of=scene.episodes(2, steps=6), repeat_share=1.0)
    annotator = scene.annotator(project, two[0])
    label_all(annotator)
    slots = list(annotator.slots.order_by("pk"))
    assert {one.is_repeat for one in slots} == {False, True}
    ids = [one.public_id for one in slots]
    assert len(set(ids)) == len(ids)
    assert {one.version for one in ids} == {4}
    assert ids not in (sorted(ids), sorted(ids, reverse=True))


@pytest.mark.django_db
def test_a_ticket_names_its_slot_and_tells_nobody_that_it_is_a_repeat() -> None:
    user = scene.labeller("one")
    slot = scene.project(user, of=scene.episodes(1, steps=1)).slots.get()
    first = ticket_make(annotator_id=1, slot=slot.public_id)
    slot.is_repeat, slot.view = True, "page"
    slot.annotator = Annotator.objects.get()
    slot.save()

    text = ticket_make(annotator_id=1, slot=slot.public_id)

    assert text == first
    assert ticket_read(text) == Ticket(
        annotator=1, unit=slot.unit_id, is_repeat=True, view="page", slot=slot.public_id
    )
    for foreign in (text[:-1], f"2{text[1:]}", ticket_make(annotator_id=1, slot=uuid4())):
        with pytest.raises(GymError, match="damaged"):
            ticket_read(foreign)


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


@pytest.mark.django_db
def test_a_unit_skipped_after_all_goes_to_someone_else_and_labelled_after_all_no_longer() -> None:
    one = scene.labeller("one")
    project = scene.project(one, of=scene.episodes(1, steps=1))
    slot = services.slot_next(scene.annotator(project, one).pk)
    assert slot is not None
    scene.label(slot)
    free = project.slots.filter(annotator=None)

    skipped = scene.label(slot, version=1, state=Label.State.SKIPPED)
    assert free.count() == 1
    scene.label(slot, version=1, state=Label.State.SKIPPED, key=skipped.key)
    assert free.count() == 1
    scene.label(slot, version=2)
    assert free.count() == 0
