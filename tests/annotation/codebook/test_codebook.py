"""Every field of the codebook can be labelled by, and a stored codebook reads as it was."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from trajectories.annotation.codebook import builtin, document
from trajectories.annotation.codebook.registry import FIELDS, codebook_current
from trajectories.annotation.codebook.sources import publications
from trajectories.annotation.codebook.types import Codebook, codebook_read

# Keys of the form that are no answers.
TAKEN = set("nukibo?")


def test_one_file_is_one_field_of_its_name() -> None:
    files = {path.stem for path in Path(builtin.__path__[0]).glob("*.py") if not path.stem.startswith("_")}
    assert set(FIELDS) == files


def test_every_answer_has_a_key_of_its_own() -> None:
    keys = [option.key for field in codebook_current().fields for option in field.options]
    assert len(set(keys)) == len(keys)
    assert TAKEN.isdisjoint(keys)
    assert all(re.fullmatch(r"[a-z0-9]", key) for key in keys)


@pytest.mark.parametrize("field", codebook_current().fields, ids=lambda field: field.id)
def test_every_answer_has_examples_and_known_sources(field: object) -> None:
    for option in field.options:
        assert option.definition, option.id
        assert option.positive, option.id
        assert option.negative, option.id
        assert {source.id for source in option.sources} <= set(publications()), option.id


def test_a_stored_codebook_has_the_same_version() -> None:
    codebook = codebook_current()
    assert codebook_read(codebook.content()).sha256 == codebook.sha256


def test_a_changed_definition_is_another_version() -> None:
    codebook = codebook_current()
    changed = Codebook(unit=codebook.unit + " Or not.", fields=codebook.fields)
    assert changed.sha256 != codebook.sha256


def test_a_codebook_of_a_later_version_can_be_read() -> None:
    content = codebook_current().content()
    content["fields"][0]["colour"] = "blue"
    assert codebook_read(content).fields[0].id == "type"


def test_the_page_of_the_documentation_has_the_current_codebook() -> None:
    assert document.PAGE.read_text("utf-8") == document.page_with_codebook(), "run manage.py write_codebook"
