"""Observations: a page's outline, its picture, or both, without the episode's token."""

from __future__ import annotations

from palaestra.observation.base import (
    SHORT_NAMES,
    Observation,
    extract_shown,
    get_format,
    observation_id,
    observation_message,
    perceivable_check,
)
from palaestra.observation.observer import MAX_CHARS, ObservationConfig, Observer
from palaestra.observation.outline import page_text

__all__ = [
    "MAX_CHARS",
    "SHORT_NAMES",
    "Observation",
    "ObservationConfig",
    "Observer",
    "extract_shown",
    "get_format",
    "observation_id",
    "observation_message",
    "page_text",
    "perceivable_check",
]
