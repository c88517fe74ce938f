"""Intersection, union and difference of regions.

Each operation returns None if ends cannot be compared or if the result is empty. An empty intersection tells
the parser that a list such as ``x < 1, x > 3`` means "or".
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from functools import cmp_to_key
from itertools import pairwise

from verifiers.mathtext import forms, values
from verifiers.mathtext.expressions import Apply, Node, negate
from verifiers.mathtext.forms import Form, Listing, Region, Scalar, Span

MAX_SPANS = 20
INFINITY = Apply("oo")


def join(regions: Iterable[Region]) -> Region:
    """Return one region with the spans of all the regions."""
    return Region(tuple(span for region in regions for span in region.spans))


def to_region(form: Form | None) -> Region | None:
    """Convert a form to a region: an interval, a pair in round brackets, or points in braces."""
    if isinstance(form, Region):
        return form
    if isinstance(form, forms.Sequence) and len(form.items) == 2:
        low, high = form.items
        if isinstance(low, Scalar) and isinstance(high, Scalar):
            return Region((Span(low.node, high.node, form.opening == "[", form.closing == "]"),))
    if isinstance(form, Listing) and form.is_set:
        nodes = [item.form.node for item in form.items if isinstance(item.form, Scalar)]
        if len(nodes) == len(form.items):
            return Region(tuple(Span(node, node, True, True) for node in nodes))
    return None


def list_to_region(form: Form) -> Region | None:
    """Convert ``(1, 2) or (3, 4)`` or ``x = 1 or x > 3`` to one region of intervals and points."""
    if not isinstance(form, Listing) or form.is_set or form.is_joint:
        return None
    spans: list[Span] = []
    for item in form.items:
        region = (
            to_region(Listing((item,), is_set=True))
            if isinstance(item.form, Scalar)
            else to_region(item.form)
        )
        if region is None:
            return None
        spans += region.spans
    points, others = (
        Region(tuple(span for span in spans if (span.low is span.high) == is_point))
        for is_point in (True, False)
    )
    if not others.spans or (points.spans and not _are_apart(points, others)):
        return None
    return Region(tuple(spans))


def _are_apart(points: Region, others: Region) -> bool:
    """Return whether every point lies outside the intervals; in ``x > 3, 5`` the 5 does not."""
    left = subtract(points, others)
    return left is not None and len(left.spans) == len(points.spans)


def intersect(regions: Sequence[Region]) -> Region | None:
    """Intersect the regions."""
    return _combine(regions, all)


def union(region: Region) -> Region | None:
    """Return the same points in as few spans as possible, in order."""
    return _combine([region], all)


def subtract(whole: Region, gaps: Region) -> Region | None:
    """Subtract ``gaps`` from ``whole``."""
    return _combine([whole, gaps], lambda inside: inside[0] and not inside[1])


def _combine(regions: Sequence[Region], holds: Callable[[Sequence[bool]], bool]) -> Region | None:
    """Return the points where ``holds`` is true of the list that tells which regions contain the point.

    Nothing changes between two neighbouring ends, so each end and each gap between ends is decided once.
    """
    spans = [span for region in regions for span in region.spans]
    ends = _sorted_ends([end for span in spans for end in (span.low, span.high)])
    if ends is None or len(spans) > MAX_SPANS:
        return None
    bounds = [negate(INFINITY), *ends, INFINITY]
    pieces: list[Span] = []
    for low, high in pairwise(bounds):
        pieces += [Span(low, low, True, True), Span(low, high, False, False)]
    inside = [piece for piece in pieces if holds([_contains(region, piece) for region in regions])]
    merged = _merge([piece for piece in inside if not _is_infinite_point(piece)])
    return Region(tuple(merged)) if merged else None


def _is_infinite_point(piece: Span) -> bool:
    return piece.low is piece.high and bool(values.infinite_sign(piece.low))


def _merge(pieces: Sequence[Span]) -> list[Span]:
    join: list[Span] = []
    for piece in pieces:
        last = join[-1] if join else None
        if last and last.high is piece.low and (last.high_closed or piece.low_closed):
            join[-1] = Span(last.low, piece.high, last.low_closed, piece.high_closed)
        else:
            join.append(piece)
    return join


def _contains(region: Region, piece: Span) -> bool:
    """Return whether the region contains a piece: an end, or an open gap between neighbouring ends."""
    return any(_lies_in(piece, span) for span in region.spans)


def _lies_in(piece: Span, span: Span) -> bool:
    low, high = _compare(span.low, piece.low), _compare(piece.high, span.high)
    is_point = piece.low is piece.high
    reaches_low = low < 0 or (low == 0 and (span.low_closed or not is_point))
    reaches_high = high < 0 or (high == 0 and (span.high_closed or not is_point))
    return reaches_low and reaches_high


def _sorted_ends(ends: Sequence[Node]) -> list[Node] | None:
    """Sort the finite ends, each once; None if one has no real value."""
    finite = [end for end in ends if not values.infinite_sign(end)]
    known = [values.constant(end) for end in finite]
    if not all(value is not None and values.is_real(value) for value in known):
        return None
    ordered: list[Node] = []
    for end in sorted(finite, key=cmp_to_key(_compare)):
        if not ordered or _compare(ordered[-1], end):
            ordered.append(end)
    return ordered


def _compare(left: Node, right: Node) -> int:
    """Return -1 if the left number is smaller, 0 if both are equal, and 1 if the left number is larger."""
    infinite = values.infinite_sign(left) - values.infinite_sign(right)
    if infinite or values.infinite_sign(left):
        return (infinite > 0) - (infinite < 0)
    a, b = values.constant(left), values.constant(right)
    if values.same_value(a, b):
        return 0
    return -1 if values.at_most(a, b) else 1
