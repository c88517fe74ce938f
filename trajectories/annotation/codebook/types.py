"""Contents of a codebook. Each project keeps its own copy, so later changes to the files do not affect it."""

from __future__ import annotations

import hashlib
from functools import cached_property
from typing import Any

import msgspec
from msgspec import Struct

from trajectories.models import CodebookVersion

STEP = "step"
VERSION_CHARS = 8
DECODED = "_decoded"
# Attributes that were added to fields and answers later, each with the value that older codebooks imply.
# Stored codebooks omit them at that value, so that the hashes of older codebooks stay the same.
_FIELD_BEFORE: dict[str, Any] = {"level": STEP}
_OPTION_BEFORE: dict[str, Any] = {"is_step": False, "mirror": ""}


class Source(Struct, frozen=True, kw_only=True):
    """A publication on which an answer is based; ``note`` says which part of it."""

    id: str
    note: str = ""


class Option(Struct, frozen=True, kw_only=True):
    """An answer to a field; ``key`` selects it. It applies to ``positive`` texts, not to ``negative`` ones.

    An answer that ``ends`` the form makes all other fields superfluous. ``needs_note`` requires a reason,
    ``marks_span`` requires the annotator to mark the sentences concerned, and ``links_step`` offers a choice
    of the step that carries out what the thought announces. ``is_step`` stands for a step number. ``mirror``
    is the answer with the same meaning when the two members of a pair swap places.
    """

    id: str
    key: str
    title: str
    definition: str
    positive: list[str]
    negative: list[str]
    sources: list[Source] = []
    ends: bool = False
    needs_note: bool = False
    marks_span: bool = False
    links_step: bool = False
    is_step: bool = False
    mirror: str = ""


class Field(Struct, frozen=True, kw_only=True):
    """A question about a unit, with one answer, or any number of answers if it ``is_set``.

    ``level`` is the level of the projects that ask it (``AnnotationProject.Level``).
    """

    id: str
    rank: int
    title: str
    question: str
    options: list[Option]
    test: str = ""
    is_set: bool = False
    level: str = STEP

    @property
    def step_option(self) -> Option | None:
        """The answer that stands for a step number, if the field has one."""
        return next((option for option in self.options if option.is_step), None)

    def words(self, answer: Any) -> str:
        """Render an answer in words; empty if there is no answer."""
        if answer is None:
            return ""
        titles = {option.id: option.title for option in self.options}
        given = answer if isinstance(answer, list) else [answer]
        words = [f"step {one}" if isinstance(one, int) else titles.get(one, str(one)) for one in given]
        return ", ".join(words) or "none"

    @property
    def is_preference(self) -> bool:
        """True if the field asks which member of a pair is preferred."""
        return any(option.mirror for option in self.options)


class Codebook(Struct, frozen=True, kw_only=True, dict=True):
    """A codebook: the definition of its ``unit``, and its ``fields`` in the order of the form."""

    unit: str
    fields: list[Field]

    @cached_property
    def sha256(self) -> str:
        """The codebook's version: a hash of everything that annotators read."""
        return hashlib.sha256(msgspec.json.encode(self.content())).hexdigest()

    @property
    def version(self) -> str:
        """The shortened version that pages show."""
        return self.sha256[:VERSION_CHARS]

    def field(self, field_id: str) -> Field | None:
        return next((field for field in self.fields if field.id == field_id), None)

    def content(self) -> Any:
        """Return the codebook as JSON that ``codebook_read`` decodes."""
        content = msgspec.to_builtins(self)
        for field in content["fields"]:
            _drop(field, _FIELD_BEFORE)
            for option in field["options"]:
                _drop(option, _OPTION_BEFORE)
        return content


def codebook_read(content: Any) -> Codebook:
    """Decode a stored codebook, dropping entries that this version of the code does not know."""
    return msgspec.convert(content, Codebook)


def load_codebook(version: CodebookVersion) -> Codebook:
    """Return the codebook of a stored version; each model instance decodes it only once."""
    known: Codebook | None = getattr(version, DECODED, None)
    if known is None:
        known = codebook_read(version.content)
        setattr(version, DECODED, known)
    return known


def _drop(entry: dict[str, Any], before: dict[str, Any]) -> None:
    for name, value in before.items():
        if entry[name] == value:
            del entry[name]
