"""Why episodes end: the reasons of verdicts, and the reasons for which a harness closes an episode."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING, Literal

Outcome = Literal["correct", "incorrect", "void"]
Fault = Literal["agent", "ours", "nobody"]


@dataclass(frozen=True, kw_only=True)
class EndReason:
    """The ``reason`` of a verdict.

    ``outcome`` is None where a verifier decides. ``is_truncated``: a budget cut the episode short, and the
    trainer decides whether to mask it. Alarms about void verdicts count those whose ``fault`` is ours.
    """

    code: str
    label: str
    description: str
    outcome: Outcome | None
    fault: Fault
    is_truncated: bool = False
    close_code: str = ""  # the reason that the harness gives, where it may close an episode for this


END_REASONS: Mapping[str, EndReason] = {
    reason.code: reason
    for reason in (
        EndReason(
            code="answer",
            label="Submitted an answer",
            description="The submitted answer was judged.",
            outcome=None,
            fault="agent",
        ),
        EndReason(
            code="unparsable_answer",
            label="Unreadable answer",
            description="The verifier could not parse the submitted answer.",
            outcome="incorrect",
            fault="agent",
        ),
        EndReason(
            code="no_submission",
            label="No answer submitted",
            description="The agent stopped without submitting an answer.",
            outcome="incorrect",
            fault="agent",
            close_code="agent_stopped",
        ),
        EndReason(
            code="invalid_actions",
            label="Too many invalid actions",
            description="The agent kept writing actions that could not be parsed.",
            outcome="incorrect",
            fault="agent",
            close_code="invalid_actions",
        ),
        EndReason(
            code="step_budget",
            label="Out of steps",
            description="The agent used all its steps without submitting an answer.",
            outcome="incorrect",
            fault="agent",
            is_truncated=True,
        ),
        EndReason(
            code="token_budget",
            label="Out of tokens",
            description="The agent used all its completion tokens without submitting an answer.",
            outcome="incorrect",
            fault="agent",
            is_truncated=True,
            close_code="token_budget",
        ),
        EndReason(
            code="context_length",
            label="Out of context",
            description="The conversation no longer fitted into the model's context window.",
            outcome="incorrect",
            fault="agent",
            is_truncated=True,
            close_code="context_length",
        ),
        EndReason(
            code="time_budget",
            label="Out of time",
            description="The harness's time limit passed without an answer.",
            outcome="incorrect",
            fault="agent",
            is_truncated=True,
            close_code="time_budget",
        ),
        EndReason(
            code="model_error",
            label="Model error",
            description="The model's endpoint failed.",
            outcome="void",
            fault="ours",
            close_code="model_error",
        ),
        EndReason(
            code="harness_error",
            label="Harness error",
            description="The harness or its browser failed.",
            outcome="void",
            fault="ours",
            close_code="harness_error",
        ),
        EndReason(
            code="lease_lost",
            label="Lease lost",
            description="The episode was not heard of for longer than its lease.",
            outcome="void",
            fault="ours",
        ),
        EndReason(
            code="verifier_error",
            label="Verifier error",
            description="The verifier crashed on this answer.",
            outcome="void",
            fault="ours",
        ),
        EndReason(
            code="verifier_timeout",
            label="Verifier timeout",
            description="The verifier ran out of time on the gold answer too.",
            outcome="void",
            fault="ours",
        ),
        EndReason(
            code="sandbox_missing",
            label="Sandbox missing",
            description="No worker could run the submitted program in a sandbox.",
            outcome="void",
            fault="ours",
        ),
        EndReason(
            code="cancelled",
            label="Cancelled",
            description="The trainer cancelled the episode.",
            outcome="void",
            fault="nobody",
            close_code="cancelled",
        ),
        EndReason(
            code="expired_unused",
            label="Expired unused",
            description="The episode was opened and never used.",
            outcome="void",
            fault="nobody",
        ),
    )
}

# By the reason that a harness closes an episode for: how the episode ends unless an answer was submitted.
CLOSE_REASONS: Mapping[str, EndReason] = {
    reason.close_code: reason for reason in END_REASONS.values() if reason.close_code
}
if TYPE_CHECKING:
    CloseCode = str
else:
    CloseCode = Literal[tuple(CLOSE_REASONS)]
HARMLESS_VOIDS = tuple(
    reason.code for reason in END_REASONS.values() if reason.outcome == "void" and reason.fault == "nobody"
)
