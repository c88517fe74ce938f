from __future__ import annotations

import threading
from collections.abc import Callable
from typing import Any

import pytest
from django.db import connection

from tests import factories
from trajectories.models import Episode, Group, Run
from trajectories.record import hot_sql
from trajectories.record.api.auth import Principal
from trajectories.rollouts.runs import selectors


def _group(run: Run, outcomes: list[str | None], **fields: Any) -> Group:
    """A group with an episode for each outcome; None leaves it open."""
    group = factories.group(run=run, **fields)
    for outcome in outcomes:
        episode = factories.episode(group=group)
        if outcome:
            factories.verdict(episode, outcome, "cancelled" if outcome == "void" else "answer")
    return group


def test_a_group_is_listed_once_its_last_episode_has_ended(api: Callable[..., Any]) -> None:
    run = factories.run()
    group = _group(run, ["correct", "incorrect", "void", "correct"])
    unfinished = _group(run, ["correct", None])

    status, answer = api("read").json("GET", f"/runs/{run.pk}/groups")

    assert status == 200
    (record,) = answer["results"]
    assert record.pop("mean") == pytest.approx(2 / 3)
    assert record.pop("std") == pytest.approx((1 / 3) ** 0.5)
    assert record == {
        "group": group.pk,
        "task": group.task_id,
        "size": 4,
        "judged": 3,
        "void": 1,
        "rewards": [1.0, 0.0, None, 1.0],
        "policy_version": None,
        "degenerate": False,
        "origin": "plain",
        "replayed": None,
        "paid": None,
    }
    factories.verdict(unfinished.episodes.get(status="open"), "correct")
    _, later = api("read").json("GET", f"/runs/{run.pk}/groups?after={answer['next']}")
    assert [row["group"] for row in later["results"]] == [unfinished.pk]


def test_groups_say_of_which_origin_they_are_and_are_read_by_it(api: Callable[..., Any]) -> None:
    run, reader = factories.run(), api("read")
    groups = {
        name: _group(run, ["correct", "incorrect"]) for name in ("plain", "guided", "forked", "taken_over")
    }
    for name, group in groups.items():
        # One of the two is enough, also of a fork that is guided and a guided one in which a person acted.
        fields: dict[str, Any] = {}
        if name in ("guided", "taken_over"):
            fields["guidance"] = {"kind": "hint", "hash": "h"}
        if name in ("guided", "forked"):
            fields["parent"] = 1
        if name == "taken_over":
            fields["is_taken_over"] = True
        Episode.objects.filter(pk=group.episodes.order_by("pk")[1].pk).update(**fields)

    answer = reader.json("GET", f"/runs/{run.pk}/groups")[1]
    assert {record["origin"]: record["group"] for record in answer["results"]} == {
        name: group.pk for name, group in groups.items()
    }
    for name, group in groups.items():
        page = reader.json("GET", f"/runs/{run.pk}/groups?origin={name}&limit=1")[1]
        assert [record["group"] for record in page["results"]] == [group.pk]
        rest = reader.json("GET", f"/runs/{run.pk}/groups?origin={name}&after={page['next']}")[1]
        assert (rest["results"], rest["next"]) == ([], answer["next"])
    status, refused = reader.json("GET", f"/runs/{run.pk}/groups?origin=guide")
    assert (status, "guided" in str(refused)) == (400, True)


