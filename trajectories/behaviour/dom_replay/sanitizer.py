"""Sanitizing of a recording's events for a replay.

Afterwards nothing in them runs, or fetches anything except the lab's own files. ``allowlist.toml`` lists the
elements and attributes that are replaced or removed.
"""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Iterator, Sequence

from msgspec import UNSET, UnsetType

from trajectories.behaviour.dom_replay import bounds
from trajectories.behaviour.dom_replay.bounds import TooMuch, Variables
from trajectories.behaviour.dom_replay.css import (
    SPLIT,
    Resolve,
    css_clean,
    css_clean_part,
    css_words,
    is_huge,
)
from trajectories.behaviour.dom_replay.rrweb import (
    Adopted,
    Attribute,
    Attributes,
    Data,
    Declaration,
    Mutation,
    Node,
    NodeType,
    Rule,
    Rules,
    Shown,
    Snapshot,
    StyleTable,
)

# Characters of all styles together. Parsing styles is the slowest part; a few megabytes take about a second.
STYLE_MAX = 2 * 1024 * 1024
CANDIDATES_MAX = 50
# A comma in a picture's size would start another ``srcset`` candidate with an address of its own.
_PICTURE_SIZE = re.compile(r"^[0-9][0-9.]{0,9}[wxh]$")
_SPACES = dict.fromkeys([*range(0x21), 0x7F, 0xAD, *range(0x200B, 0x2010), 0xFEFF])


