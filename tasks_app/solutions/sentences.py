r"""Cutting of prose with LaTeX, such as MATH's solutions, into sentences.

A cut never falls inside a formula, an environment, braces or a figure. A formula ends a sentence if it
contains the full stop or a capital letter follows: ``we get \[x = 2.\]Then ...``.
"""

from __future__ import annotations

import re
from collections.abc import Iterator

# A text is never cut inside these. A dollar sign before a digit does not close a formula, so two prices are
# not taken for one.
FORMULA = re.compile(
    r"""(?P<escaped>\\[^\[(A-Za-z])
      | \[asy\].*?\[/asy\]
      | (?P<display>\$\$.*?\$\$ | \\\[.*?\\\] | \\begin\{(?P<name>[^}]*)\}.*?\\end\{(?P=name)\})
      | (?P<inline>\$(?:\\.|(?!\n\s*\n)[^$\\])+\$(?!\d) | \\\(.*?\\\))""",
    re.DOTALL | re.VERBOSE,
)
BRACES = re.compile(r"\\.|[{}]", re.DOTALL)
FIGURE = re.compile(r"\[asy\].*?\[/asy\]", re.DOTALL)
# Between two sentences: the end of a sentence, or an empty line.
END = re.compile(r"""[.!?]+(?:''|[)\]"'\u2019\u201d*])*(?=(\s+)(\S))|(?<=\S)(?=\s*?\n[^\S\n]*\n)""")
STARTS = re.compile(r"[A-Z0-9$\\(\[\"'\u2018\u201c`*|-]")
ABBREVIATION = re.compile(
    r"(?:^|[\s(~])(?:i\.e|e\.g|cf|vs|resp|viz|Mr|Mrs|Ms|Dr|Prof|St|Mt|Fig|Figs|Eq|Eqs|No|Nos|Thm|Prop|Lem|Sec|Ch|approx"
    r"|w\.l\.o\.g|WLOG|pp?|vol|ed)\.$"
)
ENDED = re.compile(r"[.!?][\s}$\\\])]*\Z")
# A heading in a list or another fragment: "1.", "(ii)".
FRAGMENT = re.compile(r"\W*\w{0,3}\W*")


def cut(solution: str) -> list[str]:
    """Return the sentences, each with the white space before it. Joined, they give the solution."""
    steps: list[str] = []
    start = 0
    for end in sorted(set(_ends(solution))):
        text = FIGURE.sub("", solution[start:end])
        if end > start and not FRAGMENT.fullmatch(text) and solution[end:].strip():
            steps.append(solution[start:end])
            start = end
    return [*steps, solution[start:]] if solution[start:].strip() else steps


def _ends(text: str) -> Iterator[int]:
    """Yield the positions after sentences."""
    spans = list(_closed(text))
    inside = bytearray(len(text) + 1)
    for start, end, _ in spans:
        inside[start + 1 : end] = b"\1" * (end - start - 1)
    for match in END.finditer(text):
        if inside[match.start()] or inside[match.end()]:
            continue
        is_paragraph = match[2] is None
        if is_paragraph or (STARTS.match(match[2]) and not ABBREVIATION.search(text[: match.end()])):
            yield match.end()
    for start, end, is_display in spans:
        if not inside[end] and _is_end(text[start:end], text[end:], is_display=is_display):
            yield end


def _closed(text: str) -> Iterator[tuple[int, int, bool]]:
    """Yield the spans of formulas, figures and groups in braces, and whether each is a displayed formula."""
    taken = 0
    for match in FORMULA.finditer(text):
        if match["escaped"] is None:
            yield match.start(), match.end(), match["display"] is not None
    depth = 0
    for match in BRACES.finditer(text):
        if match[0] == "{":
            taken = match.start() if depth == 0 else taken
            depth += 1
        elif match[0] == "}" and depth:
            depth -= 1
            if depth == 0:
                yield taken, match.end(), False


def _is_end(formula: str, after: str, *, is_display: bool) -> bool:
    """Return whether a formula ends its sentence."""
    following = after.lstrip()
    if formula.startswith(("{", "[asy]")) or not following or not STARTS.match(following):
        return False
    if is_display:
        return bool(ENDED.search(_inner(formula))) or following[0].isupper()
    return after[0].isspace() and bool(ENDED.search(_inner(formula)))


def _inner(formula: str) -> str:
    r"""Strip the closing delimiter of a formula, which could hide its full stop."""
    return re.sub(r"(?:\$\$?|\\\]|\\\)|\\end\{[^}]*\})\Z", "", formula).rstrip()
