"""Elements of a page, as observations list them and as pages report them.

They are compared by their places in the document or, if the harness or the page gives no place, by role and
name.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass
from functools import lru_cache
from typing import Any

from core.episodes.tokens import mask_tokens
from palaestra.protocol.outline import element_read

FORMULA = re.compile(r"\$[^$\n]*\$")
WORD = re.compile(r"\w+")
# The recorder cuts names to 120 characters and strips white space, so a name this long may have been cut.
CUT_CHARS = 100
NAME_CHARS = 10_000
BEGINNING_CHARS = 20
DESCRIPTION_CHARS = 120
# Roles that observations and the recorder name differently.
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
    """Return the element that an action names, as the observation lists it, or None if it is not listed."""
    target = action.get("target") if action else None
    line = element_read(observation, target) if isinstance(target, str) else None
    return Element(role=line.role, name=line.name or "") if line else None


def target_description(action: object, *, observation: str) -> str:
    """Describe an action's target, such as ``link “Sunny loft”``; empty if the observation does not list it.

    Tokens are masked before the text is shortened, since half a token would no longer be recognised.
    """
    target = target_of(action, observation=observation) if isinstance(action, Mapping) else None
    text = mask_tokens(str(target)) if target else ""
    return text if len(text) <= DESCRIPTION_CHARS else text[: DESCRIPTION_CHARS - 1] + "…"


def is_shown(target: str, *, observation: str) -> bool:
    """Return whether an observation lists an element with this number."""
    return f"[{target}]" in observation


def list_options(action: Mapping[str, Any], *, observation: str) -> list[str]:
    """Return the options of an action's target, as the observation lists them."""
    line = element_read(observation, str(action.get("target")))
    return list(line.options) if line else []


def reported(data: Mapping[str, Any]) -> Element:
    """Read the element of a page event."""
    role, name = data.get("role"), data.get("name")
    return Element(role=role if isinstance(role, str) else "", name=name if isinstance(name, str) else "")


def is_at(path: str, data: Mapping[str, Any]) -> bool | None:
    """Return whether a page event's element is at a place in the document; None if either place is unknown.

    An element inside the element at that place also counts, and so does a control around it.
    """
    reported_path = data.get("element")
    if not path or not isinstance(reported_path, str) or not reported_path:
        return None
    if f"{reported_path}/".startswith(f"{path}/"):
        return True
    return f"{path}/".startswith(f"{reported_path}/") and reported(data).role in CONTROLS


def is_same(named: Element, seen: Element) -> bool:
    """Return whether a reported element can be the one that an action named.

    Two names agree if all words of one are in the other, leaving out formulas (which pages report as
    rendered), or if one is the beginning of the other, ignoring white space. If either name has no words, the
    roles decide.
    """
    named_role, seen_role = ALIKE.get(named.role, named.role), ALIKE.get(seen.role, seen.role)
    are_controls = named_role in CONTROLS and seen_role in CONTROLS
    if are_controls and named_role != seen_role:
        return False
    named_words, seen_words = _words(named.name), _words(seen.name)
    if not named_words or not seen_words:
        return named_role == seen_role
    if named_words <= seen_words or seen_words <= named_words or _is_beginning(named.name, seen.name):
        return True
    # A field without a label is reported by its technical name.
    return are_controls and named_role in FIELDS and len(seen_words) == 1 and seen.name.islower()


def _is_beginning(named: str, seen: str) -> bool:
    """Return whether both names are the same text or one begins with the other, ignoring white space.

    A page's report joins lines that only the layout separates into one word. A beginning is enough if the
    page's report was cut, or if the observation's text has a formula, from which on both texts differ.
    """
    before_formula, formula, _ = named.partition("$")
    named_text, seen_text = _squeeze(before_formula), _squeeze(seen)
    if formula or len(seen) >= CUT_CHARS:
        shorter, longer = sorted((named_text, seen_text), key=len)
        return len(shorter) >= BEGINNING_CHARS and longer.startswith(shorter)
    return named_text == seen_text


def _squeeze(name: str) -> str:
    return "".join(WORD.findall(name[:NAME_CHARS].casefold()))


@lru_cache(maxsize=1024)
def _words(name: str) -> frozenset[str]:
    return frozenset(WORD.findall(FORMULA.sub(" ", name[:NAME_CHARS]).casefold()))
