"""Alarms on components: the rules, how often they err on simulated runs, and what the view says of them."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from typing import Any

import pytest

from tasks_app.models import Task
from tests import factories
from tests.reports.training import scene
from tests.reports.training.scene import right_if
from tests.reports.training.test_alarms import figures
from tests.reports.training.test_view import tables_of
from trajectories.models import Episode, RewardSource, Run, VersionSum
from trajectories.record.projects import EVERYTHING
from trajectories.reports.training.alarms import RUN_RATE, Alarm, level, spent
from trajectories.reports.training.component_alarms import RULES, component_alarms
from trajectories.reports.training.view import training_view
from trajectories.rewards import registry
from trajectories.rewards.profiles.store import profile_store
from trajectories.rewards.store import RULES as SOURCE
from trajectories.rewards.store import components_write

FLAT = [0.8, 0.81, 0.79, 0.8, 0.81, 0.8, 0.79, 0.8]


def raised(scope: str = "", *, error: float = 0.01, **values: Sequence[float]) -> list[Alarm]:
    series = {name: figures(*those, error=error) for name, those in values.items()}
    return component_alarms({scope: series})


# ---- rules
@pytest.mark.parametrize(
    ("measure", "rule"),
    [
        ("syntax", "syntax"),
        ("needed", "calling"),
        ("selection", "selection"),
        ("arguments", "arguments"),
        ("call_results", "call_results"),
        ("executed", "executed"),
    ],
)
def test_a_component_that_falls_says_since_when_and_how_far(measure: str, rule: str) -> None:
    (alarm,) = raised("stage 2", **{measure: [*FLAT, 0.5, 0.48, 0.5, 0.5]})

    assert (alarm.rule, alarm.since, alarm.version, alarm.scope) == (rule, 8, 10, "stage 2")
    assert alarm.change == "from 80.3% to 49.3%"
    assert alarm.look


def test_needless_calls_are_bad_when_they_rise_and_not_when_they_fall() -> None:
    rising = [1 - value for value in [*FLAT, 0.5, 0.5, 0.5]]

    (alarm,) = raised(redundant=rising)

    assert (alarm.rule, alarm.since) == ("redundant", 8)
    assert not raised(redundant=[*FLAT, 0.5, 0.5, 0.5])
    assert not raised(selection=rising)


def test_a_collapse_is_held_against_the_best_that_there_was_not_against_the_beginning() -> None:
    learned = [0.4 + 0.025 * step for step in range(16)]

    (alarm,) = raised(selection=[*learned, *FLAT, 0.5, 0.5, 0.5])

    assert (alarm.since, alarm.reference > 0.79) == (24, True)


def test_a_slow_collapse_is_seen_too() -> None:
    (alarm,) = raised(selection=[*FLAT, *(0.8 - 0.02 * step for step in range(1, 16))])

    assert alarm.since < alarm.version - 2


def test_one_bad_version_a_small_change_and_the_sampling_error_raise_nothing() -> None:
    assert not raised(selection=[*FLAT, 0.3, *FLAT])
    assert not raised(selection=[*FLAT, *[0.72] * 12])
    assert not raised(selection=[*FLAT, 0.6, 0.6, 0.6], error=0.1)


def test_versions_that_have_always_varied_so_far_raise_nothing() -> None:
    assert not raised(selection=[0.8, 0.5, 0.75, 0.45, 0.8, 0.5, 0.8, 0.8, 0.8, 0.5, 0.55, 0.5])


def test_shaping_that_rises_alone_is_a_plateau_and_shaping_that_helps_is_none() -> None:
    steps = range(30)
    shaping = [0.3 + 0.4 * step / 29 for step in steps]
    idle, gaining = [0.3] * 30, [0.3 + 0.25 * step / 29 for step in steps]

    (alarm,) = raised(shaping=shaping, outcome=idle)

    assert (alarm.rule, alarm.scope) == ("plateau", "")
    assert alarm.since <= alarm.version - 4
    assert alarm.value - alarm.reference >= 0.1
    assert not raised(shaping=shaping, outcome=gaining)
    assert not raised(shaping=[0.3] * 30, outcome=idle)
    assert not raised(shaping=shaping, outcome=[0.95] * 30)


def test_harder_tasks_of_a_later_stage_raise_nothing() -> None:
    first, second = figures(*FLAT, *FLAT), [(version + 8, one) for version, one in figures(*[0.4] * 8)]

    assert not component_alarms({"stage 1": {"selection": first}, "stage 2": {"selection": second}})
    mixed = [one for _, one in (*first[:8], *second)]
    assert component_alarms({"": {"selection": list(enumerate(mixed))}})


def test_the_levels_of_all_tests_rules_and_stages_stay_within_the_rate_of_a_run() -> None:
    tests = math.fsum(level(test, rules=RULES) for test in range(1, 100_000))

    total = tests * RULES * math.fsum(spent(stage) for stage in range(1, 10_000))

    assert total == pytest.approx(RUN_RATE, rel=1e-3)


# ---- the view
def played(
    run: Run, version: int, tasks: Sequence[Task], values: Mapping[str, float], *, void: int = 0
) -> None:
    """A version of four samples each, of which the first ``void`` are void; half of the others are right."""
    scene.version_play(
        run,
        version,
        tasks,
        lambda task, sample: "void" if sample < void else right_if((task + sample) % 2 == 0),
    )
    source, _ = RewardSource.objects.get_or_create(kind="rule", name=SOURCE, version=registry.revision())
    for episode in Episode.objects.filter(run=run, policy_version=version):
        components_write(episode.pk, source=source.pk, values=values, steps={})


@pytest.fixture
def run(db: None) -> Run:
    return scene.training_run()


@pytest.fixture
def tasks(db: None) -> list[Task]:
    return [factories.task(tags=["stage:2"] if place % 2 else ["other"]) for place in range(16)]


def components(run: Run, **choice: Any) -> list[dict[str, Any]]:
    rows: list[dict[str, Any]] = tables_of(run, **choice)["components"]["rows"]
    return rows


def test_a_version_has_its_components_by_stage_and_void_episodes_are_outside(
    run: Run, tasks: list[Task]
) -> None:
    played(run, 3, tasks, {"syntax": 0.25, "selection": 0.5}, void=1)

    rows = components(run)

    assert [(row["version"], row["stage"], row["episodes"]) for row in rows] == [
        ("3", "", 24),
        ("3", "stage 2", 24),
    ]
    assert {(row["syntax"], row["selection"]) for row in rows} == {(25.0, 50.0)}
    assert "needed" not in rows[0]
    assert rows[0]["links"]["episodes"] == f"/search?run={run.pk}&arm=gym&policy_version=3"


def test_what_a_source_says_last_counts_and_is_read_again(run: Run, tasks: list[Task]) -> None:
    played(run, 0, tasks[:1], {"syntax": 0.0})
    assert components(run)[0]["syntax"] == 0.0
    source = RewardSource.objects.get()

    for episode in Episode.objects.filter(run=run):
        components_write(episode.pk, source=source.pk, values={"syntax": 1.0}, steps={})

    assert components(run)[0]["syntax"] == 100.0


def test_sums_from_before_components_were_added_up_are_read_again(run: Run, tasks: list[Task]) -> None:
    played(run, 0, tasks[:1], {"syntax": 0.5})
    tables_of(run)
    (known,) = VersionSum.objects.filter(run=run)
    whole = list(known.sums)

    VersionSum.objects.filter(pk=known.pk).update(sums=whole[:-200] or whole[:55])

    assert components(run)[0]["syntax"] == 50.0
    known.refresh_from_db()
    assert known.sums == whole


def test_a_key_for_one_split_sees_its_components_alone(run: Run) -> None:
    both = [factories.task(), factories.task(split="test")]
    played(run, 0, both, {"syntax": 1.0})

    (row,) = components(run, splits=["test"])

    assert row["episodes"] == 4


def test_shaping_is_the_share_that_is_earned_of_what_other_terms_can_pay(db: None, tasks: list[Task]) -> None:
    """Of syntax 0.75 is earned at weight 2 x 0.2, of few needless calls 0.5 at weight 0.1."""
    body = {
        "name": "shaped",
        "terms": [
            {"component": "outcome", "weight": 4},
            {"component": "syntax", "weight": 0.2, "positive": 1, "negative": -1},
            {"component": "redundant", "weight": 0.1, "positive": -1},
        ],
    }
    named, _ = profile_store(body, viewer=EVERYTHING)
    run = scene.training_run(settings={"reward_profile": named.reference})
    played(run, 0, tasks[:1], {"syntax": 0.75, "redundant": 0.5})

    (row,) = components(run)

    assert row["shaping"] == pytest.approx(100 * (0.4 * 0.75 + 0.1 * 0.5) / 0.5)


def test_a_collapse_in_a_run_is_put_into_words(run: Run, tasks: list[Task]) -> None:
    for version in range(10):
        played(run, version, tasks, {"selection": 0.9 if version < 6 else 0.2})

    view = training_view(run)

    assert {(alarm.rule, alarm.scope) for alarm in view.alarms} == {
        ("selection", ""),
        ("selection", "stage 2"),
    }
    assert {alarm.since for alarm in view.alarms} == {6}
    shown = [row for row in view.record()["tables"][0]["rows"] if row["value"]]
    assert {(row["reference"], row["value"], row["since"]) for row in shown} == {
        ("90.0%", "20.0%", "version 6")
    }
    assert shown[0]["look"] == "which tools are called in place of others."
