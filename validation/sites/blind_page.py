"""A page as seen by a visitor who reads nothing: words, links, and forms to fill in at random."""

from __future__ import annotations

import re
from dataclasses import dataclass, field
from html.parser import HTMLParser

NUMBER = re.compile(r"(?<![\w.-])\d+(?:,\d{3})*(?:\.\d+)?(?![\w-])")
IDENTIFIER = re.compile(r"\b[A-Z]{1,3}-?\d+(?:-[A-Z0-9]+)*\b")
DATE = re.compile(r"\b\d{4}-\d\d-\d\d\b|\b\d{1,2} [A-Z][a-z]+ \d{4}\b|\b[A-Z][a-z]+ \d{1,2}, \d{4}\b")
UNSEEN = frozenset({"script", "style", "title", "template"})


@dataclass(kw_only=True)
class Field:
    """A form control; a select or a set of radio buttons has ``options``, a text field has none."""

    name: str
    value: str = ""
    options: list[str] = field(default_factory=list)
    is_switch: bool = False
    is_hidden: bool = False


@dataclass(kw_only=True)
class Form:
    action: str
    is_post: bool
    fields: list[Field] = field(default_factory=list)


@dataclass(kw_only=True)
class BlindPage:
    """A page's contents."""

    text: str
    links: list[tuple[str, str]]
    """The words and the address of each link."""
    forms: list[Form]

    def numbers(self) -> list[str]:
        return NUMBER.findall(self.text)

    def identifiers(self) -> list[str]:
        return IDENTIFIER.findall(self.text)

    def dates(self) -> list[str]:
        return DATE.findall(self.text)

    def words(self) -> list[str]:
        """List the page's lines of text, including names and labels."""
        return [line.strip() for line in self.text.split("\n") if line.strip()]


def page_read(html: str) -> BlindPage:
    """Parse a page's HTML."""
    reader = _Reader()
    reader.feed(html)
    return BlindPage(text="".join(reader.text), links=reader.links, forms=reader.forms)


class _Reader(HTMLParser):
    def __init__(self) -> None:
        super().__init__()
        self.text: list[str] = []
        self.links: list[tuple[str, str]] = []
        self.forms: list[Form] = []
        self._unseen = 0
        self._link: tuple[str, int] | None = None
        self._select: Field | None = None

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        attributes = {name: value or "" for name, value in attrs}
        if tag in UNSEEN:
            self._unseen += 1
        elif tag == "a" and "href" in attributes:
            self._link = (attributes["href"], len(self.text))
        elif tag == "form":
            is_post = attributes.get("method", "").lower() == "post"
            self.forms.append(Form(action=attributes.get("action", ""), is_post=is_post))
        elif tag == "option" and self._select is not None:
            self._select.options.append(attributes.get("value", ""))
        elif tag in ("input", "select", "textarea", "button") and self.forms and attributes.get("name"):
            self._control(tag, attributes)
        self.text.append("\n")

    def handle_endtag(self, tag: str) -> None:
        if tag in UNSEEN:
            self._unseen = max(0, self._unseen - 1)
        elif tag == "a" and self._link is not None:
            address, start = self._link
            self.links.append((" ".join("".join(self.text[start:]).split()), address))
            self._link = None
        elif tag == "select":
            self._select = None
        self.text.append("\n")

    def handle_data(self, data: str) -> None:
        if not self._unseen:
            self.text.append(data)

    def _control(self, tag: str, attributes: dict[str, str]) -> None:
        fields = self.forms[-1].fields
        kind = attributes.get("type", "")
        known = next(
            (field for field in fields if field.name == attributes["name"] and kind == "radio"), None
        )
        if known is not None:
            known.options.append(attributes.get("value", ""))
            return
        field_read = Field(
            name=attributes["name"],
            value=attributes.get("value", ""),
            options=[attributes.get("value", "")] if kind == "radio" else [],
            is_switch=kind == "checkbox",
            is_hidden=kind == "hidden" or tag == "button",
        )
        fields.append(field_read)
        if tag == "select":
            self._select = field_read
