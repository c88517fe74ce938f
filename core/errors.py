"""The only error type for expected failures."""

from __future__ import annotations


class GymError(Exception):
    """An expected failure, with a stable ``code`` and a ``message`` that says what to do.

    APIs and pages report it as ``{"error": {"code", "message", "fields"}}`` with ``status``.
    """

    status = 400

    def __init__(
        self,
        code: str,
        message: str,
        *,
        status: int | None = None,
        fields: dict[str, list[str]] | None = None,
        retry_after_s: int | None = None,
    ) -> None:
        super().__init__(message)
        self.code = code
        self.message = message
        self.fields = fields or {}
        self.status = status or type(self).status
        self.retry_after_s = retry_after_s

    def as_body(self) -> dict[str, object]:
        return {"error": {"code": self.code, "message": self.message, "fields": self.fields}}


def too_large(code: str, what: str, size: int, limit: int, setting: str) -> GymError:
    """Build the 413 error for something that exceeds a limit; the message names the limit's setting."""
    return GymError(
        code, f"The {what} has {size:,} bytes; the limit is {limit:,} (setting {setting}).", status=413
    )
