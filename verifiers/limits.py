"""Limits on a verifier's input and cost. They are not settings: scores depend on them."""

from __future__ import annotations

SHORT_ANSWER_CHARS = 200
"""Characters in a short-answer field; a longer answer is the agent's `unparsable_answer`."""

VERIFY_TIMEOUT_S = 10.0
"""Wall-clock seconds for one verification in a child, which is killed afterwards."""

CHILD_MEMORY_BYTES = 1536 * 1024 * 1024
"""Address space of a child; whatever needs more fails in the child, not in the worker."""

CHILD_GROWTH_BYTES = 64 * 1024 * 1024
"""Memory gained after which a child is replaced: the LaTeX parser's tables grow by 10 KB per formula."""

TOGETHER_MAX = 128
"""Verifications sent to a child in one message."""

TOGETHER_TIMEOUT_S = 1.0
"""Seconds for a whole message; after that, its verifications run one by one, each with its own timeout."""

REPLY_BYTES = 64 * 1024
"""Largest reply read from a child, for each verification of the message."""

PARSED_CHARS = 400
"""Characters of each parsed form that a verdict stores."""