@pytest.mark.parametrize(
    ("outcomes", "mean", "std", "degenerate"),
    [
        (["correct", "correct"], 1.0, 0.0, True),
        (["incorrect", "incorrect"], 0.0, 0.0, True),
        (["void", "correct", "correct"], 1.0, 0.0, True),
        (["correct", "incorrect"], 0.5, 0.5**0.5, False),
        (["correct"], 1.0, None, False),
        (["void", "incorrect"], 0.0, None, False),
        (["void", "void"], None, None, False),
    ],
)
def test_a_group_is_degenerate_if_two_or_more_samples_were_judged_and_rewards_do_not_differ(
    api: Callable[..., Any],
    outcomes: list[str | None],
    mean: float | None,
    std: float | None,
    degenerate: bool,
) -> None:
    run = factories.run()
    _group(run, outcomes)

    (record,) = api("read").json("GET", f"/runs/{run.pk}/groups")[1]["results"]

    assert record["mean"] == mean
    assert record["std"] == (std if std is None else pytest.approx(std))
    assert record["degenerate"] is degenerate
    voids = outcomes.count("void")
    assert (record["judged"], record["void"]) == (len(outcomes) - voids, voids)


def test_the_policy_versions_of_a_group_span_its_episodes_and_steps(api: Callable[..., Any]) -> None:
    run = factories.run()
    group = factories.group(run=run)
    first, second = (factories.episode(group=group, policy_version=version) for version in (4, 5))
    factories.step(first, 1, policy_version=4)
    factories.step(first, 2, policy_version=7)
    for episode in (first, second):
        factories.verdict(episode)

    (record,) = api("read").json("GET", f"/runs/{run.pk}/groups")[1]["results"]

    assert record["policy_version"] == [4, 7]


def test_groups_are_listed_once_in_order_of_completion(api: Callable[..., Any]) -> None:
    run = factories.run()
    late = _group(run, ["correct", None])
    made = [_group(run, ["correct"]).pk for _ in range(5)]
    factories.verdict(late.episodes.get(status="open"))
    client, after, seen = api("read"), 0, []
    for _ in range(4):
        _, answer = client.json("GET", f"/runs/{run.pk}/groups?after={after}&limit=2")
        after = answer["next"]
        seen += [record["group"] for record in answer["results"]]

    assert seen == [*made, late.pk]
    assert client.json("GET", f"/runs/{run.pk}/groups?after={after}")[1] == {"results": [], "next": after}


def test_the_cursor_advances_past_verdicts_without_a_completed_group(api: Callable[..., Any]) -> None:
    run = factories.run()
    group = _group(run, ["correct", "correct", None])

    _, answer = api("read").json("GET", f"/runs/{run.pk}/groups")

    assert answer == {"results": [], "next": 2}
    factories.verdict(group.episodes.get(status="open"))
    (record,) = api("read").json("GET", f"/runs/{run.pk}/groups?after=2")[1]["results"]
    assert record["size"] == 3


def test_a_refilled_group_completes_again(api: Callable[..., Any]) -> None:
    run = factories.run()
    group = _group(run, ["correct"])
    _, first = api("read").json("GET", f"/runs/{run.pk}/groups")
    refill = factories.episode(group=group)

    assert api("read").json("GET", f"/runs/{run.pk}/groups")[1]["results"] == []
    factories.verdict(refill, "incorrect")

    (record,) = api("read").json("GET", f"/runs/{run.pk}/groups?after={first['next']}")[1]["results"]
    assert record["rewards"] == [1.0, 0.0]


def test_a_key_limited_to_splits_sees_only_their_groups(api: Callable[..., Any]) -> None:
    run = factories.run()
    mine = _group(run, ["correct"], task=factories.task(split="train"))
    _group(run, ["correct"], task=factories.task(split="test"))

    _, answer = api("read", splits=["train"]).json("GET", f"/runs/{run.pk}/groups")

    assert [record["group"] for record in answer["results"]] == [mine.pk]


@pytest.mark.parametrize("after", ["-1", "x", "9223372036854775808", "1.5"])
def test_an_invalid_position_is_refused(api: Callable[..., Any], after: str) -> None:
    run = factories.run()

    status, answer = api("read").json("GET", f"/runs/{run.pk}/groups?after={after}")

    assert (status, list(answer["error"]["fields"])) == (400, ["after"])


