"""The actions of an agent, one file per type; files in this folder are found automatically."""

from __future__ import annotations

import importlib
import pkgutil

from palaestra.actions.base import ACTIONS, DONE, Action, Outcome, action_check, action_perform, shows_hidden
from palaestra.actions.fields import ActionInvalid

__all__ = [
    "ACTIONS",
    "DONE",
    "Action",
    "ActionInvalid",
    "Outcome",
    "action_check",
    "action_perform",
    "shows_hidden",
]

for _module in pkgutil.iter_modules(__path__, f"{__name__}."):
    importlib.import_module(_module.name)
