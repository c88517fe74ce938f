from __future__ import annotations

import pytest
from django.contrib.auth.models import User

from core.errors import GymError
from tests import factories
from tests.annotation import scene
from tests.annotation.scene import attempts
from trajectories.annotation.codebook import registry
from trajectories.annotation.codebook.types import Codebook
from trajectories.annotation.projects.sample import count_strata, split_shares
from trajectories.annotation.projects.services import split_paragraphs
from trajectories.models import AnnotationProject, AnnotationSlot, AnnotationUnit


@pytest.mark.parametrize(
    ("counts", "total", "is_equal", "expected"),
    [
        ({"a": 100, "b": 100}, 10, True, {"a": 5, "b": 5}),
        ({"a": 2, "b": 100}, 10, True, {"a": 2, "b": 8}),
        ({"a": 2, "b": 3}, 10, True, {"a": 2, "b": 3}),
        ({"a": 10, "b": 90}, 10, False, {"a": 1, "b": 9}),
        ({"a": 1, "b": 999}, 10, False, {"a": 1, "b": 9}),
        ({"a": 0, "b": 5}, 3, True, {"a": 0, "b": 3}),
        ({"a": 5, "b": 5, "c": 5}, 2, True, {"a": 1, "b": 1, "c": 0}),
        ({}, 5, True, {}),
    ],
)
def test_a_sample_is_shared_out_between_strata(
    counts: dict[str, int], total: int, is_equal: bool, expected: dict[str, int]
) -> None:
    assert split_shares(counts, total=total, is_equal=is_equal) == expected


def test_only_long_thoughts_are_split_into_paragraphs() -> None:
    short = "One.\n\nTwo."
    assert split_paragraphs(short) == [(0, len(short))]
    long = f"{'word ' * 100}\n\n \n{'other ' * 100}\n\n"
    places = split_paragraphs(long)
    assert [long[begin:end].split()[0] for begin, end in places] == ["word", "other"]
    assert len(split_paragraphs("word " * 400)) == 1


def test_strata_count_hidden_and_missing_thoughts_apart(db: None) -> None:
    episode = factories.episode()
    factories.step(episode, 1)
    factories.step(episode, 2, thought=" \n", more={"thought_hidden": True})
    factories.step(episode, 3, thought="")
    (stratum,) = count_strata(episodes=[episode.pk], by=["arm", "outcome", "benchmark"])
    assert (stratum.name, stratum.steps, stratum.hidden, stratum.empty) == ("gym · open · gsm8k", 1, 1, 1)


def test_the_same_seed_draws_the_same_steps_and_weights_add_up(db: None, owner: User) -> None:
    made = scene.episodes(3, steps=10)

    def drawn(seed: int) -> list[tuple[int, int]]:
        project = scene.project(owner, of=made, steps=8, seed=seed)
        units = AnnotationUnit.objects.filter(project=project).order_by("position")
        assert sum(unit.weight for unit in units) == pytest.approx(30)
        assert [unit.position for unit in units] == list(range(1, 9))
        return [(unit.episode_id, unit.step) for unit in units]

    assert drawn(1) == drawn(1)
    assert drawn(1) != drawn(2)


def test_a_long_thought_becomes_a_unit_for_each_paragraph(db: None, owner: User) -> None:
    episode = factories.episode()
    factories.step(episode, 1, thought=f"{'first ' * 100}\n\n{'ünd ' * 100}")
    factories.step(episode, 2, thought="Short.")
    units = AnnotationUnit.objects.filter(project=scene.project(owner, of=[episode])).order_by(
        "step", "paragraph"
    )
    assert [(unit.step, unit.paragraph) for unit in units] == [(1, 1), (1, 2), (2, 0)]
    assert [unit.weight for unit in units] == [0.5, 0.5, 1.0]  # two steps
    thought = f"{'first ' * 100}\n\n{'ünd ' * 100}"
    assert thought[units[1].begin : units[1].end].startswith("ünd")
    assert units[0].position == units[1].position


def test_the_overlap_is_a_share_of_the_steps(db: None, owner: User, annotator: User) -> None:
    project = scene.project(owner, annotator, of=scene.episodes(2, steps=10), overlap_share=0.25)
    assert AnnotationUnit.objects.filter(project=project).count() == 20
    assert AnnotationSlot.objects.filter(project=project).count() == 25


def test_each_view_has_slots_of_its_own(db: None, owner: User, annotator: User) -> None:
    views = ["full", "thought", "page"]
    with pytest.raises(GymError, match="needs 3 people to label the same unit"):
        scene.project(owner, annotator, views=views)
    third = scene.labeller("third")
    project = scene.project(owner, annotator, third, of=scene.episodes(1, steps=3), views=views)
    slots = AnnotationSlot.objects.filter(project=project)
    assert sorted(slots.values_list("view", flat=True)) == sorted(views * 3)


def test_only_steps_are_shown_in_several_views(db: None, owner: User) -> None:
    project = scene.project(owner, of=scene.attempts(1), kind="trajectory", views=["page"])
    assert project.views == ["full"]
    assert set(AnnotationSlot.objects.values_list("view", flat=True)) == {"full"}


