"""Which facts are the latest."""

from __future__ import annotations

# Goes up whenever the same steps and events would make other facts: all are then computed again.
VERSION = 8