class Cleaner:
    """A sanitizer that changes the events of one page load in place.

    It is created with all of the events, because what a text or an attribute may contain depends on every
    element that uses the same node id. If ``clean`` raises ``TooMuch``, the events must not be used.
    """

    def __init__(self, events: Sequence[Shown], *, resolve: Resolve) -> None:
        self._resolve = resolve
        self._style_left = STYLE_MAX
        self._variables = Variables()
        self._tags: dict[int, set[str]] = defaultdict(set)
        nodes = [(node, parent) for event in events for node, parent in _nodes(event.data)]
        for node, _ in nodes:
            if node.type == NodeType.ELEMENT:
                self._tags[node.id].add(node.tagName.lower())
        self._style_texts = {
            node.id
            for node, parent in nodes
            if node.type != NodeType.ELEMENT
            and (node.isStyle is True or self._tags.get(parent, set()) & bounds.STYLES)
        }
        self._is_in_parts = self._changes_style(events, nodes)

    def _changes_style(self, events: Sequence[Shown], nodes: list[tuple[Node, int]]) -> bool:
        """Return whether parts of one style sheet may arrive at different times.

        If so, each part must be clean on its own and in combination with any other part.
        """
        styles = [node.id for node, _ in nodes if node.tagName.lower() in bounds.STYLES]
        changed = [event.data for event in events if isinstance(event.data, Mutation)]
        return (
            len(set(styles)) < len(styles)
            or any(text.id in self._style_texts for data in changed for text in data.texts)
            or any(add.node.id in self._style_texts for data in changed for add in data.adds)
        )

    def finish(self) -> None:
        """Raise ``TooMuch`` if the styles of all cleaned events together exceed the limits."""
        self._variables.check()

    def clean(self, data: Data) -> None:
        if isinstance(data, Snapshot):
            self._tree(data.node)
        elif isinstance(data, Mutation):
            self._mutation(data)
        elif isinstance(data, Rules):
            data.adds = UNSET if isinstance(data.adds, UnsetType) else self._rules(data.adds)
            data.replace = self._sheet_if(data.replace)
            data.replaceSync = self._sheet_if(data.replaceSync)
        elif isinstance(data, Declaration):
            self._declaration(data)
        elif isinstance(data, Adopted) and not isinstance(data.styles, UnsetType):
            for sheet in data.styles:
                sheet.rules = self._rules(sheet.rules)

    # ---- nodes
    def _tree(self, root: Node) -> None:
        for node, _ in list(_walk(root, parent=0)):
            if node.type == NodeType.ELEMENT:
                self._element(node)
            elif node.type == NodeType.CDATA or (node.type == NodeType.DOCUMENT and node is not root):
                # At a document node rrweb would restart the document, and HTML documents reject CDATA.
                node.type, node.childNodes = NodeType.COMMENT, []
            elif node.id in self._style_texts:
                node.textContent, node.isStyle = self._sheet_part(node.textContent), True

    def _element(self, node: Node) -> None:
        tag = node.tagName.lower()
        if not self._is_in_parts and self._tags[node.id] & bounds.STYLES:
            _merge(node.childNodes)
        node.attributes = self._attributes(node.attributes, tags=self._tags[node.id] | {tag})
        if tag == "link":
            tag = self._link(node)
        node.tagName = bounds.ELEMENTS.get(tag, tag)
        if not bounds.ELEMENT_NAME.match(node.tagName):
            node.tagName = bounds.BOX
        if tag != node.tagName:
            sources = bounds.FETCHED | bounds.LINKED | {"srcset"}
            node.attributes = {k: v for k, v in node.attributes.items() if k.lower() not in sources}

    def _link(self, node: Node) -> str:
        """Return the tag that replaces a ``link``.

        This is ``style`` for a recorded style sheet, ``link`` for one of the arena's files, else a hidden
        element.
        """
        if isinstance(node.attributes.get("_cssText"), str):
            node.attributes.pop("href", None)
            return "style"
        is_sheet = str(node.attributes.get("rel", "")).lower().split() == ["stylesheet"]
        has_file = str(node.attributes.get("href", bounds.NOWHERE)) != bounds.NOWHERE
        return "link" if is_sheet and has_file else bounds.UNSEEN

    def _mutation(self, data: Mutation) -> None:
        data.adds = [add for add in data.adds if add.node.type != NodeType.DOCUMENT]
        for add in data.adds:
            self._tree(add.node)
        for text in data.texts:
            if text.id in self._style_texts:
                text.value = self._sheet_part(text.value or "")
        for change in data.attributes:
            tags = self._tags[change.id]
            shown = self._attributes(change.attributes, tags=tags)
            # None clears the attribute in the replay; leaving it out would keep the earlier value.
            removed = {name: None for name in change.attributes if _is_allowed(name.lower(), tags)}
            change.attributes = {**removed, **shown}

    # ---- attributes
    def _attributes(self, attributes: Attributes, *, tags: set[str]) -> Attributes:
        cleaned = {name: self._attribute(name, value, tags) for name, value in attributes.items()}
        return {name: value for name, value in cleaned.items() if not isinstance(value, UnsetType)}

    def _attribute(self, name: str, value: Attribute, tags: set[str]) -> Attribute | UnsetType:
        plain = name.lower()
        if not _is_allowed(plain, tags):
            return UNSET
        if isinstance(value, dict):
            return self._style_table(value) if plain == "style" else UNSET
        if _is_costly(plain, str(value), tags):
            return UNSET
        if not isinstance(value, str):
            return value
        if plain in bounds.LINKED:
            return self._link_to(value, tags)
        if plain in bounds.FETCHED:
            return _or_unset(self._resolve(value))
        if plain == "srcset":
            return self._srcset(value) or UNSET
        if plain == bounds.CSS_TEXT:
            return self._sheet(value)
        if plain in bounds.CSS_ATTRIBUTES:
            return self._css(value)
        return UNSET if value.translate(_SPACES).lower().startswith(bounds.SCHEMES) else value

    def _link_to(self, value: str, tags: set[str]) -> str | UnsetType:
        if value.startswith("#"):
            return _or_unset(self._resolve(value))
        if tags & bounds.LINKS:
            return bounds.NOWHERE
        fetches = tags and tags <= bounds.FETCHING_LINKS | {"link"}
        return _or_unset(self._resolve(value)) if fetches else UNSET

    def _srcset(self, value: str) -> str:
        candidates = [one.split() for one in value.split(", ", CANDIDATES_MAX)[:CANDIDATES_MAX]]
        shown = [
            (self._resolve(candidate[0].rstrip(",")), filter(_PICTURE_SIZE.match, candidate[1:2]))
            for candidate in candidates
            if candidate
        ]
        return ", ".join(" ".join([address, *sizes]) for address, sizes in shown if address)

    # ---- style
    def _css(self, text: str) -> str:
        return self._read(text, css_clean(text, self._resolve))

    def _sheet_css(self, text: str) -> str:
        return self._read(text, css_clean(text, self._resolve_in_sheets))

    def _sheet_part(self, text: str) -> str:
        return self._read(text, css_clean_part(text, self._resolve_in_sheets))

    def _sheet(self, text: str) -> str:
        """Clean a whole style sheet, which rrweb may split into the texts that it was recorded from."""
        parts = text.split(SPLIT) if self._is_in_parts else [text]
        return SPLIT.join(map(self._sheet_part, parts))

    def _sheet_if(self, text: str | UnsetType) -> str | UnsetType:
        return text if isinstance(text, UnsetType) else self._sheet_css(text)

    def _resolve_in_sheets(self, address: str) -> str | None:
        # The elements that a rule applies to are unknown here, so references to drawings could not be
        # limited.
        return None if address.strip().startswith("#") else self._resolve(address)

    def _read(self, text: str, shown: str) -> str:
        self._style_left -= len(text) + 1
        if self._style_left < 0:
            raise TooMuch("style")
        self._variables.read(css_words(shown))
        return shown

    def _style_table(self, table: StyleTable) -> StyleTable:
        shown: StyleTable = {}
        for name, value in table.items():
            text = value if isinstance(value, str) else " ".join(value) if isinstance(value, list) else ""
            self._variables.read(css_words(f"{name}:{text}"))
            if not is_huge(name, text):
                shown[name] = self._css_value(value)
        return shown

    def _css_value(self, value: str | bool | list[str]) -> str | bool | list[str]:
        if isinstance(value, list):
            return [self._css(one) for one in value]
        return self._css(value) if isinstance(value, str) else value

    def _rules(self, rules: list[Rule]) -> list[Rule]:
        return [Rule(self._sheet_css(rule.rule), rule.index) for rule in rules]

    def _declaration(self, data: Declaration) -> None:
        if not isinstance(data.set, UnsetType):
            name, value = data.set.property, data.set.value or ""
            self._variables.read(css_words(f"{name}:{value}"))
            data.set.property = self._sheet_css(name)
            data.set.value = "" if is_huge(name, value) else self._sheet_css(value)


