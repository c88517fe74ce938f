"""Roles, names, values and states of elements, computed as in ``js/axtree.js``."""

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import NamedTuple
from urllib.parse import urlsplit

from palaestra.pages.lite.document import SKIPPED, Document, Element
from palaestra.pages.lite.styles import INITIAL, Style, Styles, compute_style

VALUE_CHARS = 400
OPTIONS_CHARS = 100
HEADINGS = frozenset(("h1", "h2", "h3", "h4", "h5", "h6"))
TAG_ROLES: Mapping[str, str] = {
    **{"main": "main", "nav": "navigation", "aside": "complementary", "form": "form", "ul": "list"},
    **{"ol": "list", "menu": "list", "li": "listitem", "table": "table", "button": "button"},
    **{"textarea": "textbox", "dialog": "dialog", "fieldset": "group", "article": "article"},
    **{"figure": "figure", "summary": "summary", "output": "status", "img": "image", "svg": "image"},
    **{"math": "math", "progress": "progressbar", "meter": "meter", "section": "region"},
    **{"search": "search", "blockquote": "blockquote"},
}
INPUT_ROLES: Mapping[str, str] = {
    **{"checkbox": "checkbox", "radio": "radio", "range": "slider", "number": "spinbutton"},
    **{"search": "searchbox", "button": "button", "submit": "button", "reset": "button", "image": "button"},
    "hidden": "",
}
FROM_CONTENT = frozenset(
    [
        "button",
        "link",
        "heading",
        "option",
        "tab",
        "menuitem",
        "treeitem",
        "summary",
        "switch",
        "checkbox",
        "radio",
    ]
)
FIELDS = ("input", "select", "textarea")
# Elements whose descendants never get lines of their own.
CLOSED = frozenset(("select", "svg"))
ROLE_VARIES = frozenset(("input", "select", "header", "footer"))
HEADS = ("legend", "caption", "figcaption")
WRITTEN_BY_TAG = frozenset(("details", "dl", "hr", "br", "iframe"))
NOT_PLAIN = frozenset(("label", *HEADS, *WRITTEN_BY_TAG))
HAS_VALUE = frozenset(("textbox", "searchbox", "combobox", "slider", "spinbutton", "listbox"))
CHECKABLE = ("checkbox", "radio", "switch", "menuitemcheckbox")
HEADED = {"fieldset": "legend", "table": "caption", "figure": "figcaption"}
_DELIMITED = re.compile(r"\s*(\$|\\\(|\\\[)")


def clean(text: str) -> str:
    """Collapse runs of white space to single blanks and strip both ends."""
    return " ".join(text.split())


class Nature(NamedTuple):
    """Properties that all elements of one ``styles.Kind`` share."""

    role: str | None
    """None if the role depends on attribute values or on the element's surroundings."""
    is_gone: bool
    may_be_hidden: bool
    is_closed: bool
    is_plain: bool
    """True if an outline writes only the element's contents, without a line for the element itself."""

    @classmethod
    def of(cls, element: Element) -> Nature:
        tag, attrs = element.tag, element.attrs
        role = None if "role" in attrs or tag in ROLE_VARIES else _compute_role(element)
        is_plain = role == "" and tag not in NOT_PLAIN and "tabindex" not in attrs
        is_gone = "inert" in attrs or tag in SKIPPED
        return cls(role, is_gone, "aria-hidden" in attrs, tag in CLOSED, is_plain)


