"""Parts of addresses."""

from __future__ import annotations

from django.urls import register_converter
from django.urls.converters import IntConverter, StringConverter, get_converters

from core.integers import BIGINT_MAX


class IdConverter(IntConverter):
    """The id of a row; a number that no row can have matches nothing, so the database never meets it."""

    regex = "[0-9]{1,19}"

    def to_python(self, value: str) -> int:
        number = int(value)
        if number > BIGINT_MAX:
            raise ValueError("no row has this id")
        return number


class Sha256Converter(StringConverter):
    regex = "[0-9a-f]{64}"


def converters_register() -> None:
    """Make ``<id:...>`` and ``<sha256:...>`` known; more than once is harmless."""
    for name, converter in (("id", IdConverter), ("sha256", Sha256Converter)):
        if name not in get_converters():
            register_converter(converter, name)
