r"""One TeX formula as a line of plain characters: ``\frac{1}{2^{10}}`` becomes ``1/2¹⁰``.

pylatexenc parses the formula and knows most characters. The tables of ``plain_tex.toml`` and the rules in
this module render what is difficult to write in one line: fractions, powers, roots, matrices, repeating
decimals. A formula that cannot be parsed stays TeX.
"""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Callable
from functools import lru_cache
from pathlib import Path
from typing import Any

from pylatexenc import latex2text, latexwalker, macrospec

from core.text.toml import toml_load

SCRIPTS = "⁰¹²³⁴-⁹⁺⁻₀-₉₊₋"
RAISED = str.maketrans("0123456789+-", "⁰¹²³⁴⁵⁶⁷⁸⁹⁺⁻")
LOWERED = str.maketrans("0123456789+-", "₀₁₂₃₄₅₆₇₈₉₊₋")
NUMBER = r"\d+(?:,\d{3})*(?:\.\d+)?"
LETTER = rf"[^\W\d_{SCRIPTS}][\u0300-\u036f\u20d7]*"
DIGITS = re.compile(r"[+-]?\d+|[+-]")
WORD = re.compile(rf"[^\W{SCRIPTS}]+")
ATOM = re.compile(rf"(?:{NUMBER}|{LETTER}|[^\s\\])['′]*")
BRACKETED = re.compile(r"[fghFGH√]?(?:\([^()]*\)|\[[^][]*\]|\|[^|]*\||⌈[^⌉]*⌉|⌊[^⌋]*⌋)")
IN_BRACKETS = re.compile(r"\([^()]*\)")
NO_PRODUCT = re.compile(r"(?<=.)[\s+\-±∓,;:=<>/∑∏∫]")
MARKS = {"bar": "\u0304", "hat": "\u0302", "tilde": "\u0303", "dot": "\u0307", "vec": "\u20d7"}
BEFORE_MINUS = re.compile(r"[-+±·×] *\Z")
RELATIONS = "≤≥≠≈≡≢≅≃∼≪≫≰≱≮≯∝≜≔⊨∈∉∋⊂-⊋∪∩∖∧∨⊕⊖⊗·×÷→←↔⇒⇐⇔↦⇌∥∦⊥∣∤"
# Patterns with their replacements, applied in this order to the TeX before it is parsed.
BEFORE = (
    (r"(?<!\\)%", r"\\%"),  # a percent sign is never a comment
    (r"\\(?:left|right|middle)(?![A-Za-z])\s*\.?", ""),
    (r"\{\s*\\rm(?![A-Za-z])", r"\\text{"),
    (r"\\(?:\\|cr(?![A-Za-z]))(?:\s*\[\s*-?[\d.]+\s*[a-z]{2}\s*\])?", r"\\\\"),  # with a row's height
    (r"\{([^{}]{1,200})\\over(?![A-Za-z])([^{}]{1,200})\}", r"\\frac{\1}{\2}"),
    (r"\{([^{}]{1,200})\\choose(?![A-Za-z])([^{}]{1,200})\}", r"\\binom{\1}{\2}"),
)

# Soft brackets become ``( )`` if a neighbour touches them; a soft space becomes a space between two words.
OPEN, CLOSE, SPACE = "\ue000", "\ue001", "\ue002"

DENOMINATOR = re.compile(
    rf"√?(?:{NUMBER}|{LETTER})['′]*(?:_{LETTER})?{SPACE}?[{SCRIPTS}]*[!{SPACE}]*|d{LETTER}|{BRACKETED.pattern}|"
)

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


def group(text: str) -> str:
    """Return a group in soft brackets, unless it is a single word or atom that needs none."""
    return text if not text or WORD.fullmatch(text) or _group(text) == text else f"{OPEN}{text}{CLOSE}"


def _group(text: str) -> str:
    return text if ATOM.fullmatch(text) or BRACKETED.fullmatch(text) else f"({text})"


def _fraction(above: str, below: str) -> str:
    above, below = re.sub(r"(?<=\d) (?=\(|\w\b)", "", above.strip()), below.strip()
    is_product = not NO_PRODUCT.search(IN_BRACKETS.sub("", above)) or BRACKETED.fullmatch(above)
    below = below if DENOMINATOR.fullmatch(below) else f"({below})"
    return f"{OPEN}{above if is_product else f'({above})'}/{below}{CLOSE}"


