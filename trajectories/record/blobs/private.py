"""Private files (exports, files of labels), which only calls that check their caller's rights hand out."""

from __future__ import annotations

from core.sql import Statement

NAMES = Statement(__file__, "private_names")
