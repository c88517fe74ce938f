"""Log formats and filters."""

from __future__ import annotations

import logging
import re
from datetime import UTC, datetime

import msgspec

from core.episodes.tokens import mask_tokens
from core.telemetry import request_ids

# Control characters except tabs and line feeds, which tracebacks contain.
CONTROLS = re.compile(r"[\x00-\x08\x0b-\x1f\x7f-\x9f\u2028\u2029]")


class RefusalFilter(logging.Filter):
    """Filter that logs a malformed or hostile request (``SuspiciousOperation``) in one line.

    A traceback would help nobody, and any stranger could fill the log with them.
    """

    def filter(self, record: logging.LogRecord) -> bool:
        if record.name.startswith("django.security."):
            record.exc_info = record.exc_text = None
        return True


class PlainFormatter(logging.Formatter):
    """Log format for people: one line per message, even if its text is hostile, with tracebacks below."""

    def __init__(self) -> None:
        super().__init__("%(asctime)s %(levelname)s %(name)s [%(request_id)s]: %(message)s")

    def format(self, record: logging.LogRecord) -> str:
        record.request_id = request_ids.current.get()
        return _escaped(mask_tokens(super().format(record)))

    def formatMessage(self, record: logging.LogRecord) -> str:
        record.message = record.message.replace("\n", "\\n")
        return super().formatMessage(record)


class JsonFormatter(logging.Formatter):
    """Log format for programs: one JSON object per line."""

    def __init__(self, process: str) -> None:
        super().__init__()
        self._process = process

    def format(self, record: logging.LogRecord) -> str:
        entry = {
            "time": datetime.fromtimestamp(record.created, UTC).isoformat(timespec="milliseconds"),
            "level": record.levelname,
            "logger": record.name,
            "process": self._process,
            "request_id": request_ids.current.get(),
            "message": record.getMessage(),
        }
        if record.exc_info:
            entry["traceback"] = self.formatException(record.exc_info)
        return _escaped(mask_tokens(msgspec.json.encode(entry).decode()))


def _escaped(text: str) -> str:
    """Escape control characters in the same form as in JSON."""
    return CONTROLS.sub(lambda control: f"\\u{ord(control[0]):04x}", text)