def _root(index: str, text: str) -> str:
    signs = {"": "√", "2": "√", "3": "∛", "4": "∜"}
    other = f"{index.translate(RAISED)}√" if index.isdecimal() else f"√[{index}]"
    return f"{signs.get(index, other)}{_group(text.strip())}{SPACE}"


def power(text: str) -> str:
    text = text.strip().replace("∘", "°")
    if not text or DIGITS.fullmatch(text):
        return text.translate(RAISED)
    return text if re.fullmatch("[°′]+", text) else f"^{_group(text)}{SPACE}"


def index(text: str) -> str:
    text = text.strip()
    if not text or DIGITS.fullmatch(text):
        return text.translate(LOWERED)
    return f"_{text if WORD.fullmatch(text) else _group(text)}{SPACE}"


def _overline(text: str) -> str:
    """Draw a line over each character, as over repeating digits or the name of a line segment."""
    word = text.rstrip(",.")
    lined = "".join(f"{character}\u0305" for character in word) + text[len(word) :]
    return lined if WORD.fullmatch(word) else f"bar({text})"


def _mark(name: str) -> Callable[[str], str]:
    return lambda text: text + MARKS[name] if len(text) == 1 and name in MARKS else f"{name}({text})"


def _all(names: str, arguments: str, render: Callable[..., str]) -> dict[str, tuple[str, Callable[..., str]]]:
    return dict.fromkeys(names.split(), (arguments, render))


# For each command, its arguments (a star, an option, groups) and the function that renders them.
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
    **_all("overline", "{", _overline),
    **_all("underline", "{", _mark("underline")),
    **_all("overarc overparen wideparen", "{", _mark("arc")),
    **{name: ("{", _mark(name.removeprefix("wide"))) for name in (*MARKS, "ddot", "widehat", "widetilde")},
    **_all("overrightarrow", "{", _mark("vec")),
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


SOFT = re.compile(f"{OPEN}([^{OPEN}{CLOSE}]*){CLOSE}")
MIXED = re.compile(rf"(?<![\w.)])(\d+)\s*{OPEN}(\d+/\d+){CLOSE}")
TOUCHED_LEFT = re.compile(rf"[\w)\]}}!'′°⌉⌋⟩{CLOSE}{SPACE}]\Z|(?:[/÷]|\d ) *\Z")
TOUCHED_RIGHT = re.compile(rf"[\w(\[{{√∛^!'′/⌈⌊⟨∑∏∫\\{OPEN}{SPACE}]")

# Patterns with their replacements, applied in this order to the rendered text.
AFTER = (
    (rf"(√(?:{NUMBER}|{LETTER})|{LETTER}\^.){SPACE}(?=[{SCRIPTS}^_!])", r"(\1)"),
    (rf"{SPACE}{{2,}}", SPACE),
    (rf"(?<=[\w)\]}}|!'′°⌉⌋⟩…∞]){SPACE}(?![{SCRIPTS}_])(?=[\w√∑∏∫⌈⌊⟨\\])|(?<=\^.){SPACE}(?=[(\[!])", " "),
    (SPACE, ""),
    (r"(?<=[\w)\]}|])\s+(?=[⁰¹²³⁴-⁹⁺⁻^])", ""),
    (r"(?:\A|(?<=\d))\^\((st|nd|rd)\)|\^\((th)\)", r"\1\2"),
    (rf"\s*([{RELATIONS}])\s*|(?<=[\w)\]}}°!])\s*([±∓])\s*", r" \1\2 "),
    (r"(?<=[(\[⌊⌈⟨])\s+|\s+(?=[)\]⌋⌉⟩])|(?<=[=<>≤≥≈(,/][ ±∓])\s+", ""),
)


class _Walker(latexwalker.LatexWalker):  # type: ignore[misc]
    r"""A parser that accepts commands as arguments (``x^\frac12``) and reads a missing last one as empty."""

    def get_latex_expression(self, pos: int, strict_braces: Any = None, parsing_state: Any = None) -> Any:
        try:
            token = self.get_token(pos, environments=False, parsing_state=parsing_state)
            if token.tok not in ("macro", "specials"):
                return super().get_latex_expression(pos, strict_braces, parsing_state)
            nodes, start, length = self.get_latex_nodes(pos, read_max_nodes=1, parsing_state=parsing_state)
            return nodes[0], start, length
        except latexwalker.LatexWalkerEndOfStream:
            return latexwalker.LatexGroupNode([], delimiters=("", "")), pos, len(self.s) - pos


