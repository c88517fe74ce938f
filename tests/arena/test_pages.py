from __future__ import annotations

from collections.abc import Callable
from datetime import timedelta
from html.parser import HTMLParser
from typing import Any

import pytest
from django.conf import settings
from django.db import OperationalError
from django.utils import timezone
from psycopg.errors import DiskFull

from core.episodes.presentation import AXES, look_make
from core.episodes.tokens import token_make
from gymsite.arena.middleware import HEADERS
from tests import factories
from tests.conftest import ArenaClient
from trajectories.models import Episode, SiteEvent

Address = Callable[..., str]


class Outline(HTMLParser):
    """Headings, fields and buttons of a page, and whether it closes what it opens."""

    def __init__(self, html: str) -> None:
        super().__init__()
        self.tags: list[tuple[str, dict[str, str | None]]] = []
        self.feed(html)

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.tags.append((tag, dict(attrs)))

    def all(self, tag: str) -> list[dict[str, str | None]]:
        return [attrs for name, attrs in self.tags if name == tag]


def page(client: ArenaClient, path: str, **extra: Any) -> str:
    response = client.get(path, **extra)
    assert response.status_code == 200
    return response.content.decode()


def test_a_question_is_one_heading_one_labelled_field_and_one_button(
    arena_client: ArenaClient, address: Address
) -> None:
    outline = Outline(page(arena_client, address(factories.episode())))

    (field,) = outline.all("input")
    (form,) = outline.all("form")
    assert len(outline.all("h1")) == 1
    assert [label["for"] for label in outline.all("label")] == [field["id"]]
    assert (field["type"], field["name"], field["maxlength"], field["autocomplete"]) == (
        "text",
        "answer",
        "200",
        "off",
    )
    assert (form["method"], form["action"]) == ("post", "submit")
    assert [button["type"] for button in outline.all("button")] == ["submit"]


@pytest.mark.parametrize("arm", ["gym", "gym_with_text"])
def test_arms_with_a_page_show_the_question(arm: str, arena_client: ArenaClient, address: Address) -> None:
    task = factories.task(payload={"text": "Two & two < five?", "format": "plain"})

    html = page(arena_client, address(factories.episode(task=task, arm=arm)))

    assert "Two &amp; two &lt; five?" in html


def test_formulas_are_named_by_their_latex_and_readable_without_javascript(
    arena_client: ArenaClient, address: Address
) -> None:
    task = factories.task(payload={"text": r'Find $\frac{1}{2}$ of "x".', "format": "latex"})

    html = page(arena_client, address(factories.episode(task=task)))

    assert (
        r'Find <span class="formula" role="math" aria-label="\frac{1}{2}">'
        r'<span class="formula-source" aria-hidden="true">$\frac{1}{2}$</span></span> of &#34;x&#34;.'
    ) in html
    assert "katex.min.js" in html


def test_money_stays_text_and_loads_no_formula_scripts(arena_client: ArenaClient, address: Address) -> None:
    task = factories.task(payload={"text": "From $5 to $7.", "format": "plain"})

    html = page(arena_client, address(factories.episode(task=task)))

    assert "From $5 to $7." in html
    assert "katex" not in html


@pytest.mark.parametrize("wording", AXES["wording"])
@pytest.mark.parametrize("layout", AXES["layout"])
def test_the_look_of_the_episode_is_the_look_of_its_pages(
    wording: str, layout: str, arena_client: ArenaClient, address: Address
) -> None:
    look = look_make(seed=3, fixed={"wording": wording, "layout": layout, "theme": "dark", "zoom": 125})
    episode = factories.episode(presentation=look.as_dict())

    first, second = (page(arena_client, address(episode)) for _ in range(2))

    assert first == second
    for axis in ("theme", "contrast", "accent", "font", "zoom", "density", "layout", "form"):
        assert f'data-{axis}="{getattr(look, axis)}"' in first


