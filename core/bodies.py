"""Reading bodies and queries of the API as structs."""

from __future__ import annotations

import math
import re
from collections.abc import Callable, Iterator, Mapping
from functools import cache
from types import UnionType
from typing import Annotated, Any, ClassVar, TypeVar, Union, get_args, get_origin

import msgspec
from msgspec import UNSET, Meta, Struct, ValidationError

from core import struct_hints
from core.errors import GymError
from core.fields import READ, STRICT, FieldError
from palaestra.protocol.suggestions import did_you_mean

PROBLEMS_MAX = 20
DIGITS_MAX = 1_000
LOOSE_MAX = 10_000  # no list of numbers may be longer; one that is costs no more than its refusal
REQUIRED = "This field is required."
_ZEROS = re.compile(r"\.0*\s*\Z")

T = TypeVar("T", bound=Struct)
Read = Callable[[Any], Any]


class Body(Struct, forbid_unknown_fields=True, kw_only=True):
    """A body or query that refuses unknown names: a misspelt filter must not mean "everything"."""

    rules: ClassVar[Mapping[str, Any]] = {}
    """Constraints beyond those of the fields, as JSON schema."""

    def __post_init__(self) -> None:
        for name, read in _readers(type(self)).items():
            value = getattr(self, name)
            if value is not None and value is not UNSET:
                setattr(self, name, _read_at(name, value, read))
        self.check()

    def check(self) -> None:
        """Refuse what no field shows alone. Raises ``FieldError``, or ``ValueError`` for the whole."""


def body_read(struct: type[Struct], data: Any) -> dict[str, Any]:
    """Return the fields of a body, without those that were left out and have no default.

    Raises as ``struct_read`` does.
    """
    fields: dict[str, Any] = plain(struct_read(data, struct))
    return fields


def struct_read(value: Any, struct: type[T]) -> T:
    """Return the struct of a decoded body; ``GymError`` 400 ``invalid`` names the fields that are wrong."""
    try:
        return msgspec.convert(value, struct)
    except ValidationError as error:
        first = error
    if issubclass(struct, Body):
        value = loosened(value, struct)
        try:
            return msgspec.convert(value, struct)
        except ValidationError as error:
            first = error
    raise _refusal(problems(value, struct) or dict([_problem(first, struct)]))


def invalid_body(error: ValidationError, *, model: type[Struct]) -> GymError:
    """Return the refusal for a decoder's error, which names the invalid field and the valid values."""
    return _refusal(dict([_problem(error, model)]))


def plain(value: Any) -> Any:
    """Return the value with structs as dictionaries, without fields that are unset."""
    if isinstance(value, Struct):
        values = ((name, getattr(value, name)) for name in value.__struct_fields__)
        return {name: plain(one) for name, one in values if one is not UNSET}
    return [plain(one) for one in value] if isinstance(value, list) else value


def loosened(value: Any, hint: Any) -> Any:
    """Return the value with numbers where it has texts of them, or 3.0 for a whole one.

    Queries have only texts, and bodies may have either.
    """
    if get_origin(hint) is Annotated:
        inner, *notes = get_args(hint)
        return value if any(_extra(note, STRICT) for note in notes) else loosened(value, inner)
    if is_union(hint):
        for member in get_args(hint):
            value = loosened(value, member)
    elif get_origin(hint) is list and isinstance(value, list) and len(value) <= LOOSE_MAX:
        return [loosened(one, get_args(hint)[0]) for one in value]
    elif isinstance(hint, type) and issubclass(hint, Struct) and isinstance(value, dict):
        return value | {
            field.encode_name: loosened(value[field.encode_name], field.type)
            for field in msgspec.structs.fields(hint)
            if field.encode_name in value
        }
    elif hint in (int, float) and type(value) in (str, float):
        return _number(value, hint)
    return value


def _number(value: str | float, kind: type[int] | type[float]) -> Any:
    """Return the number that is meant, or the value itself if there is none."""
    text = str(value)
    if len(text) > DIGITS_MAX:
        return value
    try:
        if kind is int:
            return int(_ZEROS.sub("", text))
        number = float(text)
    except ValueError:
        return value
    return number if math.isfinite(number) else value


