"""Splices of an incorrect attempt and a correct relative."""

from __future__ import annotations

from collections.abc import Callable
from datetime import timedelta
from typing import Any

import pytest

from core.errors import GymError
from tasks_app.models import Gold
from tests import factories
from tests.exports import scene
from trajectories.exports.parameters import Revision, revisions_read
from trajectories.models import Episode, Run
from trajectories.record.api.auth import Principal
from trajectories.rollouts.episodes.forks import creation
from trajectories.rollouts.episodes.forks.creation import Fork

pytestmark = [pytest.mark.django_db, pytest.mark.usefixtures("own_storages")]
THOUGHT = "This leads nowhere. I go back."
ANY = [Revision(text=THOUGHT)]


def spliced(*, revisions: list[Revision] = ANY, **fields: Any) -> list[dict[str, Any]]:
    return scene.rows_of(scene.exported("splices", revisions=revisions, **fields))


@pytest.fixture
def bad() -> Episode:
    """Incorrect, of four steps."""
    return scene.played(scene.gym_group(), outcome="incorrect", steps=4)


def _texts(messages: list[dict[str, Any]], role: str) -> list[str]:
    return [one["content"] for one in messages if one["role"] == role]


def test_a_bad_prefix_is_turned_round_into_the_way_of_a_relative(bad: Episode) -> None:
    good = scene.forked(bad, after=1, outcome="correct")
    (row,) = spliced()
    assert (row["bad_episode"], row["good_episode"]) == (bad.pk, good.pk)
    assert (row["common_step"], row["bad_step"], row["bad_reason"]) == (1, 3, "answer")
    prompt, completion = row["prompt"], row["completion"]
    assert [text.count(f"I think of {bad.pk}.") for text in _texts(prompt, "assistant")] == [1, 1, 1]
    assert 'heading "Page 4"' in prompt[-1]["content"]
    assert completion[0] == {"role": "assistant", "content": THOUGHT}
    assert completion[1]["content"] == 'Observation (axtree-v2):\nheading "Page 2"\nbutton [e2]'
    assert [one["role"] for one in completion] == ["assistant", "user", "assistant", "user", "assistant"]
    assert all(f"I think of {good.pk}." in text for text in _texts(completion[2:], "assistant"))


def test_only_the_thought_and_the_good_way_have_a_loss(bad: Episode) -> None:
    scene.forked(bad, after=1, outcome="correct")
    (row,) = spliced()
    messages = row["prompt"] + row["completion"]
    assert len(row["loss"]) == len(messages)
    trained = [one for one, has_loss in zip(messages, row["loss"], strict=True) if has_loss]
    assert trained == [one for one in row["completion"] if one["role"] == "assistant"]


def test_prompts_are_exact_over_the_whole_line(bad: Episode) -> None:
    between = scene.forked(bad, after=1, outcome="incorrect", steps=2)
    good = scene.forked(between, after=2, outcome="correct")
    for episode in (between, good):
        scene.prompts_post(episode)
    rows = {row["bad_episode"]: row for row in spliced()}
    assert rows[bad.pk]["exact"]
    Episode.objects.get(pk=between.pk).steps.filter(index=2).update(more={"prompt_sha256": "0" * 64})
    assert not {row["bad_episode"]: row for row in spliced()}[bad.pk]["exact"]


def test_the_closest_relative_comes_first(bad: Episode) -> None:
    far, near = (scene.forked(bad, after=after, outcome="correct") for after in (0, 2))
    (row,) = spliced(pairs_max=1)
    assert row["good_episode"] == near.pk
    assert [row["good_episode"] for row in spliced()] == [near.pk, far.pk]


def test_siblings_share_what_their_parent_did(bad: Episode) -> None:
    sides = [scene.forked(bad, after=2, outcome=outcome, steps=3) for outcome in ("correct", "incorrect")]
    rows = {row["bad_episode"]: row for row in spliced()}
    row = rows[sides[1].pk]
    assert (row["good_episode"], row["common_step"], row["bad_step"]) == (sides[0].pk, 2, 4)


def test_a_named_step_ends_the_prefix_and_rules_out_later_partings(bad: Episode) -> None:
    scene.forked(bad, after=2, outcome="correct")
    early = scene.forked(bad, after=1, outcome="correct")
    named = Revision(text="Wrong button.", episode=bad.pk, step=2)
    (row,) = spliced(revisions=[*ANY, named])
    assert (row["good_episode"], row["bad_step"]) == (early.pk, 2)
    assert row["completion"][0]["content"] == "Wrong button."


def test_what_gives_no_splice_is_counted(bad: Episode) -> None:
    scene.forked(bad, after=3, outcome="correct")  # nothing was shown after the last step
    scene.played(scene.gym_group(bad.run, task=bad.task), outcome="correct")  # no relative
    problem = scene.exported("splices", revisions=ANY).problem
    assert "pairs without a page after a bad step (1)" in problem
    assert "tasks without an incorrect and a correct episode in the same tree (1)" in problem
    named = scene.exported("splices", revisions=[Revision(text="x", episode=bad.pk + 99)])
    assert "incorrect episodes without a revision thought (1)" in named.problem


def test_a_history_that_changes_gives_no_splice() -> None:
    run = factories.run(kind="train", observation="axtree-v2", history="last_k:2")
    bad = scene.played(scene.gym_group(run), outcome="incorrect", steps=4)
    scene.forked(bad, after=1, outcome="correct")
    export = scene.exported("splices", revisions=ANY)
    assert "pairs whose history changes from turn to turn (2)" in export.problem


