"""Families by id: one file of ``tasks_app/families/<site>`` is one family."""

from __future__ import annotations

import importlib
import pkgutil
from collections.abc import Iterable
from typing import Any

from core.registry import Registry
from tasks_app import families
from tasks_app.families.types import Family

FAMILIES: Registry[Family[Any]] = Registry("family")
TAG = "family:"
"""Before the family's id in a task's tags."""


def family(plugin: Family[Any]) -> Family[Any]:
    """Register a family under its id, the name of its file."""
    return FAMILIES.register(plugin.id, plugin)


def discover() -> None:
    """Import every family of every site. Idempotent."""
    for module in pkgutil.iter_modules(families.__path__, families.__name__ + "."):
        if module.ispkg:
            FAMILIES.discover(importlib.import_module(module.name))


def of_site(site: str) -> list[Family[Any]]:
    """The families of one site, in id order."""
    return [plugin for _, plugin in FAMILIES.items() if plugin.site == site]


def of_tags(tags: Iterable[str]) -> Family[Any] | None:
    """The family that a task's tags name; None without one, or when it no longer exists."""
    named = [tag.removeprefix(TAG) for tag in tags if tag.startswith(TAG)]
    return FAMILIES.get(named[0]) if named and named[0] in FAMILIES else None
