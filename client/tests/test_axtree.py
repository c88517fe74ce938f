"""axtree-v2 is a contract: a change of a golden file is a new version of the format."""

from __future__ import annotations

from pathlib import Path

import pytest

from fake_server import FakeServer
from palaestra.actions import action_perform
from palaestra.actions.scroll import Scroll
from palaestra.observation import page_text
from palaestra.pages.pace import Limit
from palaestra.pages.warm_page import WarmPage

PAGES = sorted((Path(__file__).parent / "pages").glob("*.html"))
GOLDEN = Path(__file__).parent / "golden"


async def shown(page: WarmPage) -> str:
    view = await page.observe(acted=False)
    assert view is not None
    assert page.bounds is not None
    return page_text(view, page.bounds)


async def opened(page: WarmPage, fake: FakeServer, html: str) -> str:
    fake.state.pages["x"] = html
    fake.state.episodes[1] = {"token": "tok-en"}
    await page.begin(f"{fake.arena_url}/e/tok-en/x")
    return await shown(page)


@pytest.mark.parametrize("path", PAGES, ids=lambda path: path.stem)
async def test_pages_are_serialised_as_in_their_golden_files(
    path: Path, page: WarmPage, fake: FakeServer
) -> None:
    text = await opened(page, fake, path.read_text("utf-8"))
    assert text + "\n" == (GOLDEN / f"{path.stem}.txt").read_text("utf-8")
    assert "secret" not in text


async def test_serialising_a_page_again_or_after_a_reload_gives_the_same_text(
    page: WarmPage, fake: FakeServer
) -> None:
    html = PAGES[0].read_text("utf-8")
    first = await opened(page, fake, html)
    assert await shown(page) == first
    assert await opened(page, fake, html) == first


EDITOR = """<!doctype html><html data-settled="true"><head><title>t</title></head><body>
<div contenteditable="true" aria-label="Program"><div>def f(n):</div><div>    return n</div></div>
</body></html>"""


async def test_an_editor_shows_its_lines_as_a_text_area_does(page: WarmPage, fake: FakeServer) -> None:
    style = "<style>div { white-space: pre }</style>"
    text = await opened(page, fake, EDITOR.replace("</head>", style + "</head>"))
    assert r'[e1] textbox "Program" value="def f(n):\n    return n"' in text


CARD = """<!doctype html><html data-settled="true"><head><title>t</title></head><body>
<h2>The <a href="house">Red Fox</a> Inn</h2><h2>No <b>vacancy</b></h2></body></html>"""


async def test_a_link_in_a_heading_has_an_id(page: WarmPage, fake: FakeServer) -> None:
    text = await opened(page, fake, CARD)
    lines = [line.rpartition(" -> ")[0] or line for line in text.splitlines()[1:]]
    assert lines == ['heading 2 "The Red Fox Inn"', '  [e1] link "Red Fox"', 'heading 2 "No vacancy"']


RERENDER = """<!doctype html><html data-settled="true"><head><title>t</title></head><body>
<div id="box"><button>One</button><button id="two">Two</button></div></body></html>"""


async def test_a_rerender_keeps_the_ids_of_what_stayed(page: WarmPage, fake: FakeServer) -> None:
    before = await opened(page, fake, RERENDER)
    assert '[e1] button "One"\n[e2] button "Two"' in before
    await page.page.evaluate(
        "box.innerHTML = '<button>New</button><button id=two>Two</button><button>One</button>'"
    )
    after = await shown(page)
    assert '[e3] button "New"\n[e2] button "Two"\n[e1] button "One"' in after


async def test_a_page_script_cannot_reach_the_serialiser(page: WarmPage, fake: FakeServer) -> None:
    await opened(page, fake, RERENDER)
    assert await page.page.evaluate("typeof palaestra") == "undefined"


async def test_a_page_that_never_settles_is_shown_as_loading(
    page: WarmPage, fake: FakeServer, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("palaestra.pages.warm_page.FIRST_PAGE", Limit(0.3, 0.3))
    html = RERENDER.replace(' data-settled="true"', ' data-settled="false"')
    assert (await opened(page, fake, html)).endswith(
        "(the page is still loading: parts of it may be missing)"
    )


async def test_a_pending_script_delays_the_observation(page: WarmPage, fake: FakeServer) -> None:
    html = RERENDER.replace(' data-settled="true"', "").replace(
        "</body>",
        """<script>setTimeout(() => { two.textContent = "Late";
        document.documentElement.dataset.settled = "true" }, 120)</script></body>""",
    )
    assert '"Late"' in await opened(page, fake, html)


WIDE = """<!doctype html><html data-settled="true"><head><title>t</title><style>body { margin: 0 }
figure { overflow-x: auto; width: 300px; margin: 0 } div { width: 900px; height: 80px }</style></head><body>
<p>Above</p><figure><div></div></figure></body></html>"""


async def test_a_scroll_of_the_whole_page_gives_it_the_step_number(page: WarmPage, fake: FakeServer) -> None:
    await opened(page, fake, WIDE)
    page.turn(7)
    assert (await action_perform(page, Scroll(dy=100))).result == "ok"
    assert await page.page.evaluate("document.documentElement.dataset.step") == "7"


async def test_a_sideways_scroll_moves_the_visible_frame_and_reports_when_nothing_moves(
    page: WarmPage, fake: FakeServer
) -> None:
    await opened(page, fake, WIDE)
    sideways = Scroll(dx=250)
    assert (await action_perform(page, sideways)).result == "ok"
    await page.page.wait_for_function("document.querySelector('figure').scrollLeft >= 250")
    await action_perform(page, Scroll(dx=5000))
    await page.page.wait_for_function("document.querySelector('figure').scrollLeft >= 599")
    stuck = await action_perform(page, sideways)
    assert (stuck.result, "moves that way" in stuck.message) == ("no_target", True)
    assert (await action_perform(page, Scroll(dx=-100))).result == "ok"


async def test_a_block_of_lines_that_can_be_scrolled_keeps_its_lines(
    page: WarmPage, fake: FakeServer
) -> None:
    block = '<pre tabindex="0" style="overflow: auto">Count them.\n- Capitals count.\n- Titles too.</pre>'
    text = await opened(page, fake, f'<!doctype html><html data-settled="true">{block}</html>')
    assert text.endswith("preformatted:\n  | Count them.\n  | - Capitals count.\n  | - Titles too.")


async def test_a_quotation_stands_apart_from_the_words_around_it(page: WarmPage, fake: FakeServer) -> None:
    reply = "<blockquote><p>Seller response</p><p>Thank you.</p></blockquote>"
    article = f"<article><h2>Fine</h2><p>It works.</p>{reply}<p>3 people agree.</p></article>"
    text = await opened(page, fake, f'<!doctype html><html data-settled="true">{article}</html>')
    quoted = "blockquote\n  text: Seller response\n  text: Thank you."
    assert text.endswith(f'heading 2 "Fine"\ntext: It works.\n{quoted}\ntext: 3 people agree.')


@pytest.mark.parametrize(("kind", "state"), [("open", ""), ('open aria-modal="true"', " modal")])
async def test_a_dialog_says_whether_it_must_be_closed_first(
    kind: str, state: str, page: WarmPage, fake: FakeServer
) -> None:
    dialog = f'<dialog {kind} aria-labelledby="t"><p id="t">Offer</p><p>10% off</p></dialog>'
    text = await opened(page, fake, f'<!doctype html><html data-settled="true">{dialog}</html>')
    assert text.endswith(f'dialog "Offer"{state}\n  text: 10% off')
