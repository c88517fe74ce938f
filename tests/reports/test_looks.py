"""Effects of looks on made answers, where the truth is known."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from tests.reports.test_computation import LOOKS, correct_if, evaluation, tables_of
from trajectories.models import Episode
from trajectories.reports.estimators import looks as estimator
from trajectories.reports.estimators.answers import Answers

ITEMS, SAMPLES = 120, 4
REFERENCES = {"font": "sans", "theme": "light"}


def answers(effect_of: dict[int, float], *, seed: int = 1) -> Answers:
    """Every item in ``SAMPLES`` looks in turn; the chance of a right answer is 0.6 and the look's effect."""
    rng = np.random.default_rng(seed)
    item = np.repeat(np.arange(ITEMS), SAMPLES)
    look = (np.tile(np.arange(SAMPLES), ITEMS) + item) % len(effect_of)
    ease = rng.normal(0, 0.15, ITEMS)[item]
    chance = 0.6 + ease + np.array([effect_of[code] for code in look])
    return Answers(item=item, look=look, correct=(rng.random(len(item)) < chance).astype(np.float64))


def levels(made: Answers, looks: dict[int, dict[str, Any]]) -> dict[tuple[str, Any], estimator.Level]:
    estimated = estimator.factor_levels(made, looks, references=REFERENCES, alpha=0.05)
    return {(level.factor, level.value): level for level in estimated}


def test_the_mixed_model_recovers_the_effect_of_a_factor_and_none_of_another() -> None:
    looks = {
        code: {"font": ("sans", "serif", "mono")[code % 3], "theme": ("light", "dark")[code // 3 % 2]}
        for code in range(12)
    }
    made = answers({code: -0.25 * (look["font"] == "mono") for code, look in looks.items()})

    by_value = levels(made, looks)

    mono, dark = by_value["font", "mono"].effect, by_value["theme", "dark"].effect
    assert mono.low is not None
    assert mono.high is not None
    assert mono.low < -0.25 < mono.high < 0
    assert dark.low is not None
    assert dark.high is not None
    assert dark.low < 0 < dark.high
    assert by_value["font", "sans"].is_reference
    assert by_value["font", "mono"].looks == 4
    right = made.correct[made.look % 3 == 2]
    assert by_value["font", "mono"].mean == pytest.approx(right.mean())


def test_one_factor_at_a_time_is_compared_with_the_neutral_look_alone() -> None:
    looks = {
        0: {"font": "sans", "theme": "light"},
        1: {"font": "mono", "theme": "light"},
        2: {"font": "sans", "theme": "dark"},
    }

    by_value = levels(answers({0: 0.0, 1: -0.3, 2: 0.0}), looks)

    assert by_value["font", "sans"].looks == 1
    assert by_value["font", "mono"].effect.reason == estimator.ONE_LOOK
    assert (by_value["font", "mono"].effect.high or 0) < 0


def test_a_factor_with_too_few_looks_has_no_interval_and_says_so() -> None:
    looks = {
        code: {"font": ("sans", "mono")[code % 2], "theme": ("light", "dark")[code // 2]} for code in range(4)
    }

    effect = levels(answers(dict.fromkeys(looks, 0.0)), looks)["font", "mono"].effect

    assert effect.low is None
    assert "too few looks" in effect.reason


def test_a_model_that_does_not_converge_says_so(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(estimator, "_fit_mixed", lambda *_: None)
    looks = {
        code: {"font": ("sans", "mono")[code % 2], "theme": ("light", "dark")[code % 3 % 2]}
        for code in range(8)
    }

    effect = levels(answers(dict.fromkeys(looks, 0.0)), looks)["font", "mono"].effect

    assert (effect.low, effect.reason) == (None, estimator.NOT_CONVERGED)


def test_answers_that_are_all_alike_have_no_effects() -> None:
    looks = {code: {"font": ("sans", "mono")[code % 2]} for code in range(8)}
    made = answers(dict.fromkeys(looks, 9.0))

    assert levels(made, looks)["font", "mono"].effect.reason == estimator.NO_VARIANCE
    assert all(one.effect.low is None for one in estimator.look_effects(made, alpha=0.05))


def test_looks_are_ordered_by_harm() -> None:
    effects = estimator.look_effects(answers({0: 0.2, 1: -0.3, 2: 0.0, 3: 0.1}), alpha=0.05)

    assert effects[0].look == 1
    assert (effects[0].effect.high or 0) < 0
    assert [one.effect.value for one in effects] == sorted(one.effect.value for one in effects)


def test_p_values_hold_together() -> None:
    assert estimator.holm([0.01, 0.04]) == [0.02, 0.04]
    assert estimator.holm([]) == []


@pytest.mark.django_db
def test_the_extreme_looks_of_a_report_are_named_with_a_wrong_episode() -> None:
    """Wrong in look 3 but for every fifth item, right in look 5, else every second time."""

    def is_right(item: int, sample: int) -> bool:
        return {3: item % 5 == 0, 5: item != 7}.get(sample, (item + sample) % 2 == 0)

    report, _, _ = evaluation(
        {"text_zero_shot": correct_if(is_right), "gym": correct_if(is_right)}, samples=8
    )
    for look in range(LOOKS):
        shown = Episode.objects.filter(presentation_hash=f"look-{look}")
        shown.update(presentation={"wording": f"wording {look}"})

    rows = tables_of(report)["looks"]["rows"]

    ranked = {row["rank"]: row for row in rows if row["rank"]}
    worst, best = ranked["most harmful"], ranked["least harmful"]
    assert (worst, best) == (rows[0], rows[-1])
    assert (worst["look"], best["look"]) == ("wording wording 3", "wording wording 5")
    assert (worst["mean"], best["mean"]) == (20.0, 97.5)
    shown = Episode.objects.filter(pk__in=[worst["episode"], best["episode"]])
    assert {episode.verdict.outcome for episode in shown} == {"incorrect"}