def test_wordings_differ_in_all_three_places(arena_client: ArenaClient, address: Address) -> None:
    pages = set()
    for wording in AXES["wording"]:
        look = look_make(
            seed=3, fixed={"wording": wording, "layout": "card", "theme": "dark", "font": "sans", "zoom": 90}
        )
        task = factories.task(payload={"text": "Same text.", "format": "plain"})
        pages.add(page(arena_client, address(factories.episode(task=task, presentation=look.as_dict()))))
    assert len(pages) == len(AXES["wording"])


@pytest.mark.parametrize("path", ["", "done", "submit", "events"])
def test_every_response_carries_the_headers_and_no_cookie(
    path: str, arena_client: ArenaClient, address: Address
) -> None:
    response = arena_client.get(address(factories.episode(), path))

    for name, value in HEADERS.items():
        assert response[name] == value
    assert not response.cookies
    assert int(response["Content-Length"]) == len(response.content)
    assert "unsafe" not in response["Content-Security-Policy"]


def unreachable(address: Address) -> list[str]:
    """Paths whose responses must not differ: forged, foreign, ended, closed, without a page, unknown."""
    now = timezone.now()
    ended, late, closed = factories.episode(), factories.episode(), factories.episode()
    factories.verdict(ended, outcome="incorrect", reason="no_submission")
    for episode in (late, closed):
        factories.submission(episode)
        factories.verdict(episode)
    grace = timedelta(seconds=settings.STEP_GRACE_S + 60)
    Episode.objects.filter(pk=late.pk).update(finished_at=now - grace)
    Episode.objects.filter(pk=closed.pk).update(closed_at=now)
    no_page = factories.episode(arm="text_zero_shot")
    good = address(factories.episode())
    tokens = [
        good[3:-2] + ("A" if good[-2] != "A" else "B"),
        token_make(episode_id=2**62, key=settings.TOKEN_KEY),
        token_make(episode_id=1, key=b"another key"),
        "short",
        "é" * 32,
        "A" * 32,
        "A" * 5000,
    ]
    return [f"/e/{token}/" for token in tokens] + [address(one) for one in (ended, late, closed, no_page)]


def test_wrong_expired_and_finished_tokens_get_the_same_response(
    arena_client: ArenaClient, address: Address
) -> None:
    def answer(method: str, path: str) -> tuple[int, bytes, list[tuple[str, str]]]:
        form = "application/x-www-form-urlencoded"
        response = arena_client.generic(method, path, "answer=1", content_type=form)
        return response.status_code, response.content, sorted(response.items())

    paths = unreachable(address)
    expected = answer("GET", "/nothing")

    assert expected[0] == 404
    for path in paths:
        assert answer("GET", path) == expected
        assert answer("GET", path + "done") == expected
        assert answer("POST", path + "submit") == expected
    assert answer("GET", "/e/") == expected


def test_events_of_an_unreachable_episode_get_the_response_of_a_wrong_token(
    arena_client: ArenaClient, address: Address
) -> None:
    batch = '{"page": "abcdefgh", "events": []}'
    bodies = {
        arena_client.generic("POST", path + "events", batch, content_type="application/json").content
        for path in unreachable(address)
    }
    assert bodies == {arena_client.get("/nothing").content}


def test_a_wrong_token_is_refused_without_a_query(
    arena_client: ArenaClient, django_assert_num_queries: Any
) -> None:
    with django_assert_num_queries(2):  # the client's own SET ROLE and RESET ROLE
        assert arena_client.get(f"/e/{'A' * 32}/").status_code == 404


def test_a_first_page_is_one_statement(
    arena_client: ArenaClient, address: Address, django_assert_num_queries: Any
) -> None:
    path = address(factories.episode())
    with django_assert_num_queries(3):
        page(arena_client, path)


def test_health_makes_no_query(arena_client: ArenaClient, django_assert_num_queries: Any) -> None:
    with django_assert_num_queries(2):
        assert arena_client.get("/healthz").content == b"ok"


