"""Plans of evaluations, as a client makes them and a report of the server reads them."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Mapping
from typing import Any

ITEMS_MIN = 10
"""The least number of items for which an interval is stated."""


def plan_sha256(plan: Mapping[str, Any]) -> str:
    """Return the SHA-256 of the plan's canonical JSON: sorted keys, no spaces, UTF-8."""
    text = json.dumps(plan, sort_keys=True, separators=(",", ":"), ensure_ascii=False)
    return hashlib.sha256(text.encode()).hexdigest()
