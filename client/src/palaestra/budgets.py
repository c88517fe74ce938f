"""The budgets of an episode that the client counts itself: tokens, and unreadable actions in a row."""

from __future__ import annotations

from palaestra.records import CloseReason, Usage


class Budgets:
    """``tokens`` bounds those that the model writes, ``prompt_tokens`` those of all its prompts, both as its
    usage gives them; ``invalid`` is how many unreadable actions in a row end the episode."""

    def __init__(self, *, tokens: int | None, prompt_tokens: int | None, invalid: int | None) -> None:
        self._limits: dict[CloseReason, list[int | None]] = {
            "token_budget": [tokens, prompt_tokens],
            "invalid_actions": [invalid],
        }
        self._used: dict[CloseReason, list[int]] = {"token_budget": [0, 0], "invalid_actions": [0]}

    def count(self, usage: Usage | None, *, is_parsed: bool) -> None:
        """Count one turn."""
        tokens = self._used["token_budget"]
        if usage is not None:
            tokens[0] += usage.completion or 0
            tokens[1] += usage.prompt or 0
        self._used["invalid_actions"] = [0 if is_parsed else self._used["invalid_actions"][0] + 1]

    def spent(self) -> CloseReason | None:
        """The reason to end the episode, if a budget is used up."""
        for reason, limits in self._limits.items():
            pairs = zip(self._used[reason], limits, strict=True)
            if any(limit is not None and used >= limit for used, limit in pairs):
                return reason
        return None
