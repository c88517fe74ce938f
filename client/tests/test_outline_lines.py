"""The outline is read as the client writes it: its golden files are the client's own."""

from __future__ import annotations

from pathlib import Path

import pytest

from palaestra.protocol.outline import PREFORMATTED, Line, element_read, line_read, strip_ids

GOLDEN = Path(__file__).with_name("golden")
ROLES = {
    "article", "banner", "button", "checkbox", "combobox", "contentinfo", "dialog", "figure", "form", "group",
    "header", "heading", "image", "link", "list", "main", "navigation", "page", "progressbar", "radio",
    "region", "row", "searchbox", "separator", "spinbutton", "summary", "tab", "table", "tablist", "text",
    "textbox", PREFORMATTED,
}  # fmt: skip


@pytest.mark.parametrize("path", sorted(GOLDEN.glob("*.txt")), ids=lambda path: path.stem)
def test_every_line_that_the_client_writes_is_parsed(path: Path) -> None:
    for text in path.read_text("utf-8").splitlines():
        line = line_read(text)
        is_item = line.role == "" and text.strip()[0] in "-34AB"
        assert line.role in ROLES or is_item, text
        is_joined = line.text.startswith(" | ")
        is_words = line.role in ("text", "header", "row", PREFORMATTED)
        assert not line.text or is_item or is_joined or is_words, text


@pytest.mark.parametrize(
    ("text", "line"),
    [
        ('page "A question" https://gym/x', Line(role="page", name="A question", url="https://gym/x")),
        ("main", Line(role="main")),
        ('  heading 1 "Find $x^2$"', Line(depth=1, role="heading", level=1, name="Find $x^2$")),
        ("  text: It costs $5.", Line(depth=1, role="text", text="It costs $5.")),
        ("    |   label", Line(depth=2, role=PREFORMATTED, text="  label")),
        ("    | ", Line(depth=2, role=PREFORMATTED)),
        ("  preformatted:", Line(depth=1, role=PREFORMATTED)),
        ("    row: Cake | 3", Line(depth=2, role="row", text="Cake | 3")),
        ('[e14] button "Close"', Line(id="e14", role="button", name="Close")),
        ("[e1] element", Line(id="e1", role="element")),
        ('[e2] radio "He said "no"" checked focused',
         Line(id="e2", role="radio", name='He said "no"', states=("checked", "focused"))),
        ('[e2] radio "say "yes" or "no"" unchecked',
         Line(id="e2", role="radio", name='say "yes" or "no"', states=("unchecked",))),
        ('[e11] textbox "Remarks" value="two\\nlines" readonly',
         Line(id="e11", role="textbox", name="Remarks", value="two\\nlines", states=("readonly",))),
        ('[e9] searchbox "Find" value=""', Line(id="e9", role="searchbox", name="Find", value="")),
        ('[e7] combobox "Size" value="Large" options: "Small" | "Large" | "Huge" (disabled)',
         Line(id="e7", role="combobox", name="Size", value="Large", options=("Small", "Large", "Huge"))),
        ('    - [e2] link "Here" current -> https://gym/x#top',
         Line(depth=2, marker="-", id="e2", role="link", name="Here", states=("current",),
              url="https://gym/x#top")),
        ('    - [e4] link "The Red Fox" -> https://gym/rooms/1?... | Hotel | 7.8 (2)',
         Line(depth=2, marker="-", id="e4", role="link", name="The Red Fox", url="https://gym/rooms/1?...",
              text=" | Hotel | 7.8 (2)")),
        ('  image "5 stars" | By Laila W.',
         Line(depth=1, role="image", name="5 stars", text=" | By Laila W.")),
        ('[e7] combobox "Month" value="May" options: "May" | ... 2 more',
         Line(id="e7", role="combobox", name="Month", value="May", options=("May",))),
        ("    3. three", Line(depth=2, text="3. three")),
        ("    -", Line(depth=2, text="-")),
        ("(cut: the page is longer)", Line(text="(cut: the page is longer)")),
        ('[e1] link "A name that was c', Line(id="e1", role="link", text=' "A name that was c')),
    ],
)  # fmt: skip
def test_a_line_is_parsed_into_its_parts(text: str, line: Line) -> None:
    assert line_read(text) == line


def test_an_element_is_parsed_at_any_position_of_a_line() -> None:
    row = '    row: Cake | [e1] button "Buy" | [e2] link "More" -> https://gym/more | 3\n[e3] button "Go"'
    assert element_read(row, "e1") == Line(
        id="e1", role="button", name="Buy", text=' | [e2] link "More" -> https://gym/more | 3'
    )
    assert element_read(row, "e3") == Line(id="e3", role="button", name="Go")
    link = element_read(row, "e2")
    assert link
    assert link.name == "More"


@pytest.mark.parametrize("element_id", ["e9", "", "button", "e", "1"])
def test_an_absent_element_is_none(element_id: str) -> None:
    assert element_read('[e1] button "Go"', element_id) is None


def test_a_bare_line_has_only_role_and_name() -> None:
    assert line_read('[e1] button "Go"').is_bare
    assert not line_read('[e1] button "Go" disabled').is_bare


def test_pages_that_differ_only_in_ids_read_the_same() -> None:
    assert strip_ids('[e1] button "Go"\n  [e22] tab "A"') == strip_ids('[e7] button "Go"\n  [e1] tab "A"')
