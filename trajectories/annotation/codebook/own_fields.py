"""Additional label fields of a project, read from files whose ``fields`` have the form of ``Field``."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterable, Iterator, Sequence

import msgspec
from msgspec import Struct

from core.errors import GymError
from core.text.toml_document import TomlRefused, toml_as_json
from palaestra.protocol.suggestions import did_you_mean
from trajectories.annotation.codebook.registry import build_codebook, load_publications
from trajectories.annotation.codebook.types import Codebook, Field, Option, Source
from trajectories.annotation.columns import COLUMNS

FILE_MAX_BYTES = 256 * 1024
FIELDS_MAX = 20
OPTIONS_MAX = 30
TEXT_CHARS = 2_000
TITLE_CHARS = 80
PROBLEM_CHARS = 500  # A message may quote a name that is as long as the file.
NAME = re.compile(r"[a-z][a-z0-9_]{0,39}")
KEY = re.compile(r"[a-z0-9]")
NEWLINE = b"\n"
BYTE = re.compile(r"\(byte ([0-9]+)\)")
# Keys that the form uses itself, including those for moving through the steps on forms that show them.
KEYS_TAKEN = {
    "step": frozenset("nukibo?"),
    "trajectory": frozenset("nuki?gh"),
    "pair": frozenset("nuki?ghjlbo"),
}
# Attributes of an answer that only the form of one level supports, with that level.
LEVELS = {"is_step": "trajectory", "marks_span": "step", "mirror": "pair"}
# Names that a unit's form already sends, or that are columns in a table of labels.
NAMES_TAKEN = frozenset({*COLUMNS, "skip", "slot", "span", "ticket"})


class OwnSource(Source, frozen=True, kw_only=True, forbid_unknown_fields=True): ...


class OwnOption(Option, frozen=True, kw_only=True, forbid_unknown_fields=True):
    sources: list[OwnSource] = []  # type: ignore[assignment]


class OwnField(Field, frozen=True, kw_only=True, forbid_unknown_fields=True):
    rank: int = 100  # Places the field after those that every project has.
    options: list[OwnOption]  # type: ignore[assignment]


class OwnFile(Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    fields: list[OwnField]


def fields_read(name: str, data: bytes) -> list[Field]:
    """Read the fields of a file. Raises ``GymError`` 422 that names the wrong line or field."""
    if len(data) > FILE_MAX_BYTES:
        raise _wrong(name, f"it has {len(data):,} bytes; the limit is {FILE_MAX_BYTES:,}")
    try:
        text = data.decode("utf-8-sig").encode()
        read = msgspec.json.decode(_as_json(name, text), type=OwnFile)
    except msgspec.ValidationError as error:
        raise _wrong(name, str(error)) from error
    except msgspec.DecodeError as error:
        raise _wrong(name, f"{error}{_line_of(error, text)}") from error
    except (TomlRefused, UnicodeDecodeError, RecursionError) as error:
        raise _wrong(name, str(error)) from error
    for field in read.fields:
        for problem in _field_problems(field):
            raise _wrong(name, f"field “{field.id}”: {problem}")
    # The built-in fields' type lacks the attributes that only uploaded files have, so converting drops them.
    return msgspec.convert(msgspec.to_builtins(read.fields), list[Field])


def extend_codebook(level: str, own: Sequence[Field]) -> Codebook:
    """Add a project's additional fields to this installation's codebook.

    Raises ``GymError`` 422 if they collide with other fields or their keys.
    """
    base = build_codebook(level)
    for problem in _collisions(base, own, level=level):
        raise GymError("bad_fields", f"Additional label fields: {problem}", status=422)
    fields = sorted([*base.fields, *own], key=lambda field: (field.rank, field.id))
    return Codebook(unit=base.unit, fields=fields)


def _as_json(name: str, text: bytes) -> bytes:
    if name.lower().endswith(".json"):
        return text
    if name.lower().endswith(".toml"):
        return toml_as_json(text)
    raise _wrong(name, "its name ends neither with .toml nor with .json")


def _line_of(error: msgspec.DecodeError, text: bytes) -> str:
    place = BYTE.search(str(error))
    if place is None:
        return ""
    before = text[: int(place[1])]
    return f", line {before.count(NEWLINE) + 1}"


def _field_problems(field: Field) -> Iterator[str]:
    if not NAME.fullmatch(field.id) or field.id in NAMES_TAKEN:
        yield "this name is not allowed: use a to z, 0 to 9 and _, and none of the form's own names"
    if not 2 - field.is_set <= len(field.options) <= OPTIONS_MAX:
        yield f"{len(field.options)} answers; a question has two to {OPTIONS_MAX}"
    yield from _text_problems({"title": field.title, "question": field.question}, {"test": field.test})
    for option in field.options:
        for problem in _option_problems(option, field):
            yield f"answer “{option.id}”: {problem}"
    if sum(option.is_step for option in field.options) > 1 or (field.is_set and field.step_option):
        yield "at most one answer may be a step number, and only in a question that takes a single answer"


def _option_problems(option: Option, field: Field) -> Iterator[str]:
    if not NAME.fullmatch(option.id):
        yield "this name is not allowed: use a to z, 0 to 9 and _"
    if not KEY.fullmatch(option.key):
        yield f"the key “{option.key}” is not one of a to z or 0 to 9"
    if not (option.positive and option.negative):
        yield "give at least one text to which it applies (positive) and one to which it does not (negative)"
    texts = {"title": option.title, "definition": option.definition}
    for part in ("positive", "negative"):
        texts |= {f"{part} {number}": text for number, text in enumerate(getattr(option, part), start=1)}
    yield from _text_problems(texts, {source.id: source.note for source in option.sources})
    for source in option.sources:
        if source.id not in load_publications():
            yield f"no publication is called “{source.id}”. {did_you_mean(source.id, load_publications())}"
    for name, level in LEVELS.items():
        if getattr(option, name) and field.level != level:
            yield f"“{name}” is possible only at the level “{level}”"
    mirrors = {option.id: option.mirror for option in field.options}
    if option.mirror and mirrors.get(option.mirror) != option.id:
        yield f"its mirror “{option.mirror}” must be an answer that in turn names this one as its mirror"


def _text_problems(needed: dict[str, str], others: dict[str, str]) -> Iterator[str]:
    for name, text in {**needed, **others}.items():
        limit = TITLE_CHARS if name == "title" else TEXT_CHARS
        if name in needed and not text.strip():
            yield f"{name} is empty"
        if len(text) > limit:
            yield f"{name} has {len(text):,} characters; the limit is {limit:,}"
        if "\0" in text:
            yield f"{name} contains the character NUL"


def _collisions(base: Codebook, own: Sequence[Field], *, level: str) -> Iterator[str]:
    if len(own) > FIELDS_MAX:
        yield f"there are {len(own)}; the limit is {FIELDS_MAX}."
    names = {field.id: f"“{field.title}”, which every project has" for field in base.fields}
    keys = {option.key: _whose(option, field) for field in base.fields for option in field.options}
    keys |= dict.fromkeys(KEYS_TAKEN[level], "a command of the form")
    for field in own:
        if field.level != level:
            yield f"“{field.id}” is for projects at level {field.level}, but this one is at level {level}."
        if field.id in names:
            yield f"“{field.id}” is already the name of {names[field.id]}. Choose another name."
        names[field.id] = "another field of these files"
        for option in field.options:
            if option.key in keys:
                both = f"{_whose(option, field)} is already that of {keys[option.key]}"
                yield f"the key “{option.key}” of {both}. {_free(keys)}"
            keys[option.key] = _whose(option, field)
    yield from _option_collisions([*base.fields, *own])


def _option_collisions(fields: Iterable[Field]) -> Iterator[str]:
    """Yield a message for each answer that a field lists twice, or that links a step but shares its name.

    Names of linking answers must be unique, because links are stored by answer.
    """
    options = [(option, field) for field in fields for option in field.options]
    counts = Counter(option.id for option, _ in options)
    for option, field in options:
        if sum(one.id == option.id for one in field.options) > 1:
            yield f"“{field.id}” lists the answer “{option.id}” twice."
        if option.links_step and counts[option.id] > 1:
            yield f"{_whose(option, field)} links a step, so no other answer may be called “{option.id}”."


def _whose(option: Option, field: Field) -> str:
    return f"“{option.title}” of “{field.title}”"


def _free(keys: dict[str, str]) -> str:
    free = [key for key in "abcdefghijklmnopqrstuvwxyz0123456789" if key not in keys]
    return f"Free keys: {' '.join(free)}." if free else "No key is free: define fewer answers."


def _wrong(name: str, problem: str) -> GymError:
    if len(problem) > PROBLEM_CHARS:
        problem = f"{problem[:PROBLEM_CHARS]} …"
    return GymError("bad_fields", f"{name}: {problem}.", status=422)
