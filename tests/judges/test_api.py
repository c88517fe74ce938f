"""Judges as keys read them."""

from __future__ import annotations

from collections.abc import Callable

import msgspec
import pytest

from palaestra.records.rewards import Judge as Known
from tests.conftest import ApiClient
from tests.judges.scene import toml
from trajectories.judges.certification import Figures
from trajectories.judges.rates import Pair, measurement_of
from trajectories.judges.services import judge_store
from trajectories.models import JudgeAttack, JudgeCertification

pytestmark = pytest.mark.django_db


def test_what_a_judge_was_measured_at_is_published_and_its_address_is_not(
    api: Callable[..., ApiClient],
) -> None:
    judge, _ = judge_store(toml())
    pairs = [Pair(people=people, judge=people) for people in (True, False) for _ in range(50)]
    figures = Figures(units=100, without_label=0, without_grade=0, measurement=measurement_of(pairs))
    JudgeCertification.objects.create(
        judge=judge, criterion="grounded", figures=msgspec.to_builtins(figures), is_certified=True
    )
    JudgeAttack.objects.create(
        judge=judge, criterion="grounded", is_open=True, attempts=30, is_fooled=False, figures=[]
    )
    status, answer = api("read").json("GET", "/rewards/judges")
    assert status == 200
    assert "judge.test" not in str(answer)
    (known,) = msgspec.convert(answer["results"], list[Known])
    assert (known.name, known.sha256, known.model) == ("strict", judge.sha256, "m")
    grounded, direct = known.criteria
    assert (grounded.component, grounded.is_certified, grounded.is_fooled) == (
        "judge/strict/grounded",
        True,
        False,
    )
    assert grounded.problems == []
    assert grounded.true_positive is not None
    assert (grounded.true_positive.value, grounded.true_positive.units) == (1.0, 50)
    assert grounded.true_positive.low > 0.9
    assert (direct.is_certified, direct.true_negative, direct.attempts_attacked) == (None, None, 0)
    assert "has not been compared with people's labels" in direct.problems[0]
