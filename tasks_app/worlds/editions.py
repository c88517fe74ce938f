"""The two editions of every world."""

from __future__ import annotations

from typing import Literal

Edition = Literal["train", "test"]
