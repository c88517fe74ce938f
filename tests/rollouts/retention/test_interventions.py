from __future__ import annotations

from pathlib import Path

import pytest

from tests import factories
from tests.rollouts.retention.test_prune import _ended, _prune
from trajectories.models import Intervention


@pytest.fixture(autouse=True)
def _own(own_storages: Path) -> None:
    """Nobody else's files are counted."""


@pytest.mark.django_db(transaction=True)
def test_an_intervention_goes_with_its_continuations_and_not_with_their_parent() -> None:
    run, other = factories.run(), factories.run()
    parent = _ended(run=run)
    fork = _ended(run=other, parent=parent)
    factories.intervention(parent, group=fork.group)

    _prune("--runs", run.pk, "--yes")
    assert Intervention.objects.get().group == fork.group

    _prune("--runs", other.pk, "--yes")
    assert not Intervention.objects.exists()
