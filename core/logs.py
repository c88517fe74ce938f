"""What the log leaves out."""

from __future__ import annotations

import logging


class RefusalFilter(logging.Filter):
    """Logs in one line what Django refuses as malformed or hostile (``SuspiciousOperation``).

    Its traceback helps nobody, and any stranger can cause one.
    """

    def filter(self, record: logging.LogRecord) -> bool:
        if record.name.startswith("django.security."):
            record.exc_info = record.exc_text = None
        return True
