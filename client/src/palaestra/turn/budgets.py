"""The budgets of an episode that the client counts itself: tokens and consecutive unreadable actions."""

from __future__ import annotations

from palaestra.protocol.end_reasons import CloseReason
from palaestra.records import Usage


class Budgets:
    """Counters with limits.

    They count the ``tokens`` that the model writes and the ``prompt_tokens`` of all its prompts, both from
    its usage, and ``invalid`` actions in a row.
    """

    def __init__(self, *, tokens: int | None, prompt_tokens: int | None, invalid: int | None) -> None:
        self._limits = {"written": tokens, "read": prompt_tokens, "invalid": invalid}
        self._used = dict.fromkeys(self._limits, 0)

    def count(self, usage: Usage | None, *, is_parsed: bool) -> None:
        """Count one turn."""
        if usage is not None:
            self._used["written"] += usage.completion or 0
            self._used["read"] += usage.prompt or 0
        self._used["invalid"] = 0 if is_parsed else self._used["invalid"] + 1

    def find_spent(self) -> tuple[CloseReason, str] | None:
        """Return the end reason and a detail for the first budget that is used up; None if none is."""
        for name, limit in self._limits.items():
            used = self._used[name]
            if limit is None or used < limit:
                continue
            if name == "invalid":
                return "invalid_actions", f"{used} in a row"
            return "token_budget", f"{used:,} tokens {name}, of {limit:,}"
        return None
