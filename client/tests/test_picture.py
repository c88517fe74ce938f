"""The picture that a model is shown: its size, its marks, its positions."""

from __future__ import annotations

import io
from typing import Any

import pytest
from PIL import Image, ImageChops

from fake_server import FakeServer
from palaestra import Env
from palaestra.observation import Observation, ObservationConfig, Observer, get_format
from palaestra.observation.picture import Mark, picture_make, picture_size
from palaestra.pages.pool import PagePool
from palaestra.pages.surface import DocumentGone
from palaestra.pages.warm_page import WarmPage

VIEWPORT = (1280, 720)

FORM = """<!doctype html><html data-settled="true"><head><title>t</title><style>
body { margin: 40px; font: 16px sans-serif } p.far { margin-top: 2000px }
.cover { position: fixed; left: 0; top: 600px; width: 400px; height: 100px; background: #ddd }
.under { position: absolute; left: 20px; top: 620px }</style></head><body>
<h1>Words alone</h1><button>Go</button> <label><input type="checkbox" checked> Agree</label>
<select aria-label="Size"><option>Small</option><option>Large</option></select>
<button class="under">Hidden under</button><div class="cover"></div>
<p class="far"><a href="x">Far away</a></p>
<script>window.changes = 0; new MutationObserver(() => { window.changes++ }).observe(document,
{ subtree: true, childList: true, attributes: true, characterData: true })</script></body></html>"""


def plain(size: tuple[int, int] = (400, 300)) -> bytes:
    out = io.BytesIO()
    Image.new("RGB", size, "white").save(out, "PNG")
    return out.getvalue()


def opened(png: bytes) -> Image.Image:
    return Image.open(io.BytesIO(png)).convert("RGB")


async def looked(page: WarmPage, fake: FakeServer, kind: str, **config: object) -> Observation:
    fake.state.pages["x"] = FORM
    fake.state.episodes[1] = {"token": "tok-en"}
    await page.begin(f"{fake.arena_url}/e/tok-en/x")
    view = await page.observe(acted=False)
    assert view is not None
    return await Observer(ObservationConfig(form=get_format(kind), **config)).observe(page, view)  # type: ignore[arg-type]


@pytest.mark.parametrize(
    ("largest", "size"), [(None, (1280, 720)), (2000, (1280, 720)), (640, (640, 360)), (1000, (1000, 562))]
)
def test_a_picture_is_scaled_to_its_largest_side(largest: int | None, size: tuple[int, int]) -> None:
    assert picture_size(VIEWPORT, largest) == size


def test_a_picture_without_marks_or_scaling_is_the_screenshot_itself() -> None:
    png = plain()
    assert picture_make(png, size=(400, 300)) is png


def test_a_label_is_put_beside_the_words_of_its_element_and_not_on_them() -> None:
    image = opened(plain())
    words = (100, 100, 80, 20)
    image.paste("black", (100, 86, 180, 120))  # words in the element and above it
    out = io.BytesIO()
    image.save(out, "PNG")
    marked = opened(picture_make(out.getvalue(), size=image.size, marks=[Mark(id="e12", box=words, line="")]))
    inside = (102, 102, 178, 118)
    assert ImageChops.difference(marked.crop(inside), image.crop(inside)).getbbox() is None
    assert ImageChops.difference(marked, image).getbbox() is not None


def test_labels_do_not_cover_one_another() -> None:
    marks = [Mark(id=f"e{n}", box=(50 + n * 30, 50, 28, 16), line="") for n in range(1, 6)]
    marked = opened(picture_make(plain(), size=(400, 300), marks=marks))
    colours = {colour for _, colour in marked.getcolors(1 << 16) or []}
    assert len(colours) > 5


async def test_a_screenshot_declares_its_size_and_names_no_ids(page: WarmPage, fake: FakeServer) -> None:
    observation = await looked(page, fake, "screenshot")
    assert observation.kind == "screenshot-v2"
    head, declared = observation.text.split("\n")
    assert head == 'page "t" https://gym/x'
    assert declared.startswith("Picture: 1280 x 720 pixels. More of the page, in pixels: ")
    assert declared.endswith(" below.")
    assert observation.screenshot
    assert opened(observation.screenshot).size == (1280, 720)


async def test_a_scaled_picture_has_the_size_that_it_declares(page: WarmPage, fake: FakeServer) -> None:
    observation = await looked(page, fake, "screenshot", picture_max=640)
    assert "Picture: 640 x 360 pixels." in observation.text
    assert observation.screenshot
    assert opened(observation.screenshot).size == (640, 360)
    assert page.picture_scale == 0.5


async def test_marks_stand_on_what_can_be_clicked_and_the_list_holds_nothing_else(
    page: WarmPage, fake: FakeServer
) -> None:
    observation = await looked(page, fake, "som")
    assert observation.text.split("\n")[2:] == [
        '[e1] button "Go"',
        '[e2] checkbox "Agree" checked',
        '[e3] combobox "Size" value="Small" options: "Small" | "Large"',
    ]
    bare = await page.screenshot()
    assert observation.screenshot
    assert ImageChops.difference(opened(observation.screenshot), opened(bare)).getbbox() is not None


async def test_the_page_meets_no_marks(page: WarmPage, fake: FakeServer) -> None:
    await looked(page, fake, "som")
    assert await page.page.evaluate("window.changes") == 0


async def test_an_outline_with_a_picture_has_both(page: WarmPage, fake: FakeServer) -> None:
    observation = await looked(page, fake, "both")
    assert "Picture: 1280 x 720 pixels." in observation.text
    assert 'heading 1 "Words alone"' in observation.text
    assert observation.screenshot


def test_an_unknown_format_is_refused_by_name() -> None:
    with pytest.raises(ValueError, match=r"axtree-v9.*Known: axtree, screenshot, som, both"):
        get_format("axtree-v9")


async def test_a_page_that_is_replaced_before_its_picture_is_looked_at_again(
    fake: FakeServer, pool: PagePool, monkeypatch: pytest.MonkeyPatch
) -> None:
    fake.state.pages = {"x": FORM, "y": FORM.replace("Words alone", "Later").replace("Go", "Stay")}
    async with Env(fake.lab_url, "key", run=7, pool=pool, observation="som") as env:
        await env.reset(1)
        assert env.episode is not None
        page = env.episode.page
        assert page is not None
        call, replaced = page.call, list[str]()

        async def call_later(function: str, *arguments: object) -> dict[str, Any]:
            if function == "picture" and not replaced:
                replaced.append(page.page.url)
                await page.page.goto(page.page.url.replace("/x", "/y"))
                raise DocumentGone(function)
            return await call(function, *arguments)

        monkeypatch.setattr(page, "call", call_later)
        observation, _, _, _, info = await env.step('Action: {"type": "goto", "url": "x"}')
    assert replaced[0].endswith("/x")
    assert info["action_result"] == "ok"
    assert 'button "Stay"' in observation.text
    assert 'button "Go"' not in observation.text
    assert observation.url.endswith("/y")
