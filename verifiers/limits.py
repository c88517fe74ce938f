"""Limits on a verifier's input and cost. They are constants, not settings, because scores depend on them."""

from __future__ import annotations

SHORT_ANSWER_CHARS = 200
"""Most characters of a short answer; a longer one is judged ``unparsable_answer``."""

VERIFY_TIMEOUT_S = 10.0
"""Wall-clock seconds for one verification, after which its child process is killed."""

CHILD_MEMORY_BYTES = 1536 * 1024 * 1024
"""Address space of a child; a verification that needs more fails in the child, not in the worker."""

CHILD_GROWTH_BYTES = 64 * 1024 * 1024
"""Growth in memory after which a child is replaced; the LaTeX parser's tables grow by 10 KB per formula."""

TOGETHER_MAX = 128
"""Most verifications sent to a child in one message."""

TOGETHER_TIMEOUT_S = 1.0
"""Seconds for all verifications of a message; after that, they run one by one, each with its own timeout."""

REPLY_BYTES = 64 * 1024
"""Most bytes read of a child's reply, per verification in the message."""

PARSED_CHARS = 400
"""Most characters that a verdict stores of each parsed form."""
