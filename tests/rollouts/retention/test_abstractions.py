from __future__ import annotations

from pathlib import Path

import pytest

from tests.rollouts.retention.test_prune import _ended, _prune
from trajectories.models import Abstraction


@pytest.fixture(autouse=True)
def _own(own_storages: Path) -> None:
    """Nobody else's files are counted."""


@pytest.mark.django_db(transaction=True)
def test_an_abstraction_stays_without_the_run_and_the_episode_that_wrote_it() -> None:
    episode = _ended()
    abstraction = Abstraction.objects.create(
        task=episode.task, text="Count first.", sha256="ab", author="a", run=episode.run, episode=episode
    )
    _prune("--runs", episode.run_id, "--yes")
    abstraction.refresh_from_db()
    assert (abstraction.run_id, abstraction.episode_id) == (None, None)
