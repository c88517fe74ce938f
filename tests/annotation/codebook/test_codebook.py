"""Every field of the codebook can be labelled by, and a stored codebook reads as it was."""

from __future__ import annotations

import re
from pathlib import Path

import msgspec
import pytest

from trajectories.annotation.codebook import registry
from trajectories.annotation.codebook.own_fields import KEYS_TAKEN, OwnField
from trajectories.annotation.codebook.registry import build_codebook, load_fields, load_publications
from trajectories.annotation.codebook.types import Codebook, codebook_read
from trajectories.management.commands.write_codebook import PAGE, page_with_codebook
from trajectories.models import AnnotationProject

LEVELS = tuple(AnnotationProject.Level)


FILES = sorted((Path(registry.__file__).parent / "builtin").glob("*.toml"))


@pytest.mark.parametrize("file", FILES, ids=lambda file: file.stem)
def test_one_file_is_one_field_of_its_name_in_the_form_of_a_projects_own(file: Path) -> None:
    data = file.read_bytes()
    (own,) = msgspec.convert([msgspec.toml.decode(data)], list[OwnField])
    assert msgspec.to_builtins(own) == msgspec.to_builtins(load_fields()[file.stem])
    assert own.id == file.stem


@pytest.mark.parametrize("level", LEVELS)
def test_every_answer_has_a_key_of_its_own(level: str) -> None:
    keys = [option.key for field in build_codebook(level).fields for option in field.options]
    assert len(set(keys)) == len(keys)
    assert KEYS_TAKEN[level].isdisjoint(keys)
    assert all(re.fullmatch(r"[a-z0-9]", key) for key in keys)


def test_every_field_is_in_the_codebook_of_its_level() -> None:
    assert [field.id for level in LEVELS for field in build_codebook(level).fields] == [
        "type", "target", "behaviours", "contradiction",
        "success", "loops", "first_wrong_step",
        "better", "why",
    ]  # fmt: skip


def test_mirrored_answers_are_each_others_mirror() -> None:
    for field in load_fields().values():
        mirrors = {option.id: option.mirror for option in field.options if option.mirror}
        assert {mirrors[mirror]: mirror for mirror in mirrors.values()} == mirrors


@pytest.mark.parametrize("field", list(load_fields().values()), ids=lambda field: field.id)
def test_every_answer_has_examples_and_known_sources(field: object) -> None:
    for option in field.options:
        assert option.definition, option.id
        assert option.positive, option.id
        assert option.negative, option.id
        assert {source.id for source in option.sources} <= set(load_publications()), option.id


@pytest.mark.parametrize("level", LEVELS)
def test_a_stored_codebook_has_the_same_version(level: str) -> None:
    codebook = build_codebook(level)
    assert codebook_read(codebook.content()).sha256 == codebook.sha256


def test_what_later_versions_added_is_no_part_of_an_older_codebook() -> None:
    field, *_ = build_codebook().content()["fields"]
    assert {"level", "is_step", "mirror"}.isdisjoint({*field, *field["options"][0]})


def test_a_changed_definition_is_another_version() -> None:
    codebook = build_codebook()
    changed = Codebook(unit=codebook.unit + " Or not.", fields=codebook.fields)
    assert changed.sha256 != codebook.sha256


def test_a_codebook_of_a_later_version_can_be_read() -> None:
    content = build_codebook().content()
    content["fields"][0]["colour"] = "blue"
    assert codebook_read(content).fields[0].id == "type"


def test_the_page_of_the_documentation_has_the_current_codebook() -> None:
    assert PAGE.read_text("utf-8") == page_with_codebook(), "run manage.py write_codebook"


def test_an_empty_set_in_words_differs_from_no_answer() -> None:
    behaviours = build_codebook().field("behaviours")
    wrong = build_codebook("trajectory").field("first_wrong_step")
    assert behaviours is not None
    assert wrong is not None
    assert behaviours.words(["plan", "verify"]) == "Plan, Verify"
    assert behaviours.words([]) == "none"
    assert behaviours.words(None) == ""
    assert behaviours.words(["gone"]) == "gone"
    assert wrong.words(3) == "step 3"
