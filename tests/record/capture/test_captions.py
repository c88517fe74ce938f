from __future__ import annotations

import pytest
from PIL import Image, ImageDraw

from trajectories.record.capture import captions
from trajectories.record.capture.captions import PAPER, THOUGHT_LINES, Caption, Lettering, captioned

SHORT = Caption(title="Step 3 · click on e4", thought="I open the offer.", source="stays/train/1 · model")


def strip_of(caption: Caption, width: int = 1280) -> Image.Image:
    whole = captioned(Image.new("RGB", (width, 100), "black"), caption)
    assert whole.width == width
    assert whole.crop((0, 0, width, 100)).getextrema() == ((0, 0),) * 3
    return whole.crop((0, 100, width, whole.height))


def test_a_caption_is_drawn_below_an_unchanged_picture() -> None:
    strip = strip_of(SHORT)
    assert strip.getpixel((strip.width - 2, strip.height - 2)) == PAPER
    assert len(strip.getcolors(1 << 16) or ()) > 8


def test_a_long_thought_takes_a_limited_number_of_lines() -> None:
    long = strip_of(Caption(title=SHORT.title, thought="word " * 200_000, source=SHORT.source))
    line = Lettering(1280 // 75).line
    assert long.height == strip_of(SHORT).height + (THOUGHT_LINES - 1) * line


@pytest.mark.parametrize("width", [40, 320, 1280, 4000])
@pytest.mark.parametrize(
    "text", ["W" * 5_000, "a" + "\u0301" * 100_000, "\u05e9\u05dc\u05d5\u05dd " * 300, "", " "]
)
def test_no_text_runs_out_of_its_strip(text: str, width: int) -> None:
    strip = strip_of(Caption(title=text, thought=text, source=text), width)
    assert strip.height < 300 + width // 2
    if width > 100:
        edge = strip.crop((width - 3, 8, width, strip.height))
        assert edge.getcolors() == [(edge.width * edge.height, PAPER)]


def test_characters_without_a_glyph_are_described_and_not_drawn_as_boxes() -> None:
    letters = Lettering(16)
    assert letters.drawable("a\ue000b") == "a[U+E000]b"
    assert letters.drawable("\ue000" * 9) == "[9 characters that no installed font has]"
    assert letters.drawable("\u00e9\u0416\u03a9 \u2192") == "\u00e9\u0416\u03a9 \u2192"


def test_a_letter_carries_at_most_three_combining_marks() -> None:
    assert Lettering(16).drawable("e" + "\u0301" * 50 + "x") == "e" + "\u0301" * 3 + "x"


def test_without_text_shaping_right_to_left_letters_are_described(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(captions.features, "check", lambda _name: False)
    assert Lettering(16).drawable("\u05e9\u05dc\u05d5\u05dd") == "[4 characters that no installed font has]"


def test_a_machine_without_fonts_draws_with_the_bundled_one(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(captions, "FONTS", ("none.ttf",))
    captions.load_fonts.cache_clear()
    letters = Lettering(16)
    captions.load_fonts.cache_clear()
    picture = Image.new("RGB", (200, 40), "white")
    letters.draw(ImageDraw.Draw(picture), letters.drawable("Step 1"), at=(4, 4), fill=(0, 0, 0))
    assert len(picture.getcolors(1 << 16) or ()) > 1
