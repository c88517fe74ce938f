"""Label fields of one project: read from files, checked, and added to its codebook."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from core.errors import GymError
from tests.annotation import scene
from trajectories.annotation.codebook.own_fields import extend_codebook, fields_read
from trajectories.annotation.codebook.registry import build_codebook
from trajectories.annotation.codebook.types import codebook_read

DOCUMENT = Path(__file__).resolve().parents[3] / "docs" / "annotation.md"


def field(**changes: Any) -> dict[str, Any]:
    options = [
        {
            "id": name,
            "key": key,
            "title": name.capitalize(),
            "definition": f"The tone is {name}.",
            "positive": ["Like this."],
            "negative": ["Not like this."],
        }
        for name, key in (("sure", "t"), ("doubtful", "y"))
    ]
    return {"id": "tone", "title": "Tone", "question": "How sure is it?", "options": options, **changes}


def read(*fields: dict[str, Any]) -> list[Any]:
    return fields_read("own.json", json.dumps({"fields": fields}).encode())


def test_own_fields_follow_those_of_every_project() -> None:
    codebook = extend_codebook("step", read(field()))
    assert [one.id for one in codebook.fields] == [*(one.id for one in build_codebook().fields), "tone"]
    assert codebook_read(codebook.content()).sha256 == codebook.sha256 != build_codebook().sha256
    assert extend_codebook("step", []).sha256 == build_codebook().sha256


def test_the_example_of_the_documentation_can_be_read() -> None:
    example = DOCUMENT.read_text().partition("```toml\n")[2].partition("```")[0]
    fields = fields_read("example.toml", example.encode())
    assert [one.title for one in extend_codebook("step", fields).fields][-1] == fields[0].title


@pytest.mark.django_db
def test_a_project_keeps_its_own_fields_and_labels_them() -> None:
    user = scene.labeller("ana")
    project = scene.project(user, own_fields=read(field()))
    other = scene.project(user, name="Without")
    assert "tone" in [one["id"] for one in project.codebook.content["fields"]]
    assert project.codebook_id != other.codebook_id


def option(number: int, **changes: Any) -> Callable[[dict[str, Any]], object]:
    return lambda one: one["options"][number].update(changes)


@pytest.mark.parametrize(
    ("spoil", "sentence"),
    [
        (lambda one: one.update(id="Tone!"), "this name is not allowed"),
        (lambda one: one.update(id="note"), "this name is not allowed"),
        (lambda one: one.update(colour="red"), "unknown field `colour` - at `$.fields[0]`"),
        (lambda one: one.pop("question"), "missing required field `question`"),
        (lambda one: one.update(question=" "), "question is empty"),
        (lambda one: one.update(title="x" * 81), "title has 81 characters; the limit is 80"),
        (lambda one: one.update(options=one["options"][:1]), "1 answers; a question has two to 30"),
        (option(1, key="shift"), "answer “doubtful”: the key “shift”"),
        (option(1, negative=[]), "give at least one text"),
        (option(1, definition="a\0"), "definition contains the character NUL"),
        (option(0, sources=[{"id": "cook_2010"}]), "Did you mean cooke_2010"),
        (option(0, mirror="other"), "“mirror” is possible only at the level “pair”"),
        (option(0, is_step=True), "“is_step” is possible only at the level “trajectory”"),
        (option(0, shade=1), "unknown field `shade` - at `$.fields[0].options[0]`"),
    ],
)
def test_a_field_that_cannot_be_used_is_named(spoil: Callable[[Any], object], sentence: str) -> None:
    made = field()
    spoil(made)
    with pytest.raises(GymError) as refusal:
        read(made)
    assert sentence in refusal.value.message
    assert refusal.value.message.startswith("own.json: ")


@pytest.mark.parametrize(
    ("spoil", "sentence"),
    [
        (lambda one: one.update(id="type"), "already the name of “Type”, which every project has"),
        (lambda one: one.update(level="pair"), "for projects at level pair"),
        (option(0, key="q"), "the key “q” of “Sure” of “Tone” is already that of “The problem” of “Target”"),
        (option(0, key="k"), "is already that of a command of the form. Free keys: f g h"),
        (option(0, key="y"), "the key “y” of “Doubtful” of “Tone” is already that of “Sure” of “Tone”"),
        (option(0, id="doubtful"), "lists the answer “doubtful” twice"),
        (option(0, id="plan"), "“Plan” of “Behaviours” links a step"),
    ],
)
def test_what_collides_is_named(spoil: Callable[[Any], object], sentence: str) -> None:
    made = field()
    spoil(made)
    with pytest.raises(GymError) as refusal:
        extend_codebook("step", read(made))
    assert sentence in refusal.value.message


@pytest.mark.parametrize(
    ("name", "data", "sentence"),
    [
        ("a.toml", b"[[fields]\n", "line 1"),
        ("a.json", b'{"fields": [\n}', "line 2"),
        ("a.json", b"[]", "Expected `object`"),
        ("a.json", b"[" * 100_000, "Expected `object`"),
        ("a.yaml", b"fields: []", "neither with .toml nor with .json"),
        ("a.toml", b"\xff", "codec"),
        ("a.toml", b" " * 300_000, "the limit is 262,144"),
    ],
)
def test_a_file_that_cannot_be_read_says_where(name: str, data: bytes, sentence: str) -> None:
    with pytest.raises(GymError, match=sentence):
        fields_read(name, data)