def test_task_stats_have_samples_mean_reward_and_last_policy_version(api: Callable[..., Any]) -> None:
    run, task = factories.run(), factories.task()
    for version, outcome in [(1, "correct"), (3, "incorrect"), (2, "void")]:
        episode = factories.episode(group=factories.group(run=run, task=task), policy_version=version)
        factories.verdict(episode, outcome, "cancelled" if outcome == "void" else "answer")
    other = factories.episode(group=factories.group(run=run))

    _, answer = api("read").json("GET", f"/tasks/stats?run={run.pk}&limit=1")
    _, rest = api("read").json("GET", f"/tasks/stats?run={run.pk}&cursor={answer['next']}")

    assert answer["results"] == [
        {
            "task": task.pk,
            "samples": 3,
            "judged": 2,
            "void": 1,
            "mean_reward": 0.5,
            "last_policy_version": 3,
            "recent": {"judged": 2, "mean_reward": 0.5},
            "usage": None,
            "prompts": [],
        }
    ]
    assert rest == {
        "results": [
            {
                "task": other.task_id,
                "samples": 1,
                "judged": 0,
                "void": 0,
                "mean_reward": None,
                "last_policy_version": None,
                "recent": {"judged": 0, "mean_reward": None},
                "usage": None,
                "prompts": [],
            }
        ],
        "next": None,
    }


def test_task_stats_have_the_success_of_the_newest_results(api: Callable[..., Any]) -> None:
    run, task = factories.run(), factories.task()
    for outcome in ("correct", "correct", "incorrect", "incorrect", "correct", "void"):
        _group(run, [outcome], task=task)

    (stats,) = api("read").json("GET", f"/tasks/stats?run={run.pk}&recent=3")[1]["results"]

    assert stats["mean_reward"] == 0.6
    assert stats["recent"] == {"judged": 3, "mean_reward": pytest.approx(1 / 3)}


@pytest.mark.parametrize(
    "how",
    [{"guidance": {"kind": "hint"}}, {"is_taken_over": True}, {"begins_after": 1}, {"arm": "probe_read"}],
)
def test_only_what_the_policy_did_alone_is_recent(api: Callable[..., Any], how: dict[str, Any]) -> None:
    run, task = factories.run(), factories.task()
    (own,) = _group(run, ["incorrect"], task=task).episodes.all()
    fields = {**how, "parent": own} if "begins_after" in how else how
    factories.verdict(factories.episode(group=factories.group(run=run, task=task), **fields), "correct")

    (stats,) = api("read").json("GET", f"/tasks/stats?run={run.pk}")[1]["results"]

    assert (stats["judged"], stats["recent"]) == (2, {"judged": 1, "mean_reward": 0.0})


def test_a_cancelled_group_that_is_refilled_completes_again(trainer: Any) -> None:
    run, task = factories.run(), factories.task()
    body = {"run": run.pk, "tasks": [task.pk], "arm": "text_zero_shot", "samples_per_task": 2}
    first = trainer.json("POST", "/episodes", body)[1]["episodes"]
    group = first[0]["group"]
    trainer.json(
        "POST", f"/episodes/{first[0]['id']}/submission", {"answer": "42"}
    )  # is awaiting its verdict
    cancel = {"groups": [group], "reason": "stale"}

    assert trainer.json("POST", f"/runs/{run.pk}/cancel", cancel)[1]["cancelled"] == 2
    cancelled = trainer.json("GET", f"/runs/{run.pk}/groups")[1]
    refilled = trainer.json("POST", f"/groups/{group}/refill", {"count": 2})[1]["episodes"]
    assert trainer.json("GET", f"/runs/{run.pk}/groups")[1]["results"] == []
    for episode, outcome in zip(refilled, ("correct", "incorrect"), strict=True):
        factories.verdict(Episode.objects.get(pk=episode["id"]), outcome)

    (record,) = trainer.json("GET", f"/runs/{run.pk}/groups?after={cancelled['next']}")[1]["results"]
    assert cancelled["results"][0]["rewards"] == [None, None]
    assert (cancelled["results"][0]["judged"], cancelled["results"][0]["degenerate"]) == (0, False)
    assert record["rewards"] == [None, None, 1.0, 0.0]
    assert (record["size"], record["judged"], record["void"], record["degenerate"]) == (4, 2, 2, False)


