"""Parser from cleaned text to a form."""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from typing import Any

from verifiers.mathtext import decimals, forms, regions, values
from verifiers.mathtext.expressions import (
    Apply,
    Node,
    NotAnExpression,
    Number,
    collect_symbols,
    negate,
    parse_expression,
)
from verifiers.mathtext.forms import Form, Labelled, Listing, Region, Scalar, Span
from verifiers.mathtext.labels import parse_label
from verifiers.mathtext.normalization import clean, extract_words, join_thousands, text_blocks
from verifiers.mathtext.number_words import written_in_words
from verifiers.mathtext.parts import named_parts
from verifiers.mathtext.sentences import is_endless, is_none, named_value
from verifiers.mathtext.top_level import closes_at_end, split_top
from verifiers.mathtext.units import split_unit
from verifiers.numbers.notation import written_number

MAX_NESTING = 8
SEPARATORS = (",", ";", " and ", " or ", " And ", " Or ")
RELATIONS = ("\\le", "\\ge", "\\ne", "\\approx", "\\equiv", "<", ">", "=")
FLIPPED = {">": "<", "\\ge": "\\le"}
INFINITY = Apply("oo")
REALS = ("\\mathbb{R}", "\\mathbbR", "\\R")
REALS_IN_WORDS = ("all real numbers", "all reals", "real numbers")
IN_BASE = re.compile(r"^\(?(\d+)\)?_\s*\{?\s*(\d+)\s*\}?$", re.ASCII)
DECIMAL_COMMA = re.compile(r"^(-?)(0,\d{2,}|\d+,\d{2})$", re.ASCII)
MATRIX = re.compile(r"^\\begin\s*\{([pbvBV]?matrix|array)\}(?:\{[lcr|\s]*\})?(.*)\\end\s*\{\1\}$", re.DOTALL)
BARE_MATRIX = re.compile(r"^[(\[]\s*(\\begin.*\\end\s*\{array\})\s*[)\]]$", re.DOTALL)
CHOICE = re.compile(r"^\s*\(?\s*([A-Z])\s*\)?\s*$")
POINTING = re.compile(r"^(?:there (?:is|are)|it is) ")
EXCEPTED = re.compile(
    r"^(?:all )?real(?: number)?s(?: x)?(?: except| other than| but)(?: for)? (?:x = )?([^=<>]+)$"
)
BUILDER = re.compile(r"^\\?\{\s*([A-Za-z])\s*(?:\\in\s*\\mathbb\s*\{?[A-Z]\}?\s*)?[|:](.*?)\\?\}$", re.DOTALL)


def parse_forms(text: str) -> list[Form]:
    """List the possible readings of a text, the likeliest first; the list is empty if there are none."""
    cleaned = clean(text) or ""
    spellings = [cleaned, *([cleaned.replace(",", ".")] if DECIMAL_COMMA.match(cleaned) else [])]
    readings = [read(spelling, MAX_NESTING) for spelling in spellings]
    return [reading for reading in readings if reading is not None]


def read(text: str, depth: int) -> Form | None:
    """Parse a cleaned text by the first rule that accepts it; None if no rule does."""
    text = join_thousands(text.lstrip(" ,;").rstrip(" .,;"))
    if not text or depth <= 0:
        return None
    readings = (reader(text, depth - 1) for reader in READERS)
    return next((form for form in readings if form is not None), None)


def _all(items: Iterable[Any]) -> tuple[Any, ...] | None:
    """Return the items; None if one of them is None."""
    complete = tuple(items)
    return None if any(item is None for item in complete) else complete


def scalar(text: str, _depth: int = 0) -> Scalar | None:
    text, unit = split_unit(text)
    degrees = "\u00b0" in text
    text = text.replace("\u00b0", " ").strip()
    if number := written_number(text):
        return Scalar(Number(number.value, number.places), number.is_percent, degrees, unit)
    percent = text.endswith("\\%")
    try:
        return Scalar(parse_expression(text.removesuffix("\\%")), percent, degrees, unit)
    except NotAnExpression:
        return None


def parse_node(text: str) -> Node | None:
    number = scalar(text)
    return None if number is None or number.percent else number.node


def _nodes(texts: Iterable[str]) -> tuple[Node, ...] | None:
    return _all(map(parse_node, texts))


