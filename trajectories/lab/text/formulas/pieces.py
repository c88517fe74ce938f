"""Pieces of a formula in plain characters: which of them need brackets or a space beside which others."""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import Literal, NamedTuple

from trajectories.lab.text.formulas import signs

Kind = Literal["plain", "space", "between", "function", "fraction", "open", "index", "rows", "command"]

MARKS = "\u0300-\u036f\u20d7"
SCRIPTS = "⁰¹²³⁴-⁹⁺⁻ⁿ₀-₉₊₋"
NUMBER = r"\d+(?:,\d{3})*(?:\.\d+)*"
LETTER = rf"[^\W\d_{SCRIPTS}][{MARKS}]*"
# What ends where it ends without brackets; of ``ab`` after ``x^`` one cannot know.
ONE = re.compile(rf"(?:{NUMBER}|{LETTER}|\\[A-Za-z]+|[^\s\\])['′]*")
NAME = re.compile(rf"(?:[^\W_{SCRIPTS}]|[.{MARKS}])+['′]*")
# Below a stroke scripts and roots bind closer than it does, and so does a function's argument.
ONE_BELOW = re.compile(
    rf"[√∛∜]?(?:{NUMBER}|{LETTER}|\\[A-Za-z]+|[^\s\\])['′]*(?:_(?:{NUMBER}|{LETTER}))?[{SCRIPTS}]*['′!]*"
)
# Of other letters it is a product: ``n(n+1)``.
CALL = re.compile(r"(?:[fghFGH]['′]?|[√∛∜])(?=\()")
# Differentials and sides of a figure are two letters and yet one, where those above the stroke are, too.
PAIRS = (re.compile(rf"[d∂] ?(?:{LETTER})?"), re.compile(rf"(?:[A-Z][{MARKS}]?){{2}}"))
# Above a stroke a product needs no brackets.
IN_BRACKETS = re.compile(r"\([^()]*\)")
NO_PRODUCT = re.compile(r"[\s+\-±∓,;:=<>/^\\∑∏∫]")
FACTORS_APART = re.compile(rf"(?<=\d) (?=\(|{LETTER}(?!{LETTER}))")
# What a fraction would run into, before and after it, were it not in brackets.
LEFT = re.compile(rf"(?:[\w{MARKS})\]}}!'′°⌉⌋⟩]|\d +|[/÷] *)\Z")
LEFT_OF_MINUS = re.compile(r"[+\-±·×] *\Z")
RIGHT = re.compile(r"[\w(\[{√∛∜⌈⌊⟨∑∏∫\\]")
RIGHT_OF_INDEX = re.compile(r"[\w√∛∜\\]")
ALONE = r"(?:\A|[(\[{|,;=<>≤≥≈/]) *"
UNARIES = frozenset(signs.UNARY)
BEFORE_UNARY = re.compile(rf"{ALONE}\Z")
BEHIND_UNARY = re.compile(rf"{ALONE}[{signs.UNARY}]\Z")
OPENERS = re.compile(r"[(\[{|‖] *\Z")
NEIGHBOUR_CHARS = 40
CLOSERS = {"(": ")", "[": "]", "{": "}", "|": "|", "⌈": "⌉", "⌊": "⌋", "⟨": "⟩"}
BEHIND = re.compile(r"th|[°′]+")
# The word of a number and no power, which ``e^{st}`` is; also of a number that stands before the formula.
ORDINAL = re.compile(r"st|nd|rd")
SCRIPT_DIGITS = re.compile(r"[+-]?\d+|[+-]")
ROOT_DIGITS = re.compile(r"[\dn+-]+")


class Piece(NamedTuple):
    """``fraction``: in brackets where a neighbour touches it. ``open`` and ``index`` have no end of their
    own, so what touches them is set apart. ``rows``: in brackets, unless it has its neighbours'."""

    text: str
    kind: Kind = "plain"


def joined(pieces: Sequence[Piece]) -> str:
    """The text of pieces in a row."""
    told = ""
    before: Kind = "space"
    for place, piece in enumerate(pieces):
        after = "".join(following.text for following in pieces[place + 1 : place + 3])
        told += _placed(piece, told[-NEIGHBOUR_CHARS:], after=after, is_argument=before == "function")
        before = before if piece.kind == "space" else piece.kind
    return told


def _placed(piece: Piece, told: str, *, after: str, is_argument: bool) -> str:
    text, kind = piece
    if kind in ("plain", "space"):
        return text.lstrip() if told[-1:] in UNARIES and BEHIND_UNARY.search(told) else text
    if kind == "between":
        return text if text in signs.UNARY and BEFORE_UNARY.search(told) else f" {text} "
    if kind == "function":
        return f"{' ' if LEFT.search(told) else ''}{text}{'' if after[:1] in '(),' else ' '}"
    if kind == "fraction":
        return f"({text})" if is_argument or _is_touched(text, told, after=after) else text
    if kind == "rows":
        return text if OPENERS.search(told) else f"[{text}]"
    if kind == "open" and after[:1] == "!":
        return f"({text})"
    return f"{text} " if (RIGHT if kind == "open" else RIGHT_OF_INDEX).match(after) else text


