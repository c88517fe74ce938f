"""Episodes in which the agent copies the question, in SQL: the episode is ``e``."""

from __future__ import annotations

from palaestra.protocol.arms import PROBE_ARMS

# The verifier of copies.
TRANSCRIPT = "transcript-v1"
_ARMS = ", ".join(f"'{arm}'" for arm in PROBE_ARMS)
IS_PROBE = f"e.arm IN ({_ARMS})"