def test_pages_name_neither_benchmark_nor_key_nor_gold(arena_client: ArenaClient, address: Address) -> None:
    task = factories.task(
        key="secret-key-91",
        split="secret-split",
        tags=["secret-tag"],
        answer="314159",
        prompt="secret-prompt",
    )
    episode = factories.episode(task=task, seed=271828)

    response = arena_client.get(address(episode))
    sent = response.content.decode() + str(dict(response.items()))

    token = address(episode)[3:-1]
    for secret in ("secret", "gsm8k", "GSM8K", "314159", "271828", factories.GOLD_CANARY, token, "palaestra"):
        assert secret not in sent.replace("Palaestra", "palaestra")


def test_served_pages_are_numbered_site_events_with_their_step(
    arena_client: ArenaClient, address: Address
) -> None:
    episode = factories.episode()

    html = page(arena_client, address(episode), headers={"x-gym-step": "3"})
    page(arena_client, address(episode), headers={"x-gym-step": "none"})
    arena_client.head(address(episode))

    rows = SiteEvent.objects.filter(episode=episode).order_by("seq").values_list("seq", "kind", "step")
    assert list(rows) == [(1, "page_served", 3), (2, "page_served", None)]
    assert 'data-step="3"' in html


def test_a_step_that_the_episode_cannot_have_is_not_recorded(
    arena_client: ArenaClient, address: Address, submit: Callable[..., Any]
) -> None:
    episode = factories.episode(max_steps=12)

    for step in ("12", "13", "9999999"):
        page(arena_client, address(episode), headers={"x-gym-step": step})
    submit(episode, "answer=42", headers={"x-gym-step": "9999999"})

    rows = SiteEvent.objects.filter(episode=episode).order_by("seq").values_list("kind", "step")
    served = [("page_served", step) for step in (12, None, None)]
    assert list(rows) == [*served, ("answer_recorded", None)]


def test_without_recording_there_is_no_recorder(arena_client: ArenaClient, address: Address) -> None:
    assert "recorder.js" in page(arena_client, address(factories.episode()))
    assert "recorder.js" not in page(arena_client, address(factories.episode(recording="off")))


def test_an_episode_answered_through_the_api_shows_no_form(
    arena_client: ArenaClient, address: Address, submit: Callable[..., Any]
) -> None:
    episode = factories.episode(answer_channel="api")

    assert "<form" not in page(arena_client, address(episode))
    assert submit(episode, "answer=1").status_code == 409
    episode.refresh_from_db()
    assert episode.status == "open"


def test_a_full_disk_is_named_and_nothing_more(
    arena_client: ArenaClient, address: Address, monkeypatch: pytest.MonkeyPatch
) -> None:
    def failing(**_fields: Any) -> None:
        raise OperationalError("could not extend a file") from DiskFull("no space left on device")

    monkeypatch.setattr("gymsite.arena.episodes.page_open", failing)
    arena_client.raise_request_exception = False
    response = arena_client.get(address(factories.episode()))
    assert response.status_code == 507
    assert "Our disk is full" in response.content.decode()
    assert "extend a file" not in response.content.decode()


def test_a_server_error_reveals_no_details(arena_client: ArenaClient, address: Address) -> None:
    arena_client.raise_request_exception = False
    task = factories.task(payload={"secret": "no text at all"})

    response = arena_client.get(address(factories.episode(task=task)))

    html = response.content.decode()
    assert response.status_code == 500
    assert "Something went wrong on our side" in html
    assert "secret" not in html
    assert "Traceback" not in html
    assert HEADERS.items() <= dict(response.items()).items()


def test_an_unsupported_method_is_refused(arena_client: ArenaClient, address: Address) -> None:
    path = address(factories.episode())

    assert [arena_client.get(path + page).status_code for page in ("submit", "events")] == [405, 405]
    assert [arena_client.post(path + page).status_code for page in ("", "done")] == [405, 405]


def test_no_page_of_an_episode_may_be_stored(arena_client: ArenaClient, address: Address) -> None:
    episode = factories.episode()
    for path in ("", "done", "nothing-of-the-kind"):
        assert arena_client.get(address(episode) + path)["Cache-Control"] == "no-store", path
