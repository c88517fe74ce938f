"""The rows of each kind."""

from __future__ import annotations

import hashlib
import json
from typing import Any

import pytest

from core.errors import GymError
from tests import factories
from tests.annotation import files
from tests.annotation import scene as annotation
from tests.exports import scene
from trajectories.annotation.queues import golds, services
from trajectories.exports.builtin.preferences import pairs_choose
from trajectories.exports.parameters import Labels
from trajectories.models import AnnotationSlot, AnnotationUnit, Episode, FirstAnswer, Step, Verdict
from trajectories.record.projects import EVERYTHING
from trajectories.rewards.profiles.store import profile_store

pytestmark = [pytest.mark.django_db, pytest.mark.usefixtures("own_storages")]


def sha256(text: str) -> str:
    return hashlib.sha256(text.encode()).hexdigest()


def test_transitions_have_hashes_of_what_was_observed_and_the_reward_at_the_end() -> None:
    scene.played(scene.gym_group(), steps=2)
    first, last = scene.rows_of(scene.exported("transitions"))
    pages = [f'heading "Page {index}"\nbutton [e{index}]' for index in (1, 2)]
    assert [first["observation_sha256"], last["observation_sha256"]] == list(map(sha256, pages))
    assert first["next_observation_sha256"] == last["observation_sha256"]
    assert last["next_observation_sha256"] is None
    assert [(row["reward"], row["done"], row["terminated"]) for row in (first, last)] == [
        (0.0, False, False),
        (1.0, True, True),
    ]
    assert first["action"] == {"type": "click", "target": "e1"}


@pytest.mark.parametrize("kind", ["chat", "sft", "sft_steps", "transitions", "step_rewards"])
def test_rows_have_the_first_of_two_answers(kind: str) -> None:
    group = scene.gym_group()
    checked, unchecked, alone = (scene.played(group, steps=1) for _ in range(3))
    for episode, answer in ((checked, "41"), (alone, ["4", "2"])):
        FirstAnswer.objects.create(episode=episode, answer=answer, channel="page", site_events=0)
    Verdict.objects.filter(episode=checked).update(metrics={"first_answer_correct": 0.0})

    rows = {row["episode"]: row for row in scene.rows_of(scene.exported(kind))}

    pairs = {pk: (row["first_answer"], row["first_answer_correct"]) for pk, row in rows.items()}
    assert pairs == {checked.pk: ("41", False), unchecked.pk: (None, None), alone.pk: (["4", "2"], None)}


def test_a_void_episode_has_no_reward_anywhere() -> None:
    scene.played(scene.gym_group(), outcome="void")
    assert scene.exported("transitions").state == "failed"
    for kind in ("transitions", "step_rewards", "chat"):
        rows = scene.rows_of(scene.exported(kind, outcomes=["void"]))
        assert {(row["reward"], row["outcome"]) for row in rows} == {(None, "void")}


def test_sft_is_of_correct_episodes_alone() -> None:
    group = scene.gym_group()
    good = scene.played(group)
    scene.played(group, outcome="incorrect")
    scene.played(group, outcome="void")
    (row,) = scene.rows_of(scene.exported("sft"))
    assert row["episode"] == good.pk
    assert [one["role"] for one in row["messages"]][-3:] == ["assistant", "user", "assistant"]
    steps = scene.rows_of(scene.exported("sft_steps"))
    assert [one["completion"][0]["role"] for one in steps] == ["assistant"] * 2
    assert steps[1]["prompt"] + steps[1]["completion"] == row["messages"]


