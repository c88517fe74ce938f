"""Why episodes end: the reasons of verdicts, and the reasons for which a harness closes an episode."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import KW_ONLY, dataclass
from typing import TYPE_CHECKING, Literal

Fault = Literal["agent", "ours", "nobody"]


@dataclass(frozen=True)
class EndReason:
    """The ``reason`` of a verdict.

    ``is_judged``: a verifier decides. ``is_truncated``: a budget cut the episode short, and the trainer
    decides whether to mask it. Alarms about void verdicts count those whose ``fault`` is ours.
    """

    code: str
    label: str
    description: str
    _: KW_ONLY
    fault: Fault = "agent"
    is_judged: bool = False
    is_truncated: bool = False
    close_code: str = ""  # the reason that the harness gives, if it may close an episode for this

    @property
    def outcome(self) -> Literal["incorrect", "void"] | None:
        """A failure of ours is never a zero, and a failure of the agent is never void."""
        if self.is_judged:
            return None
        return "incorrect" if self.fault == "agent" else "void"


END_REASONS: Mapping[str, EndReason] = {
    reason.code: reason
    for reason in (
        EndReason("answer", "Submitted an answer", "The submitted answer was judged.", is_judged=True),
        EndReason(
            "unparsable_answer", "Unreadable answer", "The verifier could not parse the submitted answer."
        ),
        EndReason(
            "no_submission",
            "No answer submitted",
            "The agent stopped without submitting an answer.",
            close_code="agent_stopped",
        ),
        EndReason(
            "invalid_actions",
            "Too many invalid actions",
            "The agent kept writing actions that could not be parsed.",
            close_code="invalid_actions",
        ),
        EndReason(
            "step_budget",
            "Out of steps",
            "The agent used all its steps without submitting an answer.",
            is_truncated=True,
        ),
        EndReason(
            "token_budget",
            "Out of tokens",
            "The agent used all its completion tokens without submitting an answer.",
            is_truncated=True,
            close_code="token_budget",
        ),
        EndReason(
            "context_length",
            "Out of context",
            "The conversation no longer fitted into the model's context window.",
            is_truncated=True,
            close_code="context_length",
        ),
        EndReason(
            "time_budget",
            "Out of time",
            "The harness's time limit passed without an answer.",
            is_truncated=True,
            close_code="time_budget",
        ),
        EndReason(
            "model_error",
            "Model error",
            "The model's endpoint failed.",
            fault="ours",
            close_code="model_error",
        ),
        EndReason(
            "harness_error",
            "Harness error",
            "The harness or its browser failed.",
            fault="ours",
            close_code="harness_error",
        ),
        EndReason(
            "lease_lost",
            "Lease lost",
            "The episode was not heard of for longer than its lease.",
            fault="ours",
        ),
        EndReason("verifier_error", "Verifier error", "The verifier crashed on this answer.", fault="ours"),
        EndReason(
            "verifier_timeout",
            "Verifier timeout",
            "The verifier ran out of time on the gold answer too.",
            fault="ours",
        ),
        EndReason(
            "sandbox_missing",
            "Sandbox missing",
            "No worker could run the submitted program in a sandbox.",
            fault="ours",
        ),
        EndReason(
            "cancelled",
            "Cancelled",
            "The trainer cancelled the episode.",
            fault="nobody",
            close_code="cancelled",
        ),
        EndReason(
            "expired_unused", "Expired unused", "The episode was opened and never used.", fault="nobody"
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
HARMLESS_VOIDS = tuple(reason.code for reason in END_REASONS.values() if reason.fault == "nobody")
