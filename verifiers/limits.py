"""What a verifier may be given and what it may cost. No setting changes these: a score would change too."""

from __future__ import annotations

SHORT_ANSWER_CHARS = 200
"""Characters in a short-answer field; a longer answer is the agent's `unparsable_answer`."""

VERIFY_TIMEOUT_S = 10.0
"""Seconds of wall clock for one verification in a child; then the child is killed."""

CHILD_MEMORY_BYTES = 1536 * 1024 * 1024
"""Address space of a child: what needs more fails in the child, not in the worker."""

CHILD_VERIFICATIONS = 2000
"""Verifications before a child is replaced: the LaTeX parser's tables grow with what it has seen."""

REPLY_BYTES = 64 * 1024
"""Largest reply read from a child."""

PARSED_CHARS = 400
"""Characters kept of each parsed form in a verdict."""
