"""The lists on pages of the documentation match the code."""

from __future__ import annotations

import re

import pytest
from django.conf import settings

from core.episodes import presentation
from tasks_app.families.registry import discover, list_families
from trajectories.record.prompts.templates import PARAPHRASES
from validation.sites import guesses, shortcuts

ROW = re.compile(r"^\| `(\w+)` \| (`.+?`) \|", re.MULTILINE)


def _page(name: str) -> str:
    return (settings.BASE_DIR / "docs" / f"{name}.md").read_text(encoding="utf-8")


def test_the_page_on_looks_lists_every_axis_with_its_values() -> None:
    listed = {axis: re.findall(r"`([^`]+)`", values) for axis, values in ROW.findall(_page("looks"))}
    looks = {axis: [str(value) for value in values] for axis, values in presentation.AXES.items()}
    beside = {axis: listed.pop(axis) for axis in presentation.AXES_BESIDE_LOOKS}
    assert listed == looks
    assert beside["instruction"] == list(PARAPHRASES)
    assert presentation.LOOK_VERSION in _page("looks")


@pytest.mark.parametrize("site", ["stays", "reviews"])
def test_the_page_on_mock_sites_lists_every_family_with_its_splits(site: str) -> None:
    discover()
    row = rf"^\| `{site}` \| `(\w+)` \| ([^|]+) \| ([^|]+) \|$"
    rows = re.findall(row, _page("mock_sites"), re.MULTILINE)
    known = [
        (one.id, one.title, ", ".join(f"`{split}`" for split in one.splits)) for one in list_families(site)
    ]
    assert rows == known


def test_the_page_on_mock_sites_states_the_limits_of_the_checks() -> None:
    limits = dict(
        re.findall(r"^\| [^|]*\| ([^|]+) \| [^|]+ \| (\d+)% \|$", _page("mock_sites"), re.MULTILINE)
    )
    blind = dict.fromkeys(("commonest", "constant", "wording", "cannot"), guesses.MOST_RIGHT)
    expected = {
        **blind,
        "searched": 1 - guesses.LEAST_DIFFERENT,
        "random clicks": shortcuts.MOST_CLICKED,
        "first page": shortcuts.MOST_SEEN,
    }
    assert limits == {name: f"{limit:.0%}".removesuffix("%") for name, limit in expected.items()}
    assert f"fewer than {guesses.LEAST_JUDGED} tasks" in _page("mock_sites")
