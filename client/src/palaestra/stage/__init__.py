"""Browsers as a service: episodes played on one machine, step by step, for a trainer on another."""

from __future__ import annotations

from palaestra.stage.server import Stage
from palaestra.stage_config import StageConfig

__all__ = ["Stage", "StageConfig"]
