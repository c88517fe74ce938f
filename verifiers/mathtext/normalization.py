"""One spelling for the many ways of typing the same formula. Text in, text out; nothing is judged here."""

from __future__ import annotations

import re
from itertools import pairwise

from verifiers.answer_text import boxes, closing_brace
from verifiers.mathtext.expressions import CONSTANTS, FUNCTIONS, GREEK

UNICODE = {
    "\u00d7": "\\times ",
    "\u00f7": "\\div ",
    "\u00b7": "\\cdot ",
    "\u22c5": "\\cdot ",
    "\u2217": "*",
    "\u221a": "\\sqrt ",
    "\u03c0": "\\pi ",
    "\u03b8": "\\theta ",
    "\u03b1": "\\alpha ",
    "\u03b2": "\\beta ",
    "\u03bb": "\\lambda ",
    "\u221e": "\\infty ",
    "\u2264": "\\le ",
    "\u2a7d": "\\le ",
    "\u2265": "\\ge ",
    "\u2a7e": "\\ge ",
    "\u2260": "\\ne ",
    "\u2248": "\\approx ",
    "\u2208": "\\in ",
    "\u222a": "\\cup ",
    "\u00b1": "\\pm ",
    "\u2213": "\\mp ",
    "\u00b0": "^\\circ ",
    "\u00b2": "^2 ",
    "\u00b3": "^3 ",
    "\u00bd": "\\frac{1}{2}",
    "\u00bc": "\\frac{1}{4}",
    "\u00be": "\\frac{3}{4}",
    "\u2153": "\\frac{1}{3}",
    "\u2154": "\\frac{2}{3}",
    "\u221d": "\\propto ",
    "\u27e8": "\\langle ",
    "\u27e9": "\\rangle ",
}
ALIASES = {
    "\\dfrac": "\\frac",
    "\\tfrac": "\\frac",
    "\\cfrac": "\\frac",
    "\\leq": "\\le",
    "\\leqslant": "\\le",
    "\\geq": "\\ge",
    "\\geqslant": "\\ge",
    "\\neq": "\\ne",
    "\\lt": "<",
    "\\gt": ">",
    "\\colon": ":",
    "\\lbrace": "\\{",
    "\\rbrace": "\\}",
    "\\lbrack": "[",
    "\\rbrack": "]",
    "\\vert": "|",
    "\\lvert": "|",
    "\\rvert": "|",
    "\\mid": "|",
    "\\dbinom": "\\binom",
    "\\tbinom": "\\binom",
    "\\simeq": "\\approx",
    "\\cupdot": "\\cup",
    "\\degree": "^\\circ",
    "\\textnormal": "\\text",
    "\\mbox": "\\text",
    "\\mathrm": "\\text",
    "\\textbf": "\\text",
    "\\mathbf": "\\text",
    "\\textit": "\\text",
    "\\textrm": "\\text",
    "\\mathit": "\\text",
    "\\hbox": "\\text",
    "\\land": " and ",
    "\\lor": " or ",
    "\\wedge": " and ",
    "\\vee": " or ",
}
SPACES = frozenset(
    re.findall(
        r"\S+",
        r"\displaystyle \textstyle \quad \qquad \limits \left \right \mleft \mright \big \Big \bigg \Bigg "
        r"\bigl \bigr \Bigl \Bigr \biggl \biggr \rm \thinspace \hspace \, \; \: \! \( \) \[ \]",
    )
) | {"\\ "}
COMMAND = re.compile(r"\\\\|\\(?:[A-Za-z]+|[,;:! ()\[\]])")
SPECIAL_END = re.compile(r"(?:<\|[A-Za-z_]{1,30}\|>\s*)+$")
BOLD = re.compile(r"(?<![\w)}\]])\*\*([^*]+)\*\*(?![\w({\[])")
SCIENTIFIC = re.compile(r"(?<![A-Za-z\d.])(\d+(?:\.\d+)?)[eE]([+-]?\d{1,3})(?![\w.])")
LEAD = re.compile(
    r"^(?:(?:so|thus|hence|therefore|then)\b,?\s*)?(?:the\s+)?(?:final\s+)?(?:answer|result|solution|value)s?"
    r"(?:\s+(?:is|are|set))*\s*[:=]?\s*(?=\S)",
    re.IGNORECASE,
)
BETWEEN_BOXES = re.compile(
    r"^(?:\s|[,;.$]|\\[()\[\]]|\\q?quad|\\text|[{}]|\b(?:and|or)\b|[A-Za-z](?:_\{?\w+\}?)?(?:\(\w\))?\s*=)*$"
)
THOUSANDS = re.compile(r"(?<![\d,.}])(\d{1,3}(?:,\d{3})+)(?![\d,])")
PERCENT_WORDS = re.compile(
    r"\\text\s*\{\s*(?:percent|percentage|pct)\s*\}|\b(?:percent|percentage|pct)\b|\s*per cent\b"
)
CONNECTIVE = re.compile(r"\\text\s*\{\s*,?\s*(and|or)\s*\}", re.IGNORECASE)
RUN_ON = re.compile(r"(?<=[\d})\]])\s*(and|or)(?=[\s\\A-Z({\[\d-])")
ORDINAL = re.compile(r"(?<=\d)(?:st|nd|rd|th)\b|(?<=\d)\^?\s*\{?\\text\s*\{\s*(?:st|nd|rd|th)\s*\}\}?")
TEXT_NAME = re.compile(r"\\text\s*\{\s*([A-Za-z]+)\s*\}")
DEGREES = re.compile(r"\^\s*\{\s*\\circ\s*\}|\^\s*\\circ\b|\\circ\b|\\text\s*\{\s*degrees?\s*\}|\bdegrees?\b")
FOR_ALL = re.compile(r"(?:\\text\s*\{)?\s*,?\s*\bfor\s+(?:all|every|any|each)\b.*$", re.DOTALL)
LOOSE_POINT = re.compile(r"(?<!\d)\.(?!\d)|(?<=\d)\.(?=\s*[)\]}])")


