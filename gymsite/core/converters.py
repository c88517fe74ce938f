"""Parts of addresses."""

from __future__ import annotations

from django.urls import register_converter
from django.urls.converters import IntConverter, StringConverter

from gymsite.core.fields import BIGINT_MAX


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


register_converter(IdConverter, "id")
register_converter(Sha256Converter, "sha256")
