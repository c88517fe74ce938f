"""Reasons why the outline of a page read without a browser may differ from the browser's: effects of scripts.

The effects of each script are derived from the page's own attributes, so that no other difference is
accepted.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence

from palaestra.pages.lite.document import Document, Element
from palaestra.pages.lite.names import clean

IN_PLACE = "opened or loaded in place"
HINT = "hint"
PHOTO = re.compile(r"Photo \d+ of \d+")


def reasons_of(browser: Sequence[str], lite: Sequence[str], document: Document) -> tuple[set[str], list[str]]:
    """Return the reasons for lines that only one of the outlines has, and the lines without a reason."""
    if any(line.startswith("page ") for line in (*browser, *lite)):
        return {IN_PLACE}, []
    known = list(_known(document))
    reasons, rest, dialog = set(), [], None
    for line in (*browser, *lite):
        depth, text = len(line) - len(line.lstrip()), line.strip()
        if dialog is not None and depth <= dialog:
            dialog = None
        if text.startswith('dialog "'):
            dialog = depth
        reason = next((reason for reason, pattern in known if pattern.search(text)), None)
        if dialog is not None or reason:
            reasons.add(reason or "pop-up")
        else:
            rest.append(text)
    return reasons, [text for text in rest if not (text == "status" and reasons)]


def _known(document: Document) -> Iterator[tuple[str, re.Pattern[str]]]:
    for element in document.elements:
        if element.tag == "noscript" or element.attrs.get("id") == "answer-keys":
            yield HINT, re.compile(re.escape(clean(element.text)) or "^$")
    for element in document.elements:
        attrs = element.attrs
        if "data-called" in attrs:
            yield "calendar", _button(attrs["data-called"])
        if "data-gallery" in attrs:
            yield "gallery", PHOTO
            yield from (("gallery", _button(attrs.get(f"data-{name}", ""))) for name in ("previous", "next"))
        if attrs.get("data-paging") in ("more", "scroll"):
            yield from (("paging", pattern) for pattern in _paging(element))
        if "data-task-bar" in attrs:
            yield from (("task bar", pattern) for pattern in _parts(element))


def _button(name: str) -> re.Pattern[str]:
    return re.compile(f'^button "{re.escape(name)}"')


def _paging(section: Element) -> Iterator[re.Pattern[str]]:
    for name in ("data-more", "data-shown", "data-all", "data-loaded"):
        words = section.attrs.get(name, "")
        if words:
            yield re.compile(re.escape(words).replace(re.escape("{n}"), r"\d+"))
    pagers = (one for one in section.walk() if "data-pager" in one.attrs or "data-page-number" in one.attrs)
    for pager in pagers:
        yield re.compile(f"^text: {re.escape(clean(pager.text))}$")
        yield from _parts(pager)
        if label := pager.attrs.get("aria-label"):
            yield re.compile(re.escape(label))


def _parts(part: Element) -> Iterator[re.Pattern[str]]:
    """Yield patterns of the lines for an element's descendants and for each line of its texts."""
    yield re.compile(r"^preformatted:")
    for element in part.walk():
        if any(isinstance(child, str) and child.strip() for child in element.children):
            words = clean(element.text)
            yield re.compile(re.escape(words))
            for line in element.text.split("\n"):
                if clean(line):
                    yield re.compile(f"^(?:\\| .*)?{re.escape(clean(line))}")
