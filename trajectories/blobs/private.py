"""Files that only calls hand out which check their caller's rights: exports, and files of labels."""

from __future__ import annotations

from core.sql import Statement

NAMES = Statement(__file__, "private_names")
