"""What the outline left out can be read and found."""

from __future__ import annotations

import pytest

from fake_server import FakeServer
from palaestra import Env
from palaestra.actions import ActionInvalid, action_check, action_perform
from palaestra.actions.read import PART_CHARS, parts_of
from palaestra.pages.warm_page import WarmPage

REVIEWS = "".join(
    f"<article aria-label='Review {n}'><p>{'word ' * 40}number {n}.</p><button>Helpful</button></article>"
    for n in range(60)
)
PAGE = f"""<!doctype html><html data-settled="true"><head><title>t</title></head><body><main><h1>Kettle</h1>
<h2>House rules</h2><p>No smoking.</p><h3>Pets</h3><p>Welcome, see <a href="pets">here</a>.</p><h2>Fees</h2><p>None.</p>
<section aria-label="Reviews">{REVIEWS}</section>
<label>Month <select>{"".join(f"<option>Month number {n}</option>" for n in range(30))}</select></label>
</main></body></html>"""  # noqa: E501


@pytest.fixture
async def kettle(page: WarmPage, fake: FakeServer) -> WarmPage:
    fake.state.pages["x"] = PAGE
    fake.state.episodes[1] = {"token": "tok-en"}
    await page.begin(f"{fake.arena_url}/e/tok-en/x")
    await page.observe(acted=False)
    return page


async def message(page: WarmPage, **action: object) -> str:
    outcome = await action_perform(page, action_check(action))
    return f"{outcome.result}: {outcome.message}"


async def test_a_heading_reaches_to_the_next_of_its_level(kettle: WarmPage) -> None:
    assert await message(kettle, type="read", section="house RULES") == (
        'ok: \nheading 2 "House rules"\ntext: No smoking.\nheading 3 "Pets"\ntext: Welcome, see\n'
        '[e1] link "here" -> https://gym/pets\ntext: .'
    )


async def test_a_section_is_read_by_the_id_of_an_element_and_a_list_with_all_its_options(
    kettle: WarmPage,
) -> None:
    text = await message(kettle, type="read", section="e62")
    assert text.startswith('ok: \n[e62] combobox "Month" value="Month number 0" options: "Month number 0" | ')
    assert text.endswith('"Month number 29"')


async def test_a_long_section_comes_in_parts_that_are_the_whole_of_it(kettle: WarmPage) -> None:
    first = await message(kettle, type="read", section="Reviews")
    assert first.startswith('ok: Part 1 of 3:\nregion "Reviews"')
    assert first.endswith("more characters: read part 2")
    parts = [await message(kettle, type="read", section="Reviews", part=n) for n in (1, 2, 3)]
    lines = [line for part in parts for line in part.split("\n") if "number" in line]
    assert [line.split("number ")[1] for line in lines] == [f"{n}." for n in range(60)]
    assert "more characters" not in parts[-1]
    assert (await message(kettle, type="read", section="Reviews", part=4)).startswith("no_target: ")


async def test_an_unknown_section_is_answered_with_those_there_are(kettle: WarmPage) -> None:
    text = await message(kettle, type="read", section="Parking")
    assert text.startswith(
        'no_target: There is no section "Parking". '
        'There are: "page", "Kettle", "House rules", "Pets", "Fees", "Reviews"'
    )


async def test_the_lines_of_a_text_come_with_id_and_section(kettle: WarmPage) -> None:
    assert await message(kettle, type="find", text="HERE") == (
        'ok: 1 line contains "HERE":\n- [e1] link "here" -> https://gym/pets (in main)'
    )
    review = await message(kettle, type="find", text="number 41.")
    assert 'number 41. (in article "Review 41")' in review


async def test_many_lines_are_counted_and_none_is_a_failure(kettle: WarmPage) -> None:
    assert (await message(kettle, type="find", text="word")).endswith("\n... and 40 more lines")
    assert await message(kettle, type="find", text="zebra") == 'no_target: "zebra" is nowhere on the page.'
    with pytest.raises(ActionInvalid):
        action_check({"type": "find", "text": " "})


async def test_a_model_that_is_shown_a_picture_is_given_no_text(fake: FakeServer, env: Env) -> None:
    async with Env(fake.lab_url, "key", run=7, observation="screenshot", pool=env._pool) as blind:
        await blind.reset(1)
        observation, *_ = await blind.step('Action: {"type": "read", "section": "page"}')
    assert (observation.result, "picture" in observation.result_message) == ("refused", True)
    assert "heading" not in observation.text


def test_only_a_line_longer_than_a_part_is_divided() -> None:
    text = "\n".join(["a" * (PART_CHARS - 10), "b" * 20, "c" * (2 * PART_CHARS)])
    parts = parts_of(text)
    assert [len(part) <= PART_CHARS for part in parts] == [True] * len(parts)
    assert "".join(parts).replace("\n", "") == text.replace("\n", "")
