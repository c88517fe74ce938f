r"""TeX commands as plain characters in one line."""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Callable
from pathlib import Path
from typing import Any

from pylatexenc import latex2text

from core.tables import toml_load

# Soft brackets become ``( )`` where a neighbour touches them; a soft space becomes one between two words.
OPEN, CLOSE, SPACE = "\ue000", "\ue001", "\ue002"

SCRIPTS = "⁰¹²³⁴-⁹⁺⁻₀-₉₊₋"
RAISED = str.maketrans("0123456789+-", "⁰¹²³⁴⁵⁶⁷⁸⁹⁺⁻")
LOWERED = str.maketrans("0123456789+-", "₀₁₂₃₄₅₆₇₈₉₊₋")
NUMBER = r"\d+(?:,\d{3})*(?:\.\d+)?"
LETTER = rf"[^\W\d_{SCRIPTS}][\u0300-\u036f\u20d7]*"
DIGITS = re.compile(r"[+-]?\d+|[+-]")
WORD = re.compile(rf"[^\W{SCRIPTS}]+")
ATOM = re.compile(rf"(?:{NUMBER}|{LETTER}|[^\s\\])['′]*")
BRACKETED = re.compile(r"[fghFGH√]?(?:\([^()]*\)|\[[^][]*\]|\|[^|]*\||⌈[^⌉]*⌉|⌊[^⌋]*⌋)")
DENOMINATOR = re.compile(
    rf"√?(?:{NUMBER}|{LETTER})['′]*(?:_{LETTER})?{SPACE}?[{SCRIPTS}]*[!{SPACE}]*|d{LETTER}|{BRACKETED.pattern}|"
)
IN_BRACKETS = re.compile(r"\([^()]*\)")
NO_PRODUCT = re.compile(r"(?<=.)[\s+\-±∓,;:=<>/∑∏∫]")

_TABLES = toml_load(Path(__file__).with_suffix(".toml"), dict[str, Any])
CHARACTERS: dict[str, str] = {
    **{
        spec.macroname: spec.simplify_repl
        for spec in latex2text.get_default_latex_context_db().iter_macro_specs()
        if isinstance(spec.simplify_repl, str) and len(spec.simplify_repl) == 1
    },
    **dict(pair.split("=") for pair in _TABLES["characters"].split()),
    **{name: f"{SPACE}{name}{SPACE}" for name in _TABLES["functions"].split()},
    **dict.fromkeys(_TABLES["silent"].split(), ""),
    **dict.fromkeys(["quad", "qquad", "enspace", "space", "thinspace", ">", "\n"], " "),
    "bmod": " mod ",
    "mid": " | ",
}
MARKS = {"bar": "\u0304", "hat": "\u0302", "tilde": "\u0303", "dot": "\u0307", "vec": "\u20d7"}


def group(text: str) -> str:
    """A group: in brackets where more than its end would touch what follows."""
    return text if not text or WORD.fullmatch(text) or _grouped(text) == text else f"{OPEN}{text}{CLOSE}"


def _grouped(text: str) -> str:
    return text if ATOM.fullmatch(text) or BRACKETED.fullmatch(text) else f"({text})"


def _fraction(above: str, below: str) -> str:
    above, below = re.sub(r"(?<=\d) (?=\(|\w\b)", "", above.strip()), below.strip()
    is_product = not NO_PRODUCT.search(IN_BRACKETS.sub("", above)) or BRACKETED.fullmatch(above)
    below = below if DENOMINATOR.fullmatch(below) else f"({below})"
    return f"{OPEN}{above if is_product else f'({above})'}/{below}{CLOSE}"


def _root(index: str, text: str) -> str:
    signs = {"": "√", "2": "√", "3": "∛", "4": "∜"}
    other = f"{index.translate(RAISED)}√" if index.isdecimal() else f"√[{index}]"
    return f"{signs.get(index, other)}{_grouped(text.strip())}{SPACE}"


def power(text: str) -> str:
    text = text.strip().replace("∘", "°")
    if not text or DIGITS.fullmatch(text):
        return text.translate(RAISED)
    return text if re.fullmatch("[°′]+", text) else f"^{_grouped(text)}{SPACE}"


def index(text: str) -> str:
    text = text.strip()
    if not text or DIGITS.fullmatch(text):
        return text.translate(LOWERED)
    return f"_{text if WORD.fullmatch(text) else _grouped(text)}{SPACE}"


def _overlined(text: str) -> str:
    """Digits that repeat, or a segment: a line over each character."""
    word = text.rstrip(",.")
    lined = "".join(f"{character}\u0305" for character in word) + text[len(word) :]
    return lined if WORD.fullmatch(word) else f"bar({text})"


def _marked(name: str) -> Callable[[str], str]:
    return lambda text: text + MARKS[name] if len(text) == 1 and name in MARKS else f"{name}({text})"


def _all(names: str, arguments: str, render: Callable[..., str]) -> dict[str, tuple[str, Callable[..., str]]]:
    return dict.fromkeys(names.split(), (arguments, render))


# How each command reads its arguments (a star, an option, groups) and renders them.
COMMANDS: dict[str, tuple[str, Callable[..., str]]] = {
    **_all(
        "text textbf textit textrm textsf texttt textsc textup textnormal emph mathrm mathsf mathtt", "{", str
    ),
    **_all("mbox hbox", "{", str),
    **_all("mathbf mathbb mathcal mathit mathfrak mathscr boldsymbol bm pmb bold Bbb fbox boxed", "{", group),
    **_all("ensuremath smash mathop mathbin mathrel mathord mathclose mathopen substack", "{", group),
    **_all("underbrace overbrace cancel bcancel xcancel", "{", group),
    **_all("frac dfrac tfrac cfrac", "{{", _fraction),
    **_all("binom dbinom tbinom", "{{", lambda n, k: f"C({n.strip()}, {k.strip()})"),
    **_all("hspace vspace phantom hphantom vphantom label color cline", "*{", lambda *_: " "),
    **_all("textcolor colorbox raisebox cancelto", "{{", lambda _, text: text),
    **_all("multicolumn", "{{{", lambda _columns, _style, text: text),
    **_all("overset stackrel", "{{", lambda over, of: f"arc({of})" if over == "⌢" else of + power(over)),
    **_all("underset", "{{", lambda below, of: of + index(below)),
    **_all("pod tag", "*{", lambda _, text: f" ({text})"),
    **_all("pmod", "{", lambda modulus: f" (mod {modulus.strip()})"),
    **_all("operatorname", "*{", lambda _, name: f"{SPACE}{name}{SPACE}"),
    **_all("sqrt", "[{", _root),
    **_all("overline", "{", _overlined),
    **_all("underline", "{", _marked("underline")),
    **_all("overarc overparen wideparen", "{", _marked("arc")),
    **{name: ("{", _marked(name.removeprefix("wide"))) for name in (*MARKS, "ddot", "widehat", "widetilde")},
    **_all("overrightarrow", "{", _marked("vec")),
    **_all("not", "{", lambda text: unicodedata.normalize("NFC", f"{text.strip()}\u0338")),
    "\\": ("", lambda: " "),
}
SPECIALS: dict[str, tuple[str, Callable[..., str]]] = {
    "^": ("{", power),
    "_": ("{", index),
    "&": ("", lambda: " "),
    "~": ("", lambda: " "),
}
GRIDS: dict[str, tuple[str, str, str]] = _TABLES["grids"]
PLACEHOLDERS: dict[str, str] = _TABLES["placeholders"]
WITH_COLUMNS: list[str] = _TABLES["with_columns"]
