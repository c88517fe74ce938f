"""The time of day of a picture: what it does to every colour, and the sky."""

from __future__ import annotations

import math
from dataclasses import dataclass

from core.draws import Draws
from gymsite.arena.drawings.canvas import WIDTH, Canvas, Colour, hexed, mix


@dataclass(frozen=True)
class Light:
    """``tint`` is mixed into each colour by ``share``, more of it the farther a thing is."""

    zenith: Colour
    horizon: Colour
    tint: Colour
    share: float
    sun: Colour
    lamp: Colour | None = None
    """The colour of lit windows, where any are lit."""

    def on(self, colour: Colour, *, far: float = 0) -> Colour:
        near = mix(colour, self.tint, self.share)
        return mix(near, self.horizon, far) if far else near


LIGHTS = {
    "morning": Light(hexed("a9c8dc"), hexed("fbe3cd"), hexed("f4c9a0"), 0.16, hexed("fff3da")),
    "day": Light(hexed("8fc0dd"), hexed("e6f1f2"), hexed("dcebf0"), 0.05, hexed("fff9e8")),
    "evening": Light(
        hexed("2c3c63"), hexed("e39a77"), hexed("2b2f5c"), 0.43, hexed("ffd9a0"), hexed("ffd27d")
    ),
}


def sky(c: Canvas, light: Light, draws: Draws, *, bottom: float = 470) -> None:
    """The sky has draws of its own, so that a thing drawn before it is the same in every light."""
    draws = draws.at("sky")
    c.fade(0, bottom, light.zenith, light.horizon)
    x, y = draws.pick((draws.whole(70, 190), draws.whole(610, 730))), draws.whole(84, 124)
    clouds = [(draws.whole(-20, 780), draws.whole(50, 220), draws.whole(30, 58)) for _ in range(3)]
    if light.lamp:
        for _ in range(26):
            c.disc(draws.whole(0, WIDTH), draws.whole(0, 190), 1.3, light.sun, alpha=draws.whole(70, 190))
        c.disc(x, y, 25, light.sun)
        c.disc(x + 11, y - 7, 22, mix(light.zenith, light.horizon, 0.9 * (y - 7) / bottom))
    else:
        c.glow(x, y, 88, light.sun, alpha=60)
        c.disc(x, y, 36, light.sun)
    for place in clouds:
        _cloud(c, light, *place)


def _cloud(c: Canvas, light: Light, x: int, y: int, size: int) -> None:
    colour = mix(light.zenith, light.horizon, 0.42) if light.lamp else mix(light.horizon, light.sun, 0.6)
    c.box(x - size * 1.8, y - size * 0.26, size * 3.6, size * 0.52, colour, round_by=size)
    c.box(x - size * 1.0, y - size * 0.62, size * 1.9, size * 0.6, colour, round_by=size)
    c.box(x - size * 2.5, y + size * 0.1, size * 2.4, size * 0.3, colour, round_by=size)


def ridge(
    c: Canvas, colour: Colour, draws: Draws, *, y: float, height: float, peaks: int = 2, base: float = 600
) -> None:
    """A line of hills against the sky, filled down to ``base``."""
    phase, other = draws.share() * 6.3, draws.share() * 6.3
    points = [
        (
            x,
            y
            - height * 0.6 * math.sin(x / WIDTH * math.pi * peaks + phase)
            - height * 0.4 * math.sin(x / WIDTH * math.pi * (2 * peaks + 1) + other),
        )
        for x in range(-10, WIDTH + 20, 14)
    ]
    c.area([*points, (WIDTH + 10, base), (-10, base)], colour)


def mountains(c: Canvas, light: Light, draws: Draws, *, y: float, height: float, far: float) -> None:
    rock, snow = light.on(hexed("6f8796"), far=far), light.on(hexed("f4f6f6"), far=far * 0.7)
    x = -60.0
    while x < WIDTH + 60:
        wide, high = draws.whole(190, 330), height * (0.6 + 0.4 * draws.share())
        top = (x + wide * 0.5, y - high)
        c.area([(x, y), top, (x + wide, y)], rock)
        c.area([top, (x + wide, y), (x + wide * 0.56, y)], mix(rock, light.tint, 0.18))
        c.area(
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


def water(c: Canvas, light: Light, draws: Draws, *, top: float, bottom: float = 600) -> None:
    deep = light.on(hexed("3f7f93"))
    c.fade(top, bottom, mix(deep, light.horizon, 0.55), deep)
    shine = mix(light.horizon, light.sun, 0.6)
    for _ in range(46):
        y = top + (bottom - top) * draws.share() ** 0.8
        near = (y - top) / (bottom - top)
        long = 14 + 60 * near * draws.share()
        x = draws.whole(-20, WIDTH)
        c.box(x, y, long, 1.6 + 2.2 * near, shine, round_by=2, alpha=round(40 + 50 * draws.share()))