def test_projects_that_cannot_be_finished_are_refused(db: None, owner: User) -> None:
    with pytest.raises(GymError, match="only 1 is selected"):
        scene.project(owner, overlap_people=2)
    with pytest.raises(GymError, match="None of these episodes"):
        scene.project(owner, of=[factories.episode()])


def test_a_project_keeps_its_codebook_when_the_files_change(
    db: None, owner: User, monkeypatch: pytest.MonkeyPatch
) -> None:
    before = scene.project(owner)
    current = registry.build_codebook()
    other = Codebook(unit="Another unit.", fields=current.fields)
    monkeypatch.setattr("trajectories.annotation.codebook.own_fields.build_codebook", lambda _: other)
    after = scene.project(owner)
    before.refresh_from_db()
    assert (before.codebook_id, after.codebook_id) == (current.sha256, other.sha256)


def test_a_project_of_trajectories_has_a_unit_for_each_that_has_ended(db: None, owner: User) -> None:
    ended = attempts(3, steps=4)
    running = factories.episode()
    factories.step(running)
    project = scene.project(owner, of=[*ended, running], kind="trajectory")
    assert project.level == AnnotationProject.Level.TRAJECTORY
    units = AnnotationUnit.objects.filter(project=project)
    assert {(unit.episode_id, unit.step, unit.end) for unit in units} == {(one.pk, 0, 4) for one in ended}
    assert {field["id"] for field in project.codebook.content["fields"]} == {
        "success", "loops", "first_wrong_step",
    }  # fmt: skip
    assert sum(unit.weight for unit in units) == 3


def test_trajectories_of_a_task_are_paired_at_random_and_only_once(db: None, owner: User) -> None:
    made = attempts(4) + attempts(3)
    tasks = {one.pk: one.task_id for one in made}

    def drawn(seed: int) -> list[tuple[int, int]]:
        project = scene.project(owner, of=made, kind="trajectory_pair", seed=seed)
        assert project.level == AnnotationProject.Level.PAIR
        units = AnnotationUnit.objects.filter(project=project).order_by("position")
        assert {unit.stratum for unit in units} == {f"gsm8k · {one.task.key}" for one in made}
        return [(unit.episode_id, unit.other_episode_id) for unit in units]

    pairs = drawn(1)
    assert len(pairs) == len({frozenset(pair) for pair in pairs}) == 6 + 3
    assert all(tasks[one] == tasks[other] for one, other in pairs)
    assert drawn(1) == pairs
    assert drawn(2) != pairs
    assert {one > other for seed in range(5) for one, other in drawn(seed)} == {True, False}


def test_attempts_of_other_groups_are_paired_if_they_differ_in_arm_run_or_policy(
    db: None, owner: User
) -> None:
    run, task = factories.run(), factories.task()
    groups = [factories.group(run=run, task=task) for _ in range(2)]
    same = [attempts(1, group=group)[0] for group in groups]
    with pytest.raises(GymError, match="several samples, arms, runs or policies"):
        scene.project(owner, of=same, kind="trajectory_pair")
    other = attempts(1, group=factories.group(run=run, task=task, policy_version=2), policy_version=2)
    project = scene.project(owner, of=[*same, *other], kind="trajectory_pair")
    assert project.units.count() == 2


def test_next_steps_are_paired_on_the_same_page_if_they_differ(db: None, owner: User) -> None:
    group = factories.group()
    pages = {
        1: [("list", "click"), ("room", "answer")],
        2: [("list", "scroll"), ("list", "click")],
        3: [("room", "answer"), ("", "scroll")],
    }
    made = {}
    for name, steps in pages.items():
        made[name] = factories.episode(group=group)
        for index, (page, kind) in enumerate(steps, start=1):
            factories.step(made[name], index, observation_text=page, action={"type": kind})
    project = scene.project(owner, of=list(made.values()), kind="step_pair")
    pairs = {
        frozenset([(unit.episode_id, unit.step), (unit.other_episode_id, unit.other_step)])
        for unit in project.units.all()
    }
    assert pairs == {frozenset([(made[1].pk, 1), (made[2].pk, 1)])}
    with pytest.raises(GymError, match="then acted differently"):
        scene.project(owner, of=[made[1], made[3]], kind="step_pair")


def test_of_a_task_with_many_attempts_some_are_paired(
    db: None, owner: User, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("trajectories.annotation.projects.sample.PAIRED_MAX", 3)
    assert scene.project(owner, of=attempts(6), kind="trajectory_pair").units.count() == 3


@pytest.mark.parametrize(
    ("kind", "message"),
    [
        ("trajectory", "both ended and recorded a step"),
        ("trajectory_pair", "ended attempts at the same task"),
        ("step_pair", "same page in the same task"),
    ],
)
def test_nothing_to_label_says_what_to_choose(db: None, owner: User, kind: str, message: str) -> None:
    with pytest.raises(GymError, match=message) as refused:
        scene.project(owner, of=scene.episodes(2), kind=kind)
    assert refused.value.status == 422
