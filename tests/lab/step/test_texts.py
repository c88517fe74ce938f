"""The texts of a step."""

from __future__ import annotations

import pytest

from tests import factories
from trajectories.lab.step.texts import StepTexts

pytestmark = pytest.mark.django_db


@pytest.mark.parametrize("more", [{"env_ms": 123.0}, {}])
def test_the_keys_of_element_ids_are_not_shown(more: dict[str, float]) -> None:
    step = factories.step(factories.episode(), 1, more={**more, "element_ids": "1a 2b"})
    assert "1a" not in StepTexts(step=step).more.html
    assert ("env_ms" in StepTexts(step=step).more.html) == bool(more)
