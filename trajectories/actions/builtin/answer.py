"""Submit an answer. In arms without a page, it goes directly to the API."""

from __future__ import annotations

from palaestra.protocol.actions import ACTION_SPECS
from trajectories.actions import rules
from trajectories.actions.types import ActionType, DeclaredStep, Finding, PageRecord, register


def _rule(step: DeclaredStep, record: PageRecord) -> Finding:
    if record.answer is None:
        detail = rules.not_performed(step) or "no answer was accepted this way"
        return Finding(kind="no_effect", detail=detail)
    if _is_same(step.field("text"), record.answer):
        return Finding(kind="confirmed")
    if step.result not in ("", "ok"):
        return Finding(kind="no_effect", detail=rules.not_performed(step) or "the action was not performed")
    return Finding(kind="different_effect", detail="a different answer was submitted")


def _is_same(declared: object, accepted: object) -> bool:
    """Return whether a declared answer is the accepted one; either may be a single value or a list."""
    one, other = ([value] if not isinstance(value, list) else value for value in (declared, accepted))
    return [str(value).strip() for value in one] == [str(value).strip() for value in other]


register(
    ActionType(
        spec=ACTION_SPECS["answer"],
        rule=_rule,
        object="text",
        verbs=("answer", "submit answer"),
        labels={
            "confirmed": "Submitted an answer",
            "no_effect": "Answer not submitted",
            "different_effect": "Different answer submitted",
        },
        is_passive=True,
        needs_page=False,
    )
)
