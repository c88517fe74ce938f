"""Parsed documents: their elements, the values of controls, and the labels, forms and links of elements."""

from __future__ import annotations

import re
from collections.abc import Iterator
from functools import lru_cache
from typing import Any
from urllib.parse import urljoin

from selectolax.lexbor import LexborHTMLParser

from palaestra.pages.native import NATIVES, native_default

TEXT = "-text"
# Attribute that marks an open popover in the parsed document, for selectors with ``:popover-open``.
POPPED = "data-popover-open"
# Elements that are never part of a page's content.
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
# The usual relative URLs: pages in the same folder, above or below, with a query and a fragment.
_RELATIVE = re.compile(r"((?:\.\./)*)([\w-]+(?:/[\w-]+)*/?(?:\?[^#\s]+)?(?:#[^\s]+)?)", re.ASCII)
_PLAIN_BASE = re.compile(r"(https?://[^/?#\s]+)((?:/[\w-]+)*/[\w-]*)(?=[?#]|\Z)", re.ASCII)


class Element:
    """One element; ``children`` are elements and texts.

    ``value`` and ``is_checked`` are the current state of a control; an option is checked if it is chosen.
    ``index`` is the element's position in ``document.elements``, ``end`` the index after its last descendant.
    ``flow`` is ``Style.flow`` if nothing else about the element is special, otherwise 0.
    """

    __slots__ = (
        "attrs",
        "children",
        "document",
        "end",
        "flow",
        "index",
        "is_checked",
        "is_gone",
        "is_popped",
        "key",
        "node",
        "parent",
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
        self.index = self.end = 0
        self.key = 0
        # The next four are computed by ``Names``, and all but ``role`` again after styles have changed.
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
        """The limits of an input element's value, from its attributes."""
        return {name: self.attrs.get(given, "") for name, given in LIMITS.items()}

    @property
    def elements(self) -> Iterator[Element]:
        return (child for child in self.children if isinstance(child, Element))

    @property
    def ancestors(self) -> Iterator[Element]:
        ancestor = self.parent
        while ancestor is not None:
            yield ancestor
            ancestor = ancestor.parent

    def walk(self) -> list[Element]:
        """Return all descendants, in document order."""
        return self.document.elements[self.index + 1 : self.end]

    def find_first(self, *tags: str) -> Element | None:
        """Return the first descendant with one of these tags."""
        return next((element for element in self.walk() if element.tag in tags), None)

    def closest(self, *tags: str) -> Element | None:
        """Return this element or its nearest ancestor with one of these tags, like the DOM's ``closest``."""
        candidate: Element | None = self
        while candidate is not None and candidate.tag not in tags:
            candidate = candidate.parent
        return candidate

    def holds(self, other: Element) -> bool:
        """Return whether ``other`` is this element or a descendant."""
        return self.index <= other.index < self.end

    @property
    def text(self) -> str:
        """All text inside the element, visible or not."""
        return "".join(child if isinstance(child, str) else child.text for child in self.children)

    @property
    def options(self) -> list[Element]:
        return [element for element in self.walk() if element.tag == "option"]

    @property
    def state(self) -> object:
        """The current state of a control, as a value that can be compared."""
        chosen = [option.is_checked for option in self.options] if self.tag == "select" else None
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
        # A disabled fieldset disables all its controls except those in its first legend (HTML, "disabled").
        fieldset = self.closest("fieldset") if self.tag != "fieldset" else None
        while fieldset is not None:
            legend = next((child for child in fieldset.elements if child.tag == "legend"), None)
            if "disabled" in fieldset.attrs and not (legend is not None and legend.holds(self)):
                return True
            fieldset = fieldset.parent.closest("fieldset") if fieldset.parent else None
        return self.tag == "option" and self.parent is not None and "disabled" in self.parent.attrs

    @property
    def can_have_labels(self) -> bool:
        return self.tag in LABELABLE and self.type != "hidden"

    @property
    def labels(self) -> list[Element]:
        return self.document.find_labels(self)

    @property
    def control(self) -> Element | None:
        """The control that a label names."""
        if self.tag != "label":
            return None
        if "for" in self.attrs:
            named = self.document.by_id.get(self.attrs["for"])
            return named if named is not None and named.tag in LABELABLE else None
        inside = (element for element in self.walk() if element.tag in LABELABLE)
        return next((element for element in inside if element.type != "hidden"), None)

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
        """The child indexes from the root to the element, as the page's recorder writes them (``1/0/3``)."""
        indexes: list[str] = []
        element = self
        while element.parent is not None:
            indexes.append(str([*element.parent.elements].index(element)))
            element = element.parent
        return "/".join(reversed(indexes))


class Document:
    """One parsed page and its URL. Raises ``ValueError`` if the page is empty."""

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
        self.body = next((child for child in self.root.elements if child.tag == "body"), None)
        title = self.root.find_first("title")
        self.title = " ".join(title.text.split()) if title is not None else ""
        base = self.root.find_first("base")
        self.base = urljoin(url, base.attrs.get("href", "")) if base is not None else url
        self._folders = _list_folders(self.base)
        for control in self.controls:
            _initialise(control)
        self.focused: Element | None = None

    @property
    def root(self) -> Element:
        return self.elements[0]

    def resolve(self, address: str) -> str:
        """Make a URL absolute like ``urljoin``, which is slow, so usual URLs take a shortcut."""
        match = _RELATIVE.fullmatch(address)
        ups = len(match[1]) // 3 if match else len(self._folders)
        if match is None or ups >= len(self._folders):
            return _join(self.base, address)
        return self._folders[ups] + match[2]

    def find_labels(self, control: Element) -> list[Element]:
        """Return the labels of a control, in document order."""
        if self._labels is None:
            self._labels = {}
            for label in (element for element in self.elements if element.tag == "label"):
                if (named := label.control) is not None:
                    self._labels.setdefault(named.key, []).append(label)
        return self._labels.get(control.key, [])

    def dissolve(self) -> None:
        """Cut the references between the elements of a page that was left.

        They form cycles, which only the garbage collector could free. That took a quarter of the run time,
        and the next page could not reuse this page's memory.
        """
        for element in self.elements:
            element.children.clear()
        for elements in (self.elements, self.controls, self.by_id):
            elements.clear()
        self._labels = self.focused = self.body = None

    def mark(self, element: Element) -> None:
        """Copy the open state of an element into the parsed document, where selectors see it."""
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
        element.node, element.key, element.index = node, node.mem_id, len(elements)
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
def _list_folders(base: str) -> tuple[str, ...]:
    """Return a URL's folder, the folder's parent, and so on; nothing if the URL is an unusual one."""
    match = _PLAIN_BASE.match(base)
    if match is None:
        return ()
    parts = match[2].split("/")[:-1]
    return tuple(match[1] + "".join(f"{part}/" for part in parts[:end]) for end in range(len(parts), 0, -1))


@lru_cache(maxsize=4096)
def _join(base: str, address: str) -> str:
    return urljoin(base, address)


def _initialise(control: Element) -> None:
    """Set a control to its initial value."""
    if control.tag == "textarea":
        control.value = control.text.removeprefix("\n")
    elif control.tag == "select":
        options = control.options
        for option in options:
            option.is_checked = "selected" in option.attrs
        if control.type == "select-one":
            chosen = [option for option in options if option.is_checked][-1:]
            if not chosen and int(control.attrs.get("size") or 1) < 2:
                chosen = [option for option in options if not option.is_disabled][:1]
            for option in options:
                option.is_checked = option in chosen
    else:
        default = "on" if control.type in ("checkbox", "radio") else ""
        control.value = control.attrs.get("value", default)
        if control.type in NATIVES:
            control.value = native_default(control.type, control.value, control.limits)
        control.is_checked = "checked" in control.attrs
