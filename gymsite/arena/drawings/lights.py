"""The time of day in a picture: its effect on colours, and the sky."""

from __future__ import annotations

import copy
import math
from collections.abc import Sequence
from typing import NamedTuple

from core.draws import Draws
from gymsite.arena.drawings.canvas import WIDTH, Canvas, Colour, mix, parse_hex
from gymsite.arena.drawings.svg import art, art_draw

GLASS = parse_hex("6f95a6")
GRASS = parse_hex("8fae6e")
IRON = parse_hex("39414a")
SEA = parse_hex("3f7f93")
FAR_HILLS, NEAR_HILLS = parse_hex("8fb0a6"), parse_hex("86a67c")
LIT = frozenset({"window", "lens", "globe"})
"""Artwork variables that have the lamps' colour while lamps are lit."""


class Light(NamedTuple):
    """Light of a time of day: ``tint`` is mixed into colours by ``share``, ``horizon`` into distant ones."""

    zenith: Colour
    horizon: Colour
    tint: Colour
    sun: Colour
    share: float
    lamp: Colour | None = None
    """The colour of lit windows, if any are lit."""


LIGHTS = {
    "morning": Light(
        parse_hex("a9c8dc"), parse_hex("fbe3cd"), parse_hex("f4c9a0"), parse_hex("fff3da"), share=0.16
    ),
    "day": Light(
        parse_hex("8fc0dd"), parse_hex("e6f1f2"), parse_hex("dcebf0"), parse_hex("fff9e8"), share=0.05
    ),
    "evening": Light(
        parse_hex("2c3c63"),
        parse_hex("e39a77"),
        parse_hex("2b2f5c"),
        parse_hex("ffd9a0"),
        share=0.43,
        lamp=parse_hex("ffd27d"),
    ),
}


class Scene(Canvas):
    """Canvas with a light and with random draws that decide what is drawn."""

    def __init__(self, *, width: int, light: Light, draws: Draws) -> None:
        super().__init__(width=width)
        self.light = light
        self.draws = draws

    def apart(self, *names: str | int) -> Scene:
        """Return the same canvas with separate random draws, which do not affect the canvas's others."""
        scene = copy.copy(self)
        scene.draws = self.draws.at(*names)
        return scene

    def on(self, colour: Colour | str, *, far: float = 0) -> Colour:
        """Return a colour, or one written like ``e0b877``, as it appears in this light."""
        near = mix(
            parse_hex(colour) if isinstance(colour, str) else colour, self.light.tint, self.light.share
        )
        return mix(near, self.light.horizon, far) if far else near

    def lit(self, colour: Colour | str) -> Colour:
        """Return the lamps' colour if lamps are lit, otherwise ``colour`` in this light."""
        return self.light.lamp or self.on(colour)

    def art(self, name: str, x: float = 0, y: float = 0, /, **colours: Colour) -> None:
        """Draw artwork in this light; a variable that is not given has its default colour."""
        defaults = {
            variable: self.lit(colour) if variable in LIT else self.on(colour)
            for variable, colour in art(name).defaults.items()
        }
        art_draw(self.moved(x, y), name, **defaults | {"lamp": self.light.lamp} | colours)

    def any_of(self, colours: Sequence[Colour], *, far: float = 0) -> Colour:
        return self.on(self.draws.pick(colours), far=far)

    def glass(self, share_lit: float, *, far: float = 0) -> Colour:
        """Return a window's colour; while lamps are lit, it is lit with probability ``share_lit``."""
        is_lit = self.draws.chance(share_lit)
        return self.light.lamp if is_lit and self.light.lamp else self.on(GLASS, far=far)


def sky(s: Scene, *, bottom: float = 470) -> None:
    """Draw the sky, with its own random draws, so that the rest of the picture is the same in every light."""
    s = s.apart("sky")
    s.fade(0, bottom, s.light.zenith, s.light.horizon)
    x, y = s.draws.pick((s.draws.whole(70, 190), s.draws.whole(610, 730))), s.draws.whole(84, 124)
    clouds = [(s.draws.whole(-20, 780), s.draws.whole(50, 220), s.draws.whole(30, 58)) for _ in range(3)]
    if s.light.lamp:
        for _ in range(26):
            s.disc(
                s.draws.whole(0, WIDTH), s.draws.whole(0, 190), 1.3, s.light.sun, alpha=s.draws.whole(70, 190)
            )
        s.disc(x, y, 25, s.light.sun)
        s.disc(x + 11, y - 7, 22, mix(s.light.zenith, s.light.horizon, 0.9 * (y - 7) / bottom))
    else:
        s.glow(x, y, 88, s.light.sun, alpha=60)
        s.disc(x, y, 36, s.light.sun)
    for cloud in clouds:
        _cloud(s, *cloud)


def _cloud(s: Scene, x: int, y: int, size: int) -> None:
    colour = (
        mix(s.light.zenith, s.light.horizon, 0.42) if s.light.lamp else mix(s.light.horizon, s.light.sun, 0.6)
    )
    s.box(x - size * 1.8, y - size * 0.26, size * 3.6, size * 0.52, colour, round_by=size)
    s.box(x - size * 1.0, y - size * 0.62, size * 1.9, size * 0.6, colour, round_by=size)
    s.box(x - size * 2.5, y + size * 0.1, size * 2.4, size * 0.3, colour, round_by=size)


def ridge(s: Scene, colour: Colour, *, y: float, height: float, peaks: int = 2, base: float = 600) -> None:
    """Draw a line of hills against the sky, filled down to ``base``."""
    phase, other = s.draws.share() * 6.3, s.draws.share() * 6.3
    points = [
        (
            x,
            y
            - height * 0.6 * math.sin(x / WIDTH * math.pi * peaks + phase)
            - height * 0.4 * math.sin(x / WIDTH * math.pi * (2 * peaks + 1) + other),
        )
        for x in range(-10, WIDTH + 20, 14)
    ]
    s.area([*points, (WIDTH + 10, base), (-10, base)], colour)


def mountains(s: Scene, *, y: float, height: float, far: float) -> None:
    rock, snow = s.on("6f8796", far=far), s.on("f4f6f6", far=far * 0.7)
    x = -60.0
    while x < WIDTH + 60:
        wide, high = s.draws.whole(190, 330), height * (0.6 + 0.4 * s.draws.share())
        top = (x + wide * 0.5, y - high)
        s.area([(x, y), top, (x + wide, y)], rock)
        s.area([top, (x + wide, y), (x + wide * 0.56, y)], mix(rock, s.light.tint, 0.18))
        s.area(
            [
                top,
                (top[0] + wide * 0.14, y - high * 0.72),
                (top[0] + wide * 0.04, y - high * 0.78),
                (top[0] - wide * 0.03, y - high * 0.7),
                (top[0] - wide * 0.13, y - high * 0.74),
            ],
            snow,
        )
        x += wide * 0.6


def water(s: Scene, *, top: float, bottom: float = 600) -> None:
    deep = s.on(SEA)
    s.fade(top, bottom, mix(deep, s.light.horizon, 0.55), deep)
    shine = mix(s.light.horizon, s.light.sun, 0.6)
    for _ in range(46):
        y = top + (bottom - top) * s.draws.share() ** 0.8
        near = (y - top) / (bottom - top)
        long = 14 + 60 * near * s.draws.share()
        x = s.draws.whole(-20, WIDTH)
        s.box(x, y, long, 1.6 + 2.2 * near, shine, round_by=2, alpha=round(40 + 50 * s.draws.share()))
