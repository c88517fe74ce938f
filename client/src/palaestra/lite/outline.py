"""The outline of a page, line for line as ``js/axtree.js`` writes it (``axtree-v2``)."""

from __future__ import annotations

from collections.abc import Iterable

from palaestra.lite.document import Element
from palaestra.lite.ids import Ids
from palaestra.lite.lines import (
    Line,
    cells,
    contents,
    indented,
    is_header,
    is_modal,
    joined,
    marker,
    preformatted,
    rows,
    terms,
)
from palaestra.lite.names import HAS_VALUE, OPTIONS_CHARS, Names, clean

LIMIT_CHARS = 100_000
CUT = "\n(cut: the page is longer)"
CONTAINERS = frozenset(
    [
        "main",
        "navigation",
        "banner",
        "contentinfo",
        "complementary",
        "search",
        "list",
        "dialog",
        "alertdialog",
        "alert",
        "status",
        "radiogroup",
        "tablist",
        "tabpanel",
        "menu",
        "listbox",
        "toolbar",
        "figure",
        "blockquote",
    ]
)
NAMED_CONTAINERS = frozenset(("form", "region", "group", "article"))
INTERACTIVE = frozenset(
    [
        "button",
        "link",
        "textbox",
        "searchbox",
        "checkbox",
        "radio",
        "combobox",
        "listbox",
        "slider",
        "spinbutton",
        "switch",
        "tab",
        "menuitem",
        "option",
        "treeitem",
        "summary",
    ]
)
HEADS = ("legend", "caption", "figcaption")
_INLINE = ("inline", "contents", "ruby")


class Writer:
    """Collects the lines of one element; words that follow one another make one line."""

    def __init__(self, element: Element) -> None:
        self.element = element
        self.lines: list[Line] = []
        self._words: list[str] = []
        self._first: Element | None = None

    def text(self, words: str, element: Element) -> None:
        self._words.append(words)
        if self._first is None and not words.isspace() and words:
            self._first = element

    def flush(self) -> None:
        if not self._words:
            return
        if words := clean("".join(self._words)):
            self.lines.append(Line(0, f"text: {words}", self._first or self.element))
        self._words, self._first = [], None

    def line(self, text: str, element: Element) -> None:
        self.flush()
        self.lines.append(Line(0, text, element))

    def nest(self, head: str, element: Element, lines: Iterable[Line]) -> None:
        self.line(head, element)
        self.lines += indented(lines)


