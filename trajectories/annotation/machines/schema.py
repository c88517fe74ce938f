"""The JSON schema of a judge's answer, for endpoints that hold their model to one."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from itertools import groupby
from typing import Any

from trajectories.annotation.codebook.types import Codebook, Field, Option
from trajectories.annotation.machines.prompt import NOTE, SENTENCES

NOTE_CHARS = 300
Choice = tuple[Field, list[Option]]


def answer_schema(codebook: Codebook) -> dict[str, Any]:
    """Return the schema of complete answers.

    Options that end the form, need a note or mark sentences have schemas of their own.
    """
    return {"anyOf": [_form(one) for one in _forms(codebook.fields)]}


def _forms(fields: Sequence[Field]) -> Iterator[list[Choice]]:
    if not fields:
        yield []
        return
    first, *others = fields
    for options in _alike(first):
        is_over = not first.is_set and options[0].ends
        for tail in [[]] if is_over else _forms(others):
            yield [(first, options), *tail]


def _alike(one: Field) -> list[list[Option]]:
    """Options with the same consequences; those of a set come together."""
    if one.is_set:
        return [list(one.options)]
    options = sorted(one.options, key=_consequences)  # stable, so that the codebook's order is kept
    return [list(group) for _, group in groupby(options, key=_consequences)]


def _consequences(option: Option) -> tuple[bool, bool, bool]:
    return option.ends, option.marks_span, option.needs_note


def _form(choices: list[Choice]) -> dict[str, Any]:
    properties = {one.id: _answers(one, options) for one, options in choices}
    single = [options[0] for one, options in choices if not one.is_set]
    if any(option.marks_span for option in single):
        numbers = {"type": "integer", "minimum": 1, "maximum": 99}
        properties[SENTENCES] = {"type": "array", "items": numbers, "minItems": 1, "maxItems": 20}
    if any(option.needs_note for option in single):
        properties[NOTE] = {"type": "string", "minLength": 1, "maxLength": NOTE_CHARS}
    return {
        "type": "object",
        "properties": properties,
        "required": list(properties),
        "additionalProperties": False,
    }


def _answers(one: Field, options: list[Option]) -> dict[str, Any]:
    answer = {"type": "string", "enum": [option.id for option in options]}
    if not one.is_set:
        return answer
    return {"type": "array", "items": answer, "uniqueItems": True, "maxItems": len(options)}
