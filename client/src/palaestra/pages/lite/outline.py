"""A page's outline, line for line as ``js/axtree.js`` writes it (``axtree-v2``)."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from typing import NamedTuple

from palaestra.pages.lite.document import Element
from palaestra.pages.lite.ids import Ids
from palaestra.pages.lite.lines import (
    Line,
    find_cells,
    find_rows,
    find_terms,
    format_marker,
    indent,
    is_header,
    is_modal,
    join_words,
    read_preformatted,
    trim_contents,
)
from palaestra.pages.lite.names import HAS_VALUE, HEADS, OPTIONS_CHARS, WRITTEN_BY_TAG, Names, clean
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
    """Collects the lines of one element; consecutive texts become one line."""

    def __init__(self) -> None:
        self.lines: list[Line] = []
        self.words: list[str] = []
        self._first: Element | None = None

    def add_text(self, words: str, element: Element) -> None:
        if self._first is None and words and not words.isspace():
            self._first = element
        self.words.append(words)

    def flush(self) -> None:
        if self._first is not None and (words := clean("".join(self.words))):
            self.lines.append(Line(0, f"text: {words}", self._first))
        self.words, self._first = [], None

    def add_line(self, text: str, element: Element) -> None:
        if self.words:
            self.flush()
        self.lines.append(Line(0, text, element))

    def nest(self, head: str, element: Element, lines: Iterable[Line]) -> None:
        """Add the line ``head``, and other lines one level below it."""
        self.add_line(head, element)
        self.lines += indent(lines)


class State(NamedTuple):
    """The part of a document's state that its outline depends on."""

    names: int
    url: str
    focused: Element | None
    fields: list[tuple[Element, object]]

    @classmethod
    def of(cls, names: Names) -> State:
        document = names.document
        fields = [(control, control.state) for control in document.controls]
        return cls(names.version, document.url, document.focused, fields)

    def find_changes(self, before: State) -> list[Element] | None:
        """Return the elements whose lines may have changed since ``before``; None if any may have."""
        if (self.names, self.url) != (before.names, before.url):
            return None
        pairs = zip(self.fields, before.fields, strict=True)
        fields = [element for (element, now), (_, then) in pairs if now != then]
        focused = [element for element in (before.focused, self.focused) if element is not None]
        return fields if before.focused is self.focused else [*fields, *focused]


