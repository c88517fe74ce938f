"""URL path converters."""

from __future__ import annotations

from typing import Any

from django.urls import register_converter
from django.urls.converters import IntConverter, StringConverter, get_converters

from core.database.integers import BIGINT_MAX


class IdConverter(IntConverter):
    """Converter for a row's id. A number beyond bigint matches no URL, so it never reaches the database."""

    regex = "[0-9]{1,19}"

    def to_python(self, value: str) -> int:
        number = int(value)
        if number > BIGINT_MAX:
            raise ValueError("no row has this id")
        return number


class Sha256Converter(StringConverter):
    regex = "[0-9a-f]{64}"


class FileNameConverter(StringConverter):
    """Converter for a plain file name with its extension, such as ``gaps.csv``."""

    regex = r"[a-z0-9_]{1,64}\.[a-z]{1,8}"


def converters_register() -> None:
    """Register ``<id:...>``, ``<sha256:...>`` and ``<file_name:...>``; calling it again is harmless."""
    converters: dict[str, type[Any]] = {
        "id": IdConverter,
        "sha256": Sha256Converter,
        "file_name": FileNameConverter,
    }
    for name, converter in converters.items():
        if name not in get_converters():
            register_converter(converter, name)
