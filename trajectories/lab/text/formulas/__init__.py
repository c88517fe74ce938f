r"""Formulas of a text as plain characters, for lists: ``$\frac{1}{2}\le x$`` is ``1/2 ≤ x``.

Pages that show a question draw its formulas; a row of a list has no room for that, and no use for TeX. What
has no plain form keeps its TeX, and so does what lies behind the first ``CHARS_MOST`` characters of a text or
is a longer formula: looking for the end of what has none takes time by the square of what lies behind it.
"""

from __future__ import annotations

import re

from core.tokens import mask_tokens
from trajectories.facts.behaviour import TEX
from trajectories.lab.text.formulas.parser import plain_of
from trajectories.lab.text.untrusted import first_line

ANY = r"(?s:.)"
# Words within a formula may hold formulas of their own.
IN_DOLLARS = rf"(?:\\(?:text|mbox)\{{[^{{}}]{{0,200}}\}}|\\{ANY}|[^$\\])"


def _pattern(*, is_cut: bool) -> re.Pattern[str]:
    """Besides what is a formula by its marks alone: a drawing's program, rows and columns without marks,
    formulas with space inside their marks or over several lines. ``is_cut``: and what the end cuts off."""
    if_cut = "" if is_cut else "(?!)"
    return re.compile(
        # Most characters begin nothing, and this tells soonest.
        r"(?=[\\$\[])(?:"
        rf"(?P<figure>\[asy\]{ANY}*?(?:\[/asy\]|(?P<figure_cut>{if_cut}\Z)))"
        rf"|(?P<tex>{TEX.pattern})"
        rf"|(?P<rows>\\begin\{{(?P<name>[a-zA-Z]{{1,20}}\*?)\}}{ANY}*?(?:\\end\{{(?P=name)\}}|(?P<rows_cut>{if_cut}\Z)))"
        rf"|(?P<loose>(?<!\\)\${IN_DOLLARS}{{1,500}}+\$(?!\s*\d|\w)|\\\({ANY}{{1,500}}?\\\))"
        rf"|(?P<cut>{if_cut}(?:(?<!\\)\$\$[^$]{{1,500}}\$?\Z|(?<!\\)\${IN_DOLLARS}{{1,500}}+\Z"
        rf"|\\[(\[]{ANY}{{1,500}}\Z|(?<=\s)\$\$?\Z))"
        r"|\\(?:emph|text(?:bf|it|rm|tt|sc)?)\{(?P<words>[^{}\\]*)\}"
        r"|(?P<escape>\\(?:(?=\$\d)|q?quad(?![A-Za-z]))|(?<=\d)\\(?=%)))"
    )


FOUND, FOUND_IN_CUT = _pattern(is_cut=False), _pattern(is_cut=True)
MARKS = re.compile(r"^(?:\$\$?|\\[(\[])|(?:\$\$?|\\[)\]])$")
DISPLAYED = (r"\[", "$$", r"\begin")
COMMAND_CUT = re.compile(r"\\[A-Za-z]*\Z")
COMMAND = re.compile(r"\\[A-Za-z]+(?:\{[^{}]*(?:\}|\Z))?")
SIGN = re.compile(r"[=+<>^_*/-]")
WORD = re.compile(r"[a-z]{2,}")
BEGINNING = re.compile(r"[A-Za-z|(\[{]")
CUT = "…"
CHARS_MOST = 5_000
# What a line says of parts for which it has no room.
LEFT_OUT = ("[figure]", "[table]")


def formulas_told(text: str, *, chars: int | None = None, is_cut: bool = False) -> str:
    """The text with its formulas in plain characters; prices and everything else as they are, and formulas
    that do not end within the first ``CHARS_MOST`` characters.

    ``chars``: how many are needed of it, white space not among them; the rest may be missing.
    ``is_cut``: the text is the beginning of a longer one. A formula that ends with it is told as far as it
    goes; in a whole text what nothing closes is none.
    """
    # Masking comes first: telling a formula may split what would be masked.
    text = mask_tokens(text or "")
    pattern = FOUND_IN_CUT if is_cut and len(text) <= CHARS_MOST else FOUND
    parts: list[str] = []
    end = place = said = 0
    while (chars is None or said <= chars) and (found := pattern.search(text, place, CHARS_MOST)):
        told = _found(found)
        if told is None:  # a price's dollar, behind which there may be formulas
            place = found.start() + 1
            continue
        new = [text[end : found.start()], told]
        parts += new
        said += sum(len(word) for part in new for word in part.split())
        end = place = found.end()
    rest = text[end:] if chars is None or said <= chars else ""
    return "".join([*parts, rest]).strip(" ")


def formula_told(tex: str) -> str:
    """One formula without its marks, whole: as it is where plain characters would leave a part of it out, or
    where it has more than ``CHARS_MOST``."""
    tex = mask_tokens(tex)
    if len(tex) > CHARS_MOST:
        return tex
    told = plain_of(tex)
    return told if told and not any(name in told and name not in tex for name in LEFT_OUT) else tex


def first_line_told(text: str, limit: int = 160, *, is_cut: bool = False) -> str:
    """As ``first_line``; a formula over several lines is in one."""
    return first_line(formulas_told(text, chars=limit, is_cut=is_cut), limit)


def _found(found: re.Match[str]) -> str | None:
    whole = found.group()
    if found["figure"]:
        return f" [figure]{'' if found['figure_cut'] is None else CUT} "
    if found["words"] is not None or found["escape"]:
        return found["words"] or (" " if whole.endswith("quad") else "")
    is_cut = bool(found["cut"]) or found["rows_cut"] is not None
    if (found["loose"] or found["cut"]) and not _is_formula(whole, is_cut=is_cut):
        return None
    return _told(whole, is_cut=is_cut)


def _is_formula(whole: str, *, is_cut: bool) -> bool:
    """Whether what stands between or behind marks is neither prices nor a program: both have words."""
    inside = MARKS.sub("", whole)
    without = COMMAND.sub("", inside)
    if WORD.search(without):
        return False
    if not is_cut or without != inside or whole.startswith(("\\", "$$")):
        return True
    return not inside or (bool(BEGINNING.match(inside)) and (len(inside) == 1 or bool(SIGN.search(inside))))


def _told(formula: str, *, is_cut: bool) -> str:
    """A formula that stands on a line of its own is apart from the words around it."""
    inside = MARKS.sub("", formula)
    told = plain_of(COMMAND_CUT.sub("", inside) if is_cut else inside) + (CUT if is_cut else "")
    return f" {told} " if formula.startswith(DISPLAYED) else told
