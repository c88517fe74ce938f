from __future__ import annotations

from dataclasses import replace

from django.contrib.auth.models import User

from tests.annotation import scene
from tests.annotation.pages.test_annotation_pages import Lab
from tests.annotation.scene import COMPLETE
from trajectories.annotation.agreement.repeats import read_repeated_people, self_agreement
from trajectories.annotation.agreement.selectors import UnitLabels
from trajectories.annotation.codebook.registry import build_codebook
from trajectories.annotation.codebook.types import codebook_read
from trajectories.annotation.queues import services
from trajectories.models import AnnotationProject, AnnotationSlot, Annotator, Label

NARRATION = {**COMPLETE, "type": "narration", "behaviours": []}


def label_all(annotator: Annotator, *, changed: int) -> None:
    """Label everything; the answers to so many repeats differ from the first ones."""
    while (number := services.slot_next(annotator.pk)) is not None:
        slot = AnnotationSlot.objects.select_related("unit").get(pk=number)
        first = COMPLETE if slot.unit.position % 2 else NARRATION
        other = NARRATION if slot.unit.position % 2 else COMPLETE
        values = other if slot.is_repeat and slot.unit.position <= changed else first
        scene.label(number, values=values)


def test_labels_of_repeats_are_compared_with_the_first_ones(db: None) -> None:
    people = [scene.labeller("one"), scene.labeller("two")]
    project = scene.project(*people, of=scene.episodes(3, steps=8), repeat_share=1.0)
    first, second = (scene.annotator(project, user) for user in people)
    assert read_repeated_people(project) == []
    label_all(first, changed=6)
    label_all(second, changed=0)
    # One of the repeats was skipped in the end.
    again = Label.objects.filter(annotator=second, is_repeat=True).order_by("unit__position")[0]
    slot = AnnotationSlot.objects.get(annotator=second, unit=again.unit, is_repeat=True)
    scene.label(slot.pk, version=1, state=Label.State.SKIPPED)
    rows = {field.id: rows for field, rows in self_agreement(read_repeated_people(project), build_codebook())}
    assert [(row.person.name, row.units, row.same) for row in rows["type"]] == [
        ("one", 24, 18),
        ("two", 23, 23),
        ("All together", 47, 41),
    ]
    one, two, together = rows["type"]
    assert (one.raw.value, two.alpha.value) == (0.75, 1.0)
    assert one.alpha.value < together.alpha.value < 1
    assert [row.same for row in rows["behaviours"]] == [18, 23, 41]
    assert {row.other for row in rows["target"]} == {0}
    assert rows["target"][0].reason.startswith("Undefined")


def few(user: User, *, changed: int) -> AnnotationProject:
    project = scene.project(user, of=scene.episodes(1, steps=3), repeat_share=1.0)
    label_all(scene.annotator(project, user), changed=changed)
    return project


def test_few_repeats_are_only_counted_and_each_count_opens_its_steps(lab: Lab, owner: User) -> None:
    project = few(owner, changed=1)
    client = lab(owner)
    page = client.get(f"/annotation/{project.pk}/agreement").content.decode()
    assert "Counts only: fewer than 20 units." in page
    # Each field's own table has such a row; there is nobody else to put together with.
    assert page.count("All together") == 4
    annotator = project.annotators.get().pk
    address = f"/annotation/{project.pk}/agreement/repeats?view=full&amp;field=type&amp;annotator={annotator}"
    counts = {}
    for same in ("", "&amp;same=0", "&amp;same=1"):
        assert f'{address}{same}"' in page
        opened = client.get(f"{address}{same}".replace("&amp;", "&")).content.decode()
        counts[same] = opened.count("/episodes/")
    assert list(counts.values()) == [3, 1, 2]
    for wrong in ("field=x", "field=type&annotator=0"):
        assert client.get(f"/annotation/{project.pk}/agreement/repeats?{wrong}").status_code == 404


def test_repeats_of_pairs_are_clustered_by_their_task(owner: User) -> None:
    project = scene.project(owner, of=scene.attempts(3), kind="trajectory_pair", repeat_share=1.0)
    annotator = scene.annotator(project, owner)
    while (slot := services.slot_next(annotator.pk)) is not None:
        scene.label(slot, values={"better": "tie", "why": []})

    (person,) = read_repeated_people(project)

    assert person.clusters == dict(project.units.values_list("pk", "stratum"))
    assert len(set(person.clusters.values())) == 1
    many = [
        UnitLabels(unit=n, episode=n, step=0, paragraph=0, answers={0: {"better": "tie"}, 1: {"better": say}})
        for n, say in enumerate(["tie"] * 12 + ["first"] * 12)
    ]
    codebook = codebook_read(project.codebook.content)
    widths = []
    for clusters in ({}, {n: n // 6 for n in range(24)}):
        one = replace(person, units=many, clusters=clusters)
        raw = self_agreement([one], codebook)[0][1][0].raw
        widths.append(raw.high - raw.low)
    assert widths[1] > widths[0]
