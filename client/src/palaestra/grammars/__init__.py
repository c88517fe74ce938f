"""The grammars in which models write actions: one file each, discovered by walking this folder."""

from __future__ import annotations

import importlib
import pkgutil

from palaestra.grammars.base import GRAMMARS, Grammar, Turn, get_grammar

__all__ = ["GRAMMARS", "Grammar", "Turn", "get_grammar"]

for _module in pkgutil.iter_modules(__path__, f"{__name__}."):
    importlib.import_module(_module.name)