def test_steps_say_who_did_them_and_are_filtered_by_segment() -> None:
    episode = scene.played(scene.gym_group(), steps=4)
    Step.objects.filter(episode=episode, index__in=(2, 3)).update(actor="person", segment="recovery")
    Step.objects.filter(episode=episode, index=4).update(actor="person", segment="correction")
    Episode.objects.filter(pk=episode.pk).update(is_taken_over=True)
    taken: dict[str, Any] = {"origins": ["taken_over"]}

    def shown(**fields: Any) -> list[tuple[int, str, str | None]]:
        rows = scene.rows_of(scene.exported("sft_steps", **taken, **fields))
        return [(row["step"], row["actor"], row["segment"]) for row in rows]

    first, *of_person = [(1, "policy", None), (2, "person", "recovery"), (3, "person", "recovery")]
    last = (4, "person", "correction")
    assert shown() == [first, *of_person, last]
    assert shown(segments=["recovery"]) == of_person
    assert shown(segments=["recovery", "correction"]) == [*of_person, last]
    export = scene.exported("sft_steps", **taken, segments=["correction"])
    assert export.result["left_out"] == {"other_segment": 3}
    (row,) = scene.rows_of(scene.exported("sft", **taken))
    assert [(one["step"], one["segment"]) for one in row["person_steps"]] == [
        (index, segment) for index, _, segment in [*of_person, last]
    ]
    steps = scene.rows_of(scene.exported("sft_steps", **taken))
    assert [row["messages"][one["message"]] for one in row["person_steps"]] == [
        one["completion"][0] for one in steps[1:]
    ]
    with pytest.raises(GymError, match="single steps"):
        scene.exported("sft", **taken, segments=["correction"])


def test_pictures_are_files_of_their_own_kind_of_rows() -> None:
    run = factories.run(observation="both-v2")
    scene.played(scene.gym_group(run), picture=True)
    scene.played(scene.gym_group(), picture=False)
    export = scene.exported("sft")
    names = [one["name"] for one in export.result["files"]]
    assert names == ["images_00000.jsonl", "sft_00000.jsonl", "sft_images_00000.jsonl"]
    (row,) = scene.rows_of(export, stem="sft_images")
    places = [part["type"] for one in row["messages"] for part in one["content"]].count("image")
    assert len(row["images"]) == places > 0
    (listed,) = scene.rows_of(export, stem="images")
    assert (listed["file"], listed["bytes"]) == (row["images"][0], len(scene.PICTURE))


def test_pairs_are_of_one_group_and_one_prompt() -> None:
    group = scene.gym_group()
    good, bad = scene.played(group), scene.played(group, outcome="incorrect")
    other = scene.played(group, outcome="incorrect")
    Step.objects.filter(episode=other, index=1).update(observation_text="another look")
    scene.played(scene.gym_group(group.run, task=group.task), outcome="incorrect")
    export = scene.exported("preferences")
    (row,) = scene.rows_of(export)
    assert (row["chosen_episode"], row["rejected_episode"]) == (good.pk, bad.pk)
    assert row["prompt"][-1]["role"] == "user"
    assert row["chosen"][0]["content"].startswith(f"I think of {good.pk}.")
    assert row["rejected"][0]["content"].startswith(f"I think of {bad.pk}.")
    assert export.result["left_out"] == {"no_pair": 1}


def test_pairs_are_capped_and_the_same_for_a_seed() -> None:
    group = scene.gym_group()
    for outcome in ("correct", "incorrect") * 3:
        scene.played(group, outcome=outcome, steps=1)
    first = scene.rows_of(scene.exported("preferences", pairs_max=3, seed=5))
    again = scene.rows_of(scene.exported("preferences", pairs_max=3, seed=5))
    assert first == again
    assert scene.exported("preferences", pairs_max=3).result["left_out"] == {"pairs_max": 6}
    assert (
        len({row["chosen_episode"] for row in first}) == len({row["rejected_episode"] for row in first}) == 3
    )


@pytest.mark.parametrize(("left", "right"), [(1, 1), (2, 5), (5, 2), (3, 3)])
def test_every_pair_is_chosen_once(left: int, right: int) -> None:
    sides = [[Episode(pk=start + place) for place in range(n)] for start, n in ((1, left), (100, right))]
    pairs = [(one.pk, other.pk) for one, other in pairs_choose(*sides, seed=1)]
    assert len(set(pairs)) == len(pairs) == left * right
    assert len({one for one, _ in pairs[: max(left, right)]}) == left


def test_step_rewards_are_those_posted_with_the_steps() -> None:
    episode = scene.played(scene.gym_group())
    Step.objects.filter(episode=episode, index=1).update(more={"rewards": {"format": 0.5}})
    rows = scene.rows_of(scene.exported("step_rewards"))
    assert [(row["step"], row["steps"], row["rewards"]) for row in rows] == [
        (1, 2, {"format": 0.5}),
        (2, 2, {}),
    ]
    assert [row["reward"] for row in rows] == [1.0, 1.0]


