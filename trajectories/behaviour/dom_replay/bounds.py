"""Limits on what a recording may demand of the browser that replays it.

A limit inside the replaying frame would hang together with the frame's thread, so replays are bounded here.
The limits apply to all events of a recording together: the sum of all mutations, reused ids, and drawings
that refer to other drawings. A recording that exceeds a limit is not replayed at all.
"""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from core.text.toml import toml_load
from trajectories.behaviour.dom_replay.rrweb import (
    Attributes,
    Data,
    Input,
    Interaction,
    Mutation,
    Node,
    NodeType,
    Resize,
    Scroll,
    Selection,
    Shown,
    Snapshot,
)

_LISTS = toml_load(Path(__file__).with_name("allowlist.toml"), dict[str, Any])
_ATTRIBUTES = {name: frozenset(values) for name, values in _LISTS["attributes"].items()}
ELEMENTS: dict[str, str] = {name: shown for shown, names in _LISTS["elements"].items() for name in names}
ELEMENT_NAME = re.compile(r"^[a-z][a-z0-9_-]{0,63}$")
STYLES = frozenset(("style", "link"))
ATTRIBUTE_NAME = re.compile(r"^[a-zA-Z_][a-zA-Z0-9_.-]{0,99}$|^xlink:href$|^xml:(?:space|lang)$")
COUNTED = _ATTRIBUTES["counted"]
COUNT = re.compile(r"^\s*[0-9]{1,3}\s*$")
CANVAS_SIZE = re.compile(r"^\s*[0-9]{1,4}(?:px)?\s*$")
SCHEMES = tuple(_ATTRIBUTES["schemes"])
FETCHING_LINKS = frozenset(("image", "feimage"))
# Links keep an ``href``, since a browser shows a link without one as plain text.
LINKS = frozenset(("a", "area"))
NOWHERE = "#"
CSS_TEXT = "_csstext"
# A ``name`` on these elements would shadow properties of the document that rrweb needs.
CLOBBERING = frozenset(("form", "img", "embed", "object", "iframe"))
NODES_MAX = 50_000
DEPTH_MAX = 512  # the nesting limit of HTML parsers
STEPS_MAX = 2_000_000  # nodes visited to measure the depth of moved subtrees
TEXT_MAX = 4 * 1024 * 1024  # characters of all texts, form input included
ATTRIBUTES_MAX = 200  # attribute names of one element
VALUE_MAX = 1024 * 1024  # characters of one value, which may embed a picture
VALUES_MAX = 8 * 1024 * 1024
LAYOUTS_MAX = 20_000_000  # nodes times the events that force a layout of the whole page
CELLS_MAX = 500_000  # grid positions that spanning table cells cover
DRAWN_MAX = 50_000  # nodes drawn because of references
VARIABLES_DEEP = 32
VARIABLE_MAX = 65_536  # characters of a CSS variable, fully expanded
LAYS_OUT = (Scroll, Resize, Selection, Interaction, Input)
_VARIABLE = re.compile(r"(?<![\w-])(--[\w-]+)\s*:((?:[^;{}]|\{[^{}]*\})*)")
_REPEATED = re.compile(r"repeat\(\s*var\(\s*(--[\w-]+)\s*(?:,\s*[0-9]{1,4}\s*)?\)", re.IGNORECASE)
_REPEATS = re.compile(r"repeat\(\s*var\(", re.IGNORECASE)
_COUNT = re.compile(r"\s*[0-9]{1,4}\s*")
_PART = re.compile(r"var\(\s*(--[\w-]+)", re.IGNORECASE)
_NUMBER = re.compile(r"\s*\+?([0-9]{1,9})")
_REFERENCE = re.compile(r"url\(\s*[\"']?#([^\"')]+)")

UNSEEN, BOX = "noscript", "div"

GONE, FETCHED, LINKED = _ATTRIBUTES["gone"], _ATTRIBUTES["fetched"], _ATTRIBUTES["linked"]
RECORDED, CSS_ATTRIBUTES = _ATTRIBUTES["recorded"], _ATTRIBUTES["css"]


class TooMuch(Exception):
    """Raised when replaying a recording would cost the browser more than the limits allow."""


