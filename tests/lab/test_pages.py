"""Every page of the lab: who may see it, what it shows, and what it never shows."""

from __future__ import annotations

import re
from collections.abc import Callable
from html import unescape

import pytest
from django.conf import settings
from django.contrib.auth.models import User
from django.db import connection
from django.test.utils import CaptureQueriesContext
from django.urls import get_resolver

from core.episodes import tokens
from core.storage import blobs
from tests import factories
from tests.conftest import LabClient
from tests.lab.addresses import DEEDS, OPEN_TO_ALL, REDIRECTS, WITHOUT_BYTES, pages
from trajectories.behaviour.facts.store import facts_compute
from trajectories.models import Blob, Episode, PageEvent, PolicyVersion, SiteEvent
from trajectories.shell.queries import steps as step_selectors

Lab = Callable[[User | None], LabClient]
PIXEL = (
    b"\x89PNG\r\n\x1a\n\x00\x00\x00\rIHDR\x00\x00\x00\x01\x00\x00\x00\x01\x08\x06\x00\x00\x00\x1f\x15\xc4\x89"
    b"\x00\x00\x00\rIDATx\x9cc\xf8\xff\xff?\x00\x05\xfe\x02\xfe\xdc\xccY\xe7\x00\x00\x00\x00IEND\xaeB`\x82"
)


@pytest.fixture
def episode(db: None) -> Episode:
    """A judged episode with steps 1, 2 and 5."""
    made = factories.episode(run=factories.run(report=factories.report()))
    factories.step(made, 1, thought="First I read.\nThen I think.", action={"type": "click", "target": "e3"})
    factories.step(made, 2, action_result="ok")
    factories.submission(made, "42")
    factories.verdict(
        made,
        verifier="numeric-v1",
        evidence={
            "answer": "42",
            "verifiers": {
                "numeric-v1": {
                    "correct": True,
                    "parsed_answer": "42 read",
                    "parsed_gold": factories.GOLD_CANARY,
                }
            },
        },
    )
    factories.step(made, 5, thought="Done.")
    return made


def test_every_lab_address_is_covered_by_these_tests(episode: Episode) -> None:
    named = {pattern.name for pattern in get_resolver("trajectories.wiring.urls_lab").url_patterns}
    assert named == set(pages(episode)) | OPEN_TO_ALL | DEEDS


def test_a_stranger_sees_no_page(lab: Lab, episode: Episode) -> None:
    stranger = lab(None)
    for path in pages(episode).values():
        response = stranger.get(path)
        assert response.status_code == 302, path
        assert response["Location"].startswith("/login/?next="), path


def test_a_stranger_asking_for_a_fragment_is_sent_to_the_login_page(lab: Lab) -> None:
    headers = {"HX-Request": "true", "HX-Current-URL": "http://testserver/episodes/?arm=gym"}
    response = lab(None).get("/episodes/", headers=headers)
    assert response.status_code == 401
    assert response["HX-Redirect"] == "/login/?next=%2Fepisodes%2F%3Farm%3Dgym"


def test_pages_are_read_only(lab: Lab, owner: User, episode: Episode) -> None:
    client = lab(owner)
    assert {client.post(path).status_code for path in pages(episode).values()} == {405}


def test_pages_answer_head_requests(lab: Lab, owner: User, episode: Episode) -> None:
    response = lab(owner).head(pages(episode)["episode"])
    assert (response.status_code, response.content) == (200, b"")


@pytest.mark.parametrize("name", ["search", "compare"])
def test_addresses_with_a_trailing_slash_redirect(name: str, lab: Lab, owner: User) -> None:
    response = lab(owner).get(f"/{name}/?episodes=1&arm=gym")
    assert (response.status_code, response["Location"]) == (302, f"/{name}?episodes=1&arm=gym")


def test_a_logged_in_person_sees_every_page(lab: Lab, annotator: User, episode: Episode) -> None:
    client = lab(annotator)
    statuses = {name: client.get(path).status_code for name, path in pages(episode).items()}
    assert statuses == dict.fromkeys(pages(episode), 200) | dict.fromkeys(WITHOUT_BYTES, 404) | dict.fromkeys(
        REDIRECTS, 302
    )


