"""Elements as an observation writes them and as a page reports them, compared by role and name."""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass
from functools import lru_cache
from typing import Any

from core.outline import element_read
from core.tokens import mask_tokens

FORMULA = re.compile(r"\$[^$\n]*\$")
WORD = re.compile(r"\w+")
# The page's recorder cuts names.
NAME_CHARS = 100
TOLD_CHARS = 120
# Observation and recorder call the same thing by different roles.
ALIKE = {"img": "image", "summary": "button", "listbox": "combobox", "searchbox": "textbox"}
FIELDS = frozenset({"textbox", "combobox", "spinbutton", "slider"})
CONTROLS = FIELDS | {"button", "link", "checkbox", "radio", "switch", "tab", "menuitem", "option"}


@dataclass(frozen=True, kw_only=True)
class Element:
    role: str = ""
    name: str = ""

    def __str__(self) -> str:
        return f"{self.role or 'element'} “{self.name}”" if self.name else self.role or "an element"


def target_of(action: Mapping[str, Any] | None, *, observation: str) -> Element | None:
    """The element that an action names, as the observation that was acted on shows it; None when it does
    not."""
    target = action.get("target") if action else None
    line = element_read(observation, target) if isinstance(target, str) else None
    return Element(role=line.role, name=line.name or "") if line else None


def target_told(action: object, *, observation: str) -> str:
    """The element that an action names in words, ``link “Sunny loft”``; empty when the observation does not
    show it. Tokens are masked before the cut, which could leave half of one."""
    found = target_of(action, observation=observation) if isinstance(action, Mapping) else None
    told = mask_tokens(str(found)) if found else ""
    return told if len(told) <= TOLD_CHARS else told[: TOLD_CHARS - 1] + "…"


def is_shown(target: str, *, observation: str) -> bool:
    """Whether an observation shows an element of this number, whatever it says of it."""
    return f"[{target}]" in observation


def options_of(action: Mapping[str, Any], *, observation: str) -> list[str]:
    """The options that the observation shows of an action's target."""
    line = element_read(observation, str(action.get("target")))
    return list(line.options) if line else []


def reported(data: Mapping[str, Any]) -> Element:
    role, name = data.get("role"), data.get("name")
    return Element(role=role if isinstance(role, str) else "", name=name if isinstance(name, str) else "")


def is_same(told: Element, seen: Element) -> bool:
    """Whether a reported element can be the one that was named.

    Names are the same when all words of one are in the other, formulas left out (a page reports them as they
    are drawn). Where a name says nothing, the role has to do.
    """
    told_role, seen_role = ALIKE.get(told.role, told.role), ALIKE.get(seen.role, seen.role)
    are_controls = told_role in CONTROLS and seen_role in CONTROLS
    if are_controls and told_role != seen_role:
        return False
    ours, theirs = _words(told.name), _words(seen.name)
    if not ours or not theirs:
        return told_role == seen_role
    if ours <= theirs or theirs <= ours:
        return True
    # A field without a label is reported by its technical name.
    return are_controls and told_role in FIELDS and len(theirs) == 1 and seen.name.islower()


@lru_cache(maxsize=1024)
def _words(name: str) -> frozenset[str]:
    return frozenset(WORD.findall(FORMULA.sub(" ", name[:NAME_CHARS]).casefold()))