@dataclass
class _Tree:
    """The DOM tree of a page load at a given time, in which moving a node moves its descendants."""

    parents: dict[int, int] = field(default_factory=dict)
    children: dict[int, set[int]] = field(default_factory=lambda: defaultdict(set))
    steps: int = 0

    def remove(self, node: int) -> None:
        parent = self.parents.pop(node, None)
        if parent is not None:
            self.children[parent].discard(node)

    def add(self, parent: int, root: Node) -> None:
        waiting = [(parent, root)]
        while waiting:
            above, node = waiting.pop()
            self.remove(node.id)
            self.parents[node.id] = above
            self.children[above].add(node.id)
            waiting.extend((node.id, child) for child in node.childNodes)
        if self._above(parent) + self._below(root.id) > DEPTH_MAX:
            raise TooMuch("depth")

    def _above(self, node: int) -> int:
        depth = 0
        at: int | None = node
        while at is not None and depth <= DEPTH_MAX:
            at = self.parents.get(at)
            depth += 1
        return depth

    def _below(self, node: int) -> int:
        depth = 0
        level = [node]
        while level and depth <= DEPTH_MAX:
            self.steps += len(level)
            if self.steps > STEPS_MAX:
                raise TooMuch("moves")
            level = [child for one in level for child in self.children.get(one, ())]
            depth += 1
        return depth


@dataclass
class _Sums:
    """Running totals over all events of a recording, which ``check`` compares with the limits."""

    nodes: int = 0
    texts: int = 0
    values: int = 0
    layouts: int = 0
    cells: int = 0
    names: dict[int, set[str]] = field(default_factory=lambda: defaultdict(set))

    def node(self, node: Node) -> None:
        self.nodes += 1
        self.texts += len(node.textContent)
        self.attributes(node.id, node.attributes)

    def attributes(self, node: int, attributes: Attributes) -> None:
        self.names[node].update(attributes)
        sizes = [len(text) for value in attributes.values() for text in _texts(value)]
        self.values += sum(sizes) + sum(map(len, attributes))
        self.cells += _span(attributes)
        if max(sizes, default=0) > VALUE_MAX or len(self.names[node]) > ATTRIBUTES_MAX:
            raise TooMuch("attributes")

    def check(self) -> None:
        """Raise ``TooMuch`` if the totals exceed a limit."""
        if self.nodes > NODES_MAX or self.texts > TEXT_MAX or self.values > VALUES_MAX:
            raise TooMuch("size")
        if self.nodes * self.layouts > LAYOUTS_MAX or self.cells > CELLS_MAX:
            raise TooMuch("layouts")


def size_check(events: Iterable[Shown]) -> None:
    """Raise ``TooMuch`` if the recorded events have too many nodes, too much text, or nest too deeply."""
    tree, sums = _Tree(), _Sums()
    for event in events:
        data = event.data
        if isinstance(data, Snapshot):
            tree = _Tree()
        for parent, root in roots(data):
            for node in walk(root):
                sums.node(node)
            sums.check()
            tree.add(parent, root)
        if isinstance(data, Mutation):
            for removal in data.removes:
                tree.remove(removal.id)
            for change in data.attributes:
                sums.attributes(change.id, change.attributes)
            sums.texts += sum(len(text.value or "") for text in data.texts)
        if isinstance(data, Input):
            sums.texts += len(data.text)
        sums.layouts += isinstance(data, LAYS_OUT)
    sums.check()


def roots(data: Data) -> Iterator[tuple[int, Node]]:
    """Yield the trees that an event adds, each with the id of its parent node (0 for a document)."""
    if isinstance(data, Snapshot):
        yield 0, data.node
    elif isinstance(data, Mutation):
        for add in data.adds:
            yield add.parentId, add.node


def walk(root: Node) -> Iterator[Node]:
    """Yield every node of a tree. It does not recurse, because pages may nest to any depth."""
    waiting = [root]
    while waiting:
        node = waiting.pop()
        yield node
        waiting.extend(node.childNodes)


