"""Nothing from outside comes into what agents see: no address of a drawing, no host of a request."""

from __future__ import annotations

import socket
from collections.abc import Callable
from pathlib import Path
from typing import Any, NoReturn

import pytest

from gymsite.arena.drawings import svg
from gymsite.arena.drawings.canvas import Canvas
from tasks_app.pictures import picture_read
from tests import factories
from tests.conftest import ApiClient, ArenaClient

ELSEWHERE = "elsewhere.example"
LINK = f"http://{ELSEWHERE}/x.png"
XI = "http://www.w3.org/2001/XInclude"
SHAPE = '<rect x="1" y="1" width="5" height="5" fill="#112233"/>'
HOSTILE = {
    "image": f'<svg xmlns="http://www.w3.org/2000/svg" style="">{SHAPE}<image href="{LINK}"/></svg>',
    "filled image": f'<svg style=""><image fill="#112233" href="{LINK}" points="1,1 2,2 3,1"/></svg>',
    "use": f'<svg style="">{SHAPE}<use href="{LINK}#a"/></svg>',
    "style": f'<svg style="">{SHAPE}<style>@import url({LINK});</style></svg>',
    "fill": f'<svg style=""><rect width="5" height="5" fill="url({LINK}#a)"/></svg>',
    "foreign": f'<svg style="">{SHAPE}<foreignObject><img src="{LINK}"/></foreignObject></svg>',
    "stylesheet": f'<?xml-stylesheet href="{LINK}"?><svg style="">{SHAPE}</svg>',
    "entity": f'<!DOCTYPE svg [<!ENTITY x SYSTEM "{LINK}">]><svg style=""><text>&x;</text>{SHAPE}</svg>',
    "definition": f'<!DOCTYPE svg SYSTEM "{LINK}"><svg style="">{SHAPE}</svg>',
    "inclusion": f'<svg style="" xmlns:xi="{XI}"><xi:include href="{LINK}"/>{SHAPE}</svg>',
}


@pytest.fixture
def offline(monkeypatch: pytest.MonkeyPatch) -> list[object]:
    """What somebody tried to reach."""
    tried: list[object] = []

    def refuse(*arguments: object, **_: object) -> NoReturn:
        tried.append(arguments)
        raise OSError("nothing is reached from here")

    for name in ("connect", "connect_ex"):
        monkeypatch.setattr(socket.socket, name, refuse)
    monkeypatch.setattr(socket, "getaddrinfo", refuse)
    return tried


@pytest.mark.parametrize("name", HOSTILE)
def test_drawing_reaches_no_address(
    name: str, offline: list[object], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "hostile.svg").write_text(HOSTILE[name])
    monkeypatch.setattr(svg, "ART", tmp_path)
    svg.art.cache_clear()
    try:
        svg.art_draw(Canvas(width=20), "hostile")
    except (SyntaxError, ValueError, KeyError, IndexError, AttributeError):
        pass  # it is not of the small part of SVG that is drawn
    finally:
        svg.art.cache_clear()
    assert offline == []


@pytest.mark.parametrize("name", HOSTILE)
def test_no_picture_of_a_task_is_svg(name: str, offline: list[object]) -> None:
    with pytest.raises(ValueError, match="SVG"):
        picture_read(HOSTILE[name].encode())
    assert offline == []


HOSTS: list[dict[str, Any]] = [
    {"HTTP_HOST": ELSEWHERE},
    {"HTTP_HOST": f"{ELSEWHERE}:81", "HTTP_X_FORWARDED_HOST": ELSEWHERE},
    {"HTTP_X_FORWARDED_HOST": ELSEWHERE, "HTTP_FORWARDED": f"host={ELSEWHERE}"},
    {"HTTP_ORIGIN": f"http://{ELSEWHERE}", "HTTP_REFERER": f"http://{ELSEWHERE}/"},
]


@pytest.mark.django_db
@pytest.mark.parametrize("headers", HOSTS)
def test_no_page_names_the_host_of_its_request(
    headers: dict[str, Any],
    arena_client: ArenaClient,
    address: Callable[..., str],
    submit: Callable[..., Any],
) -> None:
    episode = factories.episode()
    place = address(episode)
    answers = [
        arena_client.get(place, **headers),
        arena_client.get(place.rstrip("/"), **headers),
        arena_client.get(f"{place}nothing/here", **headers),
        arena_client.get("/", **headers),
        arena_client.get(f"//{ELSEWHERE}/e/x", HTTP_HOST="arena.example"),
        submit(episode, "answer=42", **headers),
        arena_client.get(f"{place}done", **headers),
    ]
    for answer in answers:
        text = answer.content.decode("utf-8", "replace") + "".join(map(str, answer.headers.values()))
        assert ELSEWHERE not in text, (answer.status_code, text)
    assert [answers[0].status_code, answers[-1].status_code] == [200, 200]


@pytest.mark.parametrize("headers", HOSTS)
def test_no_prompt_names_the_host_of_the_call_that_opened_it(
    headers: dict[str, Any], trainer: ApiClient
) -> None:
    """A lab behind a proxy is called by any name; what an agent reads comes from the settings."""
    body = {"run": factories.run().pk, "tasks": [factories.task().pk], "samples_per_task": 2}
    status, opened = trainer.json("POST", "/episodes", body, **headers)
    assert status == 201
    number = opened["episodes"][0]["id"]
    resumed = trainer.json("POST", f"/episodes/{number}/resume", {}, **headers)
    messages = trainer.json("GET", f"/episodes/{number}/messages", **headers)
    assert ELSEWHERE not in repr((opened, resumed, messages))
