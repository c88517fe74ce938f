"""A plug-in is one new file in its folder: whatever lists its kind lists that one, and it works."""

from __future__ import annotations

import json
import os
import shutil
import subprocess
import sys
from collections.abc import Callable, Iterator
from pathlib import Path
from types import ModuleType
from typing import Any

import pytest
from django.contrib.auth.models import User

from core.registry import Registry
from palaestra.protocol.grammars import GRAMMARS
from tests.annotation import scene as annotation
from tests.conftest import LabClient
from tests.exports import scene as exports
from trajectories.annotation.agreement.selectors import read_labelled_units
from trajectories.annotation.agreement.table import agreement
from trajectories.annotation.codebook import registry as codebook
from trajectories.annotation.queues import services
from trajectories.exports import builtin as export_kinds
from trajectories.exports.jobs import EXPORTS
from trajectories.exports.registry import KINDS
from trajectories.models import Export, Label

ROOT = Path(__file__).resolve().parent.parent
Lab = Callable[[User | None], LabClient]
Drop = Callable[[ModuleType, Registry[Any], str, str], None]
Overlay = Callable[[dict[str, str], str], str]

EXPORT_KIND = '''
"""Number of steps of each episode."""

from trajectories.exports.registry import export_kind


@export_kind(
    "lengths",
    title="Lengths",
    description="How long each episode is.",
    unit="episode",
    columns={"episode": "integer", "steps": "integer"},
    outcomes=("correct",),
)
def rows(batch):
    for episode in batch.episodes:
        yield {"episode": episode.pk, "steps": episode.steps.count()}
'''

FIELD = """
id = "tone"
rank = 9
level = "step"
title = "Tone"
question = "In which tone is it written?"
test = "Read it aloud."

[[options]]
id = "cheerful"
key = "8"
title = "Cheerful"
definition = "The thought is cheerful."
positive = ["So."]
negative = ["No."]

[[options]]
id = "gloomy"
key = "9"
title = "Gloomy"
definition = "The thought is gloomy."
positive = ["So."]
negative = ["No."]
"""

SPEC = """
from palaestra.protocol.actions import ActionSpec, FieldSpec

TUNE = FieldSpec("tune", "Which.", example="...", is_required=True)
SPEC = ActionSpec("hum", "Hum a tune.", fields=(TUNE,))
"""
ACTION_OF_THE_CLIENT = f"""
{SPEC}
from palaestra.actions.base import Action
from palaestra.actions.fields import TEXT, field


class Hum(Action):
    spec = SPEC
    tune: str = field(TEXT)

    async def perform(self, page):
        return f"You hum {{self.tune}}."
"""
ACTION_OF_THE_SERVER = f"""
{SPEC}
from trajectories.actions.rules import nothing_expected
from trajectories.actions.types import ActionType, register

register(ActionType(spec=SPEC, rule=nothing_expected, object="tune", verbs=("hum",)))
"""
GRAMMAR_RECORD = '_GRAMMARS = (\n    Grammar("shouted", "Shouted", "An action in capital letters."),'
GRAMMAR = '''
"""Actions in capital letters."""

import json

from palaestra.completion import Completion
from palaestra.grammars.base import Grammar, Turn, check_turn


class Shouted(Grammar):
    id = "shouted"

    def parse(self, completion, conditions, *, shown=""):
        return check_turn("", [json.loads(completion.text.lower())], conditions)

    def render(self, declared, *, thought=""):
        return [Completion(text=json.dumps(declared).upper())]
'''


