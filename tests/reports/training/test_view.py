"""The training view: figures by version, groups by epoch, evaluations, transfer, and what cannot be said."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest
from django.db import transaction

from tests import factories
from tests.reports.test_computation import assert_sound
from tests.reports.training import scene
from tests.reports.training.scene import right_if
from trajectories.behaviour.facts import store as facts
from trajectories.models import Episode, Run, RunMetrics, Verdict, VersionSum
from trajectories.record import hot_sql
from trajectories.reports.training.view import training_view

pytestmark = pytest.mark.django_db


def tables_of(run: Run, **choice: Any) -> dict[str, Any]:
    tables = {table["id"]: table for table in training_view(run, **choice).record()["tables"]}
    assert_sound(tables)
    return tables


def test_a_version_has_its_reward_void_and_behaviour_with_intervals_and_links() -> None:
    run, tasks = scene.training_run(), [factories.task() for _ in range(6)]
    scene.version_add(run, 3, checkpoint="step-3")
    scene.version_play(
        run,
        3,
        tasks,
        lambda task, sample: "void" if sample == 3 else right_if(task % 2 == 0),
        invalid_actions=1,
    )

    (row,) = tables_of(run)["versions"]["rows"]

    assert (row["version"], row["checkpoint"], row["episodes"]) == ("3", "step-3", 24)
    assert (row["reward"], row["void"], row["invalid_actions"]) == (50.0, 25.0, 25.0)
    assert row["reward_low"] < 50 < row["reward_high"]
    assert (row["thought_words"], row["restates"]) == (40.0, 10.0)
    assert row["links"]["void"] == f"/search?run={run.pk}&arm=gym&policy_version=3&outcome=void"


def test_an_epoch_is_a_tasks_nth_group_and_degenerate_groups_are_counted() -> None:
    run, tasks = scene.training_run(), [factories.task() for _ in range(4)]
    scene.version_play(run, 0, tasks, lambda task, sample: right_if(task == 0 or (task > 1 and sample == 0)))
    scene.version_play(run, 1, tasks[:2], lambda task, sample: right_if(task == 0))

    tables = tables_of(run)

    first, second = tables["epochs"]["rows"]
    assert (first["epoch"], first["groups"], first["tasks"], first["repeated"]) == ("1", 4, 4, 0)
    assert (first["all_right"], first["all_wrong"], first["degenerate"]) == (1, 1, 50.0)
    assert (second["epoch"], second["groups"], second["repeated"], second["degenerate"]) == ("2", 2, 2, 100.0)
    assert [row["repeated"] for row in tables["tasks"]["rows"]] == [0, 2]


def test_posted_scalars_stand_beside_the_versions_as_means() -> None:
    run = scene.training_run()
    for version, entropy in ((0, 1.0), (0, 2.0), (1, 0.5)):
        RunMetrics.objects.create(run=run, policy_version=version, values={"entropy": entropy})

    metrics = tables_of(run)["metrics"]

    assert [column["title"] for column in metrics["columns"]] == ["Version", "entropy"]
    assert [(row["version"], row["metric_0"]) for row in metrics["rows"]] == [("0", 1.5), ("1", 0.5)]


@pytest.fixture
def trained() -> Run:
    return scene.trained_run()


def test_evaluations_of_a_checkpoint_give_text_accuracy_and_gap(trained: Run) -> None:
    start, later = tables_of(trained)["evaluations"]["rows"]

    assert (start["checkpoint"], start["text"], start["page"], start["gap"]) == ("start", 75.0, 25.0, 50.0)
    assert (later["checkpoint"], later["text"], later["page"], later["gap"]) == (
        "version 2",
        80.0,
        62.5,
        17.5,
    )
    assert start["low"] < 50 < start["high"]


def test_a_checkpoint_that_was_evaluated_as_a_page_alone_has_no_gap_but_its_accuracy(trained: Run) -> None:
    tasks = [factories.task(benchmark=factories.benchmark(id="arc")) for _ in range(12)]
    alone = scene.evaluated("step-1", "gym", tasks, lambda task: task % 4 == 0)

    row = next(row for row in tables_of(trained)["evaluations"]["rows"] if row["benchmark"] == "arc")

    assert (row["items"], row["page"], row.get("text"), row.get("gap")) == (12, 25.0, None, None)
    assert row["page_low"] < 25 < row["page_high"]
    assert row["note"] == "not evaluated both as text and as a page"
    assert row["links"]["page"] == f"/search?run={alone.pk}&benchmark=arc&arm=gym"


def test_transfer_is_after_less_before_and_how_much_more_than_text(trained: Run) -> None:
    text, page = tables_of(trained)["transfer"]["rows"]

    assert (text["trained_on"], text["benchmark"], text["checkpoints"]) == (
        "gsm8k",
        "math",
        "start, version 2",
    )
    assert (text["run"], text["links"]["run"]) == (
        f"{trained.name} (run {trained.pk})",
        f"/runs/{trained.pk}/training",
    )
    assert (text["change"], text["beyond_text"], text["arm"]) == (5.0, None, "text_zero_shot")
    assert (page["before"], page["after"], page["change"], page["arm"]) == (25.0, 62.5, 37.5, "gym")
    assert page["beyond_text"] == 32.5
    assert page["beyond_text_low"] < 32.5 < page["beyond_text_high"]
    assert page["p_beyond_text"] < 0.01
    assert page["change_low"] < 37.5 < page["change_high"]
    # Of the items that changed, 2 and 15, before and after.
    assert [row["links"]["episodes"].count(",") + 1 for row in (text, page)] == [4, 30]


def test_a_checkpoint_that_was_evaluated_otherwise_has_no_change(trained: Run) -> None:
    Run.objects.filter(kind="eval", checkpoint="step-2").update(history="last_1")

    text, page = tables_of(trained)["transfer"]["rows"]

    # Free text has no history.
    assert text["change"] == 5.0
    assert (page["items"], page["change"]) == (0, None)
    assert page["note"] == "not comparable, the set-ups differ: history full and last_1"


def test_a_benchmark_is_one_evaluation_whichever_runs_lie_between(trained: Run) -> None:
    other = [factories.task(benchmark=factories.benchmark(id="arc")) for _ in range(12)]
    again = [factories.task(benchmark=factories.benchmark(id="mmlu")) for _ in range(12)]
    for checkpoint in ("base", "step-2"):
        for arm in ("text_zero_shot", "gym"):
            for tasks in (other, again):
                scene.evaluated(checkpoint, arm, tasks, lambda task: task % 2 == 0)

    rows = tables_of(trained)["evaluations"]["rows"]

    assert [row["benchmark"] for row in rows] == ["arc", "arc", "math", "math", "mmlu", "mmlu"]
    assert [row["items"] for row in rows] == [12, 12, 40, 40, 12, 12]


def test_another_models_evaluations_do_not_count(trained: Run) -> None:
    Run.objects.filter(kind="eval").update(model="other")

    view = training_view(trained)

    assert "No evaluation belongs to this run" in " ".join(view.problems)


def test_what_cannot_be_stated_has_a_reason() -> None:
    empty = scene.training_run()
    void = scene.training_run(checkpoint="")
    scene.version_play(void, 0, [factories.task()], lambda task, sample: "void")

    assert "No episode with a policy version has ended" in training_view(empty).problems[0]
    assert "Every episode is void" in training_view(void).problems[0]
    (row,) = tables_of(void)["versions"]["rows"]
    assert (row.get("reward"), row["note"], row["void"]) == (None, "every episode is void", 100.0)
    states = [row["state"] for row in tables_of(empty)["alarms"]["rows"]]
    assert states[0] == "cannot say: 0 of at least 4 versions"
    assert states[4] == "cannot say: no two comparable evaluations"
    assert set(states[5:-1]) == {"cannot say: no such component"}
    assert states[-1] == "cannot say: the run is paid for outcomes alone"


def test_a_key_for_one_split_sees_the_tasks_of_that_split_alone() -> None:
    run = scene.training_run()
    scene.version_play(run, 0, [factories.task(), factories.task(split="test")], lambda *_: "correct")

    (row,) = tables_of(run, splits=["test"])["versions"]["rows"]
    (tasks,) = tables_of(run, splits=["test"])["tasks"]["rows"]

    assert (row["episodes"], tasks["tasks"]) == (4, 1)


def test_void_versions_raise_an_alarm_with_its_figures() -> None:
    run, tasks = scene.training_run(), [factories.task() for _ in range(8)]
    for version in range(12):
        share = 0 if version < 6 else 2
        scene.version_play(
            run,
            version,
            tasks,
            lambda task, sample, void=share: "void" if sample < void else right_if(task % 2 == 0),
        )

    view = training_view(run)

    assert [(alarm.rule, alarm.reference) for alarm in view.alarms] == [("void", 0.0)]
    assert 6 < view.alarms[0].version <= 9
    shown = next(row for row in view.record()["tables"][0]["rows"] if row["value"])
    assert (shown["alarm"], shown["reference"]) == ("Rising void rate", "0.0%")
    assert shown["value"] in ("33.3%", "50.0%")


def _verdict_replaced(episode: Episode) -> None:
    again = Verdict.objects.create(
        episode=episode, run=episode.run, outcome="incorrect", reward=0.0, reason="answer", terminated=True,
        truncated=False, metrics={}, verifier="again-v1",
    )  # fmt: skip
    with transaction.atomic():
        hot_sql.verdict_replace(run_id=episode.run_id, episode_id=episode.pk, verdict_id=again.pk)


def _episode_withdrawn(episode: Episode) -> None:
    with transaction.atomic():
        hot_sql.sums_lock(run_id=episode.run_id)
        hot_sql.sums_withdraw(run_id=episode.run_id, episode_ids=[episode.pk])
        Episode.objects.filter(pk=episode.pk).delete()


def _episode_added(episode: Episode) -> None:
    factories.verdict(factories.episode(group=episode.group, policy_version=1))


@pytest.mark.parametrize(
    ("change", "reward", "steps"),
    [
        (_verdict_replaced, 25.0, 4.0),
        (_episode_withdrawn, 33.3, 4.0),
        (lambda episode: facts.facts_compute([episode.pk]), 50.0, 3.0),
        (_episode_added, 60.0, 4.0),
    ],
)
def test_a_version_that_changed_is_summed_again_and_no_other(
    change: Callable[[Episode], object], reward: float, steps: float
) -> None:
    run, tasks = scene.training_run(), [factories.task() for _ in range(2)]
    for version in (0, 1):
        scene.version_play(run, version, tasks, lambda task, sample: right_if(sample == 0), samples=2)
    before = tables_of(run)["versions"]["rows"]
    first_sum = VersionSum.objects.get(run=run, policy_version=0)

    change(Episode.objects.filter(policy_version=1, verdict__outcome="correct").earliest("pk"))
    VersionSum.objects.filter(pk=first_sum.pk).update(sums=[77, *first_sum.sums[1:]])
    first, second = tables_of(run)["versions"]["rows"]

    assert [(row["reward"], row["steps"]) for row in before] == [(50.0, 4.0)] * 2
    assert (first["episodes"], first["reward"]) == (77, 50.0)
    assert (round(second["reward"], 1), second["steps"]) == (reward, steps)


def test_sums_that_were_rebuilt_are_read_again() -> None:
    run = scene.training_run()
    scene.version_play(run, 0, [factories.task()], lambda task, sample: right_if(sample == 0))
    tables_of(run)
    Verdict.objects.filter(run=run).update(outcome="correct", reward=1.0)

    hot_sql.sums_rebuild(run_id=run.pk)

    assert tables_of(run)["versions"]["rows"][0]["reward"] == 100.0
