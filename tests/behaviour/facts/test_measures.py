"""A measure is declared once; pages, exports and the API read the table."""

from __future__ import annotations

import pytest

from trajectories.behaviour.facts.measures import MEASURES, Measure
from trajectories.lab.search.exports import COLUMNS
from trajectories.models import EpisodeFacts, StepFacts


@pytest.mark.parametrize("measure", MEASURES, ids=lambda measure: measure.column)
def test_a_measure_has_a_column_of_steps_and_one_of_episodes(measure: Measure) -> None:
    assert measure.column in {field.name for field in StepFacts._meta.concrete_fields}
    assert measure.total_column in {field.name for field in EpisodeFacts._meta.concrete_fields}


@pytest.mark.parametrize("measure", MEASURES, ids=lambda measure: measure.column)
def test_a_measure_is_exported(measure: Measure) -> None:
    assert measure.total_column in COLUMNS
