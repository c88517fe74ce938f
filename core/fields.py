"""Serializer fields that check what Postgres would otherwise reject, and suggest the nearest valid value."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any, ClassVar

import msgspec
from drf_spectacular.utils import extend_schema_field
from rest_framework import serializers

from core.integers import BIGINT_MAX, INT_MAX
from palaestra.protocol import histories
from palaestra.protocol.suggestions import did_you_mean

JSON_MAX_BYTES = 64 * 1024
JSON_MAX_DEPTH = 32


class StrictSerializer(serializers.Serializer[Any]):
    """A body or query that rejects unknown names: a misspelt filter must not mean "everything"."""

    rules: ClassVar[Mapping[str, Any]] = {}
    """Rules that its fields alone do not express, in words of JSON schema."""

    def to_internal_value(self, data: Any) -> Any:
        if isinstance(data, Mapping):
            unknown = {name: [_unknown(str(name), self.fields)] for name in data if name not in self.fields}
            if unknown:
                raise serializers.ValidationError(unknown)
        return super().to_internal_value(data)


def body_read(serializer: type[serializers.Serializer[Any]], data: Any) -> dict[str, Any]:
    """Return the validated fields of a body or query. Raises ``GymError`` 400 ``invalid``."""
    checked = serializer(data=data)
    checked.is_valid(raise_exception=True)
    return dict(checked.validated_data)


class IdField(serializers.IntegerField):
    """The id of a row: 1 to 2^63 - 1."""

    def __init__(self, **kwargs: Any) -> None:
        super().__init__(min_value=1, max_value=BIGINT_MAX, **kwargs)


class IdListField(serializers.Field[list[int], Any, list[int], Any]):
    """Different ids of rows: 1 to ``max_length`` of them, a hundred thousand in milliseconds."""

    def __init__(self, *, max_length: int, **kwargs: Any) -> None:
        super().__init__(**kwargs)
        self.max_length = max_length

    def to_internal_value(self, data: Any) -> list[int]:
        if not isinstance(data, list):
            raise serializers.ValidationError("This must be a list of ids.")
        if not 1 <= len(data) <= self.max_length:
            raise serializers.ValidationError(f"{len(data):,} ids; between 1 and {self.max_length:,} fit.")
        for value in data:
            if type(value) is not int or not 1 <= value <= BIGINT_MAX:
                raise serializers.ValidationError(f"{str(value)[:40]!r} is no id.")
        if len(set(data)) < len(data):
            raise serializers.ValidationError("An id is named twice.")
        return data

    def to_representation(self, value: list[int]) -> list[int]:
        return value


class CountField(serializers.IntegerField):
    """A number that a Postgres ``integer`` holds, from 0 (or ``min_value``) up."""

    def __init__(self, *, min_value: int = 0, max_value: int = INT_MAX, **kwargs: Any) -> None:
        super().__init__(min_value=min_value, max_value=max_value, **kwargs)


class TextField(serializers.CharField):
    """Text in JSON: not a number or a truth value, which REST framework would write as text."""

    def to_internal_value(self, data: Any) -> Any:
        if not isinstance(data, str):
            self.fail("invalid")
        return super().to_internal_value(data)


class TruthField(serializers.BooleanField):
    """True or false in JSON: not 0, "no" or whatever else REST framework takes for one of them."""

    def to_internal_value(self, data: Any) -> bool:
        if not isinstance(data, bool):
            raise serializers.ValidationError("This must be true or false.")
        return data


class SuggestingChoiceField(serializers.ChoiceField):
    """A choice whose error names the nearest valid values."""

    def to_internal_value(self, data: Any) -> Any:
        try:
            return super().to_internal_value(data)
        except serializers.ValidationError as error:
            if not isinstance(data, str):
                raise
            hint = did_you_mean(data, [str(choice) for choice in self.choices])
            raise serializers.ValidationError(f"{data[:100]!r} is not known. {hint}") from error


@extend_schema_field({"type": "string", "pattern": histories.build_pattern()})
class HistoryField(TextField):
    """The name of a history policy; the error for an unknown one lists the known."""

    def to_internal_value(self, data: Any) -> str:
        name = str(super().to_internal_value(data))
        try:
            histories.history_read(name)
        except ValueError as error:
            raise serializers.ValidationError(str(error)) from error
        return name


class Sha256Field(serializers.RegexField):
    """64 lower-case hexadecimal digits."""

    def __init__(self, **kwargs: Any) -> None:
        super().__init__(regex=r"^[0-9a-f]{64}\Z", trim_whitespace=False, **kwargs)


@extend_schema_field({"type": "object", "additionalProperties": {}, "x-max-bytes": JSON_MAX_BYTES})
class JsonObjectField(serializers.Field[dict[str, Any], Any, Any, Any]):
    """A free-form JSON object of limited size and depth."""

    def to_internal_value(self, data: Any) -> dict[str, Any]:
        if not isinstance(data, dict):
            raise serializers.ValidationError("This must be a JSON object.")
        if _depth_exceeds(data, JSON_MAX_DEPTH):
            raise serializers.ValidationError(f"This is nested deeper than {JSON_MAX_DEPTH} levels.")
        size = len(msgspec.json.encode(data))
        if size > JSON_MAX_BYTES:
            raise serializers.ValidationError(f"This has {size:,} bytes; the limit is {JSON_MAX_BYTES:,}.")
        return data

    def to_representation(self, value: Any) -> Any:
        return value


NAME_MAX_CHARS = 200
NAMES_MAX = 1_000


NUMBERS = {
    "type": "object",
    "additionalProperties": {"type": "number"},
    "propertyNames": {"minLength": 1, "maxLength": NAME_MAX_CHARS},
    "minProperties": 1,
    "maxProperties": NAMES_MAX,
}


@extend_schema_field(NUMBERS)
class NumbersField(serializers.DictField):
    """``{name: number}``: finite numbers, names of at most 200 characters."""

    def __init__(self, **kwargs: Any) -> None:
        super().__init__(child=serializers.FloatField(), allow_empty=False, **kwargs)

    def to_internal_value(self, data: Any) -> dict[str, float]:
        if isinstance(data, dict) and len(data) > NAMES_MAX:
            raise serializers.ValidationError(f"At most {NAMES_MAX:,} names.")
        for name, value in data.items() if isinstance(data, dict) else ():
            if not name or len(name) > NAME_MAX_CHARS:
                raise serializers.ValidationError(f"A name has 1 to {NAME_MAX_CHARS} characters.")
            if isinstance(value, bool) or not isinstance(value, int | float):
                raise serializers.ValidationError({name: ["This must be a number."]})
        return super().to_internal_value(data)


@extend_schema_field(NUMBERS | {"additionalProperties": {"type": "number", "minimum": 0}})
class WeightsField(NumbersField):
    """The same, none below 0."""

    def to_internal_value(self, data: Any) -> dict[str, float]:
        weights = super().to_internal_value(data)
        if any(weight < 0 for weight in weights.values()):
            raise serializers.ValidationError("A weight is 0 or more.")
        return weights


def _unknown(name: str, known: Iterable[str]) -> str:
    return f"There is no field {name[:100]!r}. {did_you_mean(name[:100], known)}"


def _depth_exceeds(value: Any, limit: int) -> bool:
    """Return whether lists and objects are nested deeper; goes level by level, so depth costs no stack."""
    level: list[Any] = [value]
    for _ in range(limit + 1):
        level = [child for item in level for child in _children(item)]
    return bool(level)


def _children(value: Any) -> list[Any]:
    items = value.values() if isinstance(value, dict) else value
    return [item for item in items if isinstance(item, dict | list)]