class Outline:
    """Writes the outline of one document.

    If only fields or the focus changed, only the lines of those elements are written again (``_mend``), which
    saves a walk over the whole page in most steps.
    """

    def __init__(self, names: Names, ids: Ids) -> None:
        self.names = names
        self.ids = ids
        self._lines: list[Line] = []
        self._described: dict[Element, str] = {}
        self._line_by_element: dict[Element, int] = {}
        self._state: State | None = None

    def render_lines(self) -> list[Line]:
        """Return the lines of the current outline."""
        state, before = State.of(self.names), self._state
        self._state = state
        if before is None or not self._mend(state.find_changes(before)):
            self._write()
        return self._lines

    def render(self) -> str:
        """Return the outline as text, cut at about ``LIMIT_CHARS`` characters."""
        lines = self.render_lines()
        chars, written = 0, [line.written for line in lines]
        for index, line in enumerate(written):
            if chars > LIMIT_CHARS:
                return "\n".join([*written[:index], CUT])
            chars += len(line) + 1
        return "\n".join(written)

    def _write(self) -> None:
        body = self.names.document.body
        self._described = {}
        self._lines = self._render_children(body) if body is not None else []
        described = self._described
        self._line_by_element = {
            line.element: index
            for index, line in enumerate(self._lines)
            if described.get(line.element) == line.text
        }

    def _mend(self, changed: Iterable[Element] | None) -> bool:
        """Rewrite the lines of the changed elements; return False if the whole outline must be rewritten."""
        if changed is None:
            return False
        for element in changed:
            before = self._described.get(element)
            if before is None:
                continue  # the outline does not show this element
            text = self.describe(element, self.names.role(element))
            index = self._line_by_element.get(element)
            if text != before and index is None:
                return False  # the element is part of another element's line
            if index is not None:
                self._lines[index] = self._lines[index]._replace(text=text)
        return True

    def describe(self, element: Element, role: str) -> str:
        """Return the line of an interactive element: id, role, name, value, states, options, link."""
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
        """Return whether an element gets an id, because of its role or because it can be focused."""
        if role in INTERACTIVE or "tabindex" not in element.attrs:
            return role in INTERACTIVE
        given = element.attrs["tabindex"]
        takes_focus = given.lstrip("-").isdecimal() and int(given) >= 0
        # Some blocks are focusable only so that the keyboard can scroll them; they offer no other
        # interaction.
        is_scrolled = role == "" and self.names.style(element).scrolls
        return takes_focus and role not in CONTAINERS and not is_scrolled

    # ---- the walk
    def _render_children(self, element: Element, is_shown: bool = True) -> list[Line]:
        writer = Writer()
        self._write_children(element, writer, is_shown)
        if writer.words:
            writer.flush()
        return writer.lines

    def _write_children(self, element: Element, writer: Writer, is_shown: bool) -> None:
        for child in element.children:
            if isinstance(child, str):
                if is_shown:
                    writer.add_text(child, element)
            elif child.flow == 1:
                self._write_children(child, writer, True)
            elif child.flow:
                if writer.words:
                    writer.flush()
                self._write_children(child, writer, True)
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
            self._write_children(element, writer, False)
        elif role == "math":
            writer.add_text(names.math(element), element)
        elif element.tag == "label" and self._is_label_of_shown(element):
            if (control := element.control) is not None and element.holds(control):
                self._visit(control, writer)
        elif self.is_interactive(element, role):
            self._write_interactive(element, role, writer)
        elif role in BY_ROLE:
            BY_ROLE[role](self, element, role, writer)
        elif not self._is_written_by_tag(element, writer):
            self._write_container(element, role, writer)

    def _is_written_by_tag(self, element: Element, writer: Writer) -> bool:
        tag = element.tag
        if tag not in WRITTEN_BY_TAG and not self.names.style(element).white_space.startswith("pre"):
            return False
        if tag == "details" and "open" not in element.attrs:
            summary = next((child for child in element.elements if child.tag == "summary"), None)
            if summary is not None:
                self._visit(summary, writer)
        elif tag == "dl":
            self._write_definitions(element, writer)
        elif tag == "hr":
            writer.add_line("separator", element)
        elif tag == "br":
            writer.flush()
        elif tag == "iframe":
            writer.add_line(f'frame "{clean(element.attrs.get("title", ""))}"', element)
        elif self._is_preformatted(element):
            writer.nest("preformatted:", element, read_preformatted(element))
        else:
            return False
        return True

    def _write_container(self, element: Element, role: str, writer: Writer) -> None:
        if role and (role in CONTAINERS or role in NAMED_CONTAINERS):
            name = self.names.name(element, role)
            if name or role in CONTAINERS:
                if inner := self._render_children(element):
                    modal = " modal" if is_modal(element, role) else ""
                    head = role + (f' "{name}"' if name else "") + modal
                    writer.nest(head, element, trim_contents(role, name, inner))
                return
        if element.tag in HEADS:
            return
        style = self.names.style(element)
        is_block = not style.is_in_line or (style.display == "inline-block" and any(element.elements))
        if is_block and writer.words:
            writer.flush()
        self._write_children(element, writer, True)
        if is_block and writer.words:
            writer.flush()

    def _write_gauge(self, element: Element, role: str, writer: Writer) -> None:
        name, value = self.names.name(element, role), self.names.value(element)
        writer.add_line(f'{role} "{name}" value="{value}"', element)

    def _is_label_of_shown(self, element: Element) -> bool:
        """Return whether a label's text already appears as its control's name and need not be repeated."""
        control = element.control
        if control is None or "aria-label" in control.attrs:
            return False
        style = self.names.style(control)
        return style.is_visible and not style.is_none

    def _write_interactive(self, element: Element, role: str, writer: Writer) -> None:
        writer.add_line(self.describe(element, role), element)
        if role == "" and self._is_preformatted(element):
            writer.lines += indent(read_preformatted(element))
        elif role == "" or (role == "listbox" and element.tag != "select"):
            writer.lines += indent(self._render_children(element))

    def _write_heading(self, element: Element, role: str, writer: Writer) -> None:
        """Write a heading as its text, and list the interactive elements inside so that they get ids."""
        level = element.attrs.get("aria-level") or (element.tag[1:2] or "2")
        inside = [line for line in self._render_children(element) if line.text.startswith("[e")]
        writer.nest(f'heading {level} "{self.names.name(element, role)}"', element, inside)

    def _is_preformatted(self, element: Element) -> bool:
        return (
            self.names.style(element).white_space.startswith("pre")
            and not any(element.elements)
            and "\n" in element.text.strip()
        )

    def _write_list(self, element: Element, role: str, writer: Writer) -> None:
        name = self.names.name(element, role)
        lines: list[Line] = []
        items = [item for item in element.elements if not self.names.is_gone(item)]
        for index, item in enumerate(items):
            inner = join_words(self._render_children(item))
            mark = format_marker(element, item, index)
            if len(inner) == 1:
                lines.append(Line(0, f"{mark} {inner[0].text.removeprefix('text: ')}", item))
            elif inner:
                lines += [Line(0, mark, item), *indent(inner)]
        if lines:
            writer.nest("list" + (f' "{name}"' if name else ""), element, lines)

    def _write_definitions(self, element: Element, writer: Writer) -> None:
        """Write a term and its description on one line if both are plain text."""
        lines: list[Line] = []
        is_term = False
        for part in find_terms(element):
            inside = self._render_children(part)
            is_words = len(inside) == 1 and inside[0].text.startswith("text: ")
            if part.tag == "dd" and is_words and is_term:
                lines[-1] = lines[-1]._replace(text=f"{lines[-1].text}: {inside[0].text[6:]}")
            else:
                lines += inside
                is_term = part.tag == "dt" and is_words if inside else is_term
        writer.flush()
        writer.lines += lines

    def _write_image(self, element: Element, role: str, writer: Writer) -> None:
        """Write a picture as its name, unless the text around it says the same."""
        name = self.names.name(element, role)
        around = element.closest("a", "figure", "li", "article", "section", "tr") or element.parent
        if name and not (around and name.lower() in self.names.words(around, element).lower()):
            writer.add_line(f'image "{name}"', element)

    def _render_cell(self, cell: Element) -> str:
        """Return a table cell as text; if it has several lines, they are separated by slashes."""
        lines = [line.text.removeprefix("text: ") for line in self._render_children(cell)]
        return " / ".join(lines).replace("|", "\\|")

    def _write_table(self, element: Element, _role: str, writer: Writer) -> None:
        name = self.names.name(element, "table")
        lines = []
        for row in find_rows(element):
            if self.names.is_gone(row):
                continue
            visible = [cell for cell in find_cells(row) if not self.names.is_gone(cell)]
            is_head = bool(visible) and all(is_header(cell) for cell in visible)
            text = ("header: " if is_head else "row: ") + " | ".join(map(self._render_cell, visible))
            lines.append(Line(0, text, row))
        writer.nest("table" + (f' "{name}"' if name else ""), element, lines)


BY_ROLE: Mapping[str, Callable[[Outline, Element, str, Writer], None]] = {
    "heading": Outline._write_heading,
    "image": Outline._write_image,
    "table": Outline._write_table,
    "grid": Outline._write_table,
    "list": Outline._write_list,
    "progressbar": Outline._write_gauge,
    "meter": Outline._write_gauge,
}
