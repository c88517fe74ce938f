"""Log formatting that masks capability tokens."""

from __future__ import annotations

import logging

from core.tokens import mask_tokens


class MaskingFormatter(logging.Formatter):
    def format(self, record: logging.LogRecord) -> str:
        return mask_tokens(super().format(record))
