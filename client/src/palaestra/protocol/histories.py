"""History policies: how much of earlier turns is sent to a model again.

A run names a policy by its id, followed by a number if the policy has one: ``full``, ``last_k:3``, ``diff``.
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
    """A history policy.

    ``has_number``: its id is followed by ``:`` and a number. ``needs_text``: it works only on outlines.
    ``label_of_one`` is its label if the number is 1.
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
    """A history policy with its number, as a run names it.

    ``number`` is the number of latest observations that are sent again.
    """

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
    """Return a regular expression for all names that a run may give, for use in the API's schema."""
    names = [f"{policy.id}:[1-9][0-9]{{0,2}}" if policy.has_number else policy.id for policy in _POLICIES]
    return f"^({'|'.join(names)})$"


def history_read(name: str) -> History:
    """Parse the name of a history. Raises ``ValueError`` with a message that suggests valid names."""
    match = _NAME.fullmatch(name)
    policy = HISTORY_POLICIES.get(match[1]) if match else None
    if match is None or policy is None or (match[2] is not None and not policy.has_number):
        known = [f"{policy.id}:3" if policy.has_number else policy.id for policy in _POLICIES]
        raise ValueError(f"There is no history {name[:100]!r}. {did_you_mean(name[:100], known)}")
    if policy.has_number and match[2] is None:
        raise ValueError(f"Add a number from 1 to {NUMBER_MAX}, for example {policy.id}:3.")
    return History(policy=policy, number=int(match[2]) if match[2] else None)