def test_rewards_say_what_a_profile_pays_and_for_what() -> None:
    terms = [{"component": "outcome"}, {"component": "syntax", "weight": 0.2}]
    named, _ = profile_store({"name": "shaped", "terms": terms}, viewer=EVERYTHING)
    group = scene.gym_group()
    good, bad, void = (scene.played(group, outcome=one) for one in ("correct", "incorrect", "void"))
    export = scene.exported("rewards", reward_profile="shaped", outcomes=["correct", "incorrect", "void"])
    assert export.parameters["reward_profile"] == named.reference
    rows = {row["episode"]: row for row in scene.rows_of(export)}
    assert [rows[one.pk]["total"] for one in (good, bad, void)] == [1.2, 0.2, None]
    assert [rows[one.pk]["reward"] for one in (good, bad, void)] == [1.0, 0.0, None]
    assert {row["profile"] for row in rows.values()} == {named.reference}
    assert rows[good.pk]["terms"] == {"outcome": 1.0, "syntax": 0.2}
    assert rows[good.pk]["components"]["executed"] == 1.0


def test_a_profile_is_of_the_rewards_alone() -> None:
    with pytest.raises(GymError, match="Choose that kind"):
        scene.exported("sft", reward_profile="outcome-v1")
    with pytest.raises(GymError, match="no reward profile"):
        scene.exported("rewards", reward_profile="outcome-v9")


def test_a_solution_in_text_goes_with_the_page_of_the_same_item_and_model() -> None:
    task = factories.task()
    text = factories.group(arm="text_zero_shot", task=task, template="prompts-v7a")
    solved = scene.answered(text, "Six times seven is 42.")
    scene.answered(text, "Perhaps 41.", outcome="incorrect")
    gym = scene.gym_group(task=task)
    page = scene.played(gym, outcome="incorrect")
    other = scene.gym_group(factories.run(model="another model"), task=task)
    scene.played(other)
    export = scene.exported("self_distillation")
    (row,) = scene.rows_of(export)
    assert (row["text_episode"], row["gym_episode"]) == (solved.pk, page.pk)
    assert row["completion"] == [{"role": "assistant", "content": "Six times seven is 42."}]
    assert 'heading "Page 1"' in row["prompt"][-1]["content"]
    assert row["exact"]


def labelled(types: dict[Episode, list[str]]) -> int:
    """A project in which somebody labelled the steps of episodes, in their order."""
    ana = annotation.labeller("ana")
    steps = max(map(len, types.values()))
    project = annotation.project(ana, of=list(types), steps=steps * len(types))
    by_episode = {episode.pk: own for episode, own in types.items()}
    while (slot := services.slot_next(annotation.annotator(project, ana).pk)) is not None:
        unit = AnnotationSlot.objects.get(pk=slot).unit
        own = by_episode[unit.episode_id][unit.step - 1]
        spans = {"spans": [[0, 7]]} if own == "mixed" else {}
        annotation.label(slot, values={**annotation.COMPLETE, "type": own}, answers=spans)
    return project.pk


def weighing(types: dict[Episode, list[str]]) -> Labels:
    return Labels(project=labelled(types), field="type", weights={"reasoning": 1, "mixed": 0.5})


def test_labels_keep_the_steps_that_count_with_their_weights() -> None:
    episode = scene.played(scene.gym_group(), steps=3)
    labels = weighing({episode: ["reasoning", "narration", "mixed"]})
    export = scene.exported("sft_steps", labels=labels)
    rows = scene.rows_of(export)
    assert [(row["step"], row["weight"]) for row in rows] == [(1, 1.0), (3, 0.5)]
    assert export.result["left_out"] == {"other_answer": 1}


@pytest.mark.parametrize("kind", ["sft", "chat"])
def test_labels_keep_conversations_by_the_mean_of_their_steps(kind: str) -> None:
    group = scene.gym_group()
    thinks, narrates, _ = (scene.played(group) for _ in range(3))
    labels = weighing({thinks: ["reasoning", "mixed"], narrates: ["narration", "narration"]})
    export = scene.exported(kind, labels=labels)
    (row,) = scene.rows_of(export)
    assert (row["episode"], row["weight"]) == (thinks.pk, 0.75)
    assert export.result["left_out"] == {"no_label": 1, "other_answer": 1}
    assert {row["weight"] for row in scene.rows_of(scene.exported(kind))} == {1.0}


