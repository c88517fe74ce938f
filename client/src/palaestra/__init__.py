"""Client of the Palaestra reasoning gym.

Public names are imported on first use, so that the server can import ``palaestra.protocol`` without the
client's libraries.
"""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from palaestra.api import Client as Client
    from palaestra.completion import Completion as Completion
    from palaestra.env import Env as Env
    from palaestra.errors import ApiError as ApiError
    from palaestra.errors import BrowserMissing as BrowserMissing
    from palaestra.errors import PageDead as PageDead
    from palaestra.errors import PageHung as PageHung
    from palaestra.errors import PalaestraError as PalaestraError
    from palaestra.errors import Unreachable as Unreachable
    from palaestra.errors import VoidEpisode as VoidEpisode
    from palaestra.observation import Observation as Observation
    from palaestra.records import Step as Step
    from palaestra.records import Task as Task
    from palaestra.records import Usage as Usage
    from palaestra.records import Verdict as Verdict
    from palaestra.remote import RemoteEnv as RemoteEnv

__version__ = "0.1.0"

_MODULES = {
    "ApiError": "errors",
    "BrowserMissing": "errors",
    "Client": "api",
    "Completion": "completion",
    "Env": "env",
    "Observation": "observation",
    "PageDead": "errors",
    "PageHung": "errors",
    "PalaestraError": "errors",
    "RemoteEnv": "remote",
    "Step": "records",
    "Task": "records",
    "Unreachable": "errors",
    "Usage": "records",
    "Verdict": "records",
    "VoidEpisode": "errors",
}
__all__ = list(_MODULES)


def __getattr__(name: str) -> object:
    """Import a public name from its module (PEP 562). Raises ``AttributeError`` for any other name."""
    if name not in _MODULES:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    value = getattr(import_module(f"{__name__}.{_MODULES[name]}"), name)
    globals()[name] = value  # so that the next lookup does not need this function
    return value


def __dir__() -> list[str]:
    """Return every name, including those that are not imported yet."""
    return sorted({*globals(), *_MODULES})
