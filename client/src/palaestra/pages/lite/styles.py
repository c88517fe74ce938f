"""The part of CSS that an outline depends on: which elements are visible and which begin a new line.

Rules apply as in a browser of the usual size without scripts. Rules that depend on the size of a box
(``@container``) or on the mouse and the keyboard (``:hover``) never match.
"""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import lru_cache
from typing import Any

from palaestra.pages.lite.document import POPPED, Document, Element
from palaestra.pages.surface import VIEWPORT

OVERFLOWS = ("overflow", "overflow-x", "overflow-y")
PROPERTIES = frozenset(("display", "visibility", "white-space", "position", "float", *OVERFLOWS))
BLOCKS = frozenset(
    [
        "html",
        "body",
        "div",
        "p",
        "ul",
        "ol",
        "dl",
        "dt",
        "dd",
        "h1",
        "h2",
        "h3",
        "h4",
        "h5",
        "h6",
        "section",
        "article",
        "aside",
        "nav",
        "header",
        "footer",
        "main",
        "form",
        "fieldset",
        "legend",
        "figure",
        "figcaption",
        "blockquote",
        "pre",
        "hr",
        "address",
        "details",
        "summary",
        "search",
        "center",
        "dialog",
        "menu",
        "hgroup",
        "optgroup",
        "option",
    ]
)
BY_TAG = {
    **dict.fromkeys(BLOCKS, "block"),
    **dict.fromkeys(("button", "input", "select", "textarea", "meter", "progress"), "inline-block"),
    **dict.fromkeys(("head", "script", "style", "template", "link", "meta", "title", "datalist"), "none"),
    **{"li": "list-item", "table": "table", "tr": "table-row", "td": "table-cell", "th": "table-cell"},
    **{"thead": "table-header-group", "tbody": "table-row-group", "tfoot": "table-footer-group"},
    **{"caption": "table-caption", "colgroup": "table-column-group", "col": "table-column"},
}
WHITE_SPACE = {"pre": "pre", "textarea": "pre-wrap", "table": "normal"}
OUTER = frozenset(("flex", "grid", "inline-flex", "inline-grid"))
BLOCKIFIED = {"inline-flex": "flex", "inline-grid": "grid", "inline-table": "table"}
REM_PX = 16

_COMMENT = re.compile(r"/\*.*?\*/", re.DOTALL)
_NEVER = re.compile(r":(?:hover|active|focus(?:-visible|-within)?|modal|target|visited|user-invalid)\b")
_PLAIN = re.compile(r"([a-z][a-z0-9]*)?((?:\.[\w-]+)*)")
_LAST = re.compile(r"[^\s>+~]+$")
_KEY = re.compile(r"[#.]?[\w-]+|\[[\w-]+\]")
_BRACKETS = re.compile(r"\([^()]*\)")
_ATTRIBUTE = re.compile(r"\[([\w-]+)[^\]]*\]")
_PSEUDO = re.compile(r":[\w-]+")
_FEATURE = re.compile(r"\((min|max)-(width|height): *([\d.]+)(rem|em|px)\)")
_IMPORTANT = re.compile(r"\s*!important$")


@dataclass(frozen=True, eq=False, slots=True)
class Style:
    """The computed values that an outline needs, and properties derived from them.

    Equal styles share one object.
    """

    display: str
    visibility: str
    white_space: str
    scrolls: bool
    is_none: bool
    is_visible: bool
    is_inline: bool
    is_in_line: bool
    """True if the element begins no new line: it is inline, has no box (``contents``), or is ruby."""
    flow: int
    """The layout of plain text inside: 1 is inline, 2 is on separate lines, 0 needs a closer look."""

    @classmethod
    @lru_cache(maxsize=1024)
    def of(cls, display: str, visibility: str, white_space: str, *, scrolls: bool = False) -> Style:
        is_inline = display.startswith("inline")
        is_in_line = is_inline or display.startswith(("contents", "ruby"))
        is_none, is_visible = display == "none", visibility == "visible"
        is_odd = is_none or not is_visible or white_space.startswith("pre") or display == "inline-block"
        flow = 0 if is_odd else 1 if is_in_line else 2
        return cls(
            display, visibility, white_space, scrolls, is_none, is_visible, is_inline, is_in_line, flow
        )


Signature = tuple[str | None, ...]
"""The tag, classes, id and attribute names of an element."""
Matches = dict[str, set[int]]
"""The keys of a document's elements that match, by selector."""
INITIAL = Style.of("block", "visible", "normal")


@dataclass(frozen=True, eq=False)
class Rule:
    """One rule of a style sheet. ``plain`` is the tag and classes, if the selector has nothing else.

    ``rank`` orders rules as the cascade does: by importance, specificity and position.
    """

    selector: str
    rank: tuple[bool, int, int]
    values: Mapping[str, str]
    plain: tuple[str, frozenset[str]] | None

    def may_match(self, tag: str, classes: frozenset[str]) -> bool:
        """Return False if the selector is plain and cannot match; other selectors need the parser."""
        return self.plain is None or (self.plain[0] in ("", tag) and self.plain[1] <= classes)


