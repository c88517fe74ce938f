"""Evaluation plans, which a client makes and the server's reports read."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Mapping
from typing import Any

ITEMS_MIN = 10
"""The minimum number of items for which an interval is reported."""


def plan_sha256(plan: Mapping[str, Any]) -> str:
    """Return the SHA-256 of the plan's canonical JSON: sorted keys, no spaces, UTF-8."""
    text = json.dumps(plan, sort_keys=True, separators=(",", ":"), ensure_ascii=False)
    return hashlib.sha256(text.encode()).hexdigest()
