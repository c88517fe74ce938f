"""Redaction of parts of a thought that would reveal the page to people who should see only the thought.

These parts are element ids and URLs. Ids are recognised by their form and by the observation that lists them.
The stored text does not change: the parts are left out only when the thought is shown, so marks keep their
positions.
"""

from __future__ import annotations

import re

from palaestra.protocol.outline import ELEMENT_ID

LEFT_OUT = "…"
# Element ids in the forms that harnesses use: 12, e12, a51, bB3.
ID = r"[A-Za-z]{0,3}[0-9]{1,9}"
QUOTE = "[\"'`“”‘’]"
ROLES = "button|link|textbox|searchbox|combobox|checkbox|radio|tab|option|menuitem|field|input|icon|image|img"
ACTIONS = (
    "(?:dbl|double_|left_|right_)?click|fill|hover|type|input|press|select(?:_option)?|focus|check|uncheck|clear"
    "|scroll|drag(?:_and_drop)?|tap|upload_file"
)
ENDINGS = "com|org|net|edu|gov|io|info|test|local|localhost|example|co\\.uk|de|fr|html?|php|aspx?"
ADDRESS_REST = r"(?:[/?#][^\s<>\"'`“”‘’]*)?"

_PLACES = [
    # Ids in brackets, one or several: [12], [e12]. Indexing such as a[3], lists and roots do not match.
    re.compile(rf"(?<![\w\])\\}}])(?<!= )(?<!=)(?<!\[)(?:\[{ID}\])+(?!\()"),
    re.compile(rf"(?i:\b(?:{ROLES}))(?P<place>\[{ID}\])"),
    # Ids after a word that announces them: element 12, bid "a51", ref=e3, node #4, id: 12.
    re.compile(
        rf"(?i:\b(?:bid|uid|ref|element|elem|node|(?:(?:element|node|backend|dom)[ _-]?)?id)s?)"
        rf"(?:\s*(?:[:=#]|is\b|number\b|with\s+id\b|id\b)\s*|\s+|(?=[({{]))[({{\[]?{QUOTE}?#?(?P<place>{ID})\b"
        rf"(?!\s+(?:of|in)\b)(?!\s*[-+*/=<>%])(?![.,]\d)"
    ),
    # Ids as the first argument of an action: click("a51"), fill(12, …).
    re.compile(rf"\b(?i:{ACTIONS})\(\s*{QUOTE}?(?P<place>\[?{ID}\]?){QUOTE}?\s*[,)]"),
    # Letters and digits after the name of an action: click a51.
    re.compile(r"(?i:\b(?:click|hover|tap|press)(?:ing|ed|s)?(?: on)?) (?P<place>[a-z]{1,2}[0-9]{2,9})\b"),
    # Selectors and paths into the page.
    re.compile(r"(?<![\w&#])#[A-Za-z]\w*[-_][\w-]+"),
    re.compile(r"(?<![:\w])/{1,2}[a-z*][\w*-]*\[[^\]\n]{1,200}\](?:/{1,2}[\w*@-]+(?:\[[^\]\n]{1,200}\])?)*"),
    # URLs, domain names and paths.
    re.compile(r"(?i:\b[a-z][a-z0-9+.-]{1,20}://)[^\s<>\"'`“”‘’]+"),
    re.compile(rf"(?i:\bwww\.[a-z0-9.-]+){ADDRESS_REST}"),
    re.compile(
        rf"(?i:(?<![\w@./-])(?:[a-z0-9-]{{1,63}}\.)+(?:{ENDINGS})\b(?!\.?\w)(?::\d{{1,5}})?){ADDRESS_REST}"
    ),
    re.compile(rf"\blocalhost(?::\d{{1,5}}){ADDRESS_REST}"),
    re.compile(
        r"(?<![\w/.<)\]}])/[\w.~%-]{0,200}[A-Za-z][\w.~%-]{0,200}(?:/[\w.~%-]+)*(?:/[\w.~%-]*|\?[\w.~%=&+-]+)"
    ),
]
_TRAILING = re.compile(r"[.,;:!?)\]}*_]+\Z")
_NUMBER = re.compile(r"\[[0-9]{1,9}\]")
_OUTLINE = re.compile(rf"\[{ELEMENT_ID}\]")
_ELEMENT = re.compile(ELEMENT_ID)
_WORD_ID = re.compile(r"(?<![\w[])[A-Za-z]{1,3}[0-9]{1,9}(?![\w\]])")


def find_hidden_places(thought: str, *, observation: str = "") -> list[tuple[int, int]]:
    """Return the beginning and end of each hidden place, in order and without overlaps."""
    # If the page does not number its elements in this form, [7] in a thought is not an id.
    has_numbers = not observation or _NUMBER.search(observation) is not None
    places = [
        _place(match)
        for pattern in _PLACES
        for match in pattern.finditer(thought)
        if has_numbers or not _NUMBER.fullmatch(match.group())
    ]
    # An agent may still name an outline's ids after it has left that page, so match them by form alone.
    is_outline = _OUTLINE.search(observation) is not None
    places += [
        match.span()
        for match in _WORD_ID.finditer(thought)
        if f"[{match.group()}]" in observation or (is_outline and _ELEMENT.fullmatch(match.group()))
    ]
    merged: list[tuple[int, int]] = []
    for begin, end in sorted(places):
        if merged and begin < merged[-1][1]:
            merged[-1] = (merged[-1][0], max(end, merged[-1][1]))
        else:
            merged.append((begin, end))
    return merged


def redact(thought: str, begin: int, end: int, *, hidden: list[tuple[int, int]]) -> str:
    """Return characters ``begin`` to ``end``, with an ellipsis for each hidden place that begins there."""
    parts, place = [], begin
    for start, stop in hidden:
        if stop <= begin or start >= end:
            continue
        parts.append(thought[place : max(start, place)])
        if start >= begin:
            parts.append(LEFT_OUT)
        place = min(stop, end)
    return "".join([*parts, thought[place:end]])


def _place(match: re.Match[str]) -> tuple[int, int]:
    """Return the place that a match hides, without punctuation after a URL, which belongs to the sentence."""
    if "place" in match.re.groupindex:
        return match.span("place")
    begin, end = match.span()
    text = match.group()
    if not text.startswith("[") and (trailing := _TRAILING.search(text)) and not text.endswith("]"):
        end -= len(trailing.group())
    return begin, end
