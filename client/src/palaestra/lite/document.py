"""A document as it was received: its elements, what they hold, and how they belong together."""

from __future__ import annotations

import re
from collections.abc import Iterator
from functools import lru_cache
from typing import Any
from urllib.parse import urljoin

from selectolax.lexbor import LexborHTMLParser

from palaestra.actions.native import NATIVES, native_default

TEXT = "-text"
# Stands in the parsed document for a popover that is shown.
POPPED = "data-popover-open"
# What is never part of a page's content.
SKIPPED = frozenset(("script", "style", "template", "head", "link", "meta", "datalist"))
LABELABLE = frozenset(("button", "input", "meter", "output", "progress", "select", "textarea"))
BUTTONS = frozenset(("button", "submit", "reset", "image"))
INPUT_TYPES = BUTTONS | frozenset(
    [
        "text",
        "search",
        "url",
        "tel",
        "email",
        "password",
        "number",
        "range",
        "date",
        "month",
        "week",
        "time",
        "datetime-local",
        "color",
        "checkbox",
        "radio",
        "file",
        "hidden",
    ]
)


LIMITS = {"least": "min", "most": "max", "step": "step"}
# The usual addresses: of a page beside, above or below, with a query and a place in it.
_RELATIVE = re.compile(r"((?:\.\./)*)([\w-]+(?:/[\w-]+)*/?(?:\?[^#\s]+)?(?:#[^\s]+)?)", re.ASCII)
_PLAIN_BASE = re.compile(r"(https?://[^/?#\s]+)((?:/[\w-]+)*/[\w-]*)(?=[?#]|\Z)", re.ASCII)


class Element:
    """One element. ``value`` and ``is_checked`` (of an option: whether it is chosen) are what a reader has
    made of it; ``children`` are elements and texts; ``flow`` is that of its style where nothing is special
    about the element, else 0."""

    __slots__ = (
        "attrs",
        "children",
        "document",
        "end",
        "flow",
        "is_checked",
        "is_gone",
        "is_popped",
        "key",
        "node",
        "parent",
        "place",
        "role",
        "style",
        "tag",
        "value",
    )

    def __init__(self, tag: str, attrs: dict[str, str], parent: Element | None, document: Document) -> None:
        self.tag = tag
        self.attrs = attrs
        self.parent = parent
        self.document = document
        self.children: list[Element | str] = []
        self.node: Any = None
        self.place = self.end = 0  # of what is inside of it, among the elements of the document
        self.key = 0
        # Computed by ``Names``, once.
        self.style: Any = None
        self.is_gone: bool | None = None
        self.role: str | None = None
        self.flow = 0
        self.value = ""
        self.is_checked = False
        self.is_popped = False

    @property
    def type(self) -> str:
        """The type of a control, as a script would read it."""
        given = self.attrs.get("type", "").lower()
        if self.tag == "input":
            return given if given in INPUT_TYPES else "text"
        if self.tag == "button":
            return given if given in ("button", "reset") else "submit"
        if self.tag == "select":
            return "select-multiple" if "multiple" in self.attrs else "select-one"
        return given

    @property
    def limits(self) -> dict[str, str]:
        """The bounds of an input element's value, as its attributes say."""
        return {name: self.attrs.get(given, "") for name, given in LIMITS.items()}

    @property
    def elements(self) -> Iterator[Element]:
        return (child for child in self.children if isinstance(child, Element))

    @property
    def ancestors(self) -> Iterator[Element]:
        at = self.parent
        while at is not None:
            yield at
            at = at.parent

    def walk(self) -> list[Element]:
        """The elements inside of it, in their order."""
        return self.document.elements[self.place + 1 : self.end]

    def first(self, *tags: str) -> Element | None:
        return next((one for one in self.walk() if one.tag in tags), None)

    def closest(self, *tags: str) -> Element | None:
        at: Element | None = self
        while at is not None and at.tag not in tags:
            at = at.parent
        return at

    def holds(self, other: Element) -> bool:
        return self.place <= other.place < self.end

    @property
    def text(self) -> str:
        """All the text inside of it, shown or not."""
        return "".join(child if isinstance(child, str) else child.text for child in self.children)

    @property
    def options(self) -> list[Element]:
        return [one for one in self.walk() if one.tag == "option"]

    @property
    def state(self) -> object:
        """What a reader has made of a control."""
        chosen = [one.is_checked for one in self.options] if self.tag == "select" else None
        return self.value, self.is_checked, chosen

    @property
    def option_label(self) -> str:
        return " ".join((self.attrs.get("label") or self.text).split())

    @property
    def option_value(self) -> str:
        return self.attrs.get("value", " ".join(self.text.split()))

    @property
    def is_disabled(self) -> bool:
        if self.tag not in LABELABLE and self.tag not in ("option", "optgroup", "fieldset"):
            return False
        if "disabled" in self.attrs:
            return True
        around = self.closest("fieldset") if self.tag != "fieldset" else None
        while around is not None:
            legend = next((one for one in around.elements if one.tag == "legend"), None)
            if "disabled" in around.attrs and not (legend is not None and legend.holds(self)):
                return True
            around = around.parent.closest("fieldset") if around.parent else None
        return self.tag == "option" and self.parent is not None and "disabled" in self.parent.attrs

    @property
    def labels_can_be(self) -> bool:
        return self.tag in LABELABLE and self.type != "hidden"

    @property
    def labels(self) -> list[Element]:
        return self.document.labels_of(self)

    @property
    def control(self) -> Element | None:
        """What a label is the label of."""
        if self.tag != "label":
            return None
        if "for" in self.attrs:
            named = self.document.by_id.get(self.attrs["for"])
            return named if named is not None and named.tag in LABELABLE else None
        inside = (one for one in self.walk() if one.tag in LABELABLE)
        return next((one for one in inside if one.type != "hidden"), None)

    @property
    def form(self) -> Element | None:
        if "form" in self.attrs:
            return self.document.by_id.get(self.attrs["form"])
        return self.closest("form")

    @property
    def href(self) -> str:
        return self.document.resolve(self.attrs.get("href", ""))

    @property
    def path(self) -> str:
        """Where it is in the document, as the page's recorder writes it."""
        places: list[str] = []
        at = self
        while at.parent is not None:
            places.append(str([*at.parent.elements].index(at)))
            at = at.parent
        return "/".join(reversed(places))