def test_the_right_password_opens_the_lab_and_a_wrong_one_does_not(lab: Lab, owner: User) -> None:
    client = lab(None)
    wrong = client.post("/login/", {"username": "owner", "password": "wrong"})
    assert wrong.status_code == 200
    assert b"Wrong name or password" in wrong.content
    right = client.post("/login/", {"username": "owner", "password": "correct horse", "next": "/tasks/"})
    assert (right.status_code, right["Location"]) == (302, "/tasks/")
    assert client.post("/logout/").status_code == 302
    assert client.get("/").status_code == 302


def test_pages_carry_strict_headers(lab: Lab, owner: User) -> None:
    response = lab(owner).get("/")
    policy = response["Content-Security-Policy"]
    assert "default-src 'self'" in policy
    assert "unsafe" not in policy
    assert "connect-src 'self' http://testserver:8002 ws://testserver:8002;" in policy
    assert "frame-ancestors 'none'" in policy
    assert response["X-Content-Type-Options"] == "nosniff"
    assert response["Referrer-Policy"] == "same-origin"
    assert "private" in response["Cache-Control"]


def test_no_page_shows_a_gold_to_others_than_gold_readers(
    lab: Lab, annotator: User, episode: Episode
) -> None:
    client = lab(annotator)
    for path in pages(episode).values():
        assert factories.GOLD_CANARY not in client.get(path).getvalue().decode(), path
    assert "42 read" in client.get(f"/episodes/{episode.pk}/").content.decode()


def test_staff_sees_gold_and_evidence(lab: Lab, owner: User, episode: Episode) -> None:
    client = lab(owner)
    for name in ("episode", "task"):
        assert factories.GOLD_CANARY in client.get(pages(episode)[name]).content.decode(), name


def test_no_page_contains_the_token_of_an_episode(
    lab: Lab, owner: User, episode: Episode, settings: object
) -> None:
    token = tokens.token_make(episode_id=episode.pk, key=settings.TOKEN_KEY)
    factories.step(episode, 6, thought=f"I go to http://arena/e/{token}/", url=f"http://arena/e/{token}/done")
    client = lab(owner)
    for path in (*pages(episode).values(), f"/episodes/{episode.pk}/steps/6"):
        assert token not in client.get(path).getvalue().decode(), path


def test_only_gold_readers_see_the_seed(lab: Lab, owner: User, annotator: User) -> None:
    episode = factories.episode(seed=8811223344)
    path = f"/episodes/{episode.pk}/"
    assert "8811223344" in lab(owner).get(path).content.decode()
    assert "8811223344" not in lab(annotator).get(path).content.decode()


def test_ids_without_a_row_are_404(lab: Lab, owner: User, episode: Episode) -> None:
    client = lab(owner)
    missing = [
        "/runs/0/",
        "/episodes/9223372036854775807/",
        f"/episodes/{episode.pk}/steps/3",
        "/tasks/123456789/",
    ]
    assert {client.get(path).status_code for path in missing} == {404}
    assert b"no step 3" in client.get(f"/episodes/{episode.pk}/steps/3").content
    assert client.get("/episodes/99999999999999999999999/").status_code == 404


def test_text_of_agents_is_shown_and_never_executed(lab: Lab, owner: User) -> None:
    attack = "<script>alert(1)</script>\u202egpj.exe"
    run = factories.run(name=attack, model=attack, tags=[attack], simulated=True)
    episode = factories.episode(run=run, arm="gym")
    factories.step(
        episode,
        1,
        thought=attack,
        raw=attack,
        action={"type": attack, "target": attack, "text": attack},
        action_type="?",
        action_known=False,
        observation_text=attack,
        url=attack,
        parse_error=attack,
    )
    PageEvent.objects.create(
        episode=episode, page="n", seq=1, step=1, kind="click", at_ms=1.0, data={"name": attack}
    )
    factories.submission(episode, attack)
    client = lab(owner)
    for path in pages(episode).values():
        response = client.get(path)
        html = response.getvalue().decode()
        if not response["Content-Type"].startswith("text/html"):
            assert response["X-Content-Type-Options"] == "nosniff"
            continue
        assert [bad for bad in ("<script>alert", "\u202e") if bad in html] == [], path
    assert "U+202E" in client.get(f"/episodes/{episode.pk}/steps/1").content.decode()