@dataclass(eq=False, slots=True)
class Kind:
    """All elements with the same signature. Most elements of a page share a few signatures, and thus styles.

    ``rules`` are the rules that may match, by rank. ``selectors`` are those that match only some of the
    elements, each with its own bit. ``styles`` caches styles by the parent's style, the bits of the matching
    selectors, and the type of a control. ``nature`` is what ``Names`` knows about all of the elements.
    """

    rules: tuple[tuple[int, Rule], ...]
    selectors: tuple[tuple[int, str], ...]
    styles: dict[tuple[Style, int, str], Style]
    is_single: bool
    """True if each element's style must be computed separately, because of a ``style`` attribute."""
    nature: Any = None

    @classmethod
    def of(cls, rules: Sequence[Rule], element: Element) -> Kind:
        bits = [0 if rule.plain is not None else 1 << index for index, rule in enumerate(rules)]
        pairs = tuple(zip(bits, rules, strict=True))
        selectors = tuple((bit, rule.selector) for bit, rule in pairs if bit)
        return cls(pairs, selectors, {}, "style" in element.attrs)

    def cascade(self, matching: int) -> dict[str, str]:
        """Return the declared values, given the bits of the ``matching`` selectors."""
        applied = (rule for bit, rule in self.rules if not bit or bit & matching)
        return {name: value for rule in applied for name, value in rule.values.items()}


class Styles:
    """The rules of a page's style sheets, indexed by the last part of their selectors, as browsers do."""

    def __init__(self, sheets: Iterable[str]) -> None:
        self._rules: dict[str, list[Rule]] = defaultdict(list)
        self._kinds: dict[Signature, Kind] = {}
        number = 0
        for sheet in sheets:
            for selectors, values in _parse_blocks(_COMMENT.sub("", sheet)):
                for selector in _split(selectors, ","):
                    number += 1
                    self._add(selector, values, number)

    def _add(self, selector: str, values: dict[str, str], number: int) -> None:
        if "::" in selector:
            return
        selector = _NEVER.sub(":not(*)", selector).replace(":popover-open", f"[{POPPED}]")
        match = _PLAIN.fullmatch(selector)
        plain = (match[1] or "", frozenset(match[2].split(".")[1:])) if match else None
        for is_important in (False, True):
            own = {
                name: _IMPORTANT.sub("", value)
                for name, value in values.items()
                if value.endswith("!important") == is_important
            }
            if own:
                rank = (is_important, _compute_specificity(selector), number)
                self._rules[_choose_key(selector)].append(Rule(selector, rank, own, plain))

    def find_kind(self, element: Element) -> Kind:
        """Return an element's kind, which all elements with its signature share."""
        attrs = element.attrs
        signature: Signature = (element.tag, attrs.get("class"), attrs.get("id"), *attrs)
        kind = self._kinds.get(signature)
        if kind is None:
            kind = self._kinds[signature] = Kind.of(self._find_rules(element), element)
        return kind

    def compute(self, element: Element, kind: Kind, parent: Style, matches: Matches) -> Style:
        """Return the style of an element; ``matches`` caches the matches of selectors on its page."""
        matching = 0
        for bit, selector in kind.selectors:
            keys = matches.get(selector)
            if keys is None:
                keys = matches[selector] = _find_matches(element.document, selector)
            if element.key in keys:
                matching |= bit
        if kind.is_single or element.is_popped:
            own = _parse_values(element.attrs.get("style", ""))
            return _compute(element, parent, kind.cascade(matching) | own)
        key = (parent, matching, element.type if element.tag == "input" else "")
        known = kind.styles.get(key)
        if known is None:
            known = kind.styles[key] = _compute(element, parent, kind.cascade(matching))
        return known

    def _find_rules(self, element: Element) -> list[Rule]:
        """Return the rules that may match elements with this element's signature, by rank."""
        attrs, tag = element.attrs, element.tag
        names = frozenset(attrs.get("class", "").split())
        keys = ["*", tag, f"#{attrs.get('id', '')}"]
        keys += [*(f".{name}" for name in names), *(f"[{name}]" for name in attrs)]
        named = [rule for key in keys for rule in self._rules.get(key, ())]
        fitting = [rule for rule in named if rule.may_match(tag, names)]
        return sorted(fitting, key=lambda rule: rule.rank)


def compute_style(element: Element, styles: Styles, matches: Matches) -> Style:
    """Return an element's style, computing it if that has not been done."""
    if element.style is None:
        parent = compute_style(element.parent, styles, matches) if element.parent else INITIAL
        element.style = styles.compute(element, styles.find_kind(element), parent, matches)
    style: Style = element.style
    return style


