"""The sizes of a stage, in a module that can be imported without the stage's libraries."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True, kw_only=True)
class StageConfig:
    """The sizes of a stage.

    ``pages`` and ``lite_pages`` limit the number of simultaneously open episodes with and without a browser.
    A browser is replaced after ``browser_minutes``, or when it uses more than ``browser_memory_mb`` (MiB). No
    episode is opened while the machine has less than ``memory_floor_mb`` (MiB) of free memory. A session
    waits ``linger_s`` seconds for a trainer whose connection broke.
    """

    pages: int = 8
    lite_pages: int = 256
    sessions_max: int = 2_048
    browser_minutes: float = 60
    browser_memory_mb: int = 4_096
    memory_floor_mb: int = 512
    linger_s: float = 120
