from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest
from django.contrib.auth.models import User

from tests import factories
from trajectories.behaviour.facts import store
from trajectories.models import Run
from trajectories.reports.behaviour import run_behaviour
from trajectories.rollouts.runs.pages.behaviour import behaviour_table

pytestmark = pytest.mark.django_db


def _run(**arms: list[str]) -> Run:
    """One episode per thought, each of its own task."""
    run = factories.run()
    for arm, thoughts in arms.items():
        for thought in thoughts:
            episode = factories.episode(group=factories.group(run=run, arm=arm))
            factories.step(episode, 1, thought=thought)
            factories.verdict(episode)
            store.facts_compute([episode.pk])
    return run


def test_arms_of_a_row_share_a_scale_and_intervals_do_not_start_below_zero() -> None:
    run = _run(gym=["a b", "a b c d e f", "a b", "a b c d e f", "a b c d"], text_agent=["a"])
    table = behaviour_table(run_behaviour(run_id=run.pk))
    assert table is not None
    assert table.arms == ["gym", "text_agent"]
    gym, text = dict(table.rows)["Words per thought"].values()
    assert gym is not None
    assert text is not None
    assert (gym.value, text.value) == ("4.00", "1.00")
    assert gym.interval.startswith("1.")
    assert text.interval == "n < 5"
    steps = dict(table.rows)["Steps"]["gym"]
    assert steps is not None
    assert steps.interval == "same in every task"
    assert float(text.x) < float(gym.x) < float(gym.high_x) == 76.0


@pytest.mark.parametrize(("tasks", "is_interval"), [(4, False), (5, True)])
def test_fewer_than_five_tasks_get_no_interval(tasks: int, is_interval: bool) -> None:
    run = _run(gym=["a b", "a b c d e f", "a", "a b", "a b c"][:tasks])
    table = behaviour_table(run_behaviour(run_id=run.pk))
    assert table is not None
    cell = dict(table.rows)["Words per thought"]["gym"]
    assert cell is not None
    assert (cell.interval != "n < 5") == is_interval
    assert (cell.low_x != cell.high_x) == is_interval


def test_there_is_no_table_before_measures_are_computed(
    lab: Callable[[User | None], Any], annotator: User
) -> None:
    run = factories.run()
    factories.verdict(factories.episode(group=factories.group(run=run)))
    assert behaviour_table(run_behaviour(run_id=run.pk)) is None
    assert "not human labels" not in lab(annotator).get(f"/runs/{run.pk}/").content.decode()


def test_the_runs_page_shows_measures_and_labels_them_as_computed(
    lab: Callable[[User | None], Any], annotator: User
) -> None:
    run = _run(gym=["I verify 2 + 2 = 4.", "So 5."])
    shown = lab(annotator).get(f"/runs/{run.pk}/").content.decode()
    assert "Computed, not human labels" in shown
    assert "Formulas per thought" in shown
    assert "2 judged episodes" in " ".join(shown.split())


@pytest.mark.parametrize(("arms", "plots"), [(["gym"], False), (["gym", "text_agent"], True)])
def test_a_single_arm_is_not_plotted(
    lab: Callable[[User | None], Any], annotator: User, arms: list[str], plots: bool
) -> None:
    run = _run(**{arm: ["a b", "a b c"] for arm in arms})
    html = lab(annotator).get(f"/runs/{run.pk}/").content.decode()
    table = html.partition('id="by-behaviour"')[2].partition("</section>")[0]
    assert "Words per thought" in table
    assert ("rate-plot" in table) == plots


def test_a_mean_over_some_episodes_gives_their_number_and_an_empty_one_shows_a_dash(
    lab: Callable[[User | None], Any], annotator: User
) -> None:
    run = _run(gym=["a b", ""], text_agent=[""])
    html = lab(annotator).get(f"/runs/{run.pk}/").content.decode()
    table = html.partition('id="by-behaviour"')[2].partition("</section>")[0]
    restated = table.partition("restates page or action")[2].partition("</tr>")[0]
    assert "over 1 of 2 episodes" in restated
    assert '<td role="cell" data-label="Text, agent format" class="muted">–</td>' in restated
    assert "over" not in table.partition("Words per thought")[2].partition("</tr>")[0]
    assert 'data-label="Mean"' not in table
    unseen = table.partition("Actions without effect")[2].partition("</tr>")[0]
    assert unseen.count("–</td>") == 2
