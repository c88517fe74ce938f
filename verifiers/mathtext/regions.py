"""What regions have in common, and what is left of one.

None where their ends cannot be compared, and where nothing is left: a list ``x < 1, x > 3`` means either.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from functools import cmp_to_key
from itertools import pairwise

from verifiers.mathtext import forms, values
from verifiers.mathtext.expressions import Apply, Node, negated
from verifiers.mathtext.forms import Form, Listing, Region, Scalar, Span

MAX_SPANS = 20
INFINITY = Apply("oo")


def joined(regions: Iterable[Region]) -> Region:
    """Return the points of any of the regions."""
    return Region(tuple(span for region in regions for span in region.spans))


def region_of(form: Form | None) -> Region | None:
    """The form as a region: an interval, a pair in round brackets, or points in braces."""
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


def region_of_list(form: Form) -> Region | None:
    """``(1, 2) or (3, 4)``, ``x = 1 or x > 3``: intervals and points that are one region together."""
    if not isinstance(form, Listing) or form.is_set or form.is_joint:
        return None
    spans: list[Span] = []
    for item in form.items:
        region = (
            region_of(Listing((item,), is_set=True))
            if isinstance(item.form, Scalar)
            else region_of(item.form)
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
    """Return whether each point adds to the intervals; ``x > 3, 5`` names two things."""
    left = without(points, others)
    return left is not None and len(left.spans) == len(points.spans)


def common(regions: Sequence[Region]) -> Region | None:
    """The intersection."""
    return _combined(regions, all)


def union(region: Region) -> Region | None:
    """Return the same points in as few spans as possible, in order."""
    return _combined([region], all)


def without(whole: Region, gaps: Region) -> Region | None:
    """The difference."""
    return _combined([whole, gaps], lambda inside: inside[0] and not inside[1])


def _combined(regions: Sequence[Region], holds: Callable[[Sequence[bool]], bool]) -> Region | None:
    """The points at which a rule on "inside each of the regions" holds.

    Between two neighbouring ends nothing changes, so each end and each gap between ends is decided once.
    """
    spans = [span for region in regions for span in region.spans]
    ends = _sorted_ends([end for span in spans for end in (span.low, span.high)])
    if ends is None or len(spans) > MAX_SPANS:
        return None
    bounds = [negated(INFINITY), *ends, INFINITY]
    pieces: list[Span] = []
    for low, high in pairwise(bounds):
        pieces += [Span(low, low, True, True), Span(low, high, False, False)]
    inside = [piece for piece in pieces if holds([_contains(region, piece) for region in regions])]
    merged = _merged([piece for piece in inside if not _is_infinite_point(piece)])
    return Region(tuple(merged)) if merged else None


def _is_infinite_point(piece: Span) -> bool:
    return piece.low is piece.high and bool(values.infinite_sign(piece.low))


def _merged(pieces: Sequence[Span]) -> list[Span]:
    joined: list[Span] = []
    for piece in pieces:
        last = joined[-1] if joined else None
        if last and last.high is piece.low and (last.high_closed or piece.low_closed):
            joined[-1] = Span(last.low, piece.high, last.low_closed, piece.high_closed)
        else:
            joined.append(piece)
    return joined


def _contains(region: Region, piece: Span) -> bool:
    """Whether a piece, an end or an open gap between neighbouring ends, lies in the region."""
    return any(_lies_in(piece, span) for span in region.spans)


def _lies_in(piece: Span, span: Span) -> bool:
    low, high = _compared(span.low, piece.low), _compared(piece.high, span.high)
    is_point = piece.low is piece.high
    reaches_low = low < 0 or (low == 0 and (span.low_closed or not is_point))
    reaches_high = high < 0 or (high == 0 and (span.high_closed or not is_point))
    return reaches_low and reaches_high


def _sorted_ends(ends: Sequence[Node]) -> list[Node] | None:
    """The finite ends in order, each once; None if one has no real value."""
    finite = [end for end in ends if not values.infinite_sign(end)]
    known = [values.constant(end) for end in finite]
    if not all(value is not None and values.is_real(value) for value in known):
        return None
    ordered: list[Node] = []
    for end in sorted(finite, key=cmp_to_key(_compared)):
        if not ordered or _compared(ordered[-1], end):
            ordered.append(end)
    return ordered


def _compared(left: Node, right: Node) -> int:
    """-1, 0 or 1 as the left number is smaller, equal or larger."""
    infinite = values.infinite_sign(left) - values.infinite_sign(right)
    if infinite or values.infinite_sign(left):
        return (infinite > 0) - (infinite < 0)
    a, b = values.constant(left), values.constant(right)
    if values.same_value(a, b):
        return 0
    return -1 if values.at_most(a, b) else 1
