from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

from trajectories.reports.estimators import gaps
from trajectories.reports.training.differences import double_difference
from validation import evaluations, intervals, transfers

REPLICATES = 60


def test_intervals_over_items_and_looks_cover_the_truth() -> None:
    tallies = {
        tally.method: tally
        for tally in evaluations.coverage(evaluations.REGIMES[0], replicates=REPLICATES, seed=3)
    }

    for method in ("accuracy, text", "accuracy, page", "gap", "odds ratio"):
        share = tallies[method].share
        assert share is not None
        assert share >= 0.85, method


def test_the_simulation_sees_an_interval_that_is_too_narrow() -> None:
    """An interval over items alone, on three looks, does not cover what all looks would give."""
    regime = replace(evaluations.REGIMES[0], looks=3, samples=3, look_sd=1.5)
    tallies = {tally.method: tally for tally in evaluations.coverage(regime, replicates=REPLICATES, seed=3)}
    assert tallies["gap"].share is not None  # on these looks, which it covers
    hits = 0
    rng = np.random.default_rng(3)
    for _ in range(REPLICATES):
        drawn = evaluations.draw(regime, rng)
        pair = gaps.pair_of(drawn.text, drawn.page)
        estimate = gaps.gap(pair)
        hits += estimate.low <= drawn.truth_text - drawn.truth_page <= estimate.high

    assert hits / REPLICATES < tallies["gap"].share - 0.2


def test_the_command_simulates_a_regime_in_processes_and_writes_the_page(tmp_path: Path) -> None:
    page = tmp_path / "intervals.md"

    arguments = ["--replicates", "100", "--processes", "1", "--regime", "one sample", "--write", str(page)]
    intervals.main(arguments)

    (row,) = (line for line in page.read_text().splitlines() if line.startswith("| one sample"))
    shares = [float(cell.strip(" *")) for cell in row.split("|")[2:-1] if cell.strip(" *") != "–"]
    assert len(shares) == 9
    assert all(share >= 85 for share in shares[:5])
    assert all(share <= 15 for share in shares[5:])


def test_the_interval_of_a_change_beyond_that_of_text_covers_the_truth() -> None:
    tallies = {
        tally.method: tally for tally in transfers.transfers_simulate(transfers.TRANSFER_REGIMES[0], seed=3)
    }

    for method, tally in tallies.items():
        assert tally.share is not None, method
        is_interval = method.endswith("interval")
        assert tally.share >= 0.88 if is_interval else tally.share <= 0.12, method


def test_a_large_simulation_has_the_change_that_is_the_truth() -> None:
    regime = replace(transfers.TRANSFER_REGIMES[0], items=20_000, looks=5_000)
    text, page = transfers.changes_draw(regime, np.random.default_rng(1))

    for change in (text, page):
        assert gaps.gap(change.pair).value == pytest.approx(change.truth, abs=0.01)
    beyond = double_difference(page.pair, text.pair)
    assert beyond.value == pytest.approx(page.truth - text.truth, abs=0.015)
    assert page.truth - text.truth > 0.05
