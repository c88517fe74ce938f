"""Plain data exchanged by candidate and checker, as tagged JSON and never as pickles.

Whatever a reply contains, decoding yields only data and stand-ins for the candidate's objects.
"""

from __future__ import annotations

import sys

TYPE_CHECKING = False
if TYPE_CHECKING:  # importing it takes half as long as starting Python
    from collections.abc import Callable
    from typing import Any

SAFE_INT = 2**53
INFINITY = float("inf")
NOT_A_NUMBER = "not a number", object()


def encode(value: Any, keep: Callable[[Any], dict[str, Any]]) -> Any:
    """Encode a value for JSON; ``keep`` returns a reference to an object that is not plain data."""
    if value is None or isinstance(value, bool):
        return value
    if isinstance(value, str):
        return _encode_text(str(value))
    if isinstance(value, int):
        return int(value) if -SAFE_INT < value < SAFE_INT else {"int": hex(value)}
    if isinstance(value, float):
        return {"float": float.hex(value)}
    if isinstance(value, list):
        return [encode(item, keep) for item in value]
    for kind, name in ((tuple, "tuple"), (set, "set"), (frozenset, "frozenset")):
        if isinstance(value, kind):
            return {name: [encode(item, keep) for item in value]}
    if isinstance(value, dict):
        return {"dict": [[encode(key, keep), encode(item, keep)] for key, item in value.items()]}
    return _encode_rare(value, keep)


def _encode_text(text: str) -> Any:
    """Encode a text with NUL or lone surrogates in hexadecimal, since Postgres can store neither."""
    try:
        text.encode()
        is_storable = "\0" not in text
    except UnicodeEncodeError:
        is_storable = False
    return text if is_storable else {"str": text.encode(errors="surrogatepass").hex()}


def _encode_rare(value: Any, keep: Callable[[Any], dict[str, Any]]) -> Any:
    if isinstance(value, complex):
        return {"complex": [value.real.hex(), value.imag.hex()]}
    if isinstance(value, bytes | bytearray):
        return {type(value).__name__: bytes(value).hex()}
    if isinstance(value, range):
        return {"range": [encode(end, keep) for end in (value.start, value.stop, value.step)]}
    if _is_a(value, module="decimal", name="Decimal"):
        return {"decimal": str(value)}
    if _is_a(value, module="fractions", name="Fraction"):
        return {"fraction": [encode(value.numerator, keep), encode(value.denominator, keep)]}
    if isinstance(value, type) and TYPES.get(value.__name__) is value:
        return {"type": value.__name__}
    return keep(value)


def _is_a(value: Any, *, module: str, name: str) -> bool:
    """Return whether a value is an instance of a class, without importing the class's module."""
    loaded = sys.modules.get(module)
    return loaded is not None and isinstance(value, getattr(loaded, name))


def _decimal(text: str) -> Any:
    from decimal import Decimal

    return Decimal(text)


def _fraction(numerator: int, denominator: int) -> Any:
    from fractions import Fraction

    return Fraction(numerator, denominator)


def decode(data: Any, find: Callable[[int], Any]) -> Any:
    """Decode a value; ``find`` looks up an object by its number. Raises ``ValueError`` and ``TypeError``."""
    if isinstance(data, list):
        return [decode(item, find) for item in data]
    if not isinstance(data, dict):
        return data
    if len(data) != 1:
        raise ValueError("one tag expected")
    ((tag, inner),) = data.items()
    if tag == "dict":
        return {decode(key, find): decode(item, find) for key, item in inner}
    if tag == "object":
        return find(int(inner))
    if tag in CONTAINERS:
        return CONTAINERS[tag](decode(item, find) for item in inner)
    return SCALARS[tag](inner, find) if tag in SCALARS else _unknown(tag)


def _unknown(tag: str) -> Any:
    raise ValueError(f"unknown tag {tag!r}")


TYPES: dict[str, type] = {
    kind.__name__: kind for kind in (bool, int, float, complex, str, bytes, list, tuple, set, frozenset, dict)
}
CONTAINERS: dict[str, Callable[[Any], Any]] = {"tuple": tuple, "set": set, "frozenset": frozenset}
SCALARS: dict[str, Callable[[Any, Any], Any]] = {
    "int": lambda text, _find: int(text, 16),
    "float": lambda text, _find: float.fromhex(text),
    "complex": lambda parts, _find: complex(*map(float.fromhex, parts)),
    "str": lambda text, _find: bytes.fromhex(text).decode(errors="surrogatepass"),
    "bytes": lambda text, _find: bytes.fromhex(text),
    "bytearray": lambda text, _find: bytearray.fromhex(text),
    "type": lambda name, _find: TYPES[name],
    "range": lambda ends, find: range(*(decode(end, find) for end in ends)),
    "decimal": lambda text, _find: _decimal(text),
    "fraction": lambda parts, find: _fraction(*(decode(part, find) for part in parts)),
}


def is_same(value: Any, expected: Any, tolerance: float) -> bool:
    """Compare as Python does, but with a relative tolerance for finite floats, and with NaN equal to NaN.

    This applies inside containers too, except that elements of sets and keys of dictionaries get no
    tolerance.
    """
    if isinstance(value, float) and isinstance(expected, float | int) and value != expected:
        return _is_near(value, expected, tolerance)
    for kind in (list, tuple):
        if isinstance(value, kind) and isinstance(expected, kind):
            pairs = zip(value, expected, strict=False)
            return len(value) == len(expected) and all(is_same(a, b, tolerance) for a, b in pairs)
    if isinstance(value, dict) and isinstance(expected, dict):
        items, known = ({_exact(key): item for key, item in each.items()} for each in (value, expected))
        is_whole = len(value) == len(expected) and items.keys() == known.keys()
        return is_whole and all(is_same(items[key], known[key], tolerance) for key in known)
    if isinstance(value, set | frozenset) and isinstance(expected, set | frozenset):
        return len(value) == len(expected) and _exact(value) == _exact(expected)
    return bool(_exact(value) == _exact(expected))


def _is_near(value: float, expected: float, tolerance: float) -> bool:
    """Return whether two unequal numbers are within the tolerance; an infinite one never is."""
    if value != value or expected != expected:
        return value != value and expected != expected
    largest = max(abs(value), abs(expected))
    return largest != INFINITY and abs(value - expected) <= tolerance * largest


def _exact(value: Any) -> Any:
    """Replace every NaN by the same stand-in, since NaN does not even equal itself."""
    if isinstance(value, complex) and value != value:
        return complex, _exact(value.real), _exact(value.imag)
    if isinstance(value, set | frozenset):
        return frozenset(map(_exact, value))
    if isinstance(value, tuple):
        return tuple(map(_exact, value))
    return NOT_A_NUMBER if value != value else value
