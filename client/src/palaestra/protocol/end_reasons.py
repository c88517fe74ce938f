"""The reasons why episodes end: those in verdicts, and those for which a harness closes an episode."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import KW_ONLY, dataclass
from typing import Literal

from palaestra.protocol.outcomes import INCORRECT, VOID

Fault = Literal["agent", "ours", "nobody"]
CloseReason = Literal[
    "agent_stopped",
    "invalid_actions",
    "page_crash",
    "token_budget",
    "context_length",
    "time_budget",
    "content_filter",
    "model_error",
    "harness_error",
    "fork_diverged",
    "page_unsettled",
    "cancelled",
    "cut_off",
]
"""Reasons for which a harness may close an episode, in the order of ``END_REASONS``, which a test checks."""


@dataclass(frozen=True)
class EndReason:
    """The ``reason`` of a verdict.

    ``is_judged``: a verifier decides the outcome. ``is_truncated``: a budget cut the episode short, and the
    trainer decides whether to mask it. Alarms about void verdicts count those whose ``fault`` is ours.
    ``close_code`` is the code with which a harness closes an episode for this reason, None if it may not.
    """

    code: str
    label: str
    description: str
    _: KW_ONLY
    fault: Fault = "agent"
    is_judged: bool = False
    is_truncated: bool = False
    close_code: CloseReason | None = None

    @property
    def outcome(self) -> Literal["incorrect", "void"] | None:
        """The outcome; None if a verifier decides. Our failures are void, and the agent's are incorrect."""
        if self.is_judged:
            return None
        return INCORRECT if self.fault == "agent" else VOID


# Forms list them in this order.
_END_REASONS = (
    EndReason("answer", "Submitted an answer", "The submitted answer was judged.", is_judged=True),
    EndReason("unparsable_answer", "Unreadable answer", "The verifier could not parse the submitted answer."),
    EndReason(
        "no_submission",
        "No answer submitted",
        "The agent stopped without submitting an answer.",
        close_code="agent_stopped",
    ),
    EndReason(
        "invalid_actions",
        "Too many invalid actions",
        "The agent kept writing actions, or answers in free text, that could not be parsed.",
        close_code="invalid_actions",
    ),
    EndReason(
        "page_crash",
        "Crashed the page",
        "The agent's page crashed, was opened again, and crashed once more.",
        close_code="page_crash",
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
        "content_filter",
        "Stopped by a filter",
        "A content filter of the model's endpoint stopped or withheld what the agent wrote.",
        close_code="content_filter",
    ),
    EndReason(
        "model_error", "Model error", "The model's endpoint failed.", fault="ours", close_code="model_error"
    ),
    EndReason(
        "harness_error",
        "Harness error",
        "The harness or its browser failed.",
        fault="ours",
        close_code="harness_error",
    ),
    EndReason(
        "fork_diverged",
        "Fork diverged",
        "A fork could not be brought to where its parent stood: its page differs from the record.",
        fault="ours",
        close_code="fork_diverged",
    ),
    EndReason(
        "page_unsettled",
        "Page never settled",
        "The first page was not complete in many times the usual time, before the agent did anything.",
        fault="ours",
        close_code="page_unsettled",
    ),
    EndReason(
        "lease_lost", "Lease lost", "The episode was not heard of for longer than its lease.", fault="ours"
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
        "cancelled", "Cancelled", "The trainer cancelled the episode.", fault="nobody", close_code="cancelled"
    ),
    EndReason(
        "cut_off",
        "Cut off",
        "The trainer ended the episode because most of its batch had been played.",
        fault="nobody",
        close_code="cut_off",
    ),
    EndReason("expired_unused", "Expired unused", "The episode was opened and never used.", fault="nobody"),
)
END_REASONS: Mapping[str, EndReason] = {reason.code: reason for reason in _END_REASONS}
CLOSE_REASONS: Mapping[str, EndReason] = {
    reason.close_code: reason for reason in _END_REASONS if reason.close_code
}
"""End reasons by the code with which a harness closes an episode. A submitted answer takes precedence."""
HARMLESS_VOIDS = tuple(reason.code for reason in _END_REASONS if reason.fault == "nobody")