@pytest.fixture
def drop(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> Drop:
    """``drop(package, registry, name, source)`` puts a file into a plug-in folder, as the start finds it."""

    def put(package: ModuleType, registry: Registry[Any], name: str, source: str) -> None:
        (tmp_path / f"{name}.py").write_text(source)
        monkeypatch.setattr(package, "__path__", [*package.__path__, str(tmp_path)])
        monkeypatch.setattr(registry, "_items", dict(registry._items))
        monkeypatch.delitem(sys.modules, f"{package.__name__}.{name}", raising=False)
        registry.discover(package)

    return put


@pytest.fixture
def overlay(tmp_path: Path) -> Overlay:
    """``overlay(files, code)`` runs code in a checkout that differs from this one by those files alone."""

    def link(folder: Path, source: Path) -> None:
        """Make a folder whose contents are links, instead of a link to a folder."""
        if folder.is_symlink() or not folder.exists():
            folder.unlink(missing_ok=True)
            folder.mkdir()
            for entry in source.iterdir():
                (folder / entry.name).symlink_to(entry)

    def run(files: dict[str, str], code: str) -> str:
        checkout = tmp_path / "checkout"
        checkout.mkdir()
        for name in ("core", "gymsite", "tasks_app", "trajectories", "validation", "verifiers", "client"):
            (checkout / name).symlink_to(ROOT / name)
        for name, text in files.items():
            for parent in [*Path(name).parents][-2::-1]:
                link(checkout / parent, ROOT / parent)
            (checkout / name).unlink(missing_ok=True)
            (checkout / name).write_text(text)
        path = f"{checkout}{os.pathsep}{checkout / 'client' / 'src'}"
        environment = {**os.environ, "PYTHONPATH": path, "DJANGO_SETTINGS_MODULE": "gymsite.settings"}
        done = subprocess.run(
            [sys.executable, "-c", code], cwd=checkout, env=environment, capture_output=True, text=True
        )
        assert done.returncode == 0, done.stderr
        return done.stdout

    return run


@pytest.mark.usefixtures("own_storages")
def test_an_export_kind_is_listed_by_the_api_and_written_in_every_format(
    drop: Drop, api: Callable[..., Any]
) -> None:
    drop(export_kinds, KINDS, "lengths", EXPORT_KIND)
    _, listed = api("trainer").json("GET", "/exports/kinds")
    assert [kind["title"] for kind in listed["results"] if kind["id"] == "lengths"] == ["Lengths"]
    episode = exports.played(exports.gym_group(), steps=3)
    for format_ in ("jsonl", "parquet"):
        _, export = api("trainer").json("POST", "/exports", {"kind": "lengths", "format": format_})
        assert EXPORTS.run(export["id"])
    rows = [exports.rows_of(export) for export in Export.objects.filter(parameters__format="jsonl")]
    assert rows == [[{"episode": episode.pk, "steps": 3}]]
    assert [export.result["rows"] for export in Export.objects.all()] == [1, 1]


@pytest.mark.usefixtures("own_storages")
def test_an_export_kind_is_in_the_form_and_has_a_page(drop: Drop, lab: Lab, owner: User) -> None:
    drop(export_kinds, KINDS, "lengths", EXPORT_KIND)
    exports.played(exports.gym_group())
    html = lab(owner).get("/exports/").content.decode()
    assert '<option value="lengths"' in html
    assert "How long each episode is." in html
    assert "Lengths" in lab(owner).get(f"/exports/{exports.exported('lengths').pk}/").content.decode()


@pytest.fixture
def tone(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> Iterator[None]:
    """A codebook with one file more."""
    shutil.copytree(Path(codebook.__file__).parent / "builtin", tmp_path / "builtin")
    (tmp_path / "builtin" / "tone.toml").write_text(FIELD)
    monkeypatch.setattr(codebook, "__file__", str(tmp_path / "registry.py"))
    codebook.load_fields.cache_clear()
    yield
    codebook.load_fields.cache_clear()


@pytest.mark.django_db
@pytest.mark.usefixtures("own_storages", "tone")
def test_a_field_of_the_codebook_is_labelled_and_compared(lab: Lab) -> None:
    people = [annotation.labeller(name) for name in ("ana", "ben")]
    project = annotation.project(*people, of=annotation.episodes(1, steps=1))
    html = lab(people[0]).get(f"/annotation/{project.pk}/queue").content.decode()
    assert "In which tone is it written?" in html
    assert 'value="gloomy"' in html
    for person, tone in zip(people, ("cheerful", "gloomy"), strict=True):
        slot = services.slot_next(annotation.annotator(project, person).pk)
        annotation.label(slot, values={**annotation.COMPLETE, "tone": tone})
    assert sorted(label.values["tone"] for label in Label.objects.all()) == ["cheerful", "gloomy"]
    compared = {
        row.field.id: row for row in agreement(read_labelled_units(project), codebook.build_codebook())
    }
    assert [title.title for title in compared["tone"].answers] == ["Cheerful", "Gloomy"]


def test_an_action_is_a_file_on_each_side_and_offered_in_every_grammar(overlay: Overlay) -> None:
    """Each file gives the same spec; no table needs a line."""
    files = {
        "client/src/palaestra/actions/hum.py": ACTION_OF_THE_CLIENT,
        "trajectories/actions/builtin/hum.py": ACTION_OF_THE_SERVER,
    }
    code = """
import asyncio, django, json
django.setup()
from palaestra.actions import ACTIONS, action_perform
from palaestra.grammars import GRAMMARS
from palaestra.protocol.offers import conditions_of
from trajectories.lab.search.form import SearchForm
from trajectories.rollouts.episodes.step_records import action_description
from trajectories.shell.text.actions import action_phrase

hum = {"type": "hum", "tune": "an aria"}
conditions = conditions_of(has_page=True, has_ids=True, has_positions=True)
turns = {id: grammar.parse(grammar.render(hum)[0], conditions) for id, grammar in GRAMMARS.items()}
phrase = action_phrase(hum)
print(json.dumps({
    "parsed": {id: turn.declared for id, turn in turns.items()},
    "performed": asyncio.run(action_perform(None, turns["json"].action)).message,
    "tools": [tool["function"]["name"] for tool in GRAMMARS["functions"].tools(conditions)],
    "described": action_description(),
    "searched": dict(SearchForm.base_fields["action"].choices).keys() >= {"hum"},
    "phrase": [phrase.verb, phrase.what],
}))
"""
    result = json.loads(overlay(files, code))
    assert result["parsed"] == {grammar: {"type": "hum", "tune": "an aria"} for grammar in GRAMMARS}
    assert result["performed"] == "You hum an aria."
    assert "hum" in result["tools"]
    assert "`hum` (`tune`)" in result["described"]
    assert result["searched"]
    assert result["phrase"] == ["hum", "an aria"]


def test_a_grammar_is_a_file_a_record_and_its_words(overlay: Overlay) -> None:
    record, words = "client/src/palaestra/protocol/grammars.py", "trajectories/record/prompts/v7.toml"
    texts = {name: (ROOT / name).read_text() for name in (record, words)}
    files = {
        record: texts[record].replace("_GRAMMARS = (\n", f"{GRAMMAR_RECORD}\n"),
        words: texts[words].replace("\n[acts]\n", '\n[acts]\nshouted = "Shout."\n'),
        "client/src/palaestra/grammars/shouted.py": GRAMMAR,
    }
    code = """
import django, json, msgspec
django.setup()
from palaestra.commands import parser_make
from palaestra.grammars import get_grammar
from palaestra.protocol.offers import conditions_of
from trajectories.models import Run
from trajectories.record.prompts.interface import agent_blocks, setup_of
from trajectories.record.prompts.templates import Template
from trajectories.rollouts.runs.records import RunIn

setup = setup_of(Run(grammar="shouted"), arm="gym", channel="page")
facts = dict(form="line", is_site=False, has_tools=False, max_steps=5)
act = "Shout." in agent_blocks(Template("prompts-v7a").words, setup, **facts)[0]
line = "run --model m --benchmark gsm8k --grammar shouted"
back, grammar = {"type": "back"}, get_grammar("shouted")
print(json.dumps({
    "parsed": grammar.parse(grammar.render(back)[0], conditions_of(has_page=True)).declared,
    "chosen": parser_make().parse_args(line.split()).grammar,
    "run": msgspec.convert({"name": "r", "kind": "eval", "grammar": "shouted"}, RunIn).grammar,
    "act": act,
}))
"""
    assert json.loads(overlay(files, code)) == {
        "parsed": {"type": "back"},
        "chosen": "shouted",
        "run": "shouted",
        "act": True,
    }
