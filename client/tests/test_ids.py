"""Ids of elements, which a model holds on to for a whole episode."""

from __future__ import annotations

import re

import pytest

from fake_server import FakeServer
from palaestra import Env
from test_reaching import FORM, HEAD, act, id_of, shown, visit


async def test_elements_keep_their_ids_when_a_page_is_drawn_or_opened_again(
    env: Env, fake: FakeServer
) -> None:
    listed = "".join(f"<p>{name} <a href='{name}'>Details</a></p>" for name in ("one", "two"))
    fold = "<details open><summary>Task</summary><input aria-label='Answer'></details>"
    page = await visit(env, fake, f"{fold}<main>{listed}</main>{FORM}")
    lines = ('link "Details" -> https://gym/two', 'textbox "Name"', 'button "Send"')
    before = [id_of(env, line) for line in lines]
    await shown(page, "document.querySelector('main').innerHTML += ''")
    await shown(page, "document.querySelector('details').open = false")
    await act(env, type="wait", ms=0)
    assert [id_of(env, line) for line in lines] == before
    fake.state.pages["one"] = HEAD + "<button>New</button>" + FORM
    for action in ({"type": "goto", "url": "one"}, {"type": "back"}, {"type": "goto", "url": "form?x=1"}):
        assert (await act(env, **action))[0] == "ok"
        assert [id_of(env, line) for line in lines[1:]] == before[1:]
    assert id_of(env, lines[0]) == before[0]


WAYS = "<a href='form?more={0}'>More</a><button>Helpful</button>"
RECORDS = {
    "known by their ids": f"<article id='{{0}}'><p>Fine.</p>{WAYS}</article>",
    "in a list": f"<li><h3>{{0}}</h3>{WAYS}</li>",
    "in a table": f"<tr><td>{{0}}</td><td>{WAYS}</td></tr>",
}


@pytest.mark.parametrize("record", RECORDS.values(), ids=RECORDS)
async def test_a_filtered_list_gives_no_id_to_another_record(record: str, env: Env, fake: FakeServer) -> None:
    def listed(*names: str) -> str:
        rows = "".join(record.format(name) for name in names)
        return f"<table>{rows}</table>" if "<tr>" in rows else f"<ul>{rows}</ul>"

    async def ids() -> list[str]:
        await act(env, type="wait", ms=0)
        assert env.episode is not None
        return re.findall(r'\[(e\d+)\] (?:link "More"|button "Helpful")', env.episode.observation.text)

    page = await visit(env, fake, f"<main>{listed('Ann', 'Bob', 'Cyd')}</main>")
    every = await ids()
    for names, places in ((["Bob"], [2, 3]), (["Cyd", "Bob"], [4, 5, 2, 3]), (["Ann"], [0, 1])):
        await shown(page, f"document.querySelector('main').innerHTML = {listed(*names)!r}")
        assert await ids() == [every[place] for place in places]
        fake.state.pages["filtered"] = HEAD + f"<main>{listed(*names)}</main>"
        await act(env, type="goto", url="filtered")
        assert await ids() == [every[place] for place in places]
        await act(env, type="back")


async def test_an_id_that_is_not_there_is_answered_with_some_that_are(env: Env, fake: FakeServer) -> None:
    buttons = "".join(f"<button>Number {number}</button>" for number in range(9))
    page = await visit(env, fake, buttons)
    result, message = await act(env, type="click", target="e99")
    ids = [id_of(env, f'button "Number {number}"') for number in range(9)]
    missing = "e99: there is no such element on the page, which has"
    assert (result, message) == ("no_target", f"{missing} {', '.join(ids[:6])} and 3 more.")
    await shown(page, "document.querySelectorAll('button').forEach((one, at) => one.hidden = at !== 4)")
    _, message = await act(env, type="click", target="e99")
    assert message == f"{missing} {ids[4]}."


async def test_an_id_of_another_page_names_nothing_here(env: Env, fake: FakeServer) -> None:
    await visit(env, fake, FORM)
    send = id_of(env, 'button "Send"')
    fake.state.pages["one"] = HEAD + "<button>Delete</button>"
    await act(env, type="goto", url="one")
    result, message = await act(env, type="click", target=send)
    delete = id_of(env, 'button "Delete"')
    missing = f"{send}: there is no such element on the page, which has {delete}."
    assert (result, message) == ("no_target", missing)
