"""Datasets of ``reasoning-gym`` that items are generated from, as listed in ``reasoning_gym.toml``."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from core.text.toml import toml_load

CHOICES = toml_load(Path(__file__).with_name("reasoning_gym.toml"), dict[str, Any])
LEFT_OUT: dict[str, str] = CHOICES["left_out"]
HIDDEN_TEXT: dict[str, str] = CHOICES["hidden_text"]
LEVELS: dict[str, list[int]] = CHOICES["levels"]
UNCLEAR_FONTS = frozenset(CHOICES["unclear_fonts"]["fonts"])
IN_LINES = frozenset(CHOICES["in_lines"]["datasets"])
LEVEL_MAX: int = CHOICES["level_max"]
QUESTION_CHARS: int = CHOICES["question_chars"]
GOLD_CHARS: int = CHOICES["gold_chars"]
