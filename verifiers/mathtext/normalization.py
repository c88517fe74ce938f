"""Normalisation of the many ways to type a formula into one spelling, before anything is parsed or judged."""

from __future__ import annotations

import re
from collections.abc import Callable
from itertools import pairwise

from verifiers.answer_text import closing_brace, list_boxes
from verifiers.mathtext.declarations import without_declarations
from verifiers.mathtext.vocabulary import ALIASES, CHARACTERS, CONSTANTS, FUNCTIONS, GREEK, SPACES
from verifiers.numbers import typography

COMMAND = re.compile(r"\\\\|\\(?:[A-Za-z]+|[,;:! ()\[\]])")
SPECIAL_END = re.compile(r"(?:<\|[A-Za-z_]{1,30}\|>\s*)+$")
BOLD = re.compile(r"(?<![\w)}\]])\*\*([^*]+)\*\*(?![\w({\[])")
LEAD = re.compile(
    r"^(?:(?:so|thus|hence|therefore|then)\b,?\s*)?(?:the\s+)?(?:final\s+)?(?:answer|result|solution|value)s?"
    r"(?:\s+(?:is|are|set))*\s*[:=]?\s*(?=\S)"
    r"|^(?:(?:la|le|el|die|das|der|il|a|o|de|het) )?(?:r\u00e9ponse|r\u00e9sultat|resultado|risultato|valor"
    r"|wert|respuesta|antwort|ergebnis|risposta|resposta"
    r"|antwoord|svaret?|odpowied\u017a|cevap|\u0627\u0644\u062c\u0648\u0627\u0628"
    r"|\u043e\u0442\u0432\u0435\u0442|\u7b54\u6848|\u7b54\u3048|\uc815?\ub2f5)"
    r"(?:\s+(?:est|es|ist|lautet|betr\u00e4gt|\u00e4r|\u00e8|\u00e9|is)\b|\u662f|\u4e3a|\u306f|\uc740)?"
    r"\s*[:=\uff1a]?\s*(?=\S)",
    re.IGNORECASE,
)
BETWEEN_BOXES = re.compile(
    r"^(?:\s|[,;.$]|\\[()\[\]]|\\q?quad|\\text|[{}]|\b(?:and|or)\b|[A-Za-z](?:_\{?\w+\}?)?(?:\(\w\))?\s*=)*$"
)
LEAD_IN = re.compile(
    r"^(?:so|thus|hence|therefore|then|finally|consequently|altogether|overall"
    r"|in (?:total|all|conclusion|short)|as a result|it follows that"
    r"|we (?:conclude|find|get|have|see)(?: that)?)\b[,:]?\s+(?=\S)",
    re.IGNORECASE,
)
REASON = re.compile(
    r"(?:,\s*(?:as|which was)\s+(?:required|desired|claimed|needed|requested)|,?\s+(?:because|since)\b.*"
    r"|,\s*which completes the proof)[.\s]*$",
    re.IGNORECASE | re.DOTALL,
)
"""Words that may follow a value without changing its meaning."""
CASES = re.compile(r"\\begin\s*\{cases\}([^&]*?)\\end\s*\{cases\}", re.DOTALL)
THOUSANDS = re.compile(r"(?<![\d,.}])(\d{1,3}(?:,\d{3})+)(?![\d,])")
MINUTES = (
    r"(?<![\d.])(\d+)\s*\u00b0\s*([0-5]?\d)\s*(?:'|\bminutes?\b)"
    r"(?:\s*([0-5]?\d)\s*(?:''|\"|\bseconds?\b))?(?![\w'])"
)
DEGREES_OF = (
    r"(\\(?:sin|cos|tan|cot|sec|csc)\s*(?:\^\s*\{?\d\}?)?)\s*\(?\s*"
    r"(\d+(?:\.\d+)?|\\frac\s*\{\d+\}\s*\{\d+\})\s*\u00b0\s*\)?"
)
"""An angle in degrees as the argument of a function, which expects radians."""
END = r"([][])"
OUTWARD = (
    rf"(?:(?<=\\cup)|(?<=\\in)|^)\s*(?!\[[^][]*\]){END}([^][(){{}}]+[,;][^][(){{}}]+){END}"
    r"(?=\s*(?:\\cup|[,.]?$))"
)
"""Open intervals in the notation ``]a; b[``, with brackets that face outward."""
UNFINISHED = re.compile(r"([,;])\s*(?:\.{3,}|\\[lc]?dots)[\s.]*$")
"""The end of a list that trails off, as in ``1, 2, ...``."""
BETWEEN = r"(?<=[\d}})\]])(?:\s+(?:{0})\s+|\s*(?:{1})\s*)(?=[\d\\({{\[-])"
AND_ABROAD = BETWEEN.format(
    r"und|et|y(?=\s+\d)|\u0438", r"\u548c|\u4e0e|\u53ca|\u3068|\uadf8\ub9ac\uace0|\uc640|\uacfc"
)
OR_ABROAD = BETWEEN.format(
    r"oder|ou|o(?=\s+\d)|\u0438\u043b\u0438", r"\u6216\u8005?|\u307e\u305f\u306f|\ub610\ub294"
)
COPULA = (
    r"(?<=[\d)}\]])\s*(?:\u3067\u3059|\u3067\u3042\u308b|\u3060"
    r"|\uc785\ub2c8\ub2e4|\uc774\ub2e4|\uc774\uc5d0\uc694|\uc608\uc694)?\s*[.\u3002]?\s*$"
)
LOOSE_POINT = re.compile(r"(?<!\d)\.(?!\d)|(?<=\d)\.(?=\s*[)\]}])")


