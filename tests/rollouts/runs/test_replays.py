"""Stored successes: what a run has, and what takes a failure's place in its groups."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest
from django.db import connection
from django.test.utils import CaptureQueriesContext

from tasks_app.models import Task
from tests import factories
from trajectories.models import Episode, Group, Pruning, Run

pytestmark = pytest.mark.django_db
Api = Callable[..., Any]
TRAIN = {"name": "r", "kind": "train", "model": "m"}


def played(run: Run, task: Task, outcomes: str, *, version: int | None = 0, **fields: Any) -> Group:
    """A completed group: a letter per sample, ``c``orrect, ``i``ncorrect or ``v``oid."""
    group = factories.group(run=run, task=task, policy_version=version)
    for letter in outcomes:
        episode = factories.episode(group=group, policy_version=version, **fields)
        outcome = {"c": "correct", "i": "incorrect", "v": "void"}[letter]
        factories.verdict(episode, outcome, "cancelled" if outcome == "void" else "answer")
    return group


def streamed(api: Api, run: Run) -> dict[int, Any]:
    status, page = api("read").json("GET", f"/runs/{run.pk}/groups")
    assert status == 200, page
    return {record["group"]: record for record in page["results"]}


def replaying(**setting: Any) -> Run:
    return factories.run(settings={"replay": setting}, kind="train")


def only(group: Group, index: int = 0) -> Episode:
    return group.episodes.get(sample_index=index)


@pytest.fixture
def task(db: None) -> Task:
    return factories.task()


def test_a_failed_group_has_a_success_in_place_of_its_first_failure(api: Api, task: Task) -> None:
    run = replaying()
    success = only(played(run, task, "c", version=3))
    failed = played(run, task, "viii", version=5)
    before = Episode.objects.count()

    record = streamed(api, run)[failed.pk]

    ids = [only(failed, index).pk for index in range(4)]
    replayed = record["replayed"]
    assert replayed.pop("mean") == pytest.approx(1 / 3)
    assert replayed.pop("std") == pytest.approx((1 / 3) ** 0.5)
    assert replayed == {
        "episode": success.pk,
        "policy_version": 3,
        "instead_of": ids[1],
        "place": 1,
        "episodes": [ids[0], success.pk, *ids[2:]],
        "rewards": [None, 1.0, 0.0, 0.0],
        "degenerate": False,
    }
    # What was played stays what it was, and nothing is counted again.
    assert (record["rewards"], record["mean"], record["degenerate"]) == ([None, 0.0, 0.0, 0.0], 0.0, True)
    assert Episode.objects.count() == before
    assert api("read").json("GET", f"/runs/{run.pk}")[1]["verdicts"] == 5


@pytest.mark.parametrize("settings", [{}, {"replay": None}, {"replay": {"size": "many"}}])
def test_without_the_setting_no_replay_is_read(api: Api, task: Task, settings: dict[str, Any]) -> None:
    run = factories.run(settings=settings)
    played(run, task, "c")
    failed = played(run, task, "ii")
    with CaptureQueriesContext(connection) as queries:
        assert streamed(api, run)[failed.pk]["replayed"] is None
    assert not [one for one in queries.captured_queries if "mostly_wrong" in one["sql"]]


@pytest.mark.parametrize(
    ("outcomes", "setting", "is_replayed"),
    [
        ("ii", {}, True),
        ("i", {}, False),  # one sample has no spread
        ("iv", {}, False),
        ("vv", {}, False),
        ("cc", {}, False),
        ("ci", {}, False),
        ("iiiiiic", {}, False),  # it is not degenerate
        ("iiiic", {"std_below": 1.0, "mean_below": 0.5}, True),
        ("iiiic", {"std_below": 1.0, "mean_below": 0.2}, False),
        ("cc", {"std_below": 1.0, "mean_below": 1.0}, False),
    ],
)
def test_only_degenerate_groups_that_are_mostly_wrong_are_replayed(
    api: Api, task: Task, outcomes: str, setting: dict[str, Any], is_replayed: bool
) -> None:
    run = replaying(**setting)
    played(run, task, "c")
    group = played(run, task, outcomes)
    assert (streamed(api, run)[group.pk]["replayed"] is not None) is is_replayed


def test_a_success_of_the_group_itself_is_not_its_replay(api: Api, task: Task) -> None:
    run = replaying(std_below=1.0, mean_below=0.9)
    mixed = played(run, task, "cii")
    assert streamed(api, run)[mixed.pk]["replayed"] is None


def test_only_plain_successes_of_the_same_task_arm_and_run_are_stored(api: Api, task: Task) -> None:
    run, other = replaying(), replaying()
    played(other, task, "c")
    played(run, factories.task(), "c")
    played(run, task, "c", guidance={"kind": "hint"})
    only(played(run, task, "i"))
    group = factories.group(run=run, task=task, arm="text_agent")
    factories.verdict(factories.episode(group=group, answer_channel="api"))
    pruned = only(played(run, task, "c"))
    Pruning.objects.create(episode=pruned, screenshots_at=pruned.finished_at)
    failed = played(run, task, "ii")
    assert streamed(api, run)[failed.pk]["replayed"] is None
    played(run, task, "c")
    guided = played(run, task, "ii", guidance={"kind": "hint"})
    assert streamed(api, run)[guided.pk]["replayed"] is None


def test_a_success_that_came_later_changes_no_replay(api: Api, task: Task) -> None:
    run = replaying()
    early = only(played(run, task, "c"))
    failed = played(run, task, "ii")
    first = streamed(api, run)[failed.pk]["replayed"]
    played(run, task, "c")
    later = played(run, task, "ii")
    assert first["episode"] == early.pk
    assert streamed(api, run)[failed.pk]["replayed"] == first
    assert streamed(api, run)[later.pk]["replayed"]["episode"] != early.pk


def test_the_store_holds_the_newest_and_the_rule_chooses_among_them(api: Api, task: Task) -> None:
    runs = {rule: replaying(size=2, rule=rule) for rule in ("recent", "shortest", "random")}
    chosen: dict[str, set[int]] = {}
    for rule, run in runs.items():
        made = [only(played(run, task, "c")) for _ in range(3)]
        for steps, episode in zip((1, 2, 3), made, strict=True):
            for index in range(1, steps + 1):
                factories.step(episode, index)
        failed = [played(run, task, "ii").pk for _ in range(8)]
        places = {episode.pk: place for place, episode in enumerate(made)}
        chosen[rule] = {places[streamed(api, run)[group]["replayed"]["episode"]] for group in failed}
    # The first one, which is the shortest of all, has left the store.
    assert chosen == {"recent": {2}, "shortest": {1}, "random": {1, 2}}


@pytest.mark.parametrize(("version", "is_replayed"), [(7, True), (6, False), (None, False)])
def test_a_success_of_too_old_a_version_is_left_out(
    api: Api, task: Task, version: int | None, is_replayed: bool
) -> None:
    run = replaying(max_age=3)
    played(run, task, "c", version=version)
    failed = played(run, task, "ii", version=10)
    assert (streamed(api, run)[failed.pk]["replayed"] is not None) is is_replayed


def test_the_setting_is_stored_with_its_defaults(api: Api) -> None:
    _, made = api("trainer").json("POST", "/runs", {**TRAIN, "settings": {"replay": {"max_age": 5}}})
    assert made["settings"] == {
        "replay": {"size": 8, "rule": "recent", "max_age": 5, "std_below": 0.05, "mean_below": 0.2}
    }


@pytest.mark.parametrize(
    ("replay", "field"),
    [
        ({"size": 0}, "size"),
        ({"size": 1_001}, "size"),
        ({"rule": "newest"}, "rule"),
        ({"mean_below": 1.5}, "mean_below"),
        ({"std_below": True}, "std_below"),
        ({"max_age": -1}, "max_age"),
        ({"sise": 8}, "sise"),
        ([], "replay"),
    ],
)
def test_a_setting_that_cannot_be_read_is_refused(api: Api, replay: Any, field: str) -> None:
    status, answer = api("trainer").json("POST", "/runs", {**TRAIN, "settings": {"replay": replay}})
    assert status == 400
    assert field in str(answer)


# ---- the successes of a run
def listed(api: Api, run: Run, query: str = "") -> Any:
    status, page = api("read").json("GET", f"/runs/{run.pk}/successes?{query}")
    assert status == 200, page
    return page


def test_successes_are_listed_newest_first_and_page_by_page(
    api: Api, task: Task, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("trajectories.rollouts.runs.replays.SCAN_MAX", 4)
    run = factories.run()
    groups = [played(run, task, "cic", version=version) for version in range(3)]
    played(run, task, "iiiiiiiii")
    played(run, task, "c", guidance={"kind": "hint"})
    expected = [only(group, index).pk for group in reversed(groups) for index in (2, 0)]
    seen, cursor = [], ""
    for _ in range(20):
        page = listed(api, run, f"limit=2{cursor}")
        seen += [record["episode"] for record in page["results"]]
        if page["next"] is None:
            break
        cursor = f"&cursor={page['next']}"
    assert seen == expected
    newest = listed(api, run, f"policy_version_min=2&task={task.pk}&arm=gym")
    assert newest["results"] == []  # its four places hold none


def test_successes_can_be_filtered(api: Api, task: Task) -> None:
    run, other = factories.run(), factories.task()
    old, new = (only(played(run, task, "c", version=version)) for version in (1, 2))
    elsewhere = only(played(run, other, "c"))
    assert [one["episode"] for one in listed(api, run)["results"]] == [elsewhere.pk, new.pk, old.pk]
    assert [one["episode"] for one in listed(api, run, f"task={task.pk}")["results"]] == [new.pk, old.pk]
    assert [one["episode"] for one in listed(api, run, "policy_version_min=2")["results"]] == [new.pk]
    assert listed(api, run, "arm=text_agent")["results"] == []
    assert api("read").json("GET", f"/runs/{run.pk}/successes?arm=gim")[0] == 400


def test_copies_of_probes_are_listed_only_where_their_arm_is_named(api: Api, task: Task) -> None:
    run = factories.run()
    mine = only(played(run, task, "c"))
    copied = only(played(run, task, "c", arm="probe_read"))
    assert [one["episode"] for one in listed(api, run)["results"]] == [mine.pk]
    assert [one["episode"] for one in listed(api, run, "arm=probe_read")["results"]] == [copied.pk]


def test_a_key_limited_to_splits_sees_only_their_successes(api: Api) -> None:
    run = factories.run()
    mine = only(played(run, factories.task(split="train"), "c"))
    played(run, factories.task(split="test"), "c")
    _, page = api("read", splits=["train"]).json("GET", f"/runs/{run.pk}/successes")
    assert [record["episode"] for record in page["results"]] == [mine.pk]


def test_steps_that_changed_no_screen_can_be_left_out(api: Api, task: Task) -> None:
    run = factories.run()
    episode = only(played(run, task, "c"))
    screens = [("a", ""), ("a", ""), ("a", "1"), ("b", "1"), ("", ""), ("", ""), ("b", "2"), ("b", "2")]
    for index, (text, picture) in enumerate(screens, start=1):
        factories.step(episode, index, observation_sha256=text, screenshot=picture)
    empty = only(played(run, task, "c"))
    whole, changed = listed(api, run), listed(api, run, "steps=changed")
    assert [one["steps"] for one in whole["results"]] == [[], list(range(1, 9))]
    assert [(one["episode"], one["steps_total"], one["steps"]) for one in changed["results"]] == [
        (empty.pk, 0, []),
        (episode.pk, 8, [2, 3, 4, 5, 6, 8]),
    ]
