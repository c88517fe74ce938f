from __future__ import annotations

from collections.abc import Callable

from django.contrib.auth.models import User

from tests import factories
from tests.replay.conftest import LabClient

Lab = Callable[[User | None], LabClient]


def test_a_verifier_that_disagrees_is_shown(lab: Lab, annotator: User) -> None:
    episode = factories.episode()
    opinions = {
        "math-v1": {"correct": True, "parsed_answer": "1/2", "parsed_gold": factories.GOLD_CANARY},
        "math_strict-v1": {"correct": False, "parsed_answer": "", "parsed_gold": factories.GOLD_CANARY},
    }
    factories.submission(episode, "0.5")
    factories.verdict(episode, verifier="math-v1", evidence={"verifiers": opinions, "answer": "0.5"})
    html = lab(annotator).get(f"/episodes/{episode.pk}/").content.decode()
    assert "math_strict-v1" in html
    assert factories.GOLD_CANARY not in html
