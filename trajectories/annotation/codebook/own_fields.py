"""Label fields of one project: files with ``fields``, in the form of ``Field``, added to its codebook."""

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
PROBLEM_CHARS = 500  # a name in it may be as long as the file
NAME = re.compile(r"[a-z][a-z0-9_]{0,39}")
KEY = re.compile(r"[a-z0-9]")
NEWLINE = b"\n"
BYTE = re.compile(r"\(byte ([0-9]+)\)")
# Keys that the form uses itself; where steps are shown, also those that lead through them.
KEYS_TAKEN = {
    "step": frozenset("nukibo?"),
    "trajectory": frozenset("nuki?gh"),
    "pair": frozenset("nuki?ghjlbo"),
}
# The level whose form has what an answer asks for.
LEVELS = {"is_step": "trajectory", "marks_span": "step", "mirror": "pair"}
# Names that a unit's form sends already, or that a table of labels has as columns.
NAMES_TAKEN = frozenset({*COLUMNS, "skip", "slot", "span", "ticket"})


class OwnSource(Source, frozen=True, kw_only=True, forbid_unknown_fields=True): ...


class OwnOption(Option, frozen=True, kw_only=True, forbid_unknown_fields=True):
    sources: list[OwnSource] = []  # type: ignore[assignment]


class OwnField(Field, frozen=True, kw_only=True, forbid_unknown_fields=True):
    rank: int = 100  # after those that every project has
    options: list[OwnOption]  # type: ignore[assignment]


class OwnFile(Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    fields: list[OwnField]


def fields_read(name: str, data: bytes) -> list[Field]:
    """Read the fields of a file. Raises ``GymError`` 422 with the line or field that is wrong."""
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
    # Convert them to the type of the other fields, which drops the parts that only files have.
    return msgspec.convert(msgspec.to_builtins(read.fields), list[Field])


def extend_codebook(level: str, own: Sequence[Field]) -> Codebook:
    """Add a project's own fields to this installation's codebook. Raises ``GymError`` 422 if they collide."""
    base = build_codebook(level)
    for problem in _collisions(base, own, level=level):
        raise GymError("bad_fields", f"Label fields of its own: {problem}", status=422)
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
        yield "this name is not possible: use a to z, 0 to 9 and _, and none of the form's own names"
    if not 2 - field.is_set <= len(field.options) <= OPTIONS_MAX:
        yield f"{len(field.options)} answers; a question has two to {OPTIONS_MAX}"
    yield from _text_problems({"title": field.title, "question": field.question}, {"test": field.test})
    for option in field.options:
        for problem in _option_problems(option, field):
            yield f"answer “{option.id}”: {problem}"
    if sum(option.is_step for option in field.options) > 1 or (field.is_set and field.step_option):
        yield "at most one answer of a question with one answer is the number of a step"


def _option_problems(option: Option, field: Field) -> Iterator[str]:
    if not NAME.fullmatch(option.id):
        yield "this name is not possible: use a to z, 0 to 9 and _"
    if not KEY.fullmatch(option.key):
        yield f"the key “{option.key}” is not one of a to z or 0 to 9"
    if not (option.positive and option.negative):
        yield "give at least one text that has it (positive) and one that does not (negative)"
    texts = {"title": option.title, "definition": option.definition}
    for part in ("positive", "negative"):
        texts |= {f"{part} {number}": text for number, text in enumerate(getattr(option, part), start=1)}
    yield from _text_problems(texts, {source.id: source.note for source in option.sources})
    for source in option.sources:
        if source.id not in load_publications():
            yield f"no publication is called “{source.id}”. {did_you_mean(source.id, load_publications())}"
    for name, level in LEVELS.items():
        if getattr(option, name) and field.level != level:
            yield f"“{name}” is possible at the level “{level}” alone"
    mirrors = {option.id: option.mirror for option in field.options}
    if option.mirror and mirrors.get(option.mirror) != option.id:
        yield f"its mirror “{option.mirror}” is no answer whose mirror it is"


def _text_problems(needed: dict[str, str], others: dict[str, str]) -> Iterator[str]:
    for name, text in {**needed, **others}.items():
        limit = TITLE_CHARS if name == "title" else TEXT_CHARS
        if name in needed and not text.strip():
            yield f"{name} is empty"
        if len(text) > limit:
            yield f"{name} has {len(text):,} characters; the limit is {limit:,}"
        if "\0" in text:
            yield f"{name} has the character NUL"


def _collisions(base: Codebook, own: Sequence[Field], *, level: str) -> Iterator[str]:
    if len(own) > FIELDS_MAX:
        yield f"there are {len(own)}; the limit is {FIELDS_MAX}."
    names = {field.id: f"“{field.title}”, which every project has" for field in base.fields}
    keys = {option.key: _whose(option, field) for field in base.fields for option in field.options}
    keys |= dict.fromkeys(KEYS_TAKEN[level], "a command of the form")
    for field in own:
        if field.level != level:
            yield f"“{field.id}” is for projects of the level {field.level}, and this one has {level}."
        if field.id in names:
            yield f"“{field.id}” is also the name of {names[field.id]}. Choose another."
        names[field.id] = "another field of these files"
        for option in field.options:
            if option.key in keys:
                both = f"{_whose(option, field)} is already that of {keys[option.key]}"
                yield f"the key “{option.key}” of {both}. {_free(keys)}"
            keys[option.key] = _whose(option, field)
    yield from _option_collisions([*base.fields, *own])


def _option_collisions(fields: Iterable[Field]) -> Iterator[str]:
    """Find answers with a link that share a name: links are stored by answer."""
    options = [(option, field) for field in fields for option in field.options]
    counts = Counter(option.id for option, _ in options)
    for option, field in options:
        if sum(one.id == option.id for one in field.options) > 1:
            yield f"“{field.id}” has the answer “{option.id}” twice."
        if option.links_step and counts[option.id] > 1:
            yield f"{_whose(option, field)} links a step, so no other answer may be called “{option.id}”."


def _whose(option: Option, field: Field) -> str:
    return f"“{option.title}” of “{field.title}”"


def _free(keys: dict[str, str]) -> str:
    free = [key for key in "abcdefghijklmnopqrstuvwxyz0123456789" if key not in keys]
    return f"Free: {' '.join(free)}." if free else "None is free: ask for fewer answers."


def _wrong(name: str, problem: str) -> GymError:
    if len(problem) > PROBLEM_CHARS:
        problem = f"{problem[:PROBLEM_CHARS]} …"
    return GymError("bad_fields", f"{name}: {problem}.", status=422)
