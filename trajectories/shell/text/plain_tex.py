r"""One TeX formula as a line of plain characters: ``\frac{1}{2^{10}}`` becomes ``1/2¹⁰``.

pylatexenc parses the formula and knows most characters; ``tex_commands`` renders what needs care in one
line: fractions, powers, roots, matrices, repeating decimals. A formula that does not parse keeps its TeX.
"""

from __future__ import annotations

import re
from collections.abc import Callable
from functools import lru_cache
from typing import Any

from pylatexenc import latex2text, latexwalker, macrospec

from trajectories.shell.text import tex_commands
from trajectories.shell.text.tex_commands import (
    CLOSE,
    COMMANDS,
    LETTER,
    NUMBER,
    OPEN,
    SCRIPTS,
    SPACE,
    SPECIALS,
)

SOFT = re.compile(f"{OPEN}([^{OPEN}{CLOSE}]*){CLOSE}")
MIXED = re.compile(rf"(?<![\w.)])(\d+)\s*{OPEN}(\d+/\d+){CLOSE}")
TOUCHED_LEFT = re.compile(rf"[\w)\]}}!'′°⌉⌋⟩{CLOSE}{SPACE}]\Z|(?:[/÷]|\d ) *\Z")
TOUCHED_RIGHT = re.compile(rf"[\w(\[{{√∛^!'′/⌈⌊⟨∑∏∫\\{OPEN}{SPACE}]")
BEFORE_MINUS = re.compile(r"[-+±·×] *\Z")
RELATIONS = "≤≥≠≈≡≢≅≃∼≪≫≰≱≮≯∝≜≔⊨∈∉∋⊂-⊋∪∩∖∧∨⊕⊖⊗·×÷→←↔⇒⇐⇔↦⇌∥∦⊥∣∤"

# Each a pattern and its replacement, applied in this order: to the TeX before it is parsed, ...
BEFORE = (
    (r"(?<!\\)%", r"\\%"),  # a percent sign, not a comment
    (r"\\(?:left|right|middle)(?![A-Za-z])\s*\.?", ""),
    (r"\{\s*\\rm(?![A-Za-z])", r"\\text{"),
    (r"\\(?:\\|cr(?![A-Za-z]))(?:\s*\[\s*-?[\d.]+\s*[a-z]{2}\s*\])?", r"\\\\"),  # with the height of the row
    (r"\{([^{}]{1,200})\\over(?![A-Za-z])([^{}]{1,200})\}", r"\\frac{\1}{\2}"),
    (r"\{([^{}]{1,200})\\choose(?![A-Za-z])([^{}]{1,200})\}", r"\\binom{\1}{\2}"),
)
# ... and to the text after it was rendered.
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
    r"""An argument may be a command with its own, as in ``x^\frac12``; one missing at the end is empty."""

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
        return tex_commands.group(self.nodelist_to_text(node.nodelist))

    def macro_node_to_text(self, node: Any) -> str:
        """An unknown command keeps its TeX."""
        if node.macroname in COMMANDS:
            return self._command(node, COMMANDS[node.macroname][1])
        return tex_commands.CHARACTERS.get(node.macroname, f"\\{node.macroname}{SPACE}")

    def specials_node_to_text(self, node: Any) -> str:
        return self._command(node, SPECIALS[node.specials_chars][1])

    def _command(self, node: Any, render: Callable[..., str]) -> str:
        return render(*(self.node_arg_to_text(node, place) for place in range(len(node.nodeargd.argnlist))))

    def environment_node_to_text(self, node: Any) -> str:
        name = node.environmentname.rstrip("*")
        if name in tex_commands.PLACEHOLDERS:
            return tex_commands.PLACEHOLDERS[name]
        rows: list[list[list[Any]]] = [[[]]]
        for child in node.nodelist:
            mark = getattr(child, "macroname", "") or getattr(child, "specials_chars", "")
            if mark == "\\":
                rows.append([[]])
            elif mark == "&":
                rows[-1].append([])
            else:
                rows[-1][-1].append(child)
        opener, between, closer = tex_commands.GRIDS.get(name, ("", " ", ""))
        texts = [[self.nodelist_to_text(cell).strip().rstrip(",;") for cell in row] for row in rows]
        lines = [re.sub(r", (?=[a-z]{2}|\Z)", " ", between.join(row)) for row in texts if any(row)]
        return opener + "; ".join(line.strip() for line in lines) + closer


def _syntax() -> macrospec.LatexContextDb:
    """Return the commands with their numbers of arguments; unlisted commands take none."""
    context = macrospec.LatexContextDb()
    context.add_context_category(
        "lab",
        macros=[macrospec.MacroSpec(name, arguments) for name, (arguments, _) in COMMANDS.items()],
        environments=[macrospec.EnvironmentSpec(name, "{") for name in tex_commands.WITH_COLUMNS],
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
    """A formula without its delimiters, in one line of plain characters."""
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
        text = SOFT.sub(_settled, text)
    for pattern, replacement in AFTER:
        text = re.sub(pattern, replacement, text)
    return " ".join(text.split())


def _settled(match: re.Match[str]) -> str:
    """Soft brackets replaced by real ones or removed."""
    text, whole = match[1], match.string
    before, after = whole[max(0, match.start() - 8) : match.start()], whole[match.end() : match.end() + 8]
    after = after if text[-1:].isdigit() else after.lstrip(" ")
    is_signed = text.startswith("-") and BEFORE_MINUS.search(before)
    return f"({text})" if is_signed or TOUCHED_LEFT.search(before) or TOUCHED_RIGHT.match(after) else text
