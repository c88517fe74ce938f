"""Trees, bushes and pots."""

from __future__ import annotations

from gymsite.arena.drawings.canvas import Canvas, Colour, darker, lighter, mix, parse_hex, parse_palette
from gymsite.arena.drawings.lights import Scene

GREENS = parse_palette("5f8a63 7b9c5c 4f7d6b 8aa567 6b8f50")
TRUNK = parse_hex("6b5244")


def tree(s: Scene, *, x: float, base: float, height: float, far: float = 0) -> None:
    """Draw a broad tree, a fir or a poplar."""
    green = s.any_of((GREENS), far=far)
    trunk = s.on(TRUNK, far=far)
    kind = s.draws.pick(("broad", "broad", "poplar", "fir"))
    s.box(x - height * 0.025, base - height * 0.4, height * 0.05, height * 0.4, trunk)
    if kind == "fir":
        for layer in range(3):
            top = base - height * (0.5 + 0.25 * layer)
            wide = height * (0.26 - 0.06 * layer)
            s.area([(x - wide, top + height * 0.36), (x, top), (x + wide, top + height * 0.36)], green)
            s.area([(x, top), (x + wide, top + height * 0.36), (x, top + height * 0.36)], darker(green, 0.16))
    elif kind == "poplar":
        _crown(s, green, x=x, y=base - height * 0.58, across=height * 0.15, up=height * 0.42)
    else:
        _crown(s, green, x=x, y=base - height * 0.62, across=height * 0.34, up=height * 0.37)
        s.line([(x, base - height * 0.3), (x + height * 0.1, base - height * 0.5)], trunk, height * 0.025)


def _crown(c: Canvas, green: Colour, *, x: float, y: float, across: float, up: float) -> None:
    flat = up / across
    c.disc(x, y, across, green, flat=flat)
    c.disc(x + across * 0.24, y + up * 0.12, across * 0.76, darker(green, 0.13), flat=flat)
    c.disc(x - across * 0.12, y - up * 0.06, across * 0.72, green, flat=flat)
    c.disc(x - across * 0.34, y - up * 0.34, across * 0.34, lighter(green, 0.14), flat=flat * 0.9)


def bush(s: Scene, *, x: float, base: float, size: float) -> None:
    green = s.any_of(GREENS)
    for step, part in ((-0.55, 0.5), (0.5, 0.55), (0, 0.72)):
        s.disc(
            x + step * size, base - part * size * 0.7, part * size, mix(green, s.light.tint, 0.04 + part / 12)
        )
    s.disc(x - size * 0.14, base - size * 0.72, size * 0.36, lighter(green, 0.12))


def pot(s: Scene, *, x: float, base: float, size: float) -> None:
    """Draw a small clipped tree in a pot."""
    clay = s.any_of((parse_hex("b9694a"), parse_hex("5b646b"), parse_hex("8f7a64")))
    s.area(
        [
            (x - size * 0.34, base - size * 0.6),
            (x + size * 0.34, base - size * 0.6),
            (x + size * 0.25, base),
            (x - size * 0.25, base),
        ],
        clay,
    )
    s.box(x - size * 0.05, base - size * 1.1, size * 0.1, size * 0.5, s.on(TRUNK))
    _crown(s, s.any_of(GREENS), x=x, y=base - size * 1.45, across=size * 0.5, up=size * 0.52)


def flowers(s: Scene, *, x: float, y: float, width: float) -> None:
    """Draw a flower box below a window."""
    bloom = s.any_of(parse_palette("c9534f d98aa0 e3b04b f1e4da a56aa3"))
    s.box(x, y, width, 7, s.on("7a5a46"), round_by=2)
    green = s.on(GREENS[0])
    count = max(int(width / 9), 3)
    for step in range(count):
        at = x + width * (step + 0.5) / count
        s.disc(at, y - 2, 6, green)
    for step in range(count):
        at = x + width * (step + 0.5) / count
        s.disc(at + s.draws.whole(-2, 2), y - 4 - s.draws.whole(0, 4), 3, bloom)
