"""History policies: what of earlier turns a model is sent again. The client has the same table.

A run names a policy by its id, with a number where it has one: ``full``, ``last_k:3``, ``diff``.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import KW_ONLY, dataclass
from pathlib import Path

from core.errors import did_you_mean
from core.tables import table_load

NUMBER_MAX = 999
DEFAULT = "full"
_NAME = re.compile(r"([a-z_]+)(?::([1-9][0-9]{0,2}))?")


@dataclass(frozen=True)
class HistoryPolicy:
    """``has_number``: its name goes on with ``:`` and a number. ``needs_text``: it works on outlines.
    ``label_of_one``: where its number is 1."""

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


HISTORY_POLICIES: Mapping[str, HistoryPolicy] = {
    policy.id: policy for policy in table_load(Path(__file__).with_name("histories.toml"), HistoryPolicy)
}


def pattern() -> str:
    """The regular expression of every name that a run may give, for the API's schema."""
    names = [f"{one.id}:[1-9][0-9]{{0,2}}" if one.has_number else one.id for one in HISTORY_POLICIES.values()]
    return f"^({'|'.join(names)})$"


def history_read(name: str) -> History:
    """The history that a run names. Raises ``ValueError`` with a message for who wrote the name."""
    match = _NAME.fullmatch(name)
    policy = HISTORY_POLICIES.get(match[1]) if match else None
    if match is None or policy is None or (match[2] is not None and not policy.has_number):
        known = [f"{one.id}:3" if one.has_number else one.id for one in HISTORY_POLICIES.values()]
        raise ValueError(f"{name[:100]!r} is not known. {did_you_mean(name[:100], known)}")
    if policy.has_number and match[2] is None:
        raise ValueError(f"Add a number from 1 to {NUMBER_MAX}, for example {policy.id}:3.")
    return History(policy=policy, number=int(match[2]) if match[2] else None)