def _nothing(text: str, _depth: int) -> Form | None:
    """Parse the empty set, as a sign or in words."""
    is_empty = text in ("\\emptyset", "\\{ \\}", "{ }", "{}") or is_none(text)
    return Listing((), is_set=True) if is_empty else None


def _reals(text: str, _depth: int) -> Form | None:
    if text.replace(" ", "") in REALS or extract_words(text) in REALS_IN_WORDS:
        return Region((Span(negate(INFINITY), INFINITY, False, False),))
    return Scalar(INFINITY) if is_endless(text) else None


def _parse_named(text: str, depth: int) -> Form | None:
    """Parse a value that words introduce; only after a plain "the ... is" may it be a word itself."""
    named = named_value(text)
    form = read(named.value, depth) if named else None
    if named is None or form is None or (isinstance(form, forms.Words) and not named.is_plain):
        return None
    return form if isinstance(form, Labelled) or not named.label else Labelled(form, named.label)


def _unwrapped(text: str, depth: int) -> Form | None:
    if text[0] == "{" and closes_at_end(text):
        return read(text[1:-1], depth)
    blocks = text_blocks(text)
    if len(blocks) == 1 and blocks[0][:2] == (0, len(text)):
        choice = CHOICE.match(blocks[0][2])
        return forms.Words(choice[1].casefold()) if choice else read(blocks[0][2], depth)
    return None


def _matrix(text: str, depth: int) -> Form | None:
    bare = BARE_MATRIX.match(text)
    match = MATRIX.match(bare[1] if bare else text)
    if not match or "\\begin" in match[2]:
        return None
    rows = [row for row in re.split(r"\\\\(?:\[[^\]]*\])?", match[2]) if row.strip()]
    cells = [[read(cell, depth) for cell in row.split("&")] for row in rows]
    if not cells or len({len(row) for row in cells}) != 1:
        return None
    filled = _all(map(_all, cells))
    return forms.Matrix(filled) if filled else None


def _builder(text: str, depth: int) -> Form | None:
    """Parse ``\\{x | x > 1\\}`` as the region it describes."""
    match = BUILDER.match(text)
    form = read(match[2], depth) if match else None
    return form if isinstance(form, Region) else None


def _listing(text: str, depth: int) -> Form | None:
    is_escaped = text.startswith("\\{") and closes_at_end(text)
    is_set = is_escaped or (text.startswith("{") and closes_at_end(text))
    parts = split_top(text[2:-2] if is_escaped else text[1:-1] if is_set else text, SEPARATORS)
    if len(parts) < 2 and not is_escaped:
        return None
    items: list[Labelled] = []
    for name, part in named_parts(parts):
        form = read(part, depth) if part.strip() else None
        if form is None:
            if part.strip() or not items:
                return None
            continue
        items.extend(_spread(Labelled(form, name) if name and not isinstance(form, Labelled) else form))
    if " or " in text and len({item.form.unit for item in items if isinstance(item.form, Scalar)} - {""}) > 1:
        return None  # "3 hours or 8 minutes" gives two different answers
    if not is_set and (union := _alternatives(text, items)):
        return union
    if len({item.label for item in items[1:]} | {""}) == 1 and items[0].label:
        items[0] = Labelled(items[0].form)
    is_joint = " and " in text and any(len(split_top(part, RELATIONS)) > 1 for part in parts)
    return Listing(tuple(items), is_set, is_joint)


def _spread(form: Form) -> list[Labelled]:
    if isinstance(form, Labelled):
        inner = form.form
        if isinstance(inner, Listing):
            return [Labelled(item.form, form.label, form.variable) for item in inner.items]
        return [form]
    if isinstance(form, Listing) and not form.is_set:
        return list(form.items)
    return [Labelled(form)]


def _alternatives(text: str, items: Sequence[Labelled]) -> Form | None:
    """Parse ``x < 1 or x > 3`` as one region, since regions joined by "or" form their union."""
    parts = [item.form for item in items if isinstance(item.form, Region)]
    is_region = len(items) > 1 and len(parts) == len(items) and " or " in text.lower()
    return regions.join(parts) if is_region else None


def _union(text: str, depth: int) -> Form | None:
    parts = split_top(text, ("\\cup",))
    if len(parts) < 2:
        return None
    members = [read(part, depth) for part in parts]
    sets = [form for form in members if isinstance(form, Listing) and form.is_set]
    if len(sets) == len(members):
        return Listing(tuple(item for form in sets for item in form.items), True)
    spans = _all(map(regions.to_region, members))
    return regions.join(spans) if spans else None