class Document:
    """One page at one address."""

    def __init__(self, html: str | bytes, url: str) -> None:
        self.url = url
        self.parser = LexborHTMLParser(html)
        self.by_id: dict[str, Element] = {}
        self.elements: list[Element] = []
        self.controls: list[Element] = []
        self._labels: dict[int, list[Element]] | None = None
        node = self.parser.root
        if node is None:
            raise ValueError("The document is empty.")
        self._read(node, None)
        self.body = next((one for one in self.root.elements if one.tag == "body"), None)
        title = self.root.first("title")
        self.title = " ".join(title.text.split()) if title is not None else ""
        base = self.root.first("base")
        self.base = urljoin(url, base.attrs.get("href", "")) if base is not None else url
        self._folders = _folders_of(self.base)
        for control in self.controls:
            _fill(control)
        self.focused: Element | None = None

    @property
    def root(self) -> Element:
        return self.elements[0]

    def resolve(self, address: str) -> str:
        """The whole address, as ``urljoin`` makes it."""
        match = _RELATIVE.fullmatch(address)
        ups = len(match[1]) // 3 if match else len(self._folders)
        if match is None or ups >= len(self._folders):
            return _joined(self.base, address)
        return self._folders[ups] + match[2]

    def labels_of(self, control: Element) -> list[Element]:
        if self._labels is None:
            self._labels = {}
            for label in (one for one in self.elements if one.tag == "label"):
                if (named := label.control) is not None:
                    self._labels.setdefault(named.key, []).append(label)
        return self._labels.get(control.key, [])

    def dissolve(self) -> None:
        """Part the elements of a page that is left.

        They hold one another, so that only the garbage collector would free them: that took a quarter of the
        time, and the next page would not lie in the memory of this one.
        """
        for element in self.elements:
            element.children.clear()
        for elements in (self.elements, self.controls, self.by_id):
            elements.clear()
        self._labels = self.focused = self.body = None

    def mark(self, element: Element) -> None:
        """Let selectors see that something was opened or closed."""
        states = {"open": "open" in element.attrs, POPPED: element.is_popped}
        for name, holds in states.items():
            if holds:
                element.node.attrs[name] = ""
            elif name in element.node.attrs:
                del element.node.attrs[name]

    def _read(self, node: Any, parent: Element | None) -> Element:
        attrs = node.attributes
        if attrs and None in attrs.values():
            attrs = {name: value or "" for name, value in attrs.items()}
        elements, tag = self.elements, node.tag
        element = Element(tag, attrs, parent, self)
        element.node, element.key, element.place = node, node.mem_id, len(elements)
        elements.append(element)
        if "id" in attrs:
            self.by_id.setdefault(attrs["id"], element)
        if tag in LABELABLE:
            self.controls.append(element)
        children, child = element.children, node.first_child
        while child is not None:
            tag = child.tag
            if tag == TEXT:
                children.append(child.text_content or "")
            elif not tag.startswith(("-", "!")):
                children.append(self._read(child, element))
            child = child.next
        element.end = len(elements)
        return element


@lru_cache(maxsize=512)
def _folders_of(base: str) -> tuple[str, ...]:
    """The folder of an address, the one around it, and so on; none where dots make that another question."""
    match = _PLAIN_BASE.match(base)
    if match is None:
        return ()
    parts = match[2].split("/")[:-1]
    return tuple(match[1] + "".join(f"{part}/" for part in parts[:end]) for end in range(len(parts), 0, -1))


@lru_cache(maxsize=4096)
def _joined(base: str, address: str) -> str:
    return urljoin(base, address)


def _fill(control: Element) -> None:
    """Put into a control what it holds when a page is opened."""
    if control.tag == "textarea":
        control.value = control.text.removeprefix("\n")
    elif control.tag == "select":
        options = control.options
        for option in options:
            option.is_checked = "selected" in option.attrs
        if control.type == "select-one":
            chosen = [one for one in options if one.is_checked][-1:]
            if not chosen and int(control.attrs.get("size") or 1) < 2:
                chosen = [one for one in options if not one.is_disabled][:1]
            for option in options:
                option.is_checked = option in chosen
    else:
        default = "on" if control.type in ("checkbox", "radio") else ""
        control.value = control.attrs.get("value", default)
        if control.type in NATIVES:
            control.value = native_default(control.type, control.value, control.limits)
        control.is_checked = "checked" in control.attrs
