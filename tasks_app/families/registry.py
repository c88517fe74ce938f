"""Families by id: one file of ``tasks_app/families/<site>`` is one family."""

from __future__ import annotations

import importlib
import pkgutil
from typing import Any

from gymsite.core.registry import Registry
from tasks_app import families
from tasks_app.families.types import Family

FAMILIES: Registry[Family[Any]] = Registry("family")


def family(plugin: Family[Any]) -> Family[Any]:
    """Register a family under its id, the name of its file."""
    return FAMILIES.register(plugin.id, plugin)


def discover() -> None:
    """Import every family of every site; doing it again changes nothing."""
    for module in pkgutil.iter_modules(families.__path__, families.__name__ + "."):
        if module.ispkg:
            FAMILIES.discover(importlib.import_module(module.name))


def of_site(site: str) -> list[Family[Any]]:
    """The families of one site, in id order."""
    return [plugin for _, plugin in FAMILIES.items() if plugin.site == site]