def _compute(element: Element, parent: Style, given: Mapping[str, str]) -> Style:
    display = given.get("display") or _find_own_display(element)
    is_apart = given.get("position") in ("absolute", "fixed") or given.get("float", "none") != "none"
    if display not in ("none", "contents") and (is_apart or parent.display in OUTER):
        display = BLOCKIFIED.get(display, "block" if display.startswith(("inline", "table-")) else display)
    visibility = given.get("visibility", parent.visibility)
    white_space = given.get("white-space") or WHITE_SPACE.get(element.tag) or parent.white_space
    if element.tag == "input" and element.type == "hidden":
        display = "none"
    return Style.of(
        display,
        parent.visibility if visibility == "inherit" else visibility,
        parent.white_space if white_space == "inherit" else white_space,
        scrolls=any(word in given.get(name, "") for name in OVERFLOWS for word in ("auto", "scroll")),
    )


def _find_own_display(element: Element) -> str:
    attrs, tag = element.attrs, element.tag
    is_open = element.is_popped or (tag == "dialog" and "open" in attrs)
    if "hidden" in attrs or (not is_open and ("popover" in attrs or tag == "dialog")):
        return "none"
    return "block" if element.is_popped else BY_TAG.get(tag, "inline")


def _find_matches(document: Document, selector: str) -> set[int]:
    try:
        return {node.mem_id for node in document.parser.css(selector)}
    except Exception:  # a selector that the parser does not know matches nothing
        return set()


# ---- reading style sheets
def _parse_blocks(text: str) -> Iterator[tuple[str, dict[str, str]]]:
    """Yield the selectors and relevant declarations of the rules that apply to the viewport."""
    position = 0
    while (start := text.find("{", position)) >= 0:
        head, end = text[position:start].rpartition(";")[2].strip(), _find_end(text, start)
        body = text[start + 1 : end]
        position = end + 1
        if head.startswith(("@media", "@supports", "@layer")):
            if not head.startswith("@media") or _media_matches(head.removeprefix("@media")):
                yield from _parse_blocks(body)
        elif not head.startswith("@") and (values := _parse_values(body)):
            yield head, values


def _find_end(text: str, start: int) -> int:
    """Return the position of the bracket that closes the one at ``start``."""
    depth = 0
    for match in re.finditer(r"[{}]", text[start:]):
        depth += 1 if match[0] == "{" else -1
        if depth == 0:
            return start + match.start()
    return len(text)


def _parse_values(body: str) -> dict[str, str]:
    pairs = (part.partition(":") for part in body.split(";"))
    return {name.strip(): value.strip() for name, _, value in pairs if name.strip() in PROPERTIES}


def _media_matches(query: str) -> bool:
    """Return whether a media query matches a page of the usual size without scripts."""
    return any(all(map(_feature_matches, part.split(" and "))) for part in query.split(","))


def _feature_matches(feature: str) -> bool:
    feature = feature.strip()
    if match := _FEATURE.fullmatch(feature):
        size = VIEWPORT[match[2] == "height"]
        bound = float(match[3]) * (1 if match[4] == "px" else REM_PX)
        return size >= bound if match[1] == "min" else size <= bound
    known = ("screen", "all", "(scripting: none)", "(prefers-reduced-motion: no-preference)")
    return feature in known


def _split(text: str, mark: str) -> Iterator[str]:
    """Yield the parts of a text between those marks that are outside brackets."""
    depth, start = 0, 0
    for position, char in enumerate(text):
        depth += (char in "([") - (char in ")]")
        if char == mark and depth == 0:
            yield text[start:position].strip()
            start = position + 1
    yield text[start:].strip()


def _choose_key(selector: str) -> str:
    """Return the id, class, attribute or tag that an element must have for the selector to match.

    Returns ``*`` if none of them is needed.
    """
    bare = _ATTRIBUTE.sub(r"[\1]", selector)
    while (shorter := _BRACKETS.sub("", bare)) != bare:
        bare = shorter
    last = _LAST.search(bare)
    keys = _KEY.findall(_PSEUDO.sub("", last[0])) if last else []
    return max(keys, key=lambda key: "[.#".find(key[0]), default="*")


@lru_cache(maxsize=4096)
def _compute_specificity(selector: str) -> int:
    """Return a selector's specificity, (ids, classes, tags), as one number.

    See Selectors 4, "Calculating a selector's specificity".
    """
    text = re.sub(r":where\([^()]*\)", "", selector)
    text = re.sub(r":(?:not|is|has)\(", " ", text)
    ids = len(re.findall(r"#[\w-]+", text))
    classes = len(re.findall(r"\.[\w-]+|\[[^\]]*\]|(?<!:):[\w-]+", text))
    tags = len(re.findall(r"(?:^|[\s>+~(,])[a-z][\w-]*", text))
    return ids * 10_000 + classes * 100 + tags
