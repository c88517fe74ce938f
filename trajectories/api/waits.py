"""How long a call to live may wait: live obeys it, and the page of the API states it."""

from __future__ import annotations

TIMEOUT_DEFAULT_S = 20.0
TIMEOUT_MAX_S = 60.0