def test_void_and_guided_episodes_are_spliced_with_nothing(bad: Episode) -> None:
    scene.forked(bad, after=1, outcome="void")
    scene.forked(bad, after=1, outcome="correct", guidance={"kind": "hint"})
    export = scene.exported("splices", revisions=ANY)
    assert "guided episodes (1), tasks without" in export.problem
    assert "episodes of other outcomes (1)" in export.problem
    (row,) = spliced(origins=["plain", "guided"])
    assert row["bad_episode"] == bad.pk
    assert (row["guidance"], row["good_guidance"]) == (None, {"kind": "hint"})


def test_other_kinds_take_plain_episodes_unless_forks_are_named(bad: Episode) -> None:
    plain = scene.played(scene.gym_group(bad.run))
    fork = scene.forked(bad, after=1, outcome="correct")
    export = scene.exported("sft")
    assert [row["episode"] for row in scene.rows_of(export)] == [plain.pk]
    assert export.parameters["origins"] == ["plain"]
    assert export.result["left_out"] == {"forked": 1, "other_outcome": 1}
    assert [row["episode"] for row in scene.rows_of(scene.exported("sft", origins=["forked"]))] == [fork.pk]


def test_what_a_person_did_is_exported_where_it_is_named_alone(bad: Episode) -> None:
    guided: dict[str, Any] = {"guidance": {"kind": "hint"}}
    taken = scene.forked(bad, after=1, outcome="correct", is_taken_over=True)
    scene.forked(bad, after=1, outcome="correct", is_taken_over=True, **guided)
    splices = scene.exported("splices", revisions=ANY)
    assert splices.state == "failed"
    assert "episodes in which a person acted (2)" in splices.problem
    export = scene.exported("sft", origins=["taken_over"])
    assert [row["episode"] for row in scene.rows_of(export)] == [taken.pk]
    assert export.result["left_out"]["guided"] == 1  # what it was told is not for every key that exports
    assert len(scene.rows_of(scene.exported("sft", origins=["taken_over", "guided"]))) == 2


@pytest.mark.parametrize(("step", "taken_over"), [(1, 1), (2, 3)])
def test_a_fork_is_spliced_unless_a_person_led_to_where_it_begins(
    bad: Episode, step: int, taken_over: int
) -> None:
    Gold.objects.filter(task=bad.task).update(created_at=bad.opened_at - timedelta(days=1))
    bad.steps.update(more={"element_ids": "k"})
    bad.steps.filter(index=2).update(actor="person")
    Episode.objects.filter(pk=bad.pk).update(is_taken_over=True)
    anybody = Principal(
        key_id=0, name="test", scopes=frozenset({"trainer"}), splits=frozenset(), project=None
    )
    forks = creation.forks_open(forks=[Fork(episode=bad.pk, step=step, count=2)], principal=anybody)
    for fork, outcome in zip(forks["episodes"], ("correct", "incorrect"), strict=True):
        episode = Episode.objects.get(pk=fork["id"])
        scene.steps_record(episode, range(step + 1, step + 4))
        factories.verdict(episode, outcome=outcome)
    export = scene.exported("splices", revisions=ANY)
    if taken_over == 1:
        assert len(scene.rows_of(export)) == 1
        assert export.result["left_out"] == {"taken_over": 1}
    else:
        assert (export.state, f"episodes in which a person acted ({taken_over})" in export.problem) == (
            "failed",
            True,
        )


def test_splices_need_a_thought(api: Callable[..., Any], bad: Episode) -> None:
    body = {"kind": "splices", "revisions": []}
    status, answer = api("trainer").json("POST", "/exports", body)
    assert (status, answer["error"]["code"]) == (422, "no_revisions")
    body = {"kind": "splices", "revisions": [{"text": THOUGHT}], "origins": ["forked"]}
    status, made = api("trainer").json("POST", "/exports", body)
    assert status == 201
    assert made["parameters"]["revisions"] == [{"text": THOUGHT, "episode": None, "step": None}]


@pytest.mark.parametrize(
    "revision",
    [{"text": ""}, {}, {"text": "x", "step": 0}, {"text": "x", "episode": 0}, {"text": "x" * 2_001}],
)
def test_what_is_no_thought_is_refused(api: Callable[..., Any], revision: dict[str, Any], db: None) -> None:
    body = {"kind": "splices", "revisions": [revision]}
    assert api("trainer").json("POST", "/exports", body)[0] == 400


def test_a_file_of_thoughts_has_one_a_line() -> None:
    text = b'{"text": "a"}\n\n{"text": "b", "episode": 3, "step": 2}\n'
    assert revisions_read(text) == [Revision(text="a"), Revision(text="b", episode=3, step=2)]


@pytest.mark.parametrize(
    ("data", "words"),
    [
        (b"", "no revision"),
        (b'{"text": "a"}\n{"txt": 1}', "Line 2"),
        (b'{"text":"a"}\n' * 1_001, "at most 1,000"),
    ],
)
def test_a_wrong_file_of_thoughts_says_where(data: bytes, words: str) -> None:
    with pytest.raises(GymError, match=words):
        revisions_read(data)


def test_every_run_of_a_tree_counts(bad: Episode) -> None:
    other: Run = factories.run(kind="train", observation="axtree-v2")
    scene.forked(bad, after=1, outcome="correct", run=other)
    (row,) = spliced()
    assert row["run"] == other.pk
