from __future__ import annotations

from typing import Any

import pytest
from PIL import Image

from trajectories.actions.marks import FAR_PX, Marks
from trajectories.actions.types import ReportedEvent
from trajectories.record.capture.marks import RED, marks_draw, marks_of, scale_of

CLICK = ReportedEvent(kind="click", data={"x": 100, "y": 50, "box": [80, 40, 60, 20], "scroll": [0, 0]})
FOCUS = ReportedEvent(kind="focus", data={"box": [10, 20, 200, 30], "scroll": [0, 0]})
INPUT = ReportedEvent(kind="input", data={"box": [10, 60, 200, 30], "value": "42"})


def page(size: tuple[int, int] = (400, 300)) -> Image.Image:
    return Image.new("RGB", size, "white")


def changed(picture: Image.Image) -> set[tuple[int, int]]:
    return {
        (x, y)
        for x in range(picture.width)
        for y in range(picture.height)
        if picture.getpixel((x, y)) != (255, 255, 255)
    }


def bounds(picture: Image.Image) -> tuple[int, int, int, int]:
    xs, ys = zip(*changed(picture), strict=True)
    return min(xs), min(ys), max(xs), max(ys)


@pytest.mark.parametrize(
    ("action", "events", "expected"),
    [
        ({"type": "click", "target": "e1"}, [CLICK], Marks(point=(100, 50), box=(80, 40, 60, 20))),
        ({"type": "click"}, [FOCUS, CLICK], Marks(point=(100, 50), box=(80, 40, 60, 20))),
        ({"type": "click", "target": "e1"}, [], Marks()),
        ({"type": "click", "x": 7, "y": 8}, [], Marks(point=(7, 8), is_of_picture=True)),
        ({"type": "type", "text": "42"}, [FOCUS], Marks(box=(10, 20, 200, 30), text="42")),
        ({"type": "type", "text": "42"}, [FOCUS, INPUT], Marks(box=(10, 60, 200, 30), text="42")),
        ({"type": "type", "text": "42"}, [], Marks(text="42")),
        ({"type": "select", "value": "Two"}, [INPUT], Marks(box=(10, 60, 200, 30), text="Two")),
        ({"type": "press", "key": "Enter"}, [FOCUS], Marks(box=(10, 20, 200, 30), text="Enter")),
        ({"type": "scroll", "dy": 400}, [], Marks(scroll=(0, 400))),
        ({"type": "scroll", "dx": 0, "dy": 0}, [], Marks()),
        *(({"type": kind}, [CLICK], Marks()) for kind in ("noop", "wait", "goto", "back", "answer", "jump")),
        (None, [CLICK], Marks()),
        ([], [CLICK], Marks()),
        ("click", [CLICK], Marks()),
    ],
)
def test_marks_show_what_the_action_did(action: object, events: list[ReportedEvent], expected: Marks) -> None:
    assert marks_of(action, events) == expected


def test_a_scroll_before_the_click_is_subtracted_from_its_place() -> None:
    moved = ReportedEvent(kind="click", data={**CLICK.data, "scroll": [0, 500]})
    marks = marks_of({"type": "click"}, [moved], scrolled=(0, 200))
    assert (marks.point, marks.box) == ((100, 350), (80, 340, 60, 20))


@pytest.mark.parametrize(
    "data",
    [
        {},
        {"x": "1", "y": 2},
        {"x": True, "y": 2},
        {"x": 1e300, "y": 2},
        {"x": None, "y": []},
        {"x": -FAR_PX - 1, "y": 0},
        {"box": "all"},
        {"box": [1, 2, 3]},
        {"box": [1, 2, 0, 4]},
        {"box": [1, 2, -3, 4]},
        {"box": [1, 2, 1e9, 4]},
        {"box": [[], {}, None, 1]},
        {"scroll": 5, "box": None},
    ],
)
def test_malformed_places_are_ignored(data: dict[str, Any]) -> None:
    assert marks_of({"type": "click"}, [ReportedEvent(kind="click", data=data)]).is_empty


