"""Parameters in the addresses of live: ids, the cursor, the time-out."""

from __future__ import annotations

import math
import re
from collections.abc import Mapping
from urllib.parse import parse_qs

from core.errors import GymError
from core.integers import BIGINT_MAX
from core.live_address import TIMEOUT_DEFAULT_S, TIMEOUT_MAX_S

QUERY_MAX_BYTES = 1_000
NUMBER = re.compile(r"[0-9]{1,19}")


def query_read(raw: bytes) -> dict[str, str]:
    """Return the last value of each parameter. Raises ``GymError`` 400 if the query is too long."""
    if len(raw) > QUERY_MAX_BYTES:
        raise GymError("query_too_long", f"The query has over {QUERY_MAX_BYTES} bytes.")
    values = parse_qs(raw.decode("latin-1"), keep_blank_values=True)
    return {name: repeated[-1] for name, repeated in values.items()}


def after_read(query: Mapping[str, str]) -> int:
    """Return the cursor ``after``, 0 if omitted. Raises ``GymError`` 400 if it is invalid."""
    text = query.get("after") or "0"
    if not NUMBER.fullmatch(text) or int(text) > BIGINT_MAX:
        raise _invalid("after", "This must be the `next` of an earlier answer, or 0.")
    return int(text)


def timeout_read(query: Mapping[str, str]) -> float:
    """Return the time-out in seconds. Raises ``GymError`` 400 if it is not from 0 to ``TIMEOUT_MAX_S``."""
    text = query.get("timeout", "")
    try:
        timeout_s = float(text) if text else TIMEOUT_DEFAULT_S
    except ValueError:
        timeout_s = math.nan
    if not 0.0 <= timeout_s <= TIMEOUT_MAX_S:  # false for nan, too
        raise _invalid("timeout", f"This must be a number of seconds from 0 to {TIMEOUT_MAX_S:.0f}.")
    return timeout_s


def episode_unknown(episode_id: int) -> GymError:
    return GymError("not_found", f"There is no episode {episode_id}.", status=404)


def run_unknown(run_id: int) -> GymError:
    return GymError("not_found", f"There is no run {run_id}.", status=404)


def _invalid(field: str, message: str) -> GymError:
    return GymError("invalid", "Some parameters are not valid.", fields={field: [message]})