class Names:
    """Roles, names, values and states of one document's elements. Methods are named as in ``js/axtree.js``.

    ``version`` counts how often the styles were recomputed.
    """

    def __init__(self, document: Document, styles: Styles) -> None:
        self.document = document
        self.styles = styles
        self.version = 0
        self._matches: dict[str, set[int]] = {}
        self._learn()

    def _learn(self) -> None:
        """Compute style and role of the elements that an outline reaches; others are computed on demand."""
        styles, matches, end = self.styles, self._matches, 0
        for element in self.document.elements:
            if element.index < end:
                continue
            kind, parent = styles.find_kind(element), element.parent
            nature = kind.nature
            if nature is None:
                nature = kind.nature = Nature.of(element)
            element.style = style = styles.compute(
                element, kind, parent.style if parent else INITIAL, matches
            )
            is_gone = style.is_none or nature.is_gone
            if nature.may_be_hidden:
                is_gone = is_gone or element.attrs["aria-hidden"] == "true"
            element.is_gone = is_gone
            if element.role is None:
                element.role = _compute_role(element) if nature.role is None else nature.role
            if is_gone or nature.is_closed:
                end = element.end
            elif nature.is_plain:
                element.flow = style.flow

    def style(self, element: Element) -> Style:
        return element.style or compute_style(element, self.styles, self._matches)

    def styles_renew(self) -> None:
        """Recompute every style, because something on the page was opened or closed."""
        self.version += 1
        self._matches.clear()
        for element in self.document.elements:
            element.style = element.is_gone = None
            element.flow = 0
        self._learn()

    def is_gone(self, element: Element) -> bool:
        """Return whether an element is absent from the outline: not displayed, inert or hidden."""
        if element.is_gone is None:
            attrs, is_none = element.attrs, self.style(element).is_none
            is_gone = is_none or "inert" in attrs or element.tag in SKIPPED
            element.is_gone = is_gone or attrs.get("aria-hidden") == "true"
        return element.is_gone

    def role(self, element: Element) -> str:
        if element.role is None:
            element.role = _compute_role(element)
        return element.role

    # ---- words
    def words(self, element: Element, without: Element | None = None) -> str:
        """Return the visible words of a subtree in one line, as in names, headings and options."""
        parts: list[str] = []
        self._words_add(element, without, parts)
        return clean("".join(parts))

    def _words_add(self, element: Element, without: Element | None, parts: list[str]) -> None:
        for child in element.children:
            if isinstance(child, str):
                parts.append(child)
            elif child is without:
                continue
            elif child.flow:
                self._part_add(child, without, parts)
            elif not self.is_gone(child) and self.style(child).is_visible:
                role = self.role(child)
                if role == "math":
                    parts.append(self.math(child))
                elif role == "image":
                    parts.append(child.attrs.get("alt") or child.attrs.get("aria-label") or "")
                elif child.tag not in FIELDS:
                    self._part_add(child, without, parts)

    def _part_add(self, part: Element, without: Element | None, parts: list[str]) -> None:
        if self.style(part).is_inline:
            if part.tag == "br":
                parts.append(" ")
            self._words_add(part, without, parts)
            return
        parts.append(" ")
        self._words_add(part, without, parts)
        parts.append(" ")

    def math(self, element: Element) -> str:
        """Return a formula as TeX between dollar signs."""
        attrs = element.attrs
        tex = attrs.get("aria-label") or attrs.get("alttext")
        if not tex:
            notes = (part for part in element.walk() if part.attrs.get("encoding") == "application/x-tex")
            tex = next(notes, element).text
        if _DELIMITED.match(tex):
            return clean(tex)
        if "data-display" in attrs:
            is_block = attrs["data-display"] != "false"
        else:
            is_block = not self.style(element).is_in_line
        return f" $${clean(tex)}$$ " if is_block else f"${clean(tex)}$"

    # ---- names
    def name(self, element: Element, role: str) -> str:
        """Return an element's accessible name (a subset of the W3C computation, as in ``js/axtree.js``)."""
        attrs, tag = element.attrs, element.tag
        if name := self._name_by_attributes(element):
            return name
        if tag == "input" and role == "button":
            default = "Reset" if element.type == "reset" else "Submit"
            return clean(element.value or attrs.get("alt") or default)
        if role == "image":
            title = element.find_first("title")
            return clean(attrs.get("alt") or (title.text if title else ""))
        if tag in HEADED:
            head = next((child for child in element.elements if child.tag == HEADED[tag]), None)
            if head is not None:
                return self.words(head)
        if role in FROM_CONTENT and tag not in FIELDS and (words := self.words(element)):
            return words
        return clean(attrs.get("placeholder") or attrs.get("title") or "")

    def _name_by_attributes(self, element: Element) -> str:
        attrs = element.attrs
        if by := attrs.get("aria-labelledby"):
            labels = (self.document.by_id.get(id) for id in by.split())
            words = [self.words(label) for label in labels if label is not None]
            if "".join(words):
                return clean(" ".join(words))
        if text := clean(attrs.get("aria-label", "")):
            return text
        if element.can_have_labels and element.labels:
            return clean(" ".join(self.words(label, element) for label in element.labels))
        return ""

    def label(self, element: Element, limit: int = 0) -> str:
        """Return a short description of an element for readers: its role and name."""
        role = self.role(element)
        head = element.find_first("h1", "h2", "h3", "h4")
        text = clean(self.name(element, role) or (head.text if head else ""))
        excerpt = f"{text[:limit]}\u2026" if limit and len(text) > limit else text
        if not role and not excerpt:
            return ""
        return (role or "element") + (f' "{excerpt}"' if excerpt else "")

    # ---- values and states
    def value(self, element: Element) -> str:
        """Return a control's value, shortened to ``VALUE_CHARS``; a password is shown as dots."""
        if element.tag == "select":
            return ", ".join(option.option_label for option in element.options if option.is_checked)
        if element.tag == "input" and element.type == "password":
            return "\u2022" * len(element.value)
        if element.tag in ("input", "textarea", "button"):
            value = element.value
        elif element.tag in ("progress", "meter"):
            value = element.attrs.get("value", "0")
        else:
            value = element.attrs.get("aria-valuetext") or element.attrs.get("aria-valuenow") or ""
        excerpt = value[:VALUE_CHARS].replace("\n", "\\n")
        return f"{excerpt}\u2026 ({len(value)} characters)" if len(value) > VALUE_CHARS else excerpt

    def states(self, element: Element, role: str) -> list[str]:
        """Return the states to write after the name, such as ``checked`` or ``disabled``."""
        attrs = element.attrs
        states = []
        if role in CHECKABLE:
            is_input = element.tag == "input"
            is_checked = element.is_checked if is_input else attrs.get("aria-checked") == "true"
            is_mixed = attrs.get("aria-checked") == "mixed"
            states.append("mixed" if is_mixed else "checked" if is_checked else "unchecked")
        if element.is_disabled or attrs.get("aria-disabled") == "true":
            states.append("disabled")
        expanded = attrs.get("aria-expanded")
        if role == "summary" and element.parent is not None:
            expanded = "true" if "open" in element.parent.attrs else "false"
        states += {"true": ["expanded"], "false": ["collapsed"]}.get(expanded or "", [])
        states += [name for name in ("selected", "pressed") if attrs.get(f"aria-{name}") == "true"]
        if attrs.get("aria-current", "false") not in ("", "false"):
            states.append("current")
        is_field = element.tag in FIELDS
        for name in ("readonly", "required"):
            if (is_field and name in attrs) or attrs.get(f"aria-{name}") == "true":
                states.append(name)
        if attrs.get("aria-invalid") == "true":
            states.append("invalid")
        if element is self.document.focused:
            states.append("focused")
        return states

    def options(self, element: Element, limit: float = float("inf")) -> str:
        """Return as many options of a select as fit into ``limit`` characters, but at least two."""
        options = [
            f'"{option.option_label}"' + (" (disabled)" if "disabled" in option.attrs else "")
            for option in element.options
        ]
        count, chars = 0, 0
        while count < len(options) and (count < 2 or chars + len(options[count]) <= limit):
            chars += len(options[count]) + 3
            count += 1
        more = len(options) - count
        return " | ".join(options[:count]) + (f" | ... {more} more" if more else "")

    def address(self, element: Element) -> str:
        """Return a link's target, or an empty string if the link leads to the path of this page.

        If the link's query repeats the whole query of the page, ``?...`` replaces the repeated part.
        """
        here, url = urlsplit(self.document.url), urlsplit(element.href)
        if (url.scheme, url.netloc) != (here.scheme, here.netloc):
            return element.href
        if (url.path or "/") == (here.path or "/"):
            return ""
        parts = [part for part in url.query.split("&") if part]
        own = [part for part in here.query.split("&") if part.partition("=")[2]]
        if own and all(part in parts for part in own):
            parts = ["...", *(part for part in parts if part not in own)]
        query = f"?{'&'.join(parts)}" if parts else ""
        fragment = f"#{url.fragment}" if url.fragment else ""
        return f"{url.scheme}://{url.netloc}{url.path or '/'}{query}{fragment}"


def _compute_role(element: Element) -> str:
    attrs, tag = element.attrs, element.tag
    given = attrs["role"].split()[0] if attrs.get("role", "").strip() else ""
    if given and given not in ("presentation", "none"):
        return "image" if given == "img" else given
    if tag in HEADINGS:
        return "heading"
    if tag in ("a", "area"):
        return "link" if "href" in attrs else ""
    if tag == "input":
        return INPUT_ROLES.get(element.type, "textbox")
    if tag == "select":
        is_list = "multiple" in attrs or int(attrs.get("size") or 1) > 1
        return "listbox" if is_list else "combobox"
    if tag in ("header", "footer") and not element.closest("main", "article", "section", "nav", "aside"):
        return "banner" if tag == "header" else "contentinfo"
    return "" if given else TAG_ROLES.get(tag, "")
