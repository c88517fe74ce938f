r"""Formulas of a text as plain characters, for lists: ``$\frac{1}{2}\le x$`` is ``1/2 ≤ x``.

Pages that show one question typeset its formulas, but a list's row has no room for that. TeX after the first
``CHARS_MAX`` characters of a text is left as it is, and so is a longer formula, because the search for a
missing end takes time quadratic in the length of the rest.
"""

from __future__ import annotations

import re

from core.episodes.tokens import mask_tokens
from tasks_app.figures import PLACE
from trajectories.behaviour.facts.behaviour import TEX
from trajectories.shell.text.plain_tex import PLACEHOLDERS, tex_to_text
from trajectories.shell.text.untrusted import cut, first_line, goes_on

ANY = r"(?s:.)"
# Text within a formula may itself contain formulas.
IN_DOLLARS = rf"(?:\\(?:text|mbox)\{{[^{{}}]{{0,200}}\}}|\\{ANY}|[^$\\])"


def _pattern(*, is_cut: bool) -> re.Pattern[str]:
    """Compile a pattern for formulas, including a drawing's program, an environment without delimiters and a
    formula with spaces inside its delimiters; with ``is_cut`` also a formula cut off at the end of the text.
    """
    if_cut = "" if is_cut else "(?!)"
    return re.compile(
        # This lookahead quickly rejects most positions.
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


WHOLE, CUT = _pattern(is_cut=False), _pattern(is_cut=True)
DELIMITERS = re.compile(r"^(?:\$\$?|\\[(\[])|(?:\$\$?|\\[)\]])$")
DISPLAYED = (r"\[", "$$", r"\begin")
CUT_COMMAND = re.compile(r"\\[A-Za-z]*\Z")
OPENERS = re.compile(r"\\begin\{(?P<name>[^{}]*)\}|\\end\{[^{}]*\}|\\.|[{}]", re.DOTALL)
COMMAND = re.compile(r"\\[A-Za-z]+(?:\{[^{}]*(?:\}|\Z))?")
SIGN = re.compile(r"[=+<>^_*/-]")
WORD = re.compile(r"[a-z]{2,}")
BEGINNING = re.compile(r"[A-Za-z|(\[{]")
ELLIPSIS = "…"
PICTURE = re.compile(r"!\[([^\]]{0,200})\]\(blob:[0-9a-f]*\)?")  # its end may be cut off
CHARS_MAX = 5_000


def formulas_to_text(text: str, *, chars: int | None = None, is_cut: bool = False) -> str:
    """Replace the formulas in a text by plain characters; everything else, including prices, is unchanged.

    ``chars`` is how many characters are needed, not counting white space; the rest may be left out.
    ``is_cut`` is true if the text is the beginning of a longer one, so that its last formula may be
    incomplete.
    """
    # Tokens are masked first, because rendering a formula could split a token that must be masked.
    text = mask_tokens(text or "")
    pattern = CUT if is_cut and len(text) <= CHARS_MAX else WHOLE
    parts: list[str] = []
    end = place = length = 0
    while (chars is None or length <= chars) and (match := pattern.search(text, place, CHARS_MAX)):
        rendered = _render_formula(match)
        if rendered is None:  # this is the dollar sign of a price; formulas may follow
            place = match.start() + 1
            continue
        new = [text[end : match.start()], rendered]
        parts += new
        length += sum(len(word) for part in new for word in part.split())
        end = place = match.end()
    rest = text[end:] if chars is None or length <= chars else ""
    return "".join([*parts, rest]).strip(" ")


def formula_to_text(tex: str) -> str:
    """Return a formula in plain characters, or as TeX if it is too long or would lose a part."""
    tex = mask_tokens(tex)
    if len(tex) > CHARS_MAX:
        return tex
    text = tex_to_text(tex)
    return (
        text if text and not any(name in text and name not in tex for name in PLACEHOLDERS.values()) else tex
    )


def first_line_to_text(beginning: str, limit: int = 160) -> str:
    """Return the first line of a text; a formula of several lines is joined into one."""
    return first_line(formulas_to_text(beginning, chars=limit, is_cut=goes_on(beginning)), limit)


def question_line(beginning: str, limit: int = 160) -> str:
    """Return the beginning of a question in one line, with pictures replaced by their names.

    Line breaks become spaces, because the first line may end inside a formula.
    """
    text = formulas_to_text(figures_named(beginning), chars=limit, is_cut=goes_on(beginning))
    return cut(" ".join(text.split()), limit)


def figures_named(text: str) -> str:
    """Replace each picture in a text by its name, for places that cannot show pictures."""
    return PLACE.sub(r"[Figure \1]", PICTURE.sub(r"[\1]", text or ""))


def _render_formula(match: re.Match[str]) -> str | None:
    whole = match.group()
    if match["figure"]:
        return f" [figure]{'' if match['figure_cut'] is None else ELLIPSIS} "
    if match["words"] is not None or match["escape"]:
        return match["words"] or (" " if whole.endswith("quad") else "")
    is_cut = bool(match["cut"]) or match["rows_cut"] is not None
    if (match["loose"] or match["cut"]) and not _is_formula(whole, is_cut=is_cut):
        return None
    tex = DELIMITERS.sub("", whole)
    text = f"{tex_to_text(_closed(tex))}{ELLIPSIS}" if is_cut else tex_to_text(tex)
    # Spaces separate a displayed formula from the words around it.
    return f" {text} " if whole.startswith(DISPLAYED) else text


def _is_formula(whole: str, *, is_cut: bool) -> bool:
    """Return True if a text in or after dollar signs is a formula; prices and programs contain words."""
    inside = DELIMITERS.sub("", whole)
    without = COMMAND.sub("", inside)
    if WORD.search(without):
        return False
    if not is_cut or without != inside or whole.startswith(("\\", "$$")):
        return True
    return not inside or (bool(BEGINNING.match(inside)) and (len(inside) == 1 or bool(SIGN.search(inside))))


def _closed(tex: str) -> str:
    """Close the open braces and environments of a formula that was cut off."""
    tex = CUT_COMMAND.sub("", tex)
    open_ends: list[str] = []
    for match in OPENERS.finditer(tex):
        if match[0] == "}" or match[0].startswith(r"\end{"):
            open_ends = open_ends[:-1]
        elif match[0] == "{" or match["name"]:
            open_ends.append(rf"\end{{{match['name']}}}" if match["name"] else "}")
    return tex + "".join(reversed(open_ends))
