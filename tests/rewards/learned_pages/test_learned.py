"""The pages of learned rewards: their cards, and which may pay."""

from __future__ import annotations

import re
from collections.abc import Callable
from html import unescape
from typing import Any

import pytest

from tests.conftest import LabClient
from tests.rewards.learned.planted import stored
from trajectories.models import RewardModel

pytestmark = pytest.mark.django_db
Read = Callable[[str], str]


@pytest.fixture
def read(lab: Callable[[Any], LabClient], owner: Any) -> Read:
    """A page's text in one line."""
    client = lab(owner)

    def text(path: str) -> str:
        response = client.get(path)
        assert response.status_code == 200
        source = response.content.decode().partition("<main")[2]
        return " ".join(unescape(re.sub(r"<[^>]+>", " ", source)).split())

    return text


def test_without_models_the_list_says_what_fits_one(read: Read) -> None:
    assert "manage.py fit_reward NAME fits one" in read("/rewards/learned/")


def test_the_list_says_which_may_pay_page_by_page(read: Read, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("trajectories.rewards.learned.pages.page.MODELS_PER_PAGE", 1)
    good, weak = stored(low=0.8), stored(low=0.7)
    first = read("/rewards/learned/")
    assert f"{weak.component} 1 0.7 to 1" in first
    assert good.component not in first
    second = read(f"/rewards/learned/?cursor={RewardModel.objects.get(sha256=weak.sha256).pk}")
    assert re.search(rf"{good.component} 1 0\.8 to 1 \S+ yes", second)


def test_a_row_that_was_not_fitted_here_is_listed_as_refused(read: Read) -> None:
    model = stored()
    RewardModel.objects.update(name="else", card={**RewardModel.objects.get().card, "people": 7})
    text = read("/rewards/learned/")
    assert "its content does not match its hash" in text
    assert model.component not in text


def test_the_card_says_what_was_measured_and_why_it_may_not_pay(read: Read) -> None:
    model = stored(low=0.7)
    text = read(f"/rewards/learned/{model.id}/")
    card = model.card
    assert f"Data {card.data_sha256}" in text
    assert (
        "lower end of the 95% interval of its AUROC on held-out tasks is 0.700, but must be at least 0.75"
        in text
    )
    assert "Successes by score" in text
    assert [f"{one.share:.0%} {one.episodes}" in text for one in card.calibration] == [True] * 10
    for attack in card.attacks:
        assert f"{attack.name} " in text
        assert attack.description in text
    for warning in card.warnings:
        assert warning in text


def test_a_model_that_may_pay_says_so(read: Read) -> None:
    text = read(f"/rewards/learned/{stored(low=0.8).id}/")
    assert "A training run's profile may use this model" in text
    assert "is needed" not in text


def test_there_is_no_card_of_a_part_of_an_id(lab: Callable[[Any], LabClient], owner: Any) -> None:
    model = stored()
    for wrong in (model.id[:6], model.sha256, "0" * 12):
        assert lab(owner).get(f"/rewards/learned/{wrong}/").status_code == 404
