"""The outline: a page's text in an axtree observation, with one element or run of text per line.

The client's ``js/axtree.js`` writes it. Nothing in an outline is escaped, so a name may contain quotation
marks. What may follow a name depends on the role; therefore a line is parsed from its end.
"""

from __future__ import annotations

import re
from dataclasses import dataclass, replace
from functools import lru_cache

INDENT = "  "
ORIGIN = "https://gym"
"""Replaces the arena's origin and the episode's path, so that no URL contains a token."""
PUBLIC_ROOT = f"{ORIGIN}/"
CUT = "(cut: the page is longer)"
STILL_LOADING = "(the page is still loading: parts of it may be missing)"
PICTURE_LINE = "Picture: "
"""The beginning of the line that describes which part of the page a picture shows."""
ELEMENT_ID = r"e[0-9]{1,9}"
REFERENCE = rf"\[{ELEMENT_ID}\] ?"
"""The pattern of an element id in a line, also used in Postgres."""
TEXTS = ("text", "header", "row")
"""The roles of lines that have the form ``role: text``."""
PREFORMATTED = "preformatted"
"""The role of the lines in a block that keeps its line breaks."""
STATES = frozenset(
    {"mixed", "checked", "unchecked", "disabled", "expanded", "collapsed", "selected", "pressed", "current"}
    | {"readonly", "required", "invalid", "focused"}
)
WITH_VALUE = frozenset(
    {"textbox", "searchbox", "combobox", "slider", "spinbutton", "listbox", "progressbar", "meter"}
)
WITH_OPTIONS = frozenset({"combobox", "listbox"})
LINES_CACHED = 64
"""The size of the cache, which helps because a step's measures and checks all parse the target's line."""
ADDRESSES = {
    "link": re.compile(r" -> (?P<url>\S+)(?P<more> \| .*)?$"),
    "page": re.compile(r" (?P<url>\S+)(?P<more>)$"),
}
"""The pattern of a link's URL at the end of a line; in a list item, words may follow it."""

_REFERENCE = re.compile(REFERENCE)
_TEXT = re.compile(rf"({'|'.join(TEXTS)}): (.*)")
_HEAD = re.compile(
    rf"(?:(?P<marker>-|\w+\.) )?(?:\[(?P<id>{ELEMENT_ID})\] )?(?P<role>[a-z]+)(?: (?P<level>\d))?"
)
# The first name in a line that was cut off, or in a table row, which continues after the name.
_NAME = re.compile(r' "(.*?)"(?=\s|$)')
_NEXT = re.compile(rf'" (?:\||\[{ELEMENT_ID}\]) ')
_OPTION = re.compile(r'"([^"]*)"')


@dataclass(frozen=True, kw_only=True)
class Line:
    """The parts of a line; missing ones are empty or None.

    ``marker`` is the beginning of a list item (``-``, ``3.``). ``text`` holds the words of a line that names
    no element, and anything after a name that cannot be parsed.
    """

    depth: int = 0
    marker: str = ""
    id: str = ""
    role: str = ""
    level: int | None = None
    name: str | None = None
    value: str | None = None
    states: tuple[str, ...] = ()
    options: tuple[str, ...] = ()
    url: str = ""
    text: str = ""

    @property
    def is_bare(self) -> bool:
        """True if the line gives only the role and the name of its element."""
        return self == Line(
            depth=self.depth, marker=self.marker, id=self.id, role=self.role, level=self.level, name=self.name
        )


@lru_cache(maxsize=LINES_CACHED)
def line_read(text: str) -> Line:
    """Parse one line of an outline, even one that was cut off."""
    body = text.lstrip()
    depth = (len(text) - len(body)) // len(INDENT)
    if match := _TEXT.match(body):
        return Line(depth=depth, role=match[1], text=match[2])
    if body in ("|", f"{PREFORMATTED}:") or body.startswith("| "):
        return Line(depth=depth, role=PREFORMATTED, text=body[2:] if body.startswith("|") else "")
    match = _HEAD.match(body)
    if match is None:
        return Line(depth=depth, text=body)
    head = Line(
        depth=depth,
        marker=match["marker"] or "",
        id=match["id"] or "",
        role=match["role"],
        level=int(match["level"]) if match["level"] else None,
    )
    line = _described(head, body[match.end() :])
    is_words = not line.id and line.name is None and (line.text or line.marker)
    return Line(depth=depth, text=body) if is_words else line


def element_read(outline: str, element_id: str) -> Line | None:
    """Parse the element with this id (in a table, only its cell); None if the outline does not show it."""
    start = outline.find(f"[{element_id}]") if is_element_id(element_id) else -1
    if start < 0:
        return None
    end = outline.find("\n", start)
    line = line_read(outline[start : end if end >= 0 else None])
    return line if line.role else None


def line_depth(text: str) -> int:
    """Return how deeply a line is nested, as the number of lines that contain it."""
    return (len(text) - len(text.lstrip(" "))) // len(INDENT)


def is_element_id(text: str) -> bool:
    return re.fullmatch(ELEMENT_ID, text) is not None


def strip_ids(outline: str) -> str:
    """Remove element ids, which differ from one observation to the next."""
    return _REFERENCE.sub("", outline)


def _described(head: Line, tail: str) -> Line:
    """Parse the rest of a line after the role: name, value, states, options and URL, in this order."""
    rest, url, more, options, value = tail, "", "", "", None
    if head.role in ADDRESSES and (address := ADDRESSES[head.role].search(rest)):
        rest, url, more = rest[: address.start()], address["url"], address["more"] or ""
    if head.role in WITH_OPTIONS:
        rest, _, options = rest.partition(" options: ")
    rest, states = _states_split(rest)
    if head.role in WITH_VALUE and ' value="' in rest:
        rest, _, value = rest.removesuffix('"').partition(' value="')
    is_whole = rest.startswith(' "') and rest.endswith('"') and len(rest) > 2 and not _NEXT.search(rest)
    if is_whole or not rest:
        name = rest[2:-1] if rest else None
        choices = tuple(_OPTION.findall(options))
        return replace(head, name=name, value=value, states=states, options=choices, url=url, text=more)
    match = _NAME.match(tail)
    return replace(head, name=match[1], text=tail[match.end() :]) if match else replace(head, text=tail)


def _states_split(rest: str) -> tuple[str, tuple[str, ...]]:
    states: list[str] = []
    while (parts := rest.rpartition(" "))[2] in STATES:
        rest = parts[0]
        states.insert(0, parts[2])
    return rest, tuple(states)
