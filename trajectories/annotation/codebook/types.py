"""Contents of a codebook. A project keeps a copy, which outlives the files that it was made from."""

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
# Attributes that later versions added to fields and answers, each with the value that older ones imply. A
# stored codebook leaves them out at that value.
_FIELD_BEFORE: dict[str, Any] = {"level": STEP}
_OPTION_BEFORE: dict[str, Any] = {"is_step": False, "mirror": ""}


class Source(Struct, frozen=True, kw_only=True):
    """A publication from which a label comes; ``note`` says which part of it."""

    id: str
    note: str = ""


class Option(Struct, frozen=True, kw_only=True):
    """An answer to a field. ``key`` chooses it; ``positive`` texts have it, ``negative`` ones do not.

    After an answer that ``ends`` the form nothing else is asked of the unit. ``needs_note`` wants a reason,
    ``marks_span`` the sentences that the answer is about, ``links_step`` offers the step that carries it out.
    An answer that ``is_step`` is the number of a step. ``mirror`` is the answer that says the same when the
    two of a pair change places.
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

    ``level`` is that of the projects whose codebook has it (``AnnotationProject.Level``).
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
        """The answer that stands for the number of a step, if the field has one."""
        return next((option for option in self.options if option.is_step), None)

    def words(self, answer: Any) -> str:
        """Render an answer for people; empty if there is none."""
        if answer is None:
            return ""
        titles = {option.id: option.title for option in self.options}
        given = answer if isinstance(answer, list) else [answer]
        words = [f"step {one}" if isinstance(one, int) else titles.get(one, str(one)) for one in given]
        return ", ".join(words) or "none"

    @property
    def is_preference(self) -> bool:
        """True if it prefers one of a pair to the other."""
        return any(option.mirror for option in self.options)


class Codebook(Struct, frozen=True, kw_only=True, dict=True):
    """``fields`` are in the order of the form."""

    unit: str
    fields: list[Field]

    @cached_property
    def sha256(self) -> str:
        """The version: a hash of everything that annotators read."""
        return hashlib.sha256(msgspec.json.encode(self.content())).hexdigest()

    @property
    def version(self) -> str:
        """The version as pages show it."""
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
    """Decode a stored codebook. Entries that this version of the code does not know are dropped."""
    return msgspec.convert(content, Codebook)


def load_codebook(version: CodebookVersion) -> Codebook:
    """Return the codebook of a stored version, decoded once per instance."""
    known: Codebook | None = getattr(version, DECODED, None)
    if known is None:
        known = codebook_read(version.content)
        setattr(version, DECODED, known)
    return known


def _drop(entry: dict[str, Any], before: dict[str, Any]) -> None:
    for name, value in before.items():
        if entry[name] == value:
            del entry[name]
