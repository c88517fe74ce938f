"""Histories, as a run names them. The server has the same table."""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass

_HISTORY = re.compile(r"([a-z_]+)(?::([1-9][0-9]{0,2}))?")


@dataclass(frozen=True, kw_only=True)
class HistoryPolicy:
    """What of earlier turns a model is sent again. ``has_number``: a run names it as ``last_k:3``.
    ``needs_text``: it works on outlines alone."""

    id: str
    has_number: bool = False
    needs_text: bool = False


@dataclass(frozen=True, kw_only=True)
class History:
    """A policy as a run names it; ``number`` is how many of the last observations are sent again."""

    policy: HistoryPolicy
    number: int | None = None


HISTORY_POLICIES: Mapping[str, HistoryPolicy] = {
    policy.id: policy
    for policy in (
        HistoryPolicy(id="full"),
        HistoryPolicy(id="last_k", has_number=True),
        HistoryPolicy(id="diff", needs_text=True),
    )
}


def history_read(name: str) -> History:
    """The history that a run names: ``full``, ``last_k:3``, ``diff``. Raises ``ValueError``."""
    match = _HISTORY.fullmatch(name)
    policy = HISTORY_POLICIES.get(match[1]) if match else None
    if match is None or policy is None or policy.has_number != (match[2] is not None):
        raise ValueError(f"There is no history {name!r}. Known: full, last_k:3 (any number), diff.")
    return History(policy=policy, number=int(match[2]) if match[2] else None)
