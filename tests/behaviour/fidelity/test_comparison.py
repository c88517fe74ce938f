from __future__ import annotations

import pytest
from PIL import Image, ImageChops, ImageDraw, ImageFilter

from tests.behaviour.fidelity.factories import window
from trajectories.behaviour.fidelity import comparison


def test_a_picture_is_faithful_to_itself() -> None:
    result = comparison.pictures_compare(window("Bath"), window("Bath"))
    assert (result.changed_share, result.phash_distance, result.is_faithful) == (0, 0, True)
    assert result.difference.getbbox() is None


def test_one_lost_word_is_not_faithful() -> None:
    result = comparison.pictures_compare(window("Bath", "Balcony"), window("Bath"))
    assert result.changed_share > comparison.CHANGED_MOST
    assert not result.is_faithful


def test_the_difference_is_where_the_word_was() -> None:
    result = comparison.pictures_compare(window("Bath", "Balcony"), window("Bath"))
    left, top, right, bottom = result.difference.getbbox() or (0, 0, 0, 0)
    assert 35 <= left < right <= 140
    assert 215 <= top < bottom <= 260


@pytest.mark.parametrize("order", [1, -1], ids=["lost", "added"])
def test_lost_and_added_content_count_alike(order: int) -> None:
    one, other = [window("Bath"), window("Bath", "Balcony")][::order]
    result = comparison.pictures_compare(one, other)
    assert result.changed_share == comparison.pictures_compare(other, one).changed_share > 0


def test_letters_one_pixel_off_are_faithful() -> None:
    moved = ImageChops.offset(window("Bath"), 1, 1)
    ImageDraw.Draw(moved).rectangle((0, 0, 1280, 1), fill=(24, 60, 90))
    ImageDraw.Draw(moved).rectangle((0, 0, 1, 60), fill=(24, 60, 90))
    assert comparison.pictures_compare(window("Bath"), moved).is_faithful


def test_letters_smoothed_differently_are_faithful() -> None:
    soft = Image.blend(window("Bath"), window("Bath").filter(ImageFilter.SMOOTH), 0.4)
    assert comparison.pictures_compare(window("Bath"), soft).is_faithful


def test_a_caret_is_tolerated() -> None:
    with_caret = window("Bath")
    ImageDraw.Draw(with_caret).line((300, 300, 300, 318), fill="black")
    result = comparison.pictures_compare(window("Bath"), with_caret)
    assert result.is_faithful
    assert result.changed_share > 0


def test_a_different_page_also_differs_in_its_hash() -> None:
    dark = Image.new("RGB", (1280, 720), (20, 20, 30))
    ImageDraw.Draw(dark).ellipse((300, 100, 900, 600), fill="white")
    result = comparison.pictures_compare(window("Bath"), dark)
    assert not result.is_faithful
    assert result.phash_distance > comparison.DISTANCE_MOST


def test_sizes_that_differ_by_rounding_can_be_compared() -> None:
    other = window("Bath").crop((0, 0, 1279, 719))
    assert comparison.pictures_compare(window("Bath"), other).is_faithful


def test_pictures_of_different_sizes_cannot_be_compared() -> None:
    assert not comparison.is_same_size((1280, 720), (1280, 3000))
    with pytest.raises(ValueError, match="cannot be compared"):
        comparison.pictures_compare(window(), window(size=(1280, 800)))
