"""Client of the Palaestra reasoning gym."""

from __future__ import annotations

from palaestra.api import Client
from palaestra.completion import Completion
from palaestra.env import Env
from palaestra.errors import (
    ApiError,
    BrowserMissing,
    PageDead,
    PageHung,
    PalaestraError,
    Unreachable,
    VoidEpisode,
)
from palaestra.observation import Observation
from palaestra.records import Step, Task, Usage, Verdict
from palaestra.remote import RemoteEnv

__version__ = "0.1.0"
__all__ = [
    "ApiError",
    "BrowserMissing",
    "Client",
    "Completion",
    "Env",
    "Observation",
    "PageDead",
    "PageHung",
    "PalaestraError",
    "RemoteEnv",
    "Step",
    "Task",
    "Unreachable",
    "Usage",
    "Verdict",
    "VoidEpisode",
]