def problems(value: Any, struct: type[Struct]) -> dict[str, list[str]]:
    """Return the fault of each field of a value, by path.

    Of unknown ones ``PROBLEMS_MAX`` are named: looking for the nearest known one takes time.
    """
    if not isinstance(value, dict):
        return {}
    fields = {field.encode_name: field for field in msgspec.structs.fields(struct)}
    faults: dict[str, list[str]] = {}
    if struct.__struct_config__.forbid_unknown_fields:
        known = {*fields, struct.__struct_config__.tag_field}
        unknown = [name for name in value if name not in known][:PROBLEMS_MAX]
        faults = {name: [_unknown(name, fields)] for name in unknown}
    for name, field in fields.items():
        if name in value:
            faults |= {f"{name}{path}": texts for path, texts in _field_problems(value[name], field.type)}
        elif field.required:
            faults[name] = [REQUIRED]
    return faults


def _field_problems(value: Any, hint: Any) -> Iterator[tuple[str, list[str]]]:
    """Problems of one field, by path from it: empty, or beginning with a dot."""
    inner = _struct_of(hint)
    if inner and isinstance(value, dict):
        below = problems(value, inner)
        yield from ((f".{path}", texts) for path, texts in below.items())
        if below:
            return
    try:
        value = msgspec.convert(value, hint)
        if (read := _reader(hint)) and value is not None:
            read(value)
    except ValidationError as error:
        path, texts = _problem(error, hint)
        yield "" if path == "body" else f".{path}", texts
    except FieldError as error:
        yield f".{error.field}", [error.message]
    except ValueError as error:
        yield "", [str(error)]


_AT = re.compile(r"(?P<text>.*?)(?: - at `(?:key` in `)?\$(?P<place>[^`]*)`)?", re.DOTALL)
_NAMED = re.compile(r"Object (?P<kind>missing required|contains unknown) field `(?P<name>.*)`", re.DOTALL)


def _problem(error: ValidationError, hint: Any) -> tuple[str, list[str]]:
    """Return the path of what msgspec refuses, ``body`` for the whole, and the reason in words."""
    match = _AT.fullmatch(str(error))
    text, place = (match["text"], match["place"] or "") if match else (str(error), "")
    path = [*filter(None, re.sub(r"\[(\d*)[^\]]*\]", r".\1", place).split("."))]
    if isinstance(error.__cause__, FieldError):
        path.append(error.__cause__.field)
    elif named := _NAMED.fullmatch(text):
        path.append(named["name"])
    words = struct_hints.words(text, place=place, hint=hint)
    return ".".join(path) or "body", [words]


def _refusal(fields: dict[str, list[str]]) -> GymError:
    path, [first, *_] = next(iter(fields.items()))
    message = f"Some fields are not valid. {path[:100]}: {first}"
    return GymError("invalid", message, fields=fields)


def _unknown(name: str, known: Mapping[str, Any]) -> str:
    return f"There is no field {name[:100]!r}. {did_you_mean(name[:100], known)}"


@cache
def _readers(struct: type[Struct]) -> dict[str, Read]:
    """Return the functions that read the fields of a struct, of those that have one."""
    readers = {field.name: _reader(field.type) for field in msgspec.structs.fields(struct)}
    return {name: read for name, read in readers.items() if read}


def _reader(hint: Any) -> Read | None:
    """Return the function that reads a value of a type: those of its notes, after those of what it holds."""
    if get_origin(hint) is Annotated:
        inner, *notes = get_args(hint)
        reads = [_reader(inner), *(_extra(note, READ) for note in notes)]
        return _chain([read for read in reads if read])
    if is_union(hint):
        return _chain([read for member in get_args(hint) if (read := _reader(member))])
    if get_origin(hint) is list and (item := _reader(get_args(hint)[0])):
        return lambda values: [_read_at(place, value, item) for place, value in enumerate(values)]
    return None


def _chain(reads: list[Read]) -> Read | None:
    def read(value: Any) -> Any:
        for one in reads:
            value = one(value)
        return value

    return read if reads else None


def _read_at(place: object, value: Any, read: Read) -> Any:
    try:
        return read(value)
    except FieldError as error:
        raise error.below(place) from None
    except ValueError as error:
        raise FieldError(str(place), str(error)) from None


def _struct_of(hint: Any) -> type[Struct] | None:
    """Return the one struct that a value may be, besides null."""
    if get_origin(hint) is Annotated:
        return _struct_of(get_args(hint)[0])
    if is_union(hint):
        structs = [struct for member in get_args(hint) if (struct := _struct_of(member))]
        return structs[0] if len(structs) == 1 else None
    return hint if isinstance(hint, type) and issubclass(hint, Struct) else None


def is_union(hint: Any) -> bool:
    """Return whether a type is one of several."""
    return get_origin(hint) in (Union, UnionType)


def _extra(note: Any, name: str) -> Any:
    return (note.extra or {}).get(name) if isinstance(note, Meta) else None
