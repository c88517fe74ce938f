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
FRACTION = re.compile(r"\\[dtc]?frac\s*(?:\{([^{}]*)\}|([\dA-Za-z]))\s*(?:\{([^{}]*)\}|([\dA-Za-z]))")
ROOT = re.compile(r"\\sqrt\s*\{([^{}]*)\}")
TEXT = re.compile(
    r"\\(?:text|textbf|textit|mathrm|mathbf|mathbb|mathcal|operatorname|mbox|boxed)\s*\{([^{}]*)\}"
)
SCRIPT = re.compile(r"([\^_])\{([^{}]*)\}")
SIZES = re.compile(r"\\(?:left|right|[bB]igg?[lr]?|displaystyle|limits)(?![A-Za-z])\.?")
SPACES = re.compile(r"\\(?:[,;:!> ]|q?quad(?![A-Za-z]))|~")
COMMAND = re.compile(r"\\([A-Za-z]+)(?![A-Za-z]) ?")
ESCAPED = re.compile(r"\\([%$&#_{}|])")
SIMPLE = re.compile(r"[\w.]+")
SIGNED = """
    le=≤ leq=≤ leqslant=≤ ge=≥ geq=≥ geqslant=≥ ne=≠ neq=≠ approx=≈ equiv=≡ to=→ rightarrow=→ cdot=· times=×
    div=÷ pm=± infty=∞ circ=° angle=∠ triangle=△ in=∈ cup=∪ cap=∩ sum=∑ int=∫ dots=… ldots=… cdots=…
    alpha=α beta=β gamma=γ delta=δ epsilon=ε theta=θ lambda=λ mu=μ pi=π rho=ρ sigma=σ tau=τ phi=φ varphi=φ
    omega=ω Delta=Δ Omega=Ω
"""
SIGNS = dict(re.findall(r"(\w+)=(\S)", SIGNED))
BETWEEN = frozenset("≤≥≠≈≡→·×÷±∈∪∩")
FUNCTIONS = frozenset(["sin", "cos", "tan", "log", "ln", "gcd", "lcm", "min", "max", "mod"])


def formulas_told(text: str) -> str:
    """The text with its formulas in plain characters; prices and everything else as they are."""
    return TEX.sub(lambda found: _told(found.group()), text or "")


def _told(formula: str) -> str:
    told = SPACES.sub(" ", SIZES.sub("", MARKS.sub("", formula)))
    for _ in range(DEPTH_MOST):
        simpler = FRACTION.sub(_fraction, ROOT.sub(_root, SCRIPT.sub(_script, TEXT.sub(r"\1", told))))
        if simpler == told:
            break
        told = simpler
    told = COMMAND.sub(_sign, told).replace("^°", "°").replace(" _", "_").replace(" ^", "^")
    return " ".join(ESCAPED.sub(r"\1", told).split())


def _sign(found: re.Match[str]) -> str:
    if found[1] in FUNCTIONS:
        return f"{found[1]} "
    sign = SIGNS.get(found[1])
    if sign is None:
        return found.group()
    return f" {sign} " if sign in BETWEEN else sign + (" " if found.group().endswith(" ") else "")


def _fraction(found: re.Match[str]) -> str:
    above, below = found[1] or found[2] or "", found[3] or found[4] or ""
    return f"{_grouped(above)}/{_grouped(below)}"


def _root(found: re.Match[str]) -> str:
    return f"√{_grouped(found[1])}"


def _script(found: re.Match[str]) -> str:
    return f"{found[1]}{_grouped(found[2])}"


def _grouped(part: str) -> str:
    part = part.strip()
    is_one = SIMPLE.fullmatch(part) or (part.startswith("\\") and part[1:].isalpha())
    return part if is_one else f"({part})"