def _is_touched(text: str, told: str, *, after: str) -> bool:
    is_signed = text[0] == "-" and LEFT_OF_MINUS.search(told)
    # A space is enough behind ``1/2``, but of ``a/b c`` one cannot know.
    after = after if text[-1].isdigit() else after.lstrip(" ")
    return bool(is_signed or LEFT.search(told) or RIGHT.match(after) or after[:1] in ("!", "/", "'"))


def grouped(text: str) -> str:
    """A part that is raised or lowered, or that a root is of, in brackets where it needs them."""
    text = text.strip()
    return text if ONE.fullmatch(text) or is_bracketed(text) else f"({text})"


def is_bracketed(text: str) -> bool:
    """Whether the bracket that it begins with is closed by its last character."""
    opener, inside, closer = text[:1], text[1:-1], CLOSERS.get(text[:1])
    if closer is None or len(text) < 2 or text[-1] != closer:
        return False
    if opener == closer:
        return opener not in inside
    depth = 0
    for one in inside:
        depth += (one == opener) - (one == closer)
        if depth < 0:
            return False
    return depth == 0


def fraction(above: str, below: str) -> Piece:
    """``(a+b)/(2c)``; with nothing below it, of a formula that was cut, it ends with its stroke."""
    above, below = FACTORS_APART.sub("", above.strip()), below.strip()
    is_product = not NO_PRODUCT.search(IN_BRACKETS.sub("", above.removeprefix("-")))
    above = above if is_product or is_bracketed(above) else f"({above})"
    if not below:
        return Piece(f"{above}/")
    return Piece(f"{above}/{_below(below, above=above)}", "fraction")


def _below(text: str, *, above: str) -> str:
    call = CALL.match(text)
    is_one = ONE_BELOW.fullmatch(text) or is_bracketed(text[call.end() :] if call else text)
    is_pair = any(pair.fullmatch(above) and pair.fullmatch(text) for pair in PAIRS)
    return text if is_one or is_pair else f"({text})"


def root(text: str, *, index: str) -> Piece:
    sign = signs.ROOTS.get(index) or (
        index.translate(signs.RAISED) + "√" if ROOT_DIGITS.fullmatch(index) else f"√[{index}]"
    )
    told = f"{sign}{grouped(text)}"
    return Piece(told, "plain" if told.endswith(")") else "open")


def scripted(base: Piece | None, *, index: str, power: str) -> Piece:
    """A piece with what stands lower and higher behind it."""
    told = base.text if base else ""
    if base and base.kind in ("fraction", "open"):
        told = f"({told})"
    script = _limits(index, power) if told in signs.WITH_LIMITS else _lowered(index) + _raised(power, of=told)
    kind: Kind = "plain"
    if base and base.kind in ("function", "between"):
        kind = base.kind
    elif "^" in script and script[-1] != ")":
        kind = "open"
    elif "_" in script and not power and script[-1] != ")":
        kind = "index"
    return Piece(told + script, kind)


def _limits(below: str, above: str) -> str:
    """What stands over a sum is no power."""
    return "".join(f"{mark}{grouped(part)}" for mark, part in (("_", below), ("^", above)) if part)


def _lowered(text: str) -> str:
    text = text.strip()
    if not text or SCRIPT_DIGITS.fullmatch(text):
        return text.translate(signs.LOWERED)
    return f"_{text if NAME.fullmatch(text) else grouped(text)}"


def _raised(text: str, *, of: str) -> str:
    text = text.strip().replace("∘", "°")
    if BEHIND.fullmatch(text) or (ORDINAL.fullmatch(text) and (not of or of[-1].isdecimal())):
        return text
    if not text or SCRIPT_DIGITS.fullmatch(text):
        return text.translate(signs.RAISED)
    return f"^{grouped(text)}"


def lined(text: str, name: str) -> Piece:
    """A word with a line over or under each of its characters."""
    text = text.strip()
    word = text.rstrip(",.")
    if not NAME.fullmatch(word):
        return Piece(f"{signs.LINED_WORDS[name]}({text})")
    return Piece("".join(one + signs.LINED[name] for one in word) + text[len(word) :])


def marked(text: str, name: str) -> Piece:
    """One character with its mark; for more the mark's name."""
    text = text.strip()
    mark, word = signs.ACCENTS.get(name, ("", name))
    return Piece(text + mark if len(text) == 1 and mark else f"{word}({text})")
