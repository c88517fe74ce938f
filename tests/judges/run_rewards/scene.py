"""A run whose episodes are paid by a profile, for tests of pages."""

from __future__ import annotations

from typing import Any

from tests import factories
from tests.rewards.test_components import acted, unread
from trajectories.models import PolicyVersion, Run
from trajectories.record.projects import EVERYTHING, Viewer
from trajectories.rewards.profiles.store import profile_store

SHAPED = {
    "name": "shaped",
    "shape": "per_step",
    "terms": [
        {"component": "outcome"},
        {"component": "syntax", "weight": 0.2, "negative": -1},
        {"component": "executed", "weight": 0.1, "gate": {"term": "syntax", "at_least": 0.5}},
    ],
}
# With this profile, a wrong answer can be paid more than a correct one.
LOOSE = {
    "name": "loose",
    "allow_shaping_over_outcome": True,
    "terms": [
        {"component": "outcome", "weight": 0.5},
        {"component": "syntax", "weight": 2, "schedule": [{"trainer_step": 1000, "factor": 0.25}]},
    ],
}


def stored(body: dict[str, Any], *, viewer: Viewer = EVERYTHING) -> str:
    """Store a profile, and return its ``name@hash``."""
    return profile_store(body, viewer=viewer)[0].reference


def paid_run(*, versions: int = 1, samples: int = 4, **fields: Any) -> Run:
    """Create a run with one group per version.

    The samples are, in turn, correct but sometimes unreadable, wrong but always readable, and correct and
    readable. If there are at least three, the last one is void.
    """
    run = factories.run(kind="train", **fields)
    task = factories.task()
    for version in range(1, versions + 1):
        PolicyVersion.objects.create(run=run, version=version, trainer_step=version * 500)
        group = factories.group(run=run, task=task, policy_version=version)
        for sample in range(samples):
            episode = factories.episode(group=group, policy_version=version)
            acted(episode, 1)
            if sample % 3 == 0:
                unread(episode, 2)
            outcome = (
                "void" if sample > 1 and sample == samples - 1 else ("correct", "incorrect")[sample % 3 == 1]
            )
            factories.verdict(episode, outcome)
    return run
