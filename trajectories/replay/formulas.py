r"""Formulas of a text as plain characters, for lists: ``$\frac{1}{2}\le x$`` is ``1/2 ≤ x``.

Pages that show a question draw its formulas; a row of a list has no room for that, and no use for TeX. What
has no plain form keeps its TeX.
"""

from __future__ import annotations

import re

from trajectories.summaries.behaviour import TEX

MARKS = re.compile(r"^(?:\$\$?|\\[(\[])\s*|\s*(?:\$\$?|\\[)\]])$")
# From the inside out; a formula nested deeper than this keeps the rest of its TeX.
DEPTH_MOST = 6
PART = r"\s*(?:\{([^{}]*)\}|([^\W_]))"
FRACTION = re.compile(rf"(?:(?<![\w.^_])(\d+)\s*)?\\[dtc]?frac{PART}{PART}")
ROOT = re.compile(r"\\sqrt\s*\{([^{}]*)\}")
TEXT = re.compile(
    r"([\^_]?)\\(?:text|textbf|textit|mathrm|mathbf|mathbb|mathcal|operatorname|mbox|boxed)\s*\{([^{}]*)\}"
)
SCRIPT = re.compile(r"([\^_])\{([^{}]*)\}")
SIZES = re.compile(r"\\(?:left|right|[bB]igg?[lr]?|displaystyle|limits)(?![A-Za-z])\.?")
# Two backslashes are a line break, whatever comes after them.
NEGATIVE_SPACE = re.compile(r"(?<!\\)\\!")
SPACES = re.compile(r"\\(?:[\\,;:> ]|q?quad(?![A-Za-z]))|~")
COMMAND = re.compile(r"\\([A-Za-z]+) ?")
DEGREES = re.compile(r"\^(?:°|\{\s*°\s*\})")
AROUND_SCRIPTS = re.compile(r" *(?<!\\)([\^_]) *")
ESCAPED = re.compile(r"\\([%$&#_{}|])")
WORD = re.compile(r"[\w.]+")
# What ends where it ends without brackets; of ``ab`` after ``1/`` one cannot know.
ONE = re.compile(r"\d[\d.]*|[^\W\d_](?:_[^\W_])?|\\[A-Za-z]+|\S")
SIGNED = """
    le=≤ leq=≤ leqslant=≤ ge=≥ geq=≥ geqslant=≥ ne=≠ neq=≠ approx=≈ equiv=≡ to=→ rightarrow=→ cdot=· times=×
    div=÷ pm=± infty=∞ circ=° angle=∠ triangle=△ in=∈ cup=∪ cap=∩ sum=∑ int=∫ dots=… ldots=… cdots=…
    alpha=α beta=β gamma=γ delta=δ epsilon=ε theta=θ lambda=λ mu=μ pi=π rho=ρ sigma=σ tau=τ phi=φ varphi=φ
    omega=ω Delta=Δ Omega=Ω
"""
SIGNS = dict(re.findall(r"(\w+)=(\S)", SIGNED))
BETWEEN = frozenset("≤≥≠≈≡→·×÷±∈∪∩")
FUNCTIONS = frozenset(["sin", "cos", "tan", "log", "ln", "gcd", "lcm", "min", "max", "mod"])
# What a piece would run into, before and after it, were it not in brackets.
LEFT = re.compile(rf"(?:[\w^_)\]}}!]|[/÷] *|\\[A-Za-z]+ |\b(?:{'|'.join(sorted(FUNCTIONS))}) )$")
LEFT_CHARS = 40
RAISED = re.compile(r"[\^_]$")
RIGHT = re.compile(r"[\w^_(\[{!√]|\\[A-Za-z]")
RIGHT_OF_INDEX = re.compile(r"[\w!√]|\\[A-Za-z]")


def formulas_told(text: str) -> str:
    """The text with its formulas in plain characters; prices and everything else as they are."""
    return TEX.sub(_found, text or "").strip(" ")


def _found(found: re.Match[str]) -> str:
    """A formula that stands on a line of its own is apart from the words around it."""
    formula = found.group()
    is_display = formula.startswith((r"\[", "$$"))
    return f" {_told(formula)} " if is_display else _told(formula)


def _told(formula: str) -> str:
    told = MARKS.sub("", formula)
    if r"\begin" in told:  # rows and columns
        return " ".join(told.split())
    # Commands first: what is unwrapped after one would read as part of its name.
    told = COMMAND.sub(_sign, SIZES.sub("", SPACES.sub(" ", NEGATIVE_SPACE.sub("", told))))
    told = AROUND_SCRIPTS.sub(r"\1", DEGREES.sub("°", told))
    for _ in range(DEPTH_MOST):
        simpler = FRACTION.sub(_fraction, SCRIPT.sub(_script, ROOT.sub(_root, TEXT.sub(_text, told))))
        if simpler == told:
            break
        told = simpler
    return " ".join(ESCAPED.sub(r"\1", told).split())


def _sign(found: re.Match[str]) -> str:
    before, after = found.string[: found.start()][-1:], found.string[found.end() :][:1]
    space = " " if found.group().endswith(" ") else ""
    if found[1] in FUNCTIONS:
        return f"{' ' if before.isalnum() else ''}{found[1]} "
    sign = SIGNS.get(found[1])
    if sign is None:
        return f"{found.group()} " if after == "\\" and not space else found.group()
    return f" {sign} " if sign in BETWEEN else sign + space


def _fraction(found: re.Match[str]) -> str:
    whole, above, below = found[1], (found[2] or found[3] or "").strip(), (found[4] or found[5] or "").strip()
    told = f"{above if WORD.fullmatch(above) else _grouped(above)}/{_grouped(below)}"
    if whole and not (above.isdigit() and below.isdigit()):
        return f"{whole}({told})"
    return _apart(found, f"{whole} {told}" if whole else told)


def _root(found: re.Match[str]) -> str:
    return _apart(found, f"√{_grouped(found[1])}", left=RAISED)


def _text(found: re.Match[str]) -> str:
    if found[1]:
        return f"{found[1]}{{{found[2]}}}"
    return _apart(found, found[2]) if set("/√^_") & set(found[2]) else found[2]


def _script(found: re.Match[str]) -> str:
    part = found[2].strip()
    is_index = found[1] == "_"
    told = part if is_index and WORD.fullmatch(part) else _grouped(part)
    right = RIGHT_OF_INDEX if is_index else RIGHT
    is_touched = told == part and right.match(found.string, found.end())
    return f"{found[1]}({told})" if is_touched else f"{found[1]}{told}"


def _apart(found: re.Match[str], told: str, *, left: re.Pattern[str] = LEFT) -> str:
    """In brackets where a neighbour touches it."""
    start, end = found.span()
    is_touched = left.search(found.string, max(0, start - LEFT_CHARS), start) or RIGHT.match(
        found.string, end
    )
    return f"({told})" if is_touched else told


def _grouped(part: str) -> str:
    part = part.strip()
    return part if ONE.fullmatch(part) else f"({part})"
