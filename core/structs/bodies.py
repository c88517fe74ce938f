"""Parsing of API bodies and queries into structs."""

from __future__ import annotations

import math
import re
from collections.abc import Callable, Iterator, Mapping
from functools import cache
from operator import is_not
from types import UnionType
from typing import Annotated, Any, ClassVar, TypeVar, Union, get_args, get_origin

import msgspec
from django.http import QueryDict
from msgspec import UNSET, Meta, Struct, ValidationError

from core.errors import GymError
from core.structs import hints
from core.structs.fields import READ, STRICT, FieldError

PROBLEMS_MAX = 20
DIGITS_MAX = 1_000
LOOSE_MAX = 10_000  # longer lists of numbers are refused anyway, so none is converted
TRUTHS = {
    **dict.fromkeys(("t", "y", "yes", "true", "on", "1"), True),
    **dict.fromkeys(("f", "n", "no", "false", "off", "0"), False),
}
_ZEROS = re.compile(r"\.0*\s*\Z")

T = TypeVar("T", bound=Struct)
Read = Callable[[Any], Any]


class Body(Struct, forbid_unknown_fields=True, kw_only=True):
    """A body or query that refuses unknown names, so that a misspelt filter never matches everything."""

    rules: ClassVar[Mapping[str, Any]] = {}
    """Constraints beyond those of single fields, as JSON schema."""

    def __post_init__(self) -> None:
        for name, read in _readers(type(self)).items():
            value = getattr(self, name)
            if value is not None and value is not UNSET:
                setattr(self, name, _read_at(name, value, read))
        self.check()

    def check(self) -> None:
        """Check what no field shows alone. Raises ``FieldError``, or ``ValueError`` for the whole body."""


def body_read(struct: type[Struct], data: Any) -> dict[str, Any]:
    """Return the fields of a body, except those that were left out and have no default.

    Raises as ``struct_read`` does.
    """
    fields: dict[str, Any] = to_plain(struct_read(data, struct))
    return fields


def texts_read(query: type[Struct], texts: QueryDict) -> dict[str, Any]:
    """Return the parameters of a query, as ``body_read`` does for a body.

    If a name is given several times, the last value counts, unless the parameter is a list. An empty value
    counts as missing. Raises ``GymError`` 400 ``invalid``, also for NUL, which Postgres cannot store.
    """
    return body_read(query, _loosen(_values_read(texts, query), query))


def struct_read(value: Any, struct: type[T]) -> T:
    """Convert a decoded body to a struct. Raises ``GymError`` 400 ``invalid``, which lists invalid fields."""
    try:
        return msgspec.convert(value, struct)
    except ValidationError as error:
        first = error
    if issubclass(struct, Body) and (looser := _loosen(value, struct)) is not value:
        value = looser
        try:
            return msgspec.convert(value, struct)
        except ValidationError as error:
            first = error
    raise _refusal(_find_problems(value, struct) or dict([_problem(first, struct)]))


def build_refusal(error: ValidationError, *, model: type[Struct]) -> GymError:
    """Convert a decoder's error to a ``GymError`` that names the invalid field and the valid values."""
    return _refusal(dict([_problem(error, model)]))


def to_plain(value: Any) -> Any:
    """Convert the structs in a value to dictionaries without their unset fields."""
    if isinstance(value, Struct):
        values = ((name, getattr(value, name)) for name in value.__struct_fields__)
        return {name: to_plain(item) for name, item in values if item is not UNSET}
    return [to_plain(item) for item in value] if isinstance(value, list) else value


def _values_read(texts: QueryDict, query: type[Struct]) -> dict[str, Any]:
    known = {field.encode_name: field.type for field in msgspec.structs.fields(query)}
    values: dict[str, Any] = {}
    for name, sent in texts.lists():
        if any("\0" in text for text in sent):
            message = "Text must not contain NUL characters."
            raise GymError("invalid", f"{name[:100]}: {message}", fields={name: [message]})
        value = _text_read(sent, known[name]) if name in known else sent
        if value not in ("", []):
            values[name] = value
    return values


def _text_read(sent: list[str], hint: Any) -> Any:
    kinds = {get_origin(kind) or kind for kind, _ in _members(hint)}
    if list in kinds:
        return [text for text in sent if text]
    text = sent[-1] if sent else ""
    return TRUTHS.get(text.lower(), text) if bool in kinds else text


def _members(hint: Any) -> Iterator[tuple[Any, tuple[Any, ...]]]:
    """Yield the plain types that a hint allows, each with its annotations, the innermost first."""
    if get_origin(hint) is Annotated:
        inner, *outer = get_args(hint)
        for kind, notes in _members(inner):
            yield kind, (*notes, *outer)
    elif get_origin(hint) in (Union, UnionType):
        for member in get_args(hint):
            yield from _members(member)
    else:
        yield hint, ()


