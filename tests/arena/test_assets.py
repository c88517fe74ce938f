from __future__ import annotations

import re
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from django.conf import settings
from django.contrib.staticfiles import finders

from core.episodes.presentation import Look
from core.web.assets import files_version, find_imports
from tests import factories
from tests.conftest import ArenaClient
from tests.reviews_shop import episode_of, task_of

LINKS = re.compile(r'(?:href|src)="(/static/[^"]+)"')


def test_a_changed_or_renamed_file_is_another_version(tmp_path: Path) -> None:
    (tmp_path / "a.css").write_text("a")
    first = files_version([tmp_path])
    (tmp_path / "a.css").rename(tmp_path / "b.css")
    second = files_version([tmp_path])
    (tmp_path / "b.css").write_text("b")

    assert len({first, second, files_version([tmp_path])}) == 3


def test_every_asset_a_page_links_to_exists_in_the_current_version(
    arena_client: ArenaClient, address: Callable[..., str]
) -> None:
    task = factories.task(payload={"text": "$x$", "format": "latex"})
    links = LINKS.findall(arena_client.get(address(factories.episode(task=task))).content.decode())
    version = f"/static/{files_version(settings.STATICFILES_DIRS)}/"

    assert len(links) >= 7
    for link in links:
        assert link.startswith(version)
        assert finders.find(link.removeprefix(version)) is not None


def test_imports_are_listed_however_deep_and_in_the_order_of_execution(tmp_path: Path, settings: Any) -> None:
    settings.STATICFILES_DIRS = [tmp_path]
    finders.get_finder.cache_clear()
    (tmp_path / "shared").mkdir()
    (tmp_path / "page.js").write_text(
        'import "./first.js";\nimport {\n  second,\n} from "./shared/second.js";\n'
    )
    (tmp_path / "first.js").write_text('import * as all from "./shared/second.js";\n')
    (tmp_path / "shared" / "second.js").write_text(
        '// import "./none.js";\nexport const second = "./none.js";\n'
    )

    assert find_imports("page.js") == ("shared/second.js", "first.js")
    finders.get_finder.cache_clear()


def test_every_import_of_a_script_exists() -> None:
    scripts = {
        path.relative_to(folder).as_posix()
        for folder in settings.STATICFILES_DIRS
        for path in (folder / "js").rglob("*.js")
    }
    assert max(len(find_imports(script)) for script in scripts) >= 17


@pytest.mark.parametrize(("paging", "recording"), [("pages", "events"), ("more", "full")])
def test_a_page_links_to_all_that_its_scripts_import_so_that_none_is_fetched_late(
    arena_client: ArenaClient, address: Callable[..., str], paging: str, recording: str
) -> None:
    episode = episode_of(task_of(), look=Look(paging=paging), recording=recording)
    html = arena_client.get(address(episode)).content.decode()
    modules = {link.split("/", 3)[3] for link in re.findall(r'<script type="module" src="([^"]+)"', html)}

    assert {name for module in modules for name in find_imports(module)} <= modules


def test_fonts_named_by_the_style_sheet_exist() -> None:
    folder = settings.BASE_DIR / "static" / "vendor" / "katex"
    names = re.findall(r"url\(([^)]+)\)", (folder / "katex.min.css").read_text())

    assert len(names) == 20
    assert all((folder / name).is_file() for name in names)
