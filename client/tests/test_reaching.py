"""Elements that something covers, and actions by position, in a real browser."""

from __future__ import annotations

import json
import re
from typing import Any

import pytest

from fake_server import FakeServer
from palaestra import Env
from palaestra.errors import PageHung
from palaestra.pages.warm_page import WarmPage

HEAD = """<!doctype html><html lang="en" data-settled="true"><head><title>Form</title>
<link rel="icon" href="data:,"><style>
body { margin: 0; font: 16px/20px sans-serif } h1 { margin: 0; height: 40px }
.tall { height: 1500px } .bar { position: sticky; top: 0; height: 200px; background: #eee; z-index: 2 }
.corner { position: fixed; right: 0; bottom: 0; width: 400px; height: 300px; background: #ddd; z-index: 3 }
.wall { position: fixed; inset: 0; background: #0008; z-index: 4 }
</style></head><body>"""
FORM = """<form onsubmit="event.preventDefault(); out.textContent = 'sent'">
<label>Name <input name="name"></label>
<label>City <select name="city"><option>Rome</option><option>Oslo</option></select></label>
<label><input type="checkbox" name="news"> Newsletter</label>
<label>Notes <textarea name="notes"></textarea></label>
<button ondblclick="out.textContent = 'twice'" oncontextmenu="out.textContent = 'right'">Send</button></form>
<output id="out" style="display: block; height: 20px"></output>"""
STATE = """(() => { const f = document.forms[0];
  return [f.name.value, f.city.value, f.news.checked, f.notes.value]; })()"""
TALL = "<div class='tall'></div>"


async def visit(env: Env, fake: FakeServer, body: str) -> WarmPage:
    fake.state.max_steps = 50
    fake.state.pages = {"form": HEAD + body}
    await env.reset(1)
    assert (await act(env, type="goto", url="form"))[0] == "ok"
    assert env.episode is not None
    assert env.episode.page is not None
    return env.episode.page


async def act(env: Env, **action: object) -> tuple[str, str]:
    observation, _, _, _, info = await env.step("Action: " + json.dumps(action))
    return info["action_result"], observation.result_message


def id_of(env: Env, line: str) -> str:
    """The id of the first element whose line of the outline begins so."""
    assert env.episode is not None
    match = re.search(rf"\[(e\d+)\] {re.escape(line)}", env.episode.observation.text)
    assert match, env.episode.observation.text
    return match[1]


async def shown(page: WarmPage, script: str = "out.textContent") -> Any:
    return await page.page.evaluate(script)


async def centre(page: WarmPage, selector: str) -> dict[str, int]:
    box = await page.page.locator(selector).bounding_box()
    assert box is not None
    return {"x": round(box["x"] + box["width"] / 2), "y": round(box["y"] + box["height"] / 2)}


async def test_an_element_under_a_sticky_bar_is_scrolled_free(env: Env, fake: FakeServer) -> None:
    page = await visit(
        env, fake, f"<div class='bar'>Task</div><div class='tall'></div>{FORM}<div class='tall'></div>"
    )
    top = await shown(page, "document.forms[0].getBoundingClientRect().top")
    await shown(page, f"scrollTo(0, {top} - 20)")
    assert await act(env, type="click", target=id_of(env, 'button "Send"')) == ("ok", "")
    assert await shown(page) == "sent"


async def test_an_element_under_a_corner_box_is_scrolled_free(env: Env, fake: FakeServer) -> None:
    corner = "<aside class='corner'>Offer</aside>"
    pushed = f"<div style='height: 600px'></div><div style='margin-left: 1000px'>{FORM}</div>{TALL}"
    page = await visit(env, fake, corner + pushed)
    for line, action in (
        ('textbox "Name"', {"type": "type", "text": "Ada"}),
        ('combobox "City"', {"type": "select", "value": "Oslo"}),
        ('button "Send"', {"type": "click"}),
    ):
        await shown(page, "scrollTo(0, 0)")
        assert await act(env, target=id_of(env, line), **action) == ("ok", "")
    assert await shown(page, STATE) == ["Ada", "Oslo", False, ""]
    assert await shown(page) == "sent"


async def test_what_is_in_a_shadow_root_is_reached_and_covered_like_the_rest(
    env: Env, fake: FakeServer
) -> None:
    page = await visit(env, fake, "<div id='host'></div><output id='out'></output>")
    await shown(
        page,
        """host.attachShadow({mode: "open"}).innerHTML =
          "<button onclick='out.textContent = `inside`'>Inside</button>" """,
    )
    await act(env, type="wait", ms=0)
    inside = id_of(env, 'button "Inside"')
    assert await act(env, type="click", target=inside) == ("ok", "")
    assert await shown(page) == "inside"
    await shown(page, "document.body.insertAdjacentHTML('beforeend', `<div class='wall'></div>`)")
    assert (await act(env, type="click", target=inside))[0] == "no_target"


