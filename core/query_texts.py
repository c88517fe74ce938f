"""The texts of a query as the values that its struct means by them."""

from __future__ import annotations

from typing import Annotated, Any, get_args, get_origin

from django.http import QueryDict
from msgspec import Struct
from msgspec.structs import FieldInfo, fields

from core.bodies import is_union
from core.errors import GymError

TRUTHS = {
    **dict.fromkeys(("t", "y", "yes", "true", "on", "1"), True),
    **dict.fromkeys(("f", "n", "no", "false", "off", "0"), False),
}


def values_of(texts: QueryDict, query: type[Struct]) -> dict[str, Any]:
    """Return values by name: of several the last but for lists, and an empty one counts as none.

    Raises ``GymError`` 400 ``invalid`` for NUL characters, which Postgres cannot store.
    """
    known = {field.encode_name: field for field in fields(query)}
    values: dict[str, Any] = {}
    for name, sent in texts.lists():
        if any("\0" in text for text in sent):
            message = "Text must not contain NUL characters."
            raise GymError("invalid", f"{name[:100]}: {message}", fields={name: [message]})
        value = _value(sent, known[name]) if name in known else sent
        if value not in ("", []):
            values[name] = value
    return values


def _value(sent: list[str], field: FieldInfo) -> Any:
    kinds = _kinds(field.type)
    if list in kinds:
        return [text for text in sent if text]
    text = sent[-1] if sent else ""
    return TRUTHS.get(text.lower(), text) if bool in kinds else text


def _kinds(hint: Any) -> set[Any]:
    """Return the plain types that a hint is made of."""
    if get_origin(hint) is Annotated:
        return _kinds(get_args(hint)[0])
    if is_union(hint):
        return {kind for member in get_args(hint) for kind in _kinds(member)}
    return {get_origin(hint) or hint}
