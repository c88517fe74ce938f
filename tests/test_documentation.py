"""What the documentation says of the code is there."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from deploy import architecture
from tasks_app.families.registry import FAMILIES, discover
from tests.test_house_rules import ROOT

CLIENT_PAGE = ROOT / "client" / "README.md"
CHANGELOG = ROOT / "CHANGELOG.md"
PAGES = [
    ROOT / "README.md",
    ROOT / "CONTRIBUTING.md",
    CHANGELOG,
    CLIENT_PAGE,
    *sorted((ROOT / "docs").rglob("*.md")),
]
# Not the decisions and the changelog: they also name what was there before. The client's page has its own.
CODE_PAGES = [
    page for page in PAGES if page not in (CLIENT_PAGE, CHANGELOG) and page.parent.name != "decisions"
]
LINK = re.compile(r"\]\(([^)#\s]+)(?:#[^)]*)?\)")
ROOMS = "client|core|deploy|docs|gymsite|static|tasks_app|tests|trajectories|validation|verifiers"
PATH = re.compile(rf"`((?:{ROOMS})/[\w./-]*)`")


def _name(page: Path) -> str:
    return str(page.relative_to(ROOT))


@pytest.mark.parametrize("page", PAGES, ids=_name)
def test_links_lead_to_files(page: Path) -> None:
    links = [link for link in LINK.findall(page.read_text("utf-8")) if "://" not in link]
    assert [link for link in links if not (page.parent / link).exists()] == []


@pytest.mark.parametrize("page", CODE_PAGES, ids=_name)
def test_paths_exist(page: Path) -> None:
    paths = set(PATH.findall(page.read_text("utf-8")))
    assert sorted(path for path in paths if not (ROOT / path).exists()) == []


def test_the_oracle_has_solved_every_family_in_every_format() -> None:
    discover()
    table = (ROOT / "docs" / "oracle.md").read_text("utf-8")
    rows = {
        name: cells.split(" | ") for name, cells in re.findall(r"^\| (\w+: \w+) \| (.+) \|$", table, re.M)
    }
    assert rows.keys() == {f"{plugin.site}: {family}" for family, plugin in FAMILIES.items()}
    assert [name for name, steps in rows.items() if not all(map(str.isdecimal, steps))] == []


def test_the_picture_of_the_architecture_is_current() -> None:
    drawn = architecture.picture_draw()
    assert architecture.PICTURE.read_text("utf-8") == drawn, "run python -m deploy.architecture"
