"""Registry of families by id. Each file in ``tasks_app/families/<site>`` is one family."""

from __future__ import annotations

import importlib
import pkgutil
from collections.abc import Iterable
from typing import Any

from core.registry import Registry
from tasks_app import families
from tasks_app.families.types import Check, Draw, Family, Milestone, Twin, W, Wrong, WrongActions
from tasks_app.families.wordings import Wording

FAMILIES: Registry[Family[Any]] = Registry("family")
TAG = "family:"
"""Prefix of a family's id in a task's tags."""


def family(
    wording: Wording,
    *,
    draw: Draw[W],
    wrong: Wrong[W],
    check: Check[W],
    milestones: tuple[Milestone, ...],
    twin: Twin[W] | None = None,
    wrong_actions: WrongActions[W] | None = None,
) -> None:
    """Register a family under its file's name."""
    FAMILIES.register(
        wording.id,
        Family(
            **vars(wording),
            draw=draw,
            wrong=wrong,
            check=check,
            milestones=milestones,
            twin=twin,
            wrong_actions=wrong_actions,
        ),
    )


def discover() -> None:
    """Import every family of every site. Calling it again has no effect."""
    for module in pkgutil.iter_modules(families.__path__, families.__name__ + "."):
        if module.ispkg:
            FAMILIES.discover(importlib.import_module(module.name))


def list_families(site: str) -> list[Family[Any]]:
    """List a site's families in the order of their ids."""
    return [plugin for _, plugin in FAMILIES.items() if plugin.site == site]


def find_by_tags(tags: Iterable[str]) -> Family[Any] | None:
    """Return the family that the tags name; None if they name none or it no longer exists."""
    named = [tag.removeprefix(TAG) for tag in tags if tag.startswith(TAG)]
    return FAMILIES.get(named[0]) if named and named[0] in FAMILIES else None