def test_labels_filter_what_is_preferred_and_not_what_is_rejected() -> None:
    group = scene.gym_group()
    thinks, narrates = scene.played(group), scene.played(group)
    errs = scene.played(group, outcome="incorrect")
    labels = weighing({thinks: ["reasoning", "narration"], narrates: ["narration", "narration"]})
    (row,) = scene.rows_of(scene.exported("preferences", labels=labels))
    assert (row["chosen_episode"], row["rejected_episode"]) == (thinks.pk, errs.pk)
    assert row["weight"] == 0.5


def test_labels_filter_solutions_and_not_the_pages_they_go_to() -> None:
    page = scene.gym_group()
    scene.played(page)
    text = factories.group(run=page.run, task=page.task, arm="text_zero_shot", template="prompts-v7a")
    thinks, narrates = scene.answered(text, "Six times seven."), scene.answered(text, "I see a field.")
    labels = weighing({thinks: ["reasoning"], narrates: ["narration"]})
    (row,) = scene.rows_of(scene.exported("self_distillation", labels=labels))
    assert (row["text_episode"], row["weight"]) == (thinks.pk, 1.0)


@pytest.mark.parametrize("kind", ["sft", "sft_steps"])
def test_the_outcomes_that_a_kind_takes_by_default_are_named_as_if_requested(kind: str) -> None:
    group = scene.gym_group()
    for outcome in ("correct", "incorrect", "incorrect", "void"):
        scene.played(group, outcome=outcome)
    by_default, chosen = scene.exported(kind), scene.exported(kind, outcomes=["correct"])
    manifests = [json.loads(scene.content_of(one, "manifest.json")) for one in (by_default, chosen)]
    for manifest in manifests:
        del manifest["parameters"]["as_of"]
    assert manifests[0] == manifests[1]
    assert manifests[0]["parameters"]["outcomes"] == ["correct"]
    assert by_default.result["left_out"] == {"other_outcome": 3}


def test_every_labelled_step_is_a_row_or_left_out_for_a_reason() -> None:
    group = scene.gym_group()
    good = scene.played(group, steps=5)
    errs, void = scene.played(group, outcome="incorrect"), scene.played(group, outcome="void")
    types = ["reasoning", "narration", "mixed", "reasoning", "reasoning"]
    labels = weighing({good: types, errs: ["reasoning", "narration"], void: ["reasoning", "mixed"]})
    units = AnnotationUnit.objects.filter(episode_id=good.pk)
    golds.gold_set(units.get(step=4), values=annotation.COMPLETE, why="It infers.")
    other = {"episode": good.pk, "step": 5, "values": {**annotation.COMPLETE, "type": "narration"}}
    files.take(units[0].project, files.jsonl([other]), annotator="ben")
    export = scene.exported("sft_steps", labels=labels)
    assert [row["step"] for row in scene.rows_of(export)] == [1, 3]
    assert export.result["left_out"] == {
        "gold_unit": 1,
        "labels_elsewhere": 3,
        "no_majority": 1,
        "other_answer": 1,
        "other_outcome": 2,
    }


def test_labels_for_training_alone_are_no_labels_of_an_episode() -> None:
    good = scene.played(scene.gym_group())
    labels = weighing({good: ["reasoning", "reasoning"]})
    for unit in AnnotationUnit.objects.filter(episode_id=good.pk):
        golds.gold_set(unit, values=annotation.COMPLETE, why="It infers.")
    assert "steps or episodes labelled only for training (1)" in scene.exported("sft", labels=labels).problem


def test_episodes_that_are_guided_or_go_on_are_counted() -> None:
    group = scene.gym_group()
    scene.played(group)
    guided = scene.played(group)
    Episode.objects.filter(pk=guided.pk).update(guidance={"kind": "hint"})
    factories.episode(group=group)
    assert scene.exported("chat").result["left_out"] == {"guided": 1, "not_ended": 1}