WALL = """<div class="wall"><div role="dialog" aria-label="Cookies"><p>We use cookies.</p>
<button onclick="this.closest('.wall').remove()">Accept all</button></div></div>"""


@pytest.mark.parametrize(
    "action",
    [
        {"type": "click", "line": 'button "Send"'},
        {"type": "type", "line": 'textbox "Name"', "text": "Ada"},
        {"type": "select", "line": 'combobox "City"', "value": "Oslo"},
        {"type": "press", "line": 'textbox "Name"', "key": "a"},
        {"type": "hover", "line": 'button "Send"'},
    ],
    ids=lambda action: action["type"],
)
async def test_what_covers_an_element_is_named_with_what_closes_it(
    action: dict[str, str], env: Env, fake: FakeServer
) -> None:
    page = await visit(env, fake, FORM + WALL)
    target = id_of(env, action.pop("line"))
    result, message = await act(env, target=target, **action)
    closing = id_of(env, 'button "Accept all"')
    assert result == "no_target"
    assert (
        message == f'{target}: it is covered by dialog "Cookies"; {closing} (button "Accept all") closes it.'
    )
    assert await shown(page, STATE) == ["", "Rome", False, ""]
    assert (await act(env, type="click", target=closing))[0] == "ok"
    assert await act(env, target=target, **action) == ("ok", "")


async def test_several_fields_are_filled_in_one_action(env: Env, fake: FakeServer) -> None:
    page = await visit(env, fake, FORM)
    name, city, news, notes = (
        id_of(env, line)
        for line in ('textbox "Name"', 'combobox "City"', 'checkbox "Newsletter"', 'textbox "Notes"')
    )
    fields = [
        {"target": name, "text": "Ada"},
        {"target": city, "value": "Oslo"},
        {"target": news, "checked": True},
        {"target": notes, "text": "one\ntwo"},
    ]
    for _ in range(2):
        assert await act(env, type="fill", fields=fields) == ("ok", "")
        assert await shown(page, STATE) == ["Ada", "Oslo", True, "one\ntwo"]


async def test_a_fill_says_how_far_it_came(env: Env, fake: FakeServer) -> None:
    page = await visit(env, fake, FORM)
    name, city = id_of(env, 'textbox "Name"'), id_of(env, 'combobox "City"')
    fields = [{"target": name, "text": "Ada"}, {"target": city, "value": "Bern"}]
    result, message = await act(env, type="fill", fields=fields)
    assert result == "no_target"
    assert message.startswith("1 of 2 fields were filled. ")
    assert '"Rome" | "Oslo"' in message
    assert await shown(page, STATE) == ["Ada", "Rome", False, ""]


async def test_actions_by_position_act_on_what_is_there(env: Env, fake: FakeServer) -> None:
    page = await visit(env, fake, FORM)
    name, city, send = [await centre(page, one) for one in ("[name=name]", "[name=city]", "button")]
    assert await act(env, type="type", text="Ada", **name) == ("ok", "")
    assert await act(env, type="select", value="Oslo", **city) == ("ok", "")
    assert await act(env, type="click", **await centre(page, "[name=news]")) == ("ok", "")
    assert await act(env, type="click", **name) == ("ok", "")
    assert await act(env, type="type", text=" L.") == ("ok", "")
    assert await shown(page, STATE) == ["Ada L.", "Oslo", True, ""]
    for more, text in (({}, "sent"), ({"double": True}, "twice"), ({"button": "right"}, "right")):
        assert (await act(env, type="click", **send, **more))[0] == "ok"
        assert await shown(page) == text


