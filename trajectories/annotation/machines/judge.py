"""A judge model that labels units, served by any endpoint that speaks OpenAI chat completions."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import groupby
from typing import Any

from trajectories.annotation.codebook.types import Codebook, Field, Option
from trajectories.annotation.labels.answers import check_answers
from trajectories.annotation.machines.endpoint import Endpoint, Message, UnitRefused, message
from trajectories.annotation.machines.labels import MachineLabel, check_given_answers
from trajectories.annotation.machines.prompt import (
    NOTE,
    SENTENCES,
    Material,
    answers_read,
    render_system_prompt,
    render_unit,
)

# A worker's time is limited, so it makes fewer tries, and its calls finish before it is stopped.
WORKER_TRIES = 2
WORKER_TIMEOUT_S = 50.0
# The limit includes the judge's thoughts. Without it, a model that repeats itself would fill its context.
REPLY_TOKENS = 4_096
THOUGHTS = re.compile(r"\A\s*(?:<think>)?.*?</think>", re.DOTALL)
FENCE = re.compile(r"\A```(?:json)?\s*(.*?)\s*```\Z", re.DOTALL)


@dataclass(frozen=True, kw_only=True)
class Judge(Endpoint):
    """A judge model that labels units.

    With ``has_schema``, the endpoint must constrain the model's output to the schema of an answer.
    """

    max_tokens: int = REPLY_TOKENS
    has_schema: bool = False

    def label(self, material: Material, *, codebook: Codebook) -> MachineLabel:
        """Return the judge's label of a unit. If the reply is unusable, the judge is asked once more.

        If the endpoint refuses the unit, it is sent again with a shorter outline. A label without a usable
        answer has the reply or the refusal as its note. Raises ``UnitRefused`` if the endpoint refuses the
        unit and has not answered any request yet.
        """
        for shown in (material, material.shortened()):
            try:
                return self._label(shown, codebook=codebook)
            except UnitRefused as error:
                refusal = error
        if not self.has_answered.is_set():
            raise refusal
        return MachineLabel(unit=material.unit, answers=None, note=f"No usable answer. {refusal.message}")

    def _label(self, material: Material, *, codebook: Codebook) -> MachineLabel:
        messages = [message("system", render_system_prompt(codebook)), message("user", render_unit(material))]
        reply = self._text(messages, codebook)
        label, errors = label_read(reply, material=material, codebook=codebook, is_complete=True)
        if errors:
            again = (
                f"This is not usable. {' '.join(errors)} Answer again with one JSON object and nothing else."
            )
            reply = self._text([*messages, message("assistant", reply), message("user", again)], codebook)
            label, _ = label_read(reply, material=material, codebook=codebook, is_complete=False)
        return label

    def _text(self, messages: list[Message], codebook: Codebook) -> str:
        return self.reply(self._body(messages, codebook)).text

    def _body(self, messages: list[Message], codebook: Codebook) -> dict[str, Any]:
        body = {"model": self.model, "messages": messages, "temperature": 0, "max_tokens": self.max_tokens}
        if not self.has_schema:
            return body
        schema = {"name": "label", "schema": answer_schema(codebook)}
        return body | {"response_format": {"type": "json_schema", "json_schema": schema}}


def label_read(
    reply: str, *, material: Material, codebook: Codebook, is_complete: bool
) -> tuple[MachineLabel, list[str]]:
    """Return the label in a reply, and its errors. Unless ``is_complete`` is set, fields may be missing."""
    unit = material.unit
    nothing = MachineLabel(unit=unit, answers=None, note=f"No usable answer. It said: {reply}")
    data = reply_read(reply)
    if data is None:
        return nothing, ["It holds no JSON object, or several."]
    answers = answers_read(data, material=material)
    check = check_answers if is_complete else check_given_answers
    if errors := check(answers, codebook=codebook, unit=unit):
        return nothing, errors
    return MachineLabel(unit=unit, answers=answers), []


def reply_read(reply: str) -> dict[str, Any] | None:
    """Return the JSON object in a reply, or None unless there is exactly one.

    Thoughts before the object and a code fence around it are ignored.
    """
    text = THOUGHTS.sub("", reply, count=1).strip() if "</think>" in reply else reply.strip()
    if fenced := FENCE.match(text):
        text = fenced.group(1)
    data = _json(text)
    if data is None and "{" in text:
        data = _json(text[text.index("{") : text.rfind("}") + 1])
    return data if isinstance(data, dict) else None


def _json(text: str) -> Any:
    try:
        return json.loads(text)
    except (ValueError, RecursionError):
        return None


NOTE_CHARS = 300
Choice = tuple[Field, list[Option]]


def answer_schema(codebook: Codebook) -> dict[str, Any]:
    """Return the JSON schema of a complete answer.

    Options that end the form, need a note or mark sentences require other properties, so each combination of
    them has its own schema.
    """
    return {"anyOf": [_form(form) for form in _forms(codebook.fields)]}


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
    """Group options with the same consequences for the form; a set's options form a single group."""
    if one.is_set:
        return [list(one.options)]
    options = sorted(one.options, key=_consequences)  # The sort is stable, so the codebook's order is kept.
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
