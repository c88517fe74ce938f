"""Plug-ins that register themselves: one file each, discovered by walking a folder."""

from __future__ import annotations

import importlib
import pkgutil
from collections.abc import Iterator
from types import ModuleType
from typing import Generic, TypeVar

from core.errors import GymError
from palaestra.protocol.suggestions import did_you_mean

T = TypeVar("T")


class Registry(Generic[T]):
    """Registry of plug-ins of one kind, by id. Iteration is in the order of ids.

    ``discover`` imports every module of a package whose name does not start with ``_``; a module
    that fails to import stops the process, so that a broken plug-in is never silently absent.
    """

    def __init__(self, kind: str) -> None:
        self.kind = kind
        self._items: dict[str, T] = {}

    def register(self, plugin_id: str, plugin: T) -> T:
        """Add a plug-in. Raises ``ValueError`` if its id is already used."""
        if plugin_id in self._items:
            raise ValueError(f"{self.kind} {plugin_id!r} is registered twice")
        self._items[plugin_id] = plugin
        return plugin

    def get(self, plugin_id: str) -> T:
        """Return a plug-in. Raises ``GymError`` 422 ``unknown_<kind>``, which suggests a known id."""
        try:
            return self._items[plugin_id]
        except KeyError:
            hint = did_you_mean(plugin_id, self._items)
            code = f"unknown_{self.kind.replace(' ', '_')}"
            raise GymError(code, f"There is no {self.kind} {plugin_id!r}. {hint}", status=422) from None

    def discover(self, package: ModuleType) -> None:
        """Import every module of a package whose name does not start with ``_``."""
        for module in pkgutil.iter_modules(package.__path__, package.__name__ + "."):
            if not module.name.rpartition(".")[2].startswith("_"):
                importlib.import_module(module.name)

    def __contains__(self, plugin_id: object) -> bool:
        return plugin_id in self._items

    def __iter__(self) -> Iterator[str]:
        return iter(sorted(self._items))

    def items(self) -> list[tuple[str, T]]:
        return sorted(self._items.items())

    def __len__(self) -> int:
        return len(self._items)
