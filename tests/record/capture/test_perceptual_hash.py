from __future__ import annotations

import pytest
from PIL import Image, ImageDraw

from trajectories.record.capture.pictures import BITS, distance, perceptual_hash


def page(*, title: str = "A booking", lines: int = 12, size: tuple[int, int] = (1280, 720)) -> Image.Image:
    """A page with a header, a heading and lines of text."""
    picture = Image.new("RGB", size, "white")
    draw = ImageDraw.Draw(picture)
    draw.rectangle((0, 0, size[0], 80), fill="navy")
    draw.text((60, 120), title * 4, fill="black")
    for line in range(lines):
        draw.rectangle((60, 180 + 40 * line, 60 + 70 * (3 + line * 5 % 11), 200 + 40 * line), fill="grey")
    return picture


def test_the_same_picture_has_the_same_hash() -> None:
    assert perceptual_hash(page()) == perceptual_hash(page())
    assert len(perceptual_hash(page())) == 16


@pytest.mark.parametrize("colour", ["white", "black", "#123456"])
def test_the_hash_of_a_uniform_picture_has_no_noise(colour: str) -> None:
    assert int(perceptual_hash(Image.new("RGB", (1280, 720), colour)), 16).bit_count() <= 1


def test_a_resized_or_slightly_changed_picture_differs_in_few_bits() -> None:
    known = perceptual_hash(page())
    assert distance(known, perceptual_hash(page().resize((640, 360)))) <= 4
    typed = page()
    ImageDraw.Draw(typed).text((300, 650), "42", fill="black")
    assert distance(known, perceptual_hash(typed)) <= 4


def test_another_page_differs_in_many_bits() -> None:
    other = page(lines=3)
    ImageDraw.Draw(other).rectangle((700, 120, 1200, 700), fill="darkred")
    assert distance(perceptual_hash(page()), perceptual_hash(other)) > 12


def test_distances_count_bits() -> None:
    assert distance("0" * 16, "f" * 16) == BITS
    assert distance("8000000000000001", "0000000000000001") == 1
    assert distance("ab" * 8, "ab" * 8) == 0
