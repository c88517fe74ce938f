"""What an agent can do: one file per action type, found by walking this folder."""

from __future__ import annotations

import importlib
import pkgutil

from palaestra.actions.base import (
    ACTIONS,
    DONE,
    Action,
    Outcome,
    action_check,
    action_perform,
    actions_offered,
    example_of,
    fields_offered,
    shows_hidden,
)
from palaestra.actions.fields import ActionInvalid, FieldSpec
from palaestra.actions.offers import Condition, Conditions, conditions_of

__all__ = [
    "ACTIONS",
    "DONE",
    "Action",
    "ActionInvalid",
    "Condition",
    "Conditions",
    "FieldSpec",
    "Outcome",
    "action_check",
    "action_perform",
    "actions_offered",
    "conditions_of",
    "example_of",
    "fields_offered",
    "shows_hidden",
]

for _module in pkgutil.iter_modules(__path__, f"{__name__}."):
    importlib.import_module(_module.name)
