"""The budgets of an episode that the client counts itself: tokens, and unreadable actions in a row."""

from __future__ import annotations

from palaestra.protocol.end_reasons import CloseReason
from palaestra.records import Usage


class Budgets:
    """``tokens`` bounds those that the model writes, ``prompt_tokens`` those of all its prompts, both as its
    usage gives them; ``invalid`` is how many unreadable actions in a row end the episode."""

    def __init__(self, *, tokens: int | None, prompt_tokens: int | None, invalid: int | None) -> None:
        self._limits = {"written": tokens, "read": prompt_tokens, "invalid": invalid}
        self._used = dict.fromkeys(self._limits, 0)

    def count(self, usage: Usage | None, *, is_parsed: bool) -> None:
        """Count one turn."""
        if usage is not None:
            self._used["written"] += usage.completion or 0
            self._used["read"] += usage.prompt or 0
        self._used["invalid"] = 0 if is_parsed else self._used["invalid"] + 1

    def spent(self) -> tuple[CloseReason, str] | None:
        """The reason to end the episode, and which budget it was, if one is used up."""
        for name, limit in self._limits.items():
            used = self._used[name]
            if limit is None or used < limit:
                continue
            if name == "invalid":
                return "invalid_actions", f"{used} in a row"
            return "token_budget", f"{used:,} tokens {name}, of {limit:,}"
        return None