def _merge(texts: list[Node]) -> None:
    """Join the texts of a style sheet, because a word may begin in one and end in the next."""
    filled = [node for node in texts if node.type != NodeType.ELEMENT and node.textContent]
    if len(filled) > 1:
        filled[0].textContent = "".join(node.textContent for node in filled)
    for node in filled[1:]:
        node.textContent = ""


def _is_allowed(name: str, tags: set[str]) -> bool:
    if not bounds.ATTRIBUTE_NAME.match(name) or name.startswith("on") or name in bounds.GONE:
        return False
    if name.startswith("rr_"):
        return name in bounds.RECORDED
    return not (name == "name" and tags & bounds.CLOBBERING)


def _is_costly(name: str, value: str, tags: set[str]) -> bool:
    """Return whether an attribute's number is so large that drawing would take excessive memory or time."""
    if "canvas" in tags and name in ("width", "height"):
        return not bounds.CANVAS_SIZE.match(value)
    return name in bounds.COUNTED and not bounds.COUNT.match(value)


def _or_unset(value: str | None) -> str | UnsetType:
    return UNSET if value is None else value


def _nodes(data: Data) -> Iterator[tuple[Node, int]]:
    if isinstance(data, Snapshot):
        yield from _walk(data.node, parent=0)
    elif isinstance(data, Mutation):
        for add in data.adds:
            yield from _walk(add.node, parent=add.parentId)


def _walk(root: Node, *, parent: int) -> Iterator[tuple[Node, int]]:
    """Yield every node with its parent's id. It does not recurse, because pages may nest to any depth."""
    waiting = [(root, parent)]
    while waiting:
        node, above = waiting.pop()
        yield node, above
        waiting.extend((child, node.id) for child in node.childNodes)
