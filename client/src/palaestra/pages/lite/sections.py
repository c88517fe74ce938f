"""Look-up of sections and lines that an observation left out of its outline, as in ``js/sections.js``."""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from typing import Any

from palaestra.pages.lite.lines import Line
from palaestra.pages.lite.names import clean
from palaestra.pages.lite.outline import Outline

NAMES_SHOWN = 20
EXCERPT_CHARS = 240
SECTION_CHARS = 80
_SECTION = re.compile(
    r"(?:heading|region|article|navigation|complementary|search|form|group|table|list|dialog|alertdialog|"
    r"banner|main|contentinfo|figure)\b"
)
_HEAD = re.compile(r'(?:- |\w+\. )?(?:\[(e\d+)\] )?([a-z]+)(?: (\d))?(?: "(.*)")?', re.DOTALL)
_ID = re.compile(r"\[e\d+\] ")
_BRACKETED = re.compile(r"\[(e\d+)\]")
_OPTIONS = re.compile(r" options: .*")


def read_section(outline: Outline, name: str) -> dict[str, Any]:
    """Return the ``text`` of a section, or the ``names`` of all sections if none has this name."""
    lines = outline.render_lines()
    if _fold(name) == "page":
        return {"text": "\n".join(line.written for line in lines)}
    start = _find_start(lines, name)
    if start < 0:
        names = dict.fromkeys(title for line in lines if _is_section(line) and (title := _parse_name(line)))
        return {"names": list(names)[:NAMES_SHOWN]}
    depth, text, element = lines[start]
    if element.tag == "select":
        return {"text": f"{_OPTIONS.sub('', text)} options: {outline.names.options(element)}"}
    part = lines[start : _find_end(lines, start)]
    return {"text": "\n".join(line._replace(depth=line.depth - depth).written for line in part)}


def find_lines(outline: Outline, text: str, most: int) -> dict[str, Any]:
    """Return up to ``most`` lines that contain ``text``, each with its section, and the ``count`` of all."""
    sought, matches, count = _fold(text), [], 0
    within: list[tuple[int, str]] = []
    for line in outline.render_lines():
        while within and within[-1][0] >= line.depth:
            within.pop()
        at = _fold(line.text).find(sought)
        if at >= 0:
            count += 1
            if count <= most:
                matches.append({"line": _cut_excerpt(line, at), "section": within[-1][1] if within else ""})
        if _is_section(line):
            within.append((line.depth, clean(line.text)[:SECTION_CHARS]))
    return {"count": count, "lines": matches}


def _cut_excerpt(line: Line, at: int) -> str:
    start, whole = max(at - EXCERPT_CHARS // 2, 0), clean(line.text)
    excerpt = whole[start : start + EXCERPT_CHARS]
    id = _ID.search(whole)
    label = id[0] if start and id and id[0] not in excerpt else ""
    more = "\u2026" if start + EXCERPT_CHARS < len(whole) else ""
    return f"{label}{chr(0x2026) if start else ''}{excerpt}{more}"


def _find_start(lines: Sequence[Line], name: str) -> int:
    sought = _fold(_BRACKETED.sub(r"\1", name))
    tests: tuple[Callable[[Line], bool], ...] = (
        lambda line: f"[{sought}]" in line.text,
        lambda line: _is_section(line) and _fold(_parse_name(line)) == sought,
        lambda line: _fold(_parse_name(line)) == sought,
        lambda line: _fold(line.text) == sought or line.text.split(" ")[0] == sought,
        lambda line: _is_section(line) and sought in _fold(_parse_name(line)),
    )
    for test in tests if sought else ():
        start = next((index for index, line in enumerate(lines) if test(line)), -1)
        if start >= 0:
            return start
    return -1


def _find_end(lines: Sequence[Line], start: int) -> int:
    """Return the index after a section's last line.

    A heading's section ends at the next heading of the same level or above.
    """
    depth, text, _ = lines[start]
    level = int(text[8]) if text.startswith("heading ") else 0
    for index in range(start + 1, len(lines)):
        line = lines[index]
        is_heading = line.text.startswith("heading ")
        if line.depth < depth:
            return index
        if line.depth == depth and (not level or (is_heading and int(line.text[8]) <= level)):
            return index
    return len(lines)


def _fold(text: str) -> str:
    return clean(text).lower()


def _parse_name(line: Line) -> str:
    match = _HEAD.match(line.text)
    return (match[4] or "") if match else ""


def _is_section(line: Line) -> bool:
    return _SECTION.match(line.text) is not None