def _without(text: str, depth: int) -> Form | None:
    """Parse ``\\mathbb{R} \\setminus \\{3\\}``, in words too."""
    excepted = EXCEPTED.match(text)
    parts = ["\\R", f"\\{{{excepted[1]}\\}}"] if excepted else split_top(text, ("\\setminus",))
    if len(parts) != 2:
        return None
    whole, gaps = (regions.to_region(read(part, depth)) for part in parts)
    return regions.subtract(whole, gaps) if whole and gaps else None


def _conjunction(text: str, depth: int) -> Form | None:
    """Parse ``x > 1 and x < 3`` as the region where all the inequalities hold."""
    parts = _excluded([part.strip() for part in split_top(text, (",", ";", " and ")) if part.strip()])
    names = {
        side.strip() for part in parts for side in split_top(part, RELATIONS) if parse_label(side.strip())
    }
    if len(parts) < 2 or len(names) != 1:
        return None
    bounds = [form for part in parts if isinstance(form := _relation(part, depth), Region)]
    return regions.intersect(bounds) if len(bounds) == len(parts) else None


def _excluded(parts: list[str]) -> list[str]:
    """Expand ``x  e 1, 3`` to ``x  e 1, x  e 3``."""
    name, *values = split_top(parts[0], ("\\ne",)) if parts else [""]
    if len(values) != 1 or any(len(split_top(part, RELATIONS)) > 1 for part in parts[1:]):
        return parts
    return [parts[0], *(f"{name} \\ne {part}" for part in parts[1:])]


def _membership(text: str, depth: int) -> Form | None:
    parts = split_top(text, ("\\in",))
    return read(parts[1], depth) if len(parts) == 2 and parse_label(parts[0]) else None


def _bracketed(text: str, depth: int) -> Form | None:
    opening = "\\langle" if text.startswith("\\langle") else text[0]
    if opening not in ("(", "[", "\\langle") or not closes_at_end(text):
        return None
    closing = "\\rangle" if text.endswith("\\rangle") else text[-1]
    parts = split_top(text[len(opening) : -len(closing)], (",", ";"))
    if len(parts) > 1 and text.count("\\pm") + text.count("\\mp") == 1:
        return _plus_minus(text, depth)
    items = _all(read(part, depth) for part in parts)
    if len(parts) < 2 or items is None:
        return None
    form = forms.Sequence(items, opening.replace("\\langle", "("), closing.replace("\\rangle", ")"))
    is_interval = len(items) == 2 and (form.opening == "[" or form.closing == "]")
    return (is_interval and regions.to_region(form)) or form


def _plus_minus(text: str, depth: int) -> Form | None:
    if "\\pm" not in text and "\\mp" not in text:
        return None
    signs = (("+", "-"), ("-", "+"))
    both = _all(read(text.replace("\\pm", pm).replace("\\mp", mp), depth) for pm, mp in signs)
    if both and "\\ne" in text and all(isinstance(form, Region) for form in both):
        return regions.intersect(both)
    return Listing(tuple(item for form in both for item in _spread(form))) if both else None


def _relation(text: str, depth: int) -> Form | None:
    parts = [part.strip() for part in split_top(text, RELATIONS, keep=True)]
    sides, operators = parts[::2], parts[1::2]
    if not operators or "\\equiv" in operators:
        return None
    if "\\approx" in operators:
        return _approximate(parts, depth)
    return _equation(sides, depth) if set(operators) == {"="} else _inequality(sides, operators)


def _approximate(parts: list[str], depth: int) -> Form | None:
    """Take the exact side of ``exact \\approx decimal``, provided that they are near each other."""
    exact = " ".join(parts[: parts.index("\\approx")]).strip()
    if not exact or (parse_label(exact) and not _is_constant(exact)):
        form = read(parts[-1], depth)
        return Labelled(form, exact) if form and exact and not isinstance(form, Labelled) else form
    form, rough = read(exact, depth), scalar(parts[-1])
    inner = form.form if isinstance(form, Labelled) else form
    if not isinstance(inner, Scalar) or rough is None or inner.percent != rough.percent:
        return None
    return form if decimals.is_near(inner.node, rough.node) else None


