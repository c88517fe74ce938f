"""Why episodes end: the reasons of verdicts, and the reasons for which a harness closes an episode."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import KW_ONLY, dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Literal

from core.outcomes import INCORRECT, VOID
from core.tables import table_load

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
        return INCORRECT if self.fault == "agent" else VOID


END_REASONS: Mapping[str, EndReason] = {
    reason.code: reason for reason in table_load(Path(__file__).with_name("reasons.toml"), EndReason)
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