def clean(text: str) -> str | None:
    """Return the text in uniform spelling; None if it contains several boxes that do not form one answer."""
    text = BOLD.sub(r" \1 ", SPECIAL_END.sub("", text)).replace("**", "^").replace("`", "")
    content = boxed_content(text)
    if content is None:
        return None
    text = _respell(CASES.sub(_equations, _undouble(typography.respell(content))))
    text = without_declarations(UNFINISHED.sub(r"\1 \\ldots", text))
    for pattern, replacement in REWRITES:
        text = re.sub(pattern, replacement, text)
    text = re.sub(r"\s+", " ", LEAD.sub("", LEAD_IN.sub("", REASON.sub("", text.strip())), count=1))
    return LOOSE_POINT.sub("", typography.join_groups(text)).rstrip(" .,;:").lstrip(" ,;:")


def boxed_content(text: str) -> str | None:
    """Return the content of the boxes, or the whole text if it has none.

    Adjacent boxes are joined by commas; the result is None if boxes that are not adjacent disagree.
    """
    spans = list_boxes(text)
    if not spans:
        return text
    contents = [content for _, _, content in spans]
    if len(set(contents)) == 1:
        return contents[0]
    are_neighbours = all(
        BETWEEN_BOXES.match(text[end:start]) for (_, end, _), (start, _, _) in pairwise(spans)
    )
    return ", ".join(contents) if are_neighbours else None


def join_thousands(text: str) -> str:
    """Write ``1,234`` as ``1234``, except inside brackets, where a comma separates."""

    def joined(match: re.Match[str]) -> str:
        before = text[: match.start()]
        is_inside = any(
            before.count(opening) != before.count(closing) for opening, closing in ("()", "[]", "{}")
        )
        return match[1] if is_inside else match[1].replace(",", "")

    return THOUSANDS.sub(joined, text)


def extract_words(text: str) -> str:
    """Return only the text's words, in lower case, to compare answers that consist of words."""
    plain = re.sub(r"\\(?:text|operatorname)\b|\\[A-Za-z]+", " ", text)
    return " ".join(re.findall(r"[^\W_]+", plain.casefold()))


def text_blocks(text: str) -> list[tuple[int, int, str]]:
    """List the start, end and content of every ``\\text{...}``."""
    blocks = []
    for match in re.finditer(r"\\text\s*\{", text):
        end = closing_brace(text, match.end() - 1)
        blocks.append((match.start(), min(end + 1, len(text)), text[match.end() : end]))
    return blocks


