"""Content that is removed from replayed pages, as listed in ``allowlist.toml``.

The frame of the replay runs no scripts, and its policy blocks requests; this list is an additional safeguard
that removes what would try either.
"""

from __future__ import annotations

import re
from pathlib import Path
from typing import Any

from core.tables import toml_load

_LISTS = toml_load(Path(__file__).with_suffix(".toml"), dict[str, Any])
_ATTRIBUTES = {name: frozenset(values) for name, values in _LISTS["attributes"].items()}

UNSEEN, BOX = "noscript", "div"
ELEMENTS: dict[str, str] = {name: shown for shown, names in _LISTS["elements"].items() for name in names}
ELEMENT_NAME = re.compile(r"^[a-z][a-z0-9_-]{0,63}$")
STYLES = frozenset(("style", "link"))

ATTRIBUTE_NAME = re.compile(r"^[a-zA-Z_][a-zA-Z0-9_.-]{0,99}$|^xlink:href$|^xml:(?:space|lang)$")
GONE, FETCHED, LINKED = _ATTRIBUTES["gone"], _ATTRIBUTES["fetched"], _ATTRIBUTES["linked"]
COUNTED = _ATTRIBUTES["counted"]
COUNT = re.compile(r"^\s*[0-9]{1,3}\s*$")
CANVAS_SIZE = re.compile(r"^\s*[0-9]{1,4}(?:px)?\s*$")
RECORDED, CSS_ATTRIBUTES = _ATTRIBUTES["recorded"], _ATTRIBUTES["css"]
SCHEMES = tuple(_ATTRIBUTES["schemes"])
FETCHING_LINKS = frozenset(("image", "feimage"))
# A link without an address would look like plain text.
LINKS = frozenset(("a", "area"))
NOWHERE = "#"
CSS_TEXT = "_csstext"
# The ``name`` of these elements would replace properties of the document that rrweb needs.
CLOBBERING = frozenset(("form", "img", "embed", "object", "iframe"))
