"""The charts of a run's page: what episodes spent, and what changes over policy versions."""

from __future__ import annotations

import json
import re

import pytest
from django.contrib.auth.models import User

from core.statistics import Rate
from tests import factories
from tests.lab.test_pages import Lab
from trajectories.models import Run, RunMetrics
from trajectories.rollouts.runs.pages import reason_chart as reasons
from trajectories.rollouts.runs.pages.curves import build_curves, endings_of
from trajectories.rollouts.runs.pages.dashboard_selectors import version_rates
from trajectories.rollouts.runs.pages.histograms import BINS_MAX, Spent, bin_size, build_histograms
from trajectories.rollouts.runs.pages.reason_chart import reason_chart
from trajectories.rollouts.runs.pages.reward_plot import RewardPlot, reward_plot
from trajectories.shell.charts.lines import POINTS_MAX

pytestmark = pytest.mark.django_db


@pytest.fixture
def run(db: None) -> Run:
    return factories.run(kind="train")


def spent(run: Run, outcome: str, *completions: object, arm: str = "gym") -> None:
    episode = factories.episode(run=run, arm=arm, max_steps=4, token_budget=100)
    for index, completion in enumerate(completions, start=1):
        factories.step(episode, index, more={"usage": {"completion": completion}})
    factories.verdict(episode, outcome, "answer" if outcome != "void" else "lease_lost")


def test_steps_tokens_and_budgets_are_counted_by_outcome(run: Run) -> None:
    spent(run, "correct", 20, 20)
    spent(run, "incorrect", 5)
    spent(run, "void", "many", None)
    made = build_histograms(run.pk)
    assert made is not None
    steps, tokens, budget = made.histograms
    assert [(bin_.label, bin_.counts) for bin_ in steps.bins[1:]] == [("1", [0, 1, 0]), ("2", [1, 0, 1])]
    # The void episode states no number of tokens.
    assert (tokens.episodes, budget.episodes) == (2, 3)
    assert [bin_.label for bin_ in budget.bins if bin_.total] == ["20% to 30%", "50% to 60%"]


@pytest.mark.parametrize(
    ("arm", "tokens", "budget", "share"),
    [
        ("gym", 90, 100, 0.9),
        ("gym", None, 100, 0.25),
        ("gym", 500, 100, 1.0),
        ("text_zero_shot", None, None, None),
    ],
)
def test_the_share_is_of_the_budget_that_came_nearest(
    arm: str, tokens: float | None, budget: int | None, share: float | None
) -> None:
    assert Spent(arm, "correct", 1, 4, tokens, budget).share == share


@pytest.mark.parametrize("largest", [0, 1, 15, 16, 17, 99, 1_234, 987_654])
def test_bins_are_round_and_few(largest: int) -> None:
    size = bin_size(largest)
    assert largest // size < BINS_MAX
    assert re.fullmatch(r"[125]0*", str(size))


def versions(run: Run, number: int) -> None:
    for version in range(1, number + 1):
        for outcome, reason in (("correct", "answer"), ("incorrect", "step_budget"), ("void", "lease_lost")):
            factories.verdict(factories.episode(run=run, policy_version=version), outcome, reason)
        RunMetrics.objects.create(run=run, policy_version=version, values={"kl <b>": version / 10})


def test_reward_endings_and_posted_metrics_are_curves(run: Run, lab: Lab, owner: User) -> None:
    versions(run, 2)
    made = {
        curve.title: curve
        for curve in build_curves(run.pk, rates=version_rates(run.pk), ends=endings_of(run.pk))
    }
    assert list(made) == ["Mean reward", "Void", "Cut short by a budget", "kl <b>"]
    assert (made["Mean reward"].values, made["kl <b>"].values) == ([0.5, 0.5], [0.1, 0.2])
    assert made["Void"].values == pytest.approx([1 / 3, 1 / 3])
    html = lab(owner).get(f"/runs/{run.pk}/").content.decode()
    (record,) = re.findall(r'<script id="run-curves" type="application/json">(.*?)</script>', html)
    assert [curve["title"] for curve in json.loads(record)] == list(made)


def test_one_version_has_neither_curves_nor_a_chart_of_reasons(run: Run) -> None:
    versions(run, 1)
    ends = endings_of(run.pk)
    assert (build_curves(run.pk, rates=version_rates(run.pk), ends=ends), reason_chart(ends)) == ([], None)


def test_rare_reasons_and_many_versions_are_put_together(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(reasons, "REASONS_SHOWN", 1)
    monkeypatch.setattr(reasons, "BARS_MAX", 2)
    ends = {
        v: {("correct", "answer"): 5, ("incorrect", "answer"): 1, ("incorrect", "x"): 1} for v in range(1, 5)
    }
    made = reason_chart(ends)
    assert made is not None
    assert [(reason.outcome, reason.code) for reason in made.reasons] == [
        ("correct", "answer"),
        ("incorrect", "other"),
    ]
    assert [(versions.label, versions.counts) for versions in made.versions] == [
        ("Versions 1 to 2", [10, 4]),
        ("Versions 3 to 4", [10, 4]),
    ]


def test_the_plot_shows_every_version_or_every_nth() -> None:
    rate = Rate(correct=1, judged=2, tasks=2, low=0.1, high=0.9)
    assert reward_plot({}) is None
    few = reward_plot({1: rate, 7: rate})
    assert few is not None
    assert (len(few.rates), few.stride, _has_band(few)) == (2, 1, False)
    versions = 3 * POINTS_MAX + 1
    long = reward_plot(dict.fromkeys(range(1, versions + 1), rate))
    assert long is not None
    assert (long.stride, long.rates[-1][0], _has_band(long)) == (4, versions, True)
    assert len(long.rates) <= POINTS_MAX


def _has_band(plot: RewardPlot) -> bool:
    """Whiskers that would touch each other are drawn as a band."""
    svg = plot.drawing.page_svg()
    assert ("plot-band" in svg) != ("plot-whisker" in svg)
    return "plot-band" in svg
