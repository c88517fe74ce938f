"""History policies: what of earlier turns a model is sent again.

A run names a policy by its id, with a number where it has one: ``full``, ``last_k:3``, ``diff``.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import KW_ONLY, dataclass

from palaestra.protocol.suggestions import did_you_mean

NUMBER_MAX = 999
DEFAULT = "full"
_NAME = re.compile(r"([a-z_]+)(?::([1-9][0-9]{0,2}))?")


@dataclass(frozen=True)
class HistoryPolicy:
    """``has_number``: its name goes on with ``:`` and a number. ``needs_text``: it works on outlines.
    ``label_of_one``: its label where the number is 1.
    """

    id: str
    label: str
    description: str
    _: KW_ONLY
    has_number: bool = False
    needs_text: bool = False
    label_of_one: str = ""


@dataclass(frozen=True, kw_only=True)
class History:
    """A policy as a run names it; ``number`` is how many of the last observations are sent again."""

    policy: HistoryPolicy
    number: int | None = None

    @property
    def label(self) -> str:
        if self.number == 1:
            return self.policy.label_of_one
        return self.policy.label.replace("{number}", str(self.number))


_POLICIES = (
    HistoryPolicy("full", "Full", "Every earlier turn with its observation."),
    HistoryPolicy(
        "last_k",
        "Last {number} observations",
        "Every earlier turn; observations older than the last ones are left out.",
        label_of_one="Last observation",
        has_number=True,
    ),
    HistoryPolicy(
        "diff",
        "Changes",
        "Every earlier turn; of each page only what changed since the turn before.",
        needs_text=True,
    ),
)
HISTORY_POLICIES: Mapping[str, HistoryPolicy] = {policy.id: policy for policy in _POLICIES}


def pattern() -> str:
    """Return the regular expression of every name that a run may give, for the API's schema."""
    names = [f"{policy.id}:[1-9][0-9]{{0,2}}" if policy.has_number else policy.id for policy in _POLICIES]
    return f"^({'|'.join(names)})$"


def history_read(name: str) -> History:
    """Parse the history that a run names. Raises ``ValueError`` with a message for the author of the name."""
    match = _NAME.fullmatch(name)
    policy = HISTORY_POLICIES.get(match[1]) if match else None
    if match is None or policy is None or (match[2] is not None and not policy.has_number):
        known = [f"{policy.id}:3" if policy.has_number else policy.id for policy in _POLICIES]
        raise ValueError(f"There is no history {name[:100]!r}. {did_you_mean(name[:100], known)}")
    if policy.has_number and match[2] is None:
        raise ValueError(f"Add a number from 1 to {NUMBER_MAX}, for example {policy.id}:3.")
    return History(policy=policy, number=int(match[2]) if match[2] else None)
