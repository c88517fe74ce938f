"""Browsers as a service: one machine plays episodes, step by step, for a trainer on another machine."""

from __future__ import annotations

from palaestra.stage.server import Stage
from palaestra.stage_config import StageConfig

__all__ = ["Stage", "StageConfig"]
