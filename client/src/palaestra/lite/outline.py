"""The outline of a page, line for line as ``js/axtree.js`` writes it (``axtree-v2``)."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from typing import NamedTuple

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
from palaestra.lite.names import HAS_VALUE, HEADS, OPTIONS_CHARS, WRITTEN_BY_TAG, Names, clean
from palaestra.protocol.outline import CUT

LIMIT_CHARS = 100_000
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


class Writer:
    """Collects the lines of one element; words that follow one another make one line."""

    def __init__(self) -> None:
        self.lines: list[Line] = []
        self.words: list[str] = []
        self._first: Element | None = None

    def text(self, words: str, element: Element) -> None:
        if self._first is None and words and not words.isspace():
            self._first = element
        self.words.append(words)

    def flush(self) -> None:
        if self._first is not None and (words := clean("".join(self.words))):
            self.lines.append(Line(0, f"text: {words}", self._first))
        self.words, self._first = [], None

    def line(self, text: str, element: Element) -> None:
        if self.words:
            self.flush()
        self.lines.append(Line(0, text, element))

    def nest(self, head: str, element: Element, lines: Iterable[Line]) -> None:
        self.line(head, element)
        self.lines += indented(lines)


class State(NamedTuple):
    """What of a document's state its outline depends on."""

    names: int
    url: str
    focused: Element | None
    fields: list[tuple[Element, object]]

    @classmethod
    def of(cls, names: Names) -> State:
        document = names.document
        fields = [(one, one.state) for one in document.controls]
        return cls(names.version, document.url, document.focused, fields)

    def changed_since(self, before: State) -> list[Element] | None:
        """The elements that may read otherwise now; None where all may."""
        if (self.names, self.url) != (before.names, before.url):
            return None
        pairs = zip(self.fields, before.fields, strict=True)
        fields = [element for (element, now), (_, then) in pairs if now != then]
        focused = [one for one in (before.focused, self.focused) if one is not None]
        return fields if before.focused is self.focused else [*fields, *focused]


class Outline:
    """Writes the outline of one document. What is done to a field or to the focus changes the lines of these
    elements alone, and only they are written again."""

    def __init__(self, names: Names, ids: Ids) -> None:
        self.names = names
        self.ids = ids
        self._lines: list[Line] = []
        self._described: dict[Element, str] = {}
        self._places: dict[Element, int] = {}
        self._state: State | None = None

    def lines(self) -> list[Line]:
        state, before = State.of(self.names), self._state
        self._state = state
        if before is None or not self._is_mended(state.changed_since(before)):
            self._write()
        return self._lines

    def text(self) -> str:
        lines = self.lines()
        chars, written = 0, [line.written for line in lines]
        for place, line in enumerate(written):
            if chars > LIMIT_CHARS:
                return "\n".join([*written[:place], CUT])
            chars += len(line) + 1
        return "\n".join(written)

    def _write(self) -> None:
        body = self.names.document.body
        self._described = {}
        self._lines = self._inside(body) if body is not None else []
        described = self._described
        self._places = {
            line.element: place
            for place, line in enumerate(self._lines)
            if described.get(line.element) == line.text
        }

    def _is_mended(self, changed: Iterable[Element] | None) -> bool:
        """Write the lines of these elements again; False where that is not enough."""
        if changed is None:
            return False
        for element in changed:
            before = self._described.get(element)
            if before is None:
                continue  # the outline does not show it
            text = self.describe(element, self.names.role(element))
            place = self._places.get(element)
            if text != before and place is None:
                return False  # it is a part of another one's line
            if place is not None:
                self._lines[place] = self._lines[place]._replace(text=text)
        return True

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
        text = self._described[element] = " ".join(parts)
        return text

    def is_interactive(self, element: Element, role: str) -> bool:
        if role in INTERACTIVE or "tabindex" not in element.attrs:
            return role in INTERACTIVE
        given = element.attrs["tabindex"]
        takes_focus = given.lstrip("-").isdecimal() and int(given) >= 0
        # A block that takes the focus so that the keyboard can scroll it has nothing else to offer.
        is_scrolled = role == "" and self.names.style(element).scrolls
        return takes_focus and role not in CONTAINERS and not is_scrolled

    # ---- the walk
    def _inside(self, element: Element, is_shown: bool = True) -> list[Line]:
        writer = Writer()
        self._children(element, writer, is_shown)
        if writer.words:
            writer.flush()
        return writer.lines

    def _children(self, element: Element, writer: Writer, is_shown: bool) -> None:
        for child in element.children:
            if isinstance(child, str):
                if is_shown:
                    writer.text(child, element)
            elif child.flow == 1:
                self._children(child, writer, True)
            elif child.flow:
                if writer.words:
                    writer.flush()
                self._children(child, writer, True)
                if writer.words:
                    writer.flush()
            else:
                self._visit(child, writer)

    def _visit(self, element: Element, writer: Writer) -> None:
        names = self.names
        if names.is_gone(element):
            return
        role = names.role(element)
        if not names.style(element).is_visible:
            self._children(element, writer, False)
        elif role == "math":
            writer.text(names.math(element), element)
        elif element.tag == "label" and self._is_label_of_shown(element):
            if (control := element.control) is not None and element.holds(control):
                self._visit(control, writer)
        elif self.is_interactive(element, role):
            self._interactive(element, role, writer)
        elif role in BY_ROLE:
            BY_ROLE[role](self, element, role, writer)
        elif not self._is_written_by_tag(element, writer):
            self._container(element, role, writer)

    def _is_written_by_tag(self, element: Element, writer: Writer) -> bool:
        tag = element.tag
        if tag not in WRITTEN_BY_TAG and not self.names.style(element).white_space.startswith("pre"):
            return False
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
        if role and (role in CONTAINERS or role in NAMED_CONTAINERS):
            name = self.names.name(element, role)
            if name or role in CONTAINERS:
                if inner := self._inside(element):
                    modal = " modal" if is_modal(element, role) else ""
                    head = role + (f' "{name}"' if name else "") + modal
                    writer.nest(head, element, contents(role, name, inner))
                return
        if element.tag in HEADS:
            return
        style = self.names.style(element)
        is_block = not style.is_in_line or (style.display == "inline-block" and any(element.elements))
        if is_block and writer.words:
            writer.flush()
        self._children(element, writer, True)
        if is_block and writer.words:
            writer.flush()

    def _gauge(self, element: Element, role: str, writer: Writer) -> None:
        name, value = self.names.name(element, role), self.names.value(element)
        writer.line(f'{role} "{name}" value="{value}"', element)

    def _is_label_of_shown(self, element: Element) -> bool:
        """A label's text is the name of its control and is not repeated."""
        control = element.control
        if control is None or "aria-label" in control.attrs:
            return False
        style = self.names.style(control)
        return style.is_visible and not style.is_none

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

    def _list(self, element: Element, role: str, writer: Writer) -> None:
        name = self.names.name(element, role)
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

    def _table(self, element: Element, _role: str, writer: Writer) -> None:
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


BY_ROLE: Mapping[str, Callable[[Outline, Element, str, Writer], None]] = {
    "heading": Outline._heading,
    "image": Outline._image,
    "table": Outline._table,
    "grid": Outline._table,
    "list": Outline._list,
    "progressbar": Outline._gauge,
    "meter": Outline._gauge,
}