class _Drawing:
    """The ids, children and references of all elements, accumulated over the whole recording."""

    def __init__(self, events: Iterable[Shown]) -> None:
        self.children: dict[int, set[int]] = defaultdict(set)
        self.named: dict[str, set[int]] = defaultdict(set)
        self.references: dict[int, set[str]] = defaultdict(set)
        self.tags: dict[int, set[str]] = defaultdict(set)
        for event in events:
            for parent, root in roots(event.data):
                self.children[parent].add(root.id)
                for node in walk(root):
                    self.children[node.id].update(child.id for child in node.childNodes)
                    if node.type == NodeType.ELEMENT:
                        self.tags[node.id].add(node.tagName)
                        self._read(node.id, node.attributes)
            if isinstance(event.data, Mutation):
                for change in event.data.attributes:
                    self._read(change.id, change.attributes)

    def _read(self, node: int, attributes: Attributes) -> None:
        for name, value in attributes.items():
            for text in _texts(value):
                if name.lower() == "id":
                    self.named[text].add(node)
                elif name.lower() in LINKED:
                    # A link does not draw its target, so it costs nothing.
                    if text.startswith("#") and not self.tags[node] <= LINKS:
                        self.references[node].add(text[1:])
                else:
                    self.references[node].update(_REFERENCE.findall(text))

    def check(self) -> None:
        """Raise ``TooMuch`` if references are circular or draw too much.

        In the worst case an element draws its targets once for each of its own parts.
        """
        costs: dict[int, int] = {}
        for start in [node for node, names in self.references.items() if names]:
            self._cost(start, costs)

    def _targets(self, node: int) -> list[int]:
        return [one for name in self.references.get(node, ()) for one in self.named.get(name, ())]

    def _cost(self, start: int, costs: dict[int, int]) -> None:
        waiting, open_ = [start], set()
        while waiting:
            node = waiting[-1]
            needed = [*self.children.get(node, ()), *self._targets(node)]
            missing = [one for one in needed if one not in costs]
            if node in costs or not missing:
                open_.discard(node)
                waiting.pop()
                costs.setdefault(node, self._sum(node, costs))
            elif node in open_:
                raise TooMuch("references in a circle")
            else:
                open_.add(node)
                waiting.extend(missing)

    def _sum(self, node: int, costs: dict[int, int]) -> int:
        own = 1 + sum(costs[child] for child in self.children.get(node, ()))
        cost = own * (1 + sum(costs[target] for target in self._targets(node)))
        if cost > DRAWN_MAX and self.references.get(node):
            raise TooMuch("references")
        return min(cost, DRAWN_MAX + 1)


def references_check(events: Iterable[Shown]) -> None:
    """Raise ``TooMuch`` if references between drawings, in cleaned events, expand to too many nodes."""
    _Drawing(events).check()


class Variables:
    """The CSS variables of all styles.

    Their length needs a limit: if each variable repeats another one twice, the last has millions of
    characters.
    """

    def __init__(self) -> None:
        self._values: dict[str, set[str]] = defaultdict(set)
        self._counts: set[str] = set()

    def read(self, text: str) -> None:
        repeated = _REPEATED.findall(text)
        self._counts.update(repeated)
        if len(repeated) < len(_REPEATS.findall(text)):
            raise TooMuch("tracks")
        if "--" in text:
            for name, value in _VARIABLE.findall(text):
                self._values[name].add(value)

    def check(self) -> None:
        """Raise ``TooMuch`` if a variable is too long when expanded, or refers to itself."""
        for name in self._counts:
            if not all(map(_COUNT.fullmatch, self._values.get(name, ()))):
                raise TooMuch("tracks")
        lengths: dict[str, int] = {}
        for name in list(self._values):
            self._length(name, lengths, above=())

    def _length(self, name: str, lengths: dict[str, int], *, above: tuple[str, ...]) -> int:
        if name in above or len(above) > VARIABLES_DEEP:
            raise TooMuch("variables in a circle")
        if name not in lengths:
            here = (*above, name)
            lengths[name] = max(
                (
                    len(value) + sum(self._length(part, lengths, above=here) for part in _PART.findall(value))
                    for value in self._values.get(name, ())
                ),
                default=0,
            )
        if lengths[name] > VARIABLE_MAX:
            raise TooMuch("variables")
        return lengths[name]


def _span(attributes: Attributes) -> int:
    """Count the grid positions that a table cell spans; return 0 if it spans only its own."""
    spans = [_NUMBER.match(str(attributes.get(name, ""))) for name in ("colspan", "rowspan")]
    across, down = (int(span[1]) if span else 1 for span in spans)
    return across * down if max(across, down) > 1 else 0


def _texts(value: object) -> Iterator[str]:
    """Yield the texts in an attribute's value; a style change has a table of them."""
    if isinstance(value, str):
        yield value
    elif isinstance(value, dict):
        for one in value.values():
            yield from _texts(one)
    elif isinstance(value, list):
        yield from (one for one in value if isinstance(one, str))