async def test_positions_are_scaled_from_the_picture_to_the_page(env: Env, fake: FakeServer) -> None:
    page = await visit(env, fake, FORM)
    at = await centre(page, "button")
    page.picture_scale = 0.5
    assert await act(env, type="click", x=at["x"] // 2, y=at["y"] // 2) == ("ok", "")
    assert await shown(page) == "sent"
    page.picture_scale = 1.0


async def test_what_closes_a_cover_is_named_by_its_position_where_elements_have_no_ids(
    env: Env, fake: FakeServer
) -> None:
    page = await visit(env, fake, FORM + WALL)
    target = id_of(env, 'textbox "Name"')
    await shown(
        page,
        "document.querySelector('.wall button').replaceWith(Object.assign("
        "document.createElement('button'), {textContent: 'No thanks'}))",
    )
    place = await centre(page, ".wall button")
    message = await page.call("focus", {"id": target}, False)
    assert message["close"]["id"] == ""
    assert [round(message["close"][axis]) for axis in "xy"] == [place["x"], place["y"]]


async def test_a_click_on_a_list_says_how_to_choose(env: Env, fake: FakeServer) -> None:
    page = await visit(env, fake, FORM)
    result, message = await act(env, type="click", **await centre(page, "[name=city]"))
    assert result == "refused"
    assert '"Rome" | "Oslo"' in message
    assert await act(env, type="press", key="ArrowDown") == ("ok", "")
    assert (await shown(page, STATE))[1] == "Oslo"


async def test_typing_without_a_target_needs_a_focused_field(env: Env, fake: FakeServer) -> None:
    await visit(env, fake, FORM)
    result, message = await act(env, type="type", text="Ada")
    assert (result, "no field has the focus" in message) == ("no_target", True)


SLOW = """<script>addEventListener("keydown", () => {
  for (const end = performance.now() + 400; performance.now() < end;);
});</script>"""


async def test_a_page_that_is_slow_to_take_keys_gets_the_whole_text(env: Env, fake: FakeServer) -> None:
    page = await visit(env, fake, FORM + SLOW)
    text = "The area is 42 square metres. " * 3
    assert await act(env, type="type", target=id_of(env, 'textbox "Name"'), text=f"{text}\n") == ("ok", "")
    assert (await shown(page, STATE))[0] == text
    assert await shown(page) == "sent"


async def test_a_text_that_a_page_stops_taking_is_not_called_typed(
    env: Env, fake: FakeServer, monkeypatch: pytest.MonkeyPatch
) -> None:
    page = await visit(env, fake, FORM)
    act_once, typed = page.act, list[bool]()

    async def act_twice(call: Any) -> Any:
        typed.append(len(typed) < 2)
        if typed[-1]:
            return await act_once(call)
        call.close()
        raise PageHung("The page did not answer within 10.0 s.")

    monkeypatch.setattr(page, "act", act_twice)
    result, message = await act(env, type="type", target=id_of(env, 'textbox "Notes"'), text="a" * 60)
    assert (result, "At least 20 of 60 characters arrived" in message) == ("timeout", True)
    assert (await shown(page, STATE))[3] == "a" * 20


async def test_a_drag_ends_where_it_says(env: Env, fake: FakeServer) -> None:
    things = """<input type="range" max="100" value="0" style="width: 400px; margin: 0" aria-label="Price">
    <div draggable="true" ondragstart="event.dataTransfer.setData('text', 'box')" tabindex="0"
      aria-label="Box">Box</div>
    <div ondragover="event.preventDefault()" ondrop="out.textContent = 'dropped'" tabindex="0"
      aria-label="Bin" style="height: 60px">Bin</div><output id="out"></output>"""
    page = await visit(env, fake, things)
    box, bin_ = id_of(env, 'element "Box"'), id_of(env, 'element "Bin"')
    assert await act(env, type="drag", target=box, to_target=bin_) == ("ok", "")
    assert await shown(page) == "dropped"
    at = await centre(page, "input")
    assert await act(env, type="drag", x=8, y=at["y"], to_x=300, to_y=at["y"]) == ("ok", "")
    assert 70 <= int(await shown(page, "document.querySelector('input').value")) <= 80


async def test_a_drag_between_what_fits_into_one_view_scrolls_both_into_it(
    env: Env, fake: FakeServer
) -> None:
    bar = "<div class='bar' style='height: 60px'>Task</div>"
    things = f"""{bar}{TALL}<div draggable="true" ondragstart="event.dataTransfer.setData('text', 'box')"
      tabindex="0" aria-label="Box">Box</div><div style="height: 500px"></div>
    <div ondragover="event.preventDefault()" ondrop="out.textContent = 'dropped'" tabindex="0"
      aria-label="Bin" style="height: 60px">Bin</div>{TALL}
    <output id="out" style="position: fixed; top: 0; right: 0"></output>"""
    page = await visit(env, fake, things)
    box, bin_ = id_of(env, 'element "Box"'), id_of(env, 'element "Bin"')
    assert await act(env, type="drag", target=box, to_target=bin_) == ("ok", "")
    assert await shown(page) == "dropped"


async def test_text_replaces_what_keys_have_selected(env: Env, fake: FakeServer) -> None:
    page = await visit(env, fake, FORM)
    name = id_of(env, 'textbox "Name"')
    assert await act(env, type="type", target=name, text="Ada") == ("ok", "")
    assert await act(env, type="press", key="Control+a") == ("ok", "")
    assert await act(env, type="type", text="lovelace") == ("ok", "")
    assert await act(env, type="press", key="Home") == ("ok", "")
    assert await act(env, type="type", text="Ada L") == ("ok", "")
    assert await act(env, type="press", key="Delete") == ("ok", "")
    assert (await shown(page, STATE))[0] == "Ada Lovelace"


async def test_a_sequence_ends_at_the_first_failure(fake: FakeServer, pool: Any) -> None:
    async with Env(fake.lab_url, "key", run=7, pool=pool, actions_per_turn=3) as env:
        page = await visit(env, fake, FORM)
        name, send = id_of(env, 'textbox "Name"'), id_of(env, 'button "Send"')
        typing, click = {"type": "type", "target": name, "text": "Ada"}, {"type": "click", "target": send}
        assert await act(env, type="sequence", actions=[typing, click]) == ("ok", "")
        assert await shown(page) == "sent"
        missing = {"type": "click", "target": "e99"}
        result, message = await act(env, type="sequence", actions=[typing, missing, click])
        assert result == "no_target"
        assert message.startswith("1 of 3 actions were carried out. Number 2: e99: there is no such element")
        result, message = await act(env, type="sequence", actions=[click] * 4)
        assert (result, "at most 3" in message) == ("refused", True)


async def test_a_sequence_ends_at_another_page(fake: FakeServer, pool: Any) -> None:
    async with Env(fake.lab_url, "key", run=7, pool=pool, actions_per_turn=3) as env:
        await visit(env, fake, '<a href="form?again">Again</a>' + FORM)
        link = {"type": "click", "target": id_of(env, 'link "Again"')}
        result, message = await act(env, type="sequence", actions=[link, {"type": "press", "key": "Tab"}])
        assert result == "ok"
        assert message == "1 of 2 actions were carried out. The page changed, so the rest was left out."


async def test_a_sequence_may_end_with_the_submission(fake: FakeServer, pool: Any) -> None:
    async with Env(fake.lab_url, "key", run=7, pool=pool, actions_per_turn=3) as env:
        await env.reset(1)
        answer, submit = id_of(env, 'textbox "Your answer"'), id_of(env, 'button "Submit answer"')
        actions = [
            {"type": "type", "target": answer, "text": "42"},
            {"type": "click", "target": submit},
            {"type": "press", "key": "Tab"},
        ]
        completion = "Action: " + json.dumps({"type": "sequence", "actions": actions})
        _, reward, terminated, _, _ = await env.step(completion)
        assert (reward, terminated) == (1.0, True)


async def test_giving_up_ends_the_episode_with_its_reason(env: Env, fake: FakeServer) -> None:
    await env.reset(1)
    _, reward, _, _, info = await env.step('Action: {"type": "give_up", "reason": "no such house"}')
    assert (reward, info["action_result"]) == (0.0, "ok")
    assert fake.state.episodes[1]["closed"] == {"reason": "agent_stopped", "detail": "no such house"}


async def test_a_note_touches_no_page(env: Env, fake: FakeServer) -> None:
    await env.reset(1)
    before = len(fake.state.requests)
    assert await act(env, type="note", text="the second house is cheaper") == ("ok", "")
    assert len(fake.state.requests) == before


async def test_a_message_names_what_went_away_and_what_takes_no_text(env: Env, fake: FakeServer) -> None:
    page = await visit(env, fake, "<dialog open><button>Close</button></dialog>" + FORM)
    close, send = id_of(env, 'button "Close"'), id_of(env, 'button "Send"')
    await shown(page, "document.querySelector('dialog').close()")
    result, message = await act(env, type="click", target=close)
    assert result == "no_target"
    assert message.startswith(f"{close}: it is not shown now; the page shows e")
    assert close not in message.split("shows")[1]
    for action in ({"type": "type", "text": "Ada"}, {"type": "select", "value": "Oslo"}):
        result, message = await act(env, target=send, **action)
        assert result == "no_target"
        assert message.startswith(f'{send}: button "Send" ')


async def test_a_click_by_another_button_says_that_it_was_one(env: Env, fake: FakeServer) -> None:
    page = await visit(env, fake, FORM)
    send = id_of(env, 'button "Send"')
    result, message = await act(env, type="click", target=send, button="right")
    assert (result, await shown(page)) == ("ok", "right")
    assert "the right mouse button" in message
    assert await act(env, type="click", target=send) == ("ok", "")