def test_a_long_episode_is_listed_in_parts(
    lab: Lab, owner: User, monkeypatch: pytest.MonkeyPatch, episode: Episode
) -> None:
    monkeypatch.setattr(step_selectors, "STEPS_PER_PAGE", 2)
    client = lab(owner)
    first = client.get(f"/episodes/{episode.pk}/").content.decode()
    assert "?first=5#steps" in first
    assert f"/episodes/{episode.pk}/steps/5" not in first.partition('id="steps"')[2]
    assert (
        f"/episodes/{episode.pk}/steps/5" in client.get(f"/episodes/{episode.pk}/?first=5").content.decode()
    )


@pytest.mark.parametrize(
    ("query", "error"),
    [
        ("first=x", "From step: “x” is not a step number. This filter is ignored."),
        ("first=6", "From step: “6” is after the last step, 5. This filter is ignored."),
        ("first=5", None),
        ("from=2", "“from” is not a filter of an episode; ignored."),
        ("find=x", None),
        ("utm=1", "“utm” is not a filter of an episode; ignored."),
        ("tail=1", None),
        ("tail=0", None),
        ("tail=yes", "Tail: “yes” is neither 1 nor 0. This filter is ignored."),
        ("tail=1&tail=1", "“tail” is given 2 times; the last one counts."),
        ("tail=1&first=2", "From step: “2” cannot be combined with tail=1. This filter is ignored."),
    ],
)
def test_invalid_parameters_of_an_episode_page_are_reported(
    query: str, error: str | None, lab: Lab, owner: User, episode: Episode
) -> None:
    response = lab(owner).get(f"/episodes/{episode.pk}/?{query}")
    assert response.context["page"].errors == ([error] if error else [])
    assert (error or "Steps") in response.content.decode()
    assert b"No step was posted" not in response.content


def test_an_episode_page_passes_its_query_on_to_the_steps(lab: Lab, owner: User, episode: Episode) -> None:
    """Readers arrive here by cutting off the address of a step."""
    step = f"/episodes/{episode.pk}/steps/1"
    html = lab(owner).get(f"/episodes/{episode.pk}/?find=a+%26b").content.decode()
    assert html.count(f'href="{step}') == html.count(f'href="{step}?find=a%20%26b"') > 2


def test_a_step_shows_its_screenshot_and_the_events_of_page_and_server(
    lab: Lab, owner: User, settings: object, tmp_path: object
) -> None:
    settings.STORAGES = {
        **settings.STORAGES,
        "blobs": {
            "BACKEND": "django.core.files.storage.FileSystemStorage",
            "OPTIONS": {"location": str(tmp_path)},
        },
    }
    stored = blobs.blob_store(PIXEL)
    Blob.objects.create(sha256=stored.sha256, size=stored.size, content_type=stored.content_type)
    episode = factories.episode()
    factories.step(
        episode,
        1,
        screenshot=stored.sha256,
        observation_kind="axtree-v2",
        observation_text='[e1] heading "Question"\n[e7] textbox "Answer"',
        action={"type": "type", "target": "e7", "text": "42"},
        action_type="type",
    )
    factories.step(episode, 2, screenshot="f" * 64)
    PageEvent.objects.create(
        episode=episode, page="n", seq=1, step=1, kind="input", at_ms=9.5, data={"value": "42"}
    )
    SiteEvent.objects.create(episode=episode, seq=1, step=1, kind="page_served")
    client = lab(owner)
    html = client.get(f"/episodes/{episode.pk}/steps/1").content.decode()
    assert f'<img src="/blobs/{stored.sha256}"' in html
    assert "page_served" in html
    assert "input" in html
    assert "textbox “Answer”</bdi>" in html
    picture = client.get(f"/blobs/{stored.sha256}")
    assert b"".join(picture.streaming_content) == PIXEL
    assert "sandbox" in picture["Content-Security-Policy"]
    assert "has not been uploaded" in client.get(f"/episodes/{episode.pk}/steps/2").content.decode()