def _is_constant(text: str) -> bool:
    r"""Return whether a name such as ``\pi`` stands for a number."""
    node = parse_node(text)
    return node is not None and values.constant(node) is not None


def _equation(sides: list[str], depth: int) -> Form | None:
    if not sides[0]:
        return read("=".join(sides[1:]), depth)
    if len(sides) == 2 and parse_label(sides[1]) and not parse_label(sides[0]):
        sides = sides[::-1]
    label = parse_label(sides[0])
    if label is not None and all(parse_label(side) or _agrees(side, sides[-1]) for side in sides[1:-1]):
        form = read(sides[-1], depth)
        return None if form is None else Labelled(form, *label)
    nodes = _nodes(sides)
    if nodes is None:
        return None
    if any(map(collect_symbols, nodes)):
        return forms.Relation(nodes, ("=",) * (len(nodes) - 1))
    constants = _all(map(values.constant, nodes))
    is_true = constants and all(values.same_value(value, constants[0]) for value in constants)
    return Scalar(nodes[-1]) if is_true else None


def _agrees(side: str, last: str) -> bool:
    """Return whether two sides of a chain of equalities have the same value."""
    nodes = _nodes((side, last))
    constants = _all(map(values.constant, nodes)) if nodes else None
    return constants is not None and values.same_value(*constants)


def _inequality(sides: list[str], operators: list[str]) -> Form | None:
    if any(operator in FLIPPED for operator in operators):
        if "<" in operators or "\\le" in operators:
            return None
        sides, operators = sides[::-1], [FLIPPED.get(operator, operator) for operator in operators[::-1]]
    named = [index for index, side in enumerate(sides) if parse_label(side)]
    if not named and any(side.startswith("-") and parse_label(side[1:].strip()) for side in sides):
        sides, operators = [*map(_opposite, sides[::-1])], operators[::-1]
        named = [index for index, side in enumerate(sides) if parse_label(side)]
    if "\\ne" not in operators and "=" not in operators and len(named) == 1 and len(sides) <= 3:
        return _region_around(named[0], [*map(parse_node, sides)], operators)
    known = _nodes(sides)
    if known is None:
        return None
    if operators == ["\\ne"] and len(named) == 1:
        excluded = known[1 - named[0]]
        below, above = (negate(INFINITY), excluded), (excluded, INFINITY)
        return Region((Span(*below, False, False), Span(*above, False, False)))
    return forms.Relation(known, tuple(operators))


def _opposite(side: str) -> str:
    return side[1:].strip() if side.startswith("-") and parse_label(side[1:].strip()) else f"-({side})"


def _region_around(middle: int, nodes: list[Node | None], operators: list[str]) -> Form | None:
    """Return the region of values that a name may take between its bounds."""
    if len(nodes) == 3 and middle != 1:
        return None
    low: Node | None = negate(INFINITY) if middle == 0 else nodes[0]
    high: Node | None = INFINITY if middle == len(nodes) - 1 else nodes[-1]
    if low is None or high is None:
        return None
    low_closed = middle > 0 and operators[0] == "\\le" and not values.infinite_sign(low)
    high_closed = middle < len(nodes) - 1 and operators[-1] == "\\le" and not values.infinite_sign(high)
    return Region((Span(low, high, low_closed, high_closed),))


def _based(text: str, _depth: int) -> Form | None:
    match = IN_BASE.match(text)
    return forms.InBase(match[1], match[2]) if match else None


def _ratio(text: str, _depth: int) -> Form | None:
    terms = _nodes(split_top(text, (":", " to ")))
    return forms.Ratio(terms) if terms and len(terms) > 1 else None


def _words(text: str, _depth: int) -> Form | None:
    """Parse a text of letters only; one with digits or operators that no other rule accepted is no answer."""
    bare = re.sub(r"\\(?:text|operatorname)\b|[\s{}().,'\"\-]", "", text)
    return forms.Words(POINTING.sub("", extract_words(text))) if bare.isalpha() else None


def _number_in_words(text: str, _depth: int) -> Form | None:
    number = written_in_words(text)
    return None if number is None else Scalar(Number(number.value))


READERS = (
    *(
        _nothing,
        _reals,
        _number_in_words,
        _matrix,
        _builder,
        _conjunction,
        _listing,
        _unwrapped,
        _union,
        _without,
        _membership,
    ),
    *(_parse_named, _relation, _bracketed, _plus_minus, _based, _ratio, scalar, _words),
)