def test_a_group_cancelled_in_the_middle_of_judging_has_one_verdict(trainer: Any) -> None:
    run, task = factories.run(), factories.task()
    body = {"run": run.pk, "tasks": [task.pk], "arm": "text_zero_shot"}
    (opened,) = trainer.json("POST", "/episodes", body)[1]["episodes"]
    trainer.json("POST", f"/episodes/{opened['id']}/submission", {"answer": "42"})
    claimed = hot_sql.submission_claim(episode_id=opened["id"], claims_max=3, lost_s=60)
    assert claimed is not None

    trainer.json("POST", f"/runs/{run.pk}/cancel", {"groups": [opened["group"]], "reason": "stale"})
    ending = hot_sql.Ending(episode=opened["id"], outcome="correct", reason="answer")
    ended = hot_sql.finish_many(run_id=run.pk, endings=[ending], statuses=["submitted"])

    assert ended == []
    (record,) = trainer.json("GET", f"/runs/{run.pk}/groups")[1]["results"]
    assert (record["rewards"], record["void"]) == ([None], 1)


@pytest.mark.django_db(transaction=True)
def test_groups_that_complete_together_are_streamed_once_each() -> None:
    """Verdicts of several connections, and a reader who polls meanwhile."""
    run = factories.run()
    groups = [_group(run, [None, None]) for _ in range(24)]
    episodes = list(Episode.objects.filter(run=run).order_by("sample_index", "pk"))
    reader = Principal(key_id=0, name="", scopes=frozenset(), splits=frozenset())
    seen: list[int] = []

    def judge(part: list[Episode]) -> None:
        for episode in part:
            factories.verdict(episode, "correct")
        connection.close()

    writers = [threading.Thread(target=judge, args=(episodes[start::4],)) for start in range(4)]
    for writer in writers:
        writer.start()
    page: list[Any] = []
    after, is_over = 0, False
    while page or not is_over:
        is_over = not any(writer.is_alive() for writer in writers)
        page, after = selectors.groups_after(run=run, after=after, limit=5, principal=reader)
        seen += [record["group"] for record in page]

    assert sorted(seen) == sorted(group.pk for group in groups)


def test_task_stats_add_up_what_judged_episodes_used(api: Callable[..., Any]) -> None:
    run, task = factories.run(), factories.task()
    for outcome in ("correct", "incorrect", "void"):
        episode = factories.episode(group=factories.group(run=run, task=task))
        read = {"more": {"usage": {"prompt": 500, "completion": 40, "reasoning": 30, "cached": 100}}}
        factories.step(episode, 1, action_result="ok", **read)
        again = {"more": {"usage": {"prompt": 900, "completion": 2}}}
        factories.step(episode, 2, action_result="no_target", **again)
        factories.step(episode, 3, action_result="invalid", parse_error="There is no action.")
        factories.verdict(episode, outcome, "harness_error" if outcome == "void" else "answer")

    [stats] = api("read").json("GET", f"/tasks/stats?run={run.pk}")[1]["results"]

    assert stats["usage"] == {
        "steps": 6,
        "parsed": 4,
        "done": 2,
        "prompt": 2_800,
        "completion": 84,
        "reasoning": 60,
        "cached": 200,
        "longest_prompt": 900,
        "unmetered": 2,
    }


def test_task_stats_need_a_run(api: Callable[..., Any]) -> None:
    assert api("read").json("GET", "/tasks/stats")[0] == 400
    assert api("read").json("GET", "/tasks/stats?run=999")[0] == 404