@pytest.mark.parametrize(
    ("text", "shown"),
    [
        ("two\nlines\tand  more", "two lines and more"),
        ("\u202eevil\u2066\u200b\x00\x1b[31m", "evil[31m"),
        ("\ud800x", "x"),
        ("a" * 5_000, "a" * 59 + "…"),
        (7, ""),
        (["a"], ""),
        (None, ""),
    ],
)
def test_text_cannot_turn_round_or_cover_the_picture(text: object, shown: str) -> None:
    assert marks_of({"type": "type", "text": text}, []).text == shown


def test_a_click_is_drawn_where_it_was() -> None:
    drawn = marks_draw(page(), Marks(point=(100, 50)), scale=1)
    assert drawn.getpixel((100, 50)) == RED
    left, top, right, bottom = bounds(drawn)
    assert (left + right, top + bottom) == (200, 100)
    assert 30 <= right - left <= 40


def test_a_screen_of_more_pixels_scales_everything() -> None:
    marks = Marks(point=(100, 50), box=(80, 40, 60, 20))
    one = bounds(marks_draw(page(), marks, scale=1))
    two = bounds(marks_draw(page((800, 600)), marks, scale=2))
    assert all(abs(2 * small - large) <= 4 for small, large in zip(one, two, strict=True))


def test_a_box_surrounds_its_element_without_covering_it() -> None:
    drawn = marks_draw(page(), Marks(box=(80, 40, 60, 20)), scale=1)
    assert drawn.getpixel((80, 50)) == RED
    assert drawn.getpixel((110, 50)) == (255, 255, 255)


@pytest.mark.parametrize(("box", "is_below"), [((10, 20, 200, 30), True), ((10, 260, 200, 30), False)])
def test_text_stands_beside_its_box_where_there_is_room(
    box: tuple[float, float, float, float], is_below: bool
) -> None:
    with_text, without = (marks_draw(page(), Marks(box=box, text=text), scale=1) for text in ("typed", ""))
    label = changed(with_text) - changed(without)
    assert label
    ys = {y for _, y in label}
    assert min(ys) > box[1] + box[3] if is_below else max(ys) < box[1]


@pytest.mark.parametrize(("scroll", "tip", "tail"), [((0, 100), 190, 110), ((0, -100), 110, 190)])
def test_an_arrow_points_in_the_direction_of_the_scroll(
    scroll: tuple[float, float], tip: int, tail: int
) -> None:
    drawn = marks_draw(page(), Marks(scroll=scroll), scale=1)
    _, top, _, bottom = bounds(drawn)
    assert abs(top - 100) <= 6
    assert abs(bottom - 200) <= 6
    rows = [y for _, y in changed(drawn)]
    assert rows.count(tip) > rows.count(tail)


@pytest.mark.parametrize(
    "marks",
    [
        Marks(point=(-500, 99_999), box=(-90_000, -90_000, 100_000, 100_000), text="x" * 60),
        Marks(scroll=(FAR_PX, -FAR_PX)),
        Marks(box=(99_000, 99_000, 1, 1), text="…"),
    ],
)
@pytest.mark.parametrize("size", [(1, 1), (40, 30), (400, 300)])
def test_marks_far_outside_the_picture_raise_no_error(marks: Marks, size: tuple[int, int]) -> None:
    for scale in (0.05, 1, 8):
        assert marks_draw(page(size), marks, scale=scale).size == size


def test_the_original_picture_is_unchanged() -> None:
    picture = page()
    marks_draw(picture, Marks(point=(100, 50)), scale=1)
    assert not changed(picture)


@pytest.mark.parametrize(
    ("css", "scale"),
    [
        (400, 2.0),
        (800, 1.0),
        (None, 1.0),
        ("400", 1.0),
        (0, 1.0),
        (1, 8.0),
        (90_000, 0.05),
        (1e300, 1.0),
        (True, 1.0),
    ],
)
def test_the_scale_is_the_width_of_the_picture_over_that_of_the_page(css: object, scale: float) -> None:
    assert scale_of(pixels=800, css_pixels=css) == scale
