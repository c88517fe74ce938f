from __future__ import annotations

import re
from collections.abc import Callable
from pathlib import Path

from django.conf import settings
from django.contrib.staticfiles import finders

from core.assets import folder_version
from tests import factories
from tests.conftest import ArenaClient

LINKS = re.compile(r'(?:href|src)="(/static/[^"]+)"')


def test_a_changed_or_renamed_file_is_another_version(tmp_path: Path) -> None:
    (tmp_path / "a.css").write_text("a")
    first = folder_version(tmp_path)
    (tmp_path / "a.css").rename(tmp_path / "b.css")
    second = folder_version(tmp_path)
    (tmp_path / "b.css").write_text("b")

    assert len({first, second, folder_version(tmp_path)}) == 3


def test_every_asset_a_page_links_to_exists_in_the_current_version(
    arena_client: ArenaClient, address: Callable[..., str]
) -> None:
    task = factories.task(payload={"text": "$x$", "format": "latex"})
    links = LINKS.findall(arena_client.get(address(factories.episode(task=task))).content.decode())
    version = f"/static/{folder_version(settings.BASE_DIR / 'static')}/"

    assert len(links) >= 7
    for link in links:
        assert link.startswith(version)
        assert finders.find(link.removeprefix(version)) is not None


def test_fonts_named_by_the_style_sheet_exist() -> None:
    folder = settings.BASE_DIR / "static" / "vendor" / "katex"
    names = re.findall(r"url\(([^)]+)\)", (folder / "katex.min.css").read_text())

    assert len(names) == 20
    assert all((folder / name).is_file() for name in names)