def test_lists_run_the_same_number_of_queries_for_one_row_as_for_many(lab: Lab, owner: User) -> None:
    client = lab(owner)
    lists = ["/", "/tasks/", "/search"]

    def counts() -> list[int]:
        numbers = []
        for path in lists:
            with CaptureQueriesContext(connection) as queries:
                assert client.get(path).status_code == 200
            numbers.append(len([q for q in queries if "ROLE" not in q["sql"]]))
        return numbers

    factories.verdict(factories.episode())
    few = counts()
    for _ in range(6):
        other = factories.episode()
        factories.step(other)
        factories.verdict(other, "void", "lease_lost")
    assert counts() == few
    assert max(few) <= 14


def test_a_run_shows_its_arms_reasons_and_versions(lab: Lab, owner: User) -> None:
    run = factories.run(simulated=True)
    task = factories.task()
    for outcome, reason in (("correct", "answer"), ("incorrect", "step_budget"), ("void", "cancelled")):
        factories.verdict(factories.episode(run=run, task=task, arm="gym"), outcome, reason)
    factories.episode(run=run, task=task, arm="text_agent")
    PolicyVersion.objects.create(run=run, version=7, checkpoint="step-700")
    html = lab(owner).get(f"/runs/{run.pk}/").content.decode()
    for expected in (
        "simulated",
        "50.0%",
        "n = 2, 1 task",
        "step_budget",
        "cancelled",
        "step-700",
        "text_agent",
    ):
        assert expected in html, expected


def test_list_run_and_comparison_say_what_of_a_set_up_is_not_the_default(lab: Lab, owner: User) -> None:
    other = factories.run(grammar="functions", history="last_k:3", actions_per_turn=4)
    usual, unusual = factories.episode(), factories.episode(run=other)
    client = lab(owner)

    compared = f"/compare?episodes={usual.pk},{unusual.pk}"
    for address in ("/", f"/runs/{other.pk}/", compared):
        text = client.get(address).content.decode()
        for label in ("Function calls", "Last 3 observations", "4 actions per turn"):
            assert text.count(label) == 1, (address, label)


def test_an_open_episode_polls_for_news_and_a_closed_one_does_not(lab: Lab, owner: User) -> None:
    episode = factories.episode()
    factories.step(episode)
    client = lab(owner)
    path = f"/episodes/{episode.pk}/progress"
    html = client.get(path).content.decode()
    assert 'hx-trigger="news"' in html
    again = unescape(html.partition('hx-get="')[2].partition('"')[0])
    assert client.get(again).status_code == 204
    factories.step(episode, 2)
    assert client.get(again).status_code == 200
    factories.verdict(episode)
    assert 'hx-trigger="news"' in client.get(path).content.decode()
    Episode.objects.filter(pk=episode.pk).update(closed_at=episode.finished_at)
    assert "Closed: measures follow within seconds" in client.get(path).content.decode()
    facts_compute([episode.pk])
    assert "hx-trigger" not in client.get(path).content.decode()


def test_an_episode_without_a_page_shows_no_look(lab: Lab, owner: User) -> None:
    look = {"theme": "dark", "zoom": 125}
    on_page = factories.episode(arm="gym", presentation=look)
    in_text = factories.episode(arm="text_zero_shot", presentation=look)

    with_look, without = (
        lab(owner).get(f"/episodes/{made.pk}/").content.decode() for made in (on_page, in_text)
    )
    assert ("<dt>theme</dt>" in with_look, "Page clock" in with_look) == (True, True)
    assert ("<dt>theme</dt>" in without, "Page clock" in without) == (False, False)


def test_every_scrollable_box_can_be_scrolled_by_keyboard() -> None:
    templates = (settings.BASE_DIR / "trajectories").rglob("*.html")
    boxes = [
        f"{path.name}: {tag}"
        for path in templates
        for tag in re.findall(r'<pre class="boxed[^>]*>', path.read_text(encoding="utf-8"))
    ]
    assert boxes
    assert [box for box in boxes if 'tabindex="0"' not in box] == []