def _loosen(value: Any, hint: Any) -> Any:
    """Convert texts such as "3" to numbers, and 3.0 to 3 where a whole number is expected.

    Queries contain only texts, and bodies may contain either. If nothing needs converting, the same object
    is returned.
    """
    for kind, notes in _members(hint):
        if not any(_extra(note, STRICT) for note in notes):
            value = _loosen_as(value, kind)
    return value


def _loosen_as(value: Any, kind: Any) -> Any:
    if get_origin(kind) is list and isinstance(value, list) and len(value) <= LOOSE_MAX:
        looser: Any = [_loosen(item, get_args(kind)[0]) for item in value]
        return looser if any(map(is_not, looser, value)) else value
    if _is_struct(kind) and isinstance(value, dict):
        fields = {field.encode_name: field.type for field in msgspec.structs.fields(kind)}
        looser = value | {name: _loosen(value[name], fields[name]) for name in fields if name in value}
        return looser if any(map(is_not, looser.values(), value.values())) else value
    return _number(value, kind) if kind in (int, float) and type(value) in (str, float) else value


def _number(value: str | float, kind: type[int] | type[float]) -> Any:
    """Convert a value to a number, or return it unchanged if it is not one."""
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


def _find_problems(value: Any, struct: type[Struct]) -> dict[str, list[str]]:
    """Return what is wrong with each field of a value, by path.

    At most ``PROBLEMS_MAX`` unknown fields are named, because finding the nearest known name takes time.
    """
    if not isinstance(value, dict):
        return {}
    fields = {field.encode_name: field for field in msgspec.structs.fields(struct)}
    faults: dict[str, list[str]] = {}
    if struct.__struct_config__.forbid_unknown_fields:
        known = {*fields, struct.__struct_config__.tag_field}
        unknown = [name for name in value if name not in known][:PROBLEMS_MAX]
        faults = {name: [hints.describe_unknown(name, fields)] for name in unknown}
    for name, field in fields.items():
        if name in value:
            faults |= {f"{name}{path}": texts for path, texts in _field_problems(value[name], field.type)}
        elif field.required:
            faults[name] = [hints.REQUIRED]
    return faults


def _field_problems(value: Any, hint: Any) -> Iterator[tuple[str, list[str]]]:
    """Yield a field's problems, each with its path below the field: empty, or beginning with a dot."""
    structs = [kind for kind, _ in _members(hint) if _is_struct(kind)]
    inner = structs[0] if len(structs) == 1 else None
    if inner and isinstance(value, dict):
        below = _find_problems(value, inner)
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
    """Return the path of what msgspec refuses (``body`` for the whole), and the reason in words."""
    match = _AT.fullmatch(str(error))
    text, place = (match["text"], match["place"] or "") if match else (str(error), "")
    path = [*filter(None, re.sub(r"\[(\d*)[^\]]*\]", r".\1", place).split("."))]
    if isinstance(error.__cause__, FieldError):
        path.append(error.__cause__.field)
    elif named := _NAMED.fullmatch(text):
        path.append(named["name"])
    words = hints.explain(text, place=place, hint=hint)
    return ".".join(path) or "body", [words]


def _refusal(fields: dict[str, list[str]]) -> GymError:
    path, [first, *_] = next(iter(fields.items()))
    message = f"Some fields are not valid. {path[:100]}: {first}"
    return GymError("invalid", message, fields=fields)


@cache
def _readers(struct: type[Struct]) -> dict[str, Read]:
    """Return the functions that parse a struct's fields, by field name."""
    readers = {field.name: _reader(field.type) for field in msgspec.structs.fields(struct)}
    return {name: read for name, read in readers.items() if read}


def _reader(hint: Any) -> Read | None:
    """Return the function that parses a value of a type: list items first, then the value as annotated."""
    members = list(_members(hint))
    items = [get_args(kind)[0] for kind, _ in members if get_origin(kind) is list]
    # An annotation on a union applies to each of its members, after the member's own annotations.
    notes = dict.fromkeys(id(note) for _, notes in reversed(members) for note in reversed(notes))
    by_id = {id(note): note for _, notes in members for note in notes}
    reads = [_read_items(read) for item in items if (read := _reader(item))]
    reads += [read for note in reversed(notes) if (read := _extra(by_id[note], READ))]
    return _chain(reads)


def _read_items(read: Read) -> Read:
    return lambda values: [_read_at(place, value, read) for place, value in enumerate(values)]


def _chain(reads: list[Read]) -> Read | None:
    def read(value: Any) -> Any:
        for each in reads:
            value = each(value)
        return value

    return read if reads else None


def _read_at(place: object, value: Any, read: Read) -> Any:
    try:
        return read(value)
    except FieldError as error:
        raise error.below(place) from None
    except ValueError as error:
        raise FieldError(str(place), str(error)) from None


def _is_struct(kind: Any) -> bool:
    return isinstance(kind, type) and issubclass(kind, Struct)


def _extra(note: Any, name: str) -> Any:
    return (note.extra or {}).get(name) if isinstance(note, Meta) else None