def _respell(text: str) -> str:
    text = text.translate(CHARACTERS)
    text = re.sub(r",\\!\s*", ",", text.replace("\\$", "$")).replace("\\!", "")
    text = text.replace("<=", "\\le ").replace(">=", "\\ge ").replace("!=", "\\ne ").replace("~", " ")
    text = re.sub(r"[$\u20ac\u00a3]", " ", text)
    text = re.sub(r"\\(?:begin|end)\s*\{(?:align|equation|gather|aligned)\*?\}", " ", text)
    return COMMAND.sub(lambda match: " " if match[0] in SPACES else ALIASES.get(match[0], match[0]), text)


def _undouble(text: str) -> str:
    """Halve backslashes that were doubled by escaping (``\\\\frac``), but keep the row ends of a matrix."""
    if "matrix" in text or "array" in text or "cases" in text:
        return text
    return re.sub(r"\\\\(?=[A-Za-z({\[$])", r"\\", text)


def _equations(match: re.Match[str]) -> str:
    """Write the lines of a system as a list; a function by cases has columns and stays as it is."""
    return ", ".join(line for line in match[1].split("\\\\") if line.strip())


def _known_name(match: re.Match[str]) -> str:
    """Write ``\\text{sin}`` as ``\\sin``, since names of functions and constants only look like words."""
    return f"\\{match[1]} " if match[1] in FUNCTIONS | CONSTANTS.keys() | GREEK else match[0]


REWRITES: tuple[tuple[str, str | Callable[[re.Match[str]], str]], ...] = (
    (r"\\text\s*\{\s*(?:percent|percentage|pct)\s*\}|\b(?:percent|percentage|pct)\b|\s*per cent\b", r"\\%"),
    (r"(?i)\\text\s*\{\s*,?\s*(and|or|to)\s*\}", r" \1 "),
    (r"\b(years?|months?) old\b", r"\1"),
    (OUTWARD, lambda match: "(["[match[1] == "["] + match[2] + ")]"[match[3] == "]"]),
    (r"(?<=[\d})\]])\s*(and|or)(?=[\s\\A-Z({\[\d-])", r" \1 "),
    (r"(?<![A-Za-z\d.])(\d+(?:\.\d+)?)[eE]([+-]?\d{1,3})(?![\w.])", r"\1*10^{\2}"),
    (r"(?<=\d)(?:st|nd|rd|th)\b|(?<=\d)\^?\s*\{?\\text\s*\{\s*(?:st|nd|rd|th)\s*\}\}?", ""),  # ordinals
    (r"\^\s*\{\s*\\circ\s*\}|\^\s*\\circ\b|\\circ\b|\\text\s*\{\s*degrees?\s*\}|\bdegrees?\b", "\u00b0"),
    (r"(?<=\d)\s*\^\s*\{?((?:\\prime\s*)+)\}?", lambda match: "'" * match[1].count("prime")),
    (MINUTES, lambda match: f"{match[1]}\\frac{{{60 * int(match[2]) + int(match[3] or 0)}}}{{3600}}\u00b0"),
    (r"\\text\s*\{\s*([A-Za-z]+)\s*\}", _known_name),
    (r"(?s)(?:\\text\s*\{)?\s*,?\s*\bfor\s+(?:all|every|any|each)\b.*$", ""),
    (r"\\\{\s*\\\}|\u2205", r"\\emptyset"),
    (r"(?<=\d)\{ ?, ?\}(?=\d{3}(?!\d))", ""),
    (r"\{ ?, ?\}", ","),
    (DEGREES_OF, r"\1(\2\\frac{\\pi}{180})"),
    (r"(?<![\w}])(\([^()]*,[^()]*\))\s+(?=\([^()]*,[^()]*\))", r"\1, "),  # points next to each other
    (r"(?<!\\)%", r"\\%"),
    (AND_ABROAD, " and "),
    (OR_ABROAD, " or "),
    (COPULA, ""),
    (r"(?i)(^|\b(?:is|are) |[=:,(] ?)(?:negative|minus) (?=[\d\\])", r"\1-"),
)
