"""Runs whose pages were read without a browser say so."""

from __future__ import annotations

import pytest
from django.contrib.auth.models import User

from tests import factories
from tests.lab.test_pages import Lab

pytestmark = pytest.mark.django_db


@pytest.mark.parametrize("browser", ["lite", "chromium"])
def test_a_run_without_a_browser_is_marked_with_its_episodes_and_steps(
    browser: str, lab: Lab, owner: User
) -> None:
    run = factories.run(settings={"browser": browser})
    episode = factories.episode(run=run)
    factories.step(episode, 1)
    for address in (f"/runs/{run.pk}/", f"/episodes/{episode.pk}/", f"/episodes/{episode.pk}/steps/1"):
        html = lab(owner).get(address).content.decode()
        assert (">no browser<" in html) is (browser == "lite"), address