class _Renderer(latex2text.LatexNodes2Text):  # type: ignore[misc]
    def chars_node_to_text(self, node: Any, textcol: int = 0) -> str:
        return str(node.chars)

    def group_node_to_text(self, node: Any) -> str:
        return group(self.nodelist_to_text(node.nodelist))

    def macro_node_to_text(self, node: Any) -> str:
        """Render a command; an unknown command keeps its TeX."""
        if node.macroname in COMMANDS:
            return self._command(node, COMMANDS[node.macroname][1])
        return CHARACTERS.get(node.macroname, f"\\{node.macroname}{SPACE}")

    def specials_node_to_text(self, node: Any) -> str:
        return self._command(node, SPECIALS[node.specials_chars][1])

    def _command(self, node: Any, render: Callable[..., str]) -> str:
        return render(*(self.node_arg_to_text(node, place) for place in range(len(node.nodeargd.argnlist))))

    def environment_node_to_text(self, node: Any) -> str:
        name = node.environmentname.rstrip("*")
        if name in PLACEHOLDERS:
            return PLACEHOLDERS[name]
        rows: list[list[list[Any]]] = [[[]]]
        for child in node.nodelist:
            mark = getattr(child, "macroname", "") or getattr(child, "specials_chars", "")
            if mark == "\\":
                rows.append([[]])
            elif mark == "&":
                rows[-1].append([])
            else:
                rows[-1][-1].append(child)
        opener, between, closer = GRIDS.get(name, ("", " ", ""))
        texts = [[self.nodelist_to_text(cell).strip().rstrip(",;") for cell in row] for row in rows]
        lines = [re.sub(r", (?=[a-z]{2}|\Z)", " ", between.join(row)) for row in texts if any(row)]
        return opener + "; ".join(line.strip() for line in lines) + closer


def _syntax() -> macrospec.LatexContextDb:
    """Return the commands with their numbers of arguments; commands that are not listed take none."""
    context = macrospec.LatexContextDb()
    context.add_context_category(
        "lab",
        macros=[macrospec.MacroSpec(name, arguments) for name, (arguments, _) in COMMANDS.items()],
        environments=[macrospec.EnvironmentSpec(name, "{") for name in WITH_COLUMNS],
        specials=[
            macrospec.SpecialsSpec(mark, macrospec.MacroStandardArgsParser(arguments))
            for mark, (arguments, _) in SPECIALS.items()
        ],
    )
    context.set_unknown_macro_spec(macrospec.MacroSpec(""))
    context.set_unknown_environment_spec(macrospec.EnvironmentSpec(""))
    return context


SYNTAX = _syntax()


@lru_cache(maxsize=2048)
def tex_to_text(tex: str) -> str:
    """Return a formula without its delimiters, in one line of plain characters."""
    prepared = tex
    for pattern, replacement in BEFORE:
        prepared = re.sub(pattern, replacement, prepared)
    try:
        nodes, _, _ = _Walker(prepared, latex_context=SYNTAX, tolerant_parsing=False).get_latex_nodes()
        text = _Renderer(latex_context=SYNTAX).nodelist_to_text(nodes)
    except (latexwalker.LatexWalkerError, RecursionError):
        return " ".join(tex.split())
    text = MIXED.sub(rf"{OPEN}\1 \2{CLOSE}", " ".join(text.split()))
    while SOFT.search(text):
        text = SOFT.sub(_settle, text)
    for pattern, replacement in AFTER:
        text = re.sub(pattern, replacement, text)
    return " ".join(text.split())


def _settle(match: re.Match[str]) -> str:
    """Replace soft brackets by real ones, or remove them."""
    text, whole = match[1], match.string
    before, after = whole[max(0, match.start() - 8) : match.start()], whole[match.end() : match.end() + 8]
    after = after if text[-1:].isdigit() else after.lstrip(" ")
    is_signed = text.startswith("-") and BEFORE_MINUS.search(before)
    return f"({text})" if is_signed or TOUCHED_LEFT.search(before) or TOUCHED_RIGHT.match(after) else text
