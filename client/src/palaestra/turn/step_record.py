"""Conversion of a turn to the step that is recorded."""

from __future__ import annotations

from dataclasses import fields

from palaestra.actions import Outcome
from palaestra.completion import Completion
from palaestra.grammars import Grammar, Turn
from palaestra.observation import Observation
from palaestra.records import Step, StepObservation
from palaestra.turn.step_queue import json_clean, text_clean

APART = ("text", "reasoning", "tool_calls")
"""Fields of a completion that are not recorded under their own names."""


def build_step(
    completion: Completion,
    turn: Turn,
    outcome: Outcome,
    *,
    index: int,
    prefill_chars: int,
    shown: Observation,
    grammar: Grammar,
    has_page: bool,
    target_path: str | None,
    element_ids: str | None,
) -> Step:
    """Return the step of a completion that was read as ``turn``, after the observation ``shown``."""
    details = {
        field.name: getattr(completion, field.name) for field in fields(completion) if field.name not in APART
    }
    return Step(
        index=index,
        thought=text_clean("\n\n".join(filter(None, (completion.reasoning, turn.thought)))),
        thought_hidden=completion.is_thought_hidden or None,
        raw=text_clean(grammar.raw(completion)),
        prefill_chars=prefill_chars or None,
        action=json_clean(turn.declared) if turn.declared is not None else None,
        parsed=turn.parse_error is None,
        parse_error=text_clean(turn.parse_error, limit=1000) if turn.parse_error else None,
        action_result=outcome.result,
        result_message=outcome.message or None,
        target_path=target_path or None,
        settled=shown.is_settled if has_page else None,
        element_ids=element_ids,
        observation=StepObservation(kind=shown.kind, text=shown.text) if has_page else None,
        url=shown.url or None,
        **details,
    )
