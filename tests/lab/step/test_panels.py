"""The sections below a step."""

from __future__ import annotations

import pytest

from tests import factories
from trajectories.lab.step.page import build_panels

pytestmark = pytest.mark.django_db


def test_a_digit_opens_the_same_section_on_every_step() -> None:
    step = factories.step(factories.episode())
    few = build_panels(
        step.episode, step, counts={"page": 0, "server": 0, "programs": 0}, matches={}, has_facts=False
    )
    all_of_them = build_panels(
        step.episode, step, counts={"page": 1, "server": 1, "programs": 1}, matches={}, has_facts=True
    )
    keys = {panel.id: panel.key for panel in all_of_them}
    assert len(set(keys.values())) == len(all_of_them)
    assert {panel.id: panel.key for panel in few}.items() <= keys.items()
    assert "2" not in keys.values()  # opens the DOM replay