def clean(text: str) -> str | None:
    """The text in one spelling; None when it holds several boxes that do not make one answer."""
    text = BOLD.sub(r" \1 ", SPECIAL_END.sub("", text)).replace("**", "^").replace("`", "")
    content = boxed_content(text)
    if content is None:
        return None
    text = _spelled(_undoubled(content))
    text = PERCENT_WORDS.sub("\\%", text)
    text = CONNECTIVE.sub(r" \1 ", text)
    text = RUN_ON.sub(r" \1 ", text)
    text = SCIENTIFIC.sub(r"\1*10^{\2}", text)
    text = ORDINAL.sub("", text)
    text = DEGREES.sub("\u00b0", text)
    text = TEXT_NAME.sub(_known_name, text)
    text = FOR_ALL.sub("", text)
    text = text.replace("{,}", ",").replace("{ , }", ",")
    text = re.sub(r"(?<!\\)%", r"\\%", text)
    text = re.sub(r"\s+", " ", LEAD.sub("", text.strip(), count=1))
    return LOOSE_POINT.sub("", text).rstrip(" .,;:").lstrip(" ,;:")


def boxed_content(text: str) -> str | None:
    """The text itself without boxes; with them, what they hold: one content, or neighbours joined by commas.

    None when boxes that are not neighbours disagree.
    """
    spans = boxes(text)
    if not spans:
        return text
    contents = [content for _, _, content in spans]
    if len(set(contents)) == 1:
        return contents[0]
    for (_, end, _), (start, _, _) in pairwise(spans):
        if not BETWEEN_BOXES.match(text[end:start]):
            return None
    return ", ".join(contents)


def join_thousands(text: str) -> str:
    """``1,234`` as ``1234``, except inside brackets, where a comma separates."""
    pieces = []
    position = 0
    for match in THOUSANDS.finditer(text):
        before = text[: match.start()]
        depth = sum(before.count(opening) - before.count(closing) for opening, closing in ("()", "[]", "{}"))
        pieces.append(text[position : match.start()])
        pieces.append(match[1].replace(",", "") if depth == 0 else match[1])
        position = match.end()
    return "".join(pieces) + text[position:]


def words_of(text: str) -> str:
    """The text's words alone, in one case, for comparing answers that are words."""
    plain = re.sub(r"\\(?:text|operatorname)\b|\\[A-Za-z]+", " ", text)
    return " ".join(re.findall(r"[^\W_]+", plain.casefold()))


def _spelled(text: str) -> str:
    for char, command in UNICODE.items():
        text = text.replace(char, command)
    text = re.sub(r",\\!\s*", ",", text.replace("\\$", "$")).replace("\\!", "")
    text = text.replace("<=", "\\le ").replace(">=", "\\ge ").replace("!=", "\\ne ").replace("~", " ")
    text = re.sub(r"[$\u20ac\u00a3]", " ", text)
    text = re.sub(r"\\(?:begin|end)\s*\{(?:align|equation|gather|aligned)\*?\}", " ", text)
    return COMMAND.sub(_one_spelling, text)


def _one_spelling(match: re.Match[str]) -> str:
    name = match[0]
    if name in SPACES:
        return " "
    return ALIASES.get(name, name)


def _undoubled(text: str) -> str:
    """``\\\\frac`` as ``\\frac``: backslashes doubled by an escape, but not the row ends of a matrix."""
    if "matrix" in text or "array" in text or "cases" in text:
        return text
    return re.sub(r"\\\\(?=[A-Za-z({\[$])", r"\\", text)


def _known_name(match: re.Match[str]) -> str:
    """``\\text{sin}`` as ``\\sin``: names that only look like words."""
    name = match[1]
    is_known = name in FUNCTIONS or name in CONSTANTS or name in GREEK
    return f"\\{name} " if is_known else match[0]


def text_blocks(text: str) -> list[tuple[int, int, str]]:
    """Start, end and content of every ``\\text{...}``."""
    blocks = []
    for match in re.finditer(r"\\text\s*\{", text):
        end = closing_brace(text, match.end() - 1)
        blocks.append((match.start(), min(end + 1, len(text)), text[match.end() : end]))
    return blocks