class Outline:
    """Writes the outline of one document."""

    def __init__(self, names: Names, ids: Ids) -> None:
        self.names = names
        self.ids = ids

    def lines(self) -> list[Line]:
        body = self.names.document.body
        return self._inside(body) if body is not None else []

    def text(self) -> str:
        chars, written = 0, []
        lines = self.lines()
        for line in lines:
            if chars > LIMIT_CHARS:
                break
            written.append(line.written)
            chars += len(written[-1]) + 1
        return "\n".join(written) + (CUT if len(written) < len(lines) else "")

    def describe(self, element: Element, role: str) -> str:
        names = self.names
        name = names.name(element, role)
        parts = [f"[{self.ids.assign(element, role, name)}]", role or "element"]
        if name or role:
            parts.append(f'"{name}"')
        if role in HAS_VALUE:
            parts.append(f'value="{names.value(element)}"')
        parts += names.states(element, role)
        if element.tag == "select":
            parts.append(f"options: {names.options(element, OPTIONS_CHARS)}")
        if role == "link" and "href" in element.attrs and (address := names.address(element)):
            parts.append(f"-> {address}")
        return " ".join(parts)

    def is_interactive(self, element: Element, role: str) -> bool:
        if role in INTERACTIVE:
            return True
        given = element.attrs.get("tabindex", "")
        takes_focus = given.lstrip("-").isdecimal() and int(given) >= 0
        # A block that takes the focus so that the keyboard can scroll it has nothing else to offer.
        is_scrolled = role == "" and self.names.style(element).scrolls
        return takes_focus and role not in CONTAINERS and not is_scrolled

    # ---- the walk
    def _inside(self, element: Element, is_shown: bool = True) -> list[Line]:
        writer = Writer(element)
        self._children(element, writer, is_shown)
        writer.flush()
        return writer.lines

    def _children(self, element: Element, writer: Writer, is_shown: bool) -> None:
        for child in element.children:
            if not isinstance(child, str):
                self._visit(child, writer)
            elif is_shown:
                writer.text(child, element)

    def _visit(self, element: Element, writer: Writer) -> None:
        names = self.names
        if names.is_gone(element):
            return
        role = names.role(element)
        if names.style(element).visibility != "visible":
            self._children(element, writer, False)
        elif role == "math":
            writer.text(names.math(element), element)
        elif element.tag == "label" and self._is_label_of_shown(element):
            if (control := element.control) is not None and element.holds(control):
                self._visit(control, writer)
        elif self.is_interactive(element, role):
            self._interactive(element, role, writer)
        elif not self._by_role(element, role, writer) and not self._by_tag(element, writer):
            self._container(element, role, writer)

    def _by_role(self, element: Element, role: str, writer: Writer) -> bool:
        if role == "heading":
            self._heading(element, role, writer)
        elif role == "image":
            self._image(element, role, writer)
        elif role in ("table", "grid"):
            self._table(element, writer)
        elif role == "list":
            self._list(element, writer)
        elif role in ("progressbar", "meter"):
            name, value = self.names.name(element, role), self.names.value(element)
            writer.line(f'{role} "{name}" value="{value}"', element)
        else:
            return False
        return True

    def _by_tag(self, element: Element, writer: Writer) -> bool:
        tag = element.tag
        if tag == "details" and "open" not in element.attrs:
            summary = next((one for one in element.elements if one.tag == "summary"), None)
            if summary is not None:
                self._visit(summary, writer)
        elif tag == "dl":
            self._definitions(element, writer)
        elif tag == "hr":
            writer.line("separator", element)
        elif tag == "br":
            writer.flush()
        elif tag == "iframe":
            writer.line(f'frame "{clean(element.attrs.get("title", ""))}"', element)
        elif self._is_preformatted(element):
            writer.nest("preformatted:", element, preformatted(element))
        else:
            return False
        return True

    def _container(self, element: Element, role: str, writer: Writer) -> None:
        is_container = role in CONTAINERS
        name = self.names.name(element, role) if is_container or role in NAMED_CONTAINERS else ""
        if is_container or (role in NAMED_CONTAINERS and name):
            if inner := self._inside(element):
                head = role + (f' "{name}"' if name else "") + (" modal" if is_modal(element, role) else "")
                writer.nest(head, element, contents(role, name, inner))
            return
        if element.tag in HEADS:
            return
        display = self.names.style(element).display
        is_block = not display.startswith(_INLINE) or (display == "inline-block" and any(element.elements))
        if is_block:
            writer.flush()
        self._children(element, writer, True)
        if is_block:
            writer.flush()

    def _is_label_of_shown(self, element: Element) -> bool:
        """A label's text is the name of its control and is not repeated."""
        control = element.control
        if control is None or "aria-label" in control.attrs:
            return False
        style = self.names.style(control)
        return style.display != "none" and style.visibility == "visible"

    def _interactive(self, element: Element, role: str, writer: Writer) -> None:
        writer.line(self.describe(element, role), element)
        if role == "" and self._is_preformatted(element):
            writer.lines += indented(preformatted(element))
        elif role == "" or (role == "listbox" and element.tag != "select"):
            writer.lines += indented(self._inside(element))

    def _heading(self, element: Element, role: str, writer: Writer) -> None:
        """A heading's text is its name; what is interactive inside is listed too, so that it has an id."""
        level = element.attrs.get("aria-level") or (element.tag[1:2] or "2")
        inside = [line for line in self._inside(element) if line.text.startswith("[e")]
        writer.nest(f'heading {level} "{self.names.name(element, role)}"', element, inside)

    def _is_preformatted(self, element: Element) -> bool:
        return (
            self.names.style(element).white_space.startswith("pre")
            and not any(element.elements)
            and "\n" in element.text.strip()
        )

    def _list(self, element: Element, writer: Writer) -> None:
        name = self.names.name(element, "list")
        lines: list[Line] = []
        items = [item for item in element.elements if not self.names.is_gone(item)]
        for index, item in enumerate(items):
            inner = joined(self._inside(item))
            mark = marker(element, item, index)
            if len(inner) == 1:
                lines.append(Line(0, f"{mark} {inner[0].text.removeprefix('text: ')}", item))
            elif inner:
                lines += [Line(0, mark, item), *indented(inner)]
        if lines:
            writer.nest("list" + (f' "{name}"' if name else ""), element, lines)

    def _definitions(self, element: Element, writer: Writer) -> None:
        """A term and what it means are one line where words are all that there is."""
        lines: list[Line] = []
        is_term = False
        for part in terms(element):
            inside = self._inside(part)
            is_words = len(inside) == 1 and inside[0].text.startswith("text: ")
            if part.tag == "dd" and is_words and is_term:
                lines[-1] = lines[-1]._replace(text=f"{lines[-1].text}: {inside[0].text[6:]}")
            else:
                lines += inside
                is_term = part.tag == "dt" and is_words if inside else is_term
        writer.flush()
        writer.lines += lines

    def _image(self, element: Element, role: str, writer: Writer) -> None:
        """A picture is named unless what stands beside it says the same."""
        name = self.names.name(element, role)
        around = element.closest("a", "figure", "li", "article", "section", "tr") or element.parent
        if name and not (around and name.lower() in self.names.words(around, element).lower()):
            writer.line(f'image "{name}"', element)

    def _cell(self, cell: Element) -> str:
        """What stands on lines of its own in a cell stays apart in its row."""
        lines = [line.text.removeprefix("text: ") for line in self._inside(cell)]
        return " / ".join(lines).replace("|", "\\|")

    def _table(self, element: Element, writer: Writer) -> None:
        name = self.names.name(element, "table")
        lines = []
        for row in rows(element):
            if self.names.is_gone(row):
                continue
            shown = [cell for cell in cells(row) if not self.names.is_gone(cell)]
            is_head = bool(shown) and all(is_header(cell) for cell in shown)
            text = ("header: " if is_head else "row: ") + " | ".join(map(self._cell, shown))
            lines.append(Line(0, text, row))
        writer.nest("table" + (f' "{name}"' if name else ""), element, lines)
