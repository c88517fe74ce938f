"""The search page: words and filters in the address, hits, counts, and notices."""

from __future__ import annotations

import re
from collections.abc import Callable
from datetime import UTC, datetime
from typing import Any
from urllib.parse import quote

import pytest
from django.conf import settings as django_settings
from django.contrib.auth.models import User
from django.db import connection
from django.test.utils import CaptureQueriesContext

from core.episodes import tokens
from tests import factories
from tests.conftest import LabClient
from tests.lab.search.test_search import episode_thought
from trajectories.behaviour.facts import store
from trajectories.lab.search import page as pages
from trajectories.lab.search import selectors
from trajectories.models import Episode
from trajectories.shell import slow_queries

Lab = Callable[[User | None], LabClient]
FRAGMENT = {"HX-Request": "true"}


def rows_of(html: str) -> set[tuple[int, int | None]]:
    """The hits of a page: episode and, with words, step."""
    steps = re.findall(r"data-hit\s+href=\"/episodes/(\d+)/steps/(\d+)", html)
    whole = re.findall(r"data-hit\s+href=\"/episodes/(\d+)/\"", html)
    return {(int(one), int(step)) for one, step in steps} | {(int(one), None) for one in whole}


def page_of(client: LabClient, query: str, **headers: str) -> str:
    response: Any = client.get(f"/search{query}", headers={**FRAGMENT, **headers})
    assert response.status_code == 200, query
    return response.content.decode()


@pytest.fixture
def made(db: None) -> dict[str, Episode]:
    """``a`` and ``b`` contain "verify"; so does ``c``, which is open and has no facts yet."""
    run = factories.run(name="nightly", model="qwen")
    one = episode_thought(
        "I verify it.",
        "Done.",
        run=run,
        policy_version=3,
        opened_at=datetime(2026, 3, 2, 9, tzinfo=UTC),
        action="goto",
    )
    task = factories.task(benchmark=factories.benchmark(id="math"), prompt="a 100% Needle in hay_stacks")
    group = factories.group(arm="text_agent", task=task)
    other = episode_thought("I verify it too.", group=group, outcome="void", reason="lease_lost", ms=9_000.0)
    unfinished = factories.episode()
    factories.step(unfinished, 1, thought="I verify.")
    return {"a": one, "b": other, "c": unfinished}


@pytest.mark.parametrize(
    ("filters", "expected"),
    [
        ("", "ab"),
        ("run={run}", "a"),
        ("model=qwen", "a"),
        ("episodes={a},{c}", "a"),
        ("episodes={a}&episodes={b}", "ab"),
        ("policy_version=3", "a"),
        ("benchmark=math", "b"),
        ("task={task}", "a"),
        ("problem=100%25 needle", "b"),
        ("problem=needle HAY", "b"),
        ("problem=%22hay_stacks%22", "b"),
        ("problem=hay-stacks", "b"),
        ("problem=stacks-hay", ""),
        ("problem=needle or nothing", "b"),
        ("problem=needle -hay", ""),
        ("problem=need", ""),
        ("arm=text_agent", "b"),
        ("outcome=correct", "a"),
        ("outcome=void&reason=lease_lost", "b"),
        ("status=finished", "ab"),
        ("action=goto", "a"),
        ("action_check=no_effect", ""),
        ("steps_min=2", "a"),
        ("steps_max=1", "b"),
        ("seconds_min=5", "b"),
        ("seconds_max=5", "a"),
        ("opened_to=2026-03-02", "a"),
        ("opened_from=2026-03-02&opened_to=2026-03-02", "a"),
        ("opened_to=2026-03-01", ""),
    ],
)
def test_every_filter_narrows_steps_episodes_and_their_counts(
    lab: Lab, annotator: User, made: dict[str, Episode], filters: str, expected: str
) -> None:
    client = lab(annotator)
    numbers = {name: episode.pk for name, episode in made.items()}
    address = filters.format(run=made["a"].run_id, task=made["a"].task_id, **numbers)
    steps = rows_of(page_of(client, f"?q=verify&{address}"))
    assert steps == {(made[name].pk, 1) for name in expected}
    episodes = rows_of(page_of(client, f"?{address}"))
    step = 1 if filters.startswith("action=") else None
    assert episodes - {(made["c"].pk, None)} == {(made[name].pk, step) for name in expected}
    counted = client.get(f"/search/counts?q=verify&{address}", headers=FRAGMENT).content.decode()
    assert f"{len(expected)} step" in counted


def test_open_episodes_are_listed_without_words(lab: Lab, annotator: User, made: dict[str, Episode]) -> None:
    client = lab(annotator)
    assert rows_of(page_of(client, "?status=open")) == {(made["c"].pk, None)}
    assert len(rows_of(page_of(client, ""))) == 3


def test_a_mismatch_filters_steps_if_words_are_given_else_episodes(lab: Lab, annotator: User) -> None:
    episode = factories.episode()
    factories.step(episode, 1, thought="I verify it.")
    click = {"type": "click", "target": "e3"}
    factories.step(
        episode, 2, thought="I click.", action=click, action_type="click", action_result="no_target"
    )
    episode.page_events.create(page="p1", seq=1, step=1, kind="settled", at_ms=1.0)
    factories.verdict(episode)
    store.facts_compute([episode.pk])
    client = lab(annotator)
    assert rows_of(page_of(client, "?action_check=no_effect")) == {(episode.pk, 2)}
    assert rows_of(page_of(client, "?q=verify&action_check=no_effect")) == set()
    html = page_of(client, "?q=click&action_check=no_effect")
    assert rows_of(html) == {(episode.pk, 2)}
    assert "Action had no effect" in html


def test_new_episodes_shift_no_later_page(lab: Lab, annotator: User, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(pages, "HITS_PER_PAGE", 2)
    client = lab(annotator)
    for query, count in (("?q=verify", 2), ("?outcome=correct", 1)):
        old = [episode_thought("I verify it.", "I verify again.") for _ in range(3)]
        expected = {(one.pk, index) for one in old for index in (1, 2)}
        if count == 1:
            expected = {(one.pk, None) for one in old}
        first = page_of(client, query)
        episode_thought("I verify it later.")
        seen = [rows_of(first)]
        while older := re.search(r'rel="next"\s+href="([^"]+)"', first):
            first = page_of(client, older.group(1).replace("&amp;", "&").removeprefix("/search"))
            seen.append(rows_of(first))
        everything = [hit for page in seen for hit in page]
        assert len(everything) == len(set(everything))
        assert expected <= set(everything)
        assert max(old[-1].pk, *(hit[0] for hit in everything)) == old[-1].pk


def test_a_hit_links_to_its_step_with_the_query_highlighted(lab: Lab, annotator: User) -> None:
    episode = episode_thought("It costs 1,000 + 5, let me verify: yes.")
    html = page_of(lab(annotator), '?q=a or "1000 + 5"')
    assert f'href="/episodes/{episode.pk}/steps/1?find=1%2C000%20%2B%205"' in html
    assert "<mark>1,000 + 5</mark>" in html
    step = lab(annotator).get(f"/episodes/{episode.pk}/steps/1?find=1%2C000%20%2B%205").content.decode()
    assert "<mark>1,000 + 5</mark>" in step


def test_each_filter_can_be_removed_alone_and_values_are_shown(
    lab: Lab, annotator: User, made: dict[str, Episode]
) -> None:
    html = page_of(lab(annotator), f"?q=verify&run={made['a'].run_id}&steps_min=2&arm=nowhere")
    chips = re.findall(r'<a class="chip[^"]*"\s+href="([^"]+)"', html)
    run = f"run={made['a'].run_id}"
    assert {chip.replace("&amp;", "&") for chip in chips} == {
        "/search?q=verify&arm=nowhere&steps_min=2",
        f"/search?q=verify&{run}&steps_min=2",
        f"/search?q=verify&{run}&arm=nowhere",
        "/search?q=verify",
    }
    assert "nightly" in html
    assert "at least 2 steps" in html


def test_the_address_holds_the_search_without_empty_fields(lab: Lab, annotator: User) -> None:
    client = lab(annotator)
    response = client.get("/search?q=a+b&run=&steps_min=3&model=&after=")
    assert (response.status_code, response["Location"]) == (302, "/search?q=a+b&steps_min=3")
    pushed = client.get("/search?q=a+b&run=&steps_min=3", headers=FRAGMENT)
    assert pushed["HX-Push-Url"] == "/search?q=a+b&steps_min=3"


def test_the_old_list_of_episodes_redirects_to_the_search(lab: Lab, annotator: User) -> None:
    response = lab(annotator).get("/episodes/?arm=gym&q=needle&cursor=7")
    assert (response.status_code, response["Location"]) == (302, "/search?arm=gym&problem=needle")


@pytest.mark.parametrize(
    ("query", "expected"),
    [
        ("run=x", "Run: “x” is not among the choices"),
        ("run=999999999999999999999", "is not among the choices"),
        ("arm=no_such_arm", "Arm: “no_such_arm” is not among the choices"),
        ("steps_min=abc", "Steps, at least: “abc” is not a whole number"),
        ("steps_min=-1", "is less than 0"),
        ("steps_max=99999999999999999999", "is more than 1,000,000,000"),
        ("policy_version=1.5", "is not a whole number"),
        ("task=0", "is less than 1"),
        ("seconds_min=nan", "“nan” is not a number"),
        ("seconds_min=1e400", "is not a number"),
        ("opened_from=2026-02-31", "Opened from: “2026-02-31” is not a day in the form 2026-02-28"),
        ("opened_to=31.12.2026", "is not a day in the form 2026-02-28"),
        ("opened_to=9999-12-31", "is not between 2000-01-01 and 9000-01-01"),
        ("problem=-needle", "Task text has: “-needle” needs at least one word to match"),
        ("problem=(((", "needs at least one word to match"),
        ("problem=%00", "contains the character U+0000, which no text has"),
        (f"problem={'x' * 10_000}", "has 10,000 characters; the maximum is 200"),
        ("action_check=confirmed", "is not among the choices"),
        ("after=x", "is not a position in this list"),
        ("after=99999999999999999999", "is not a position in this list"),
        ("staus=open", "“staus” is not a filter of a search; ignored."),
        ("episodes=1,b", "Episode numbers: “1,b” is not a list of numbers such as 12, 15."),
        ("arm=text_agent&arm=gym", "“arm” is given 2 times; the last one counts."),
    ],
)
def test_a_nonsensical_filter_is_ignored_with_a_notice(
    lab: Lab, annotator: User, made: dict[str, Episode], query: str, expected: str
) -> None:
    client = lab(annotator)
    html = page_of(client, f"?outcome=correct&{query}")
    assert expected in html
    assert rows_of(html) == {(made["a"].pk, None)}
    refused = client.get(f"/search/ids.txt?outcome=correct&{query}")
    assert refused.status_code == 400
    assert expected in refused.content.decode()


@pytest.mark.parametrize(
    ("query", "expected"),
    [
        ("-verify", "only excludes words"),
        ("(((", "needs at least one word"),
        ("%00verify", "U+0000"),
        ("x" * 10_240, "has 10,240 characters; the maximum is 500"),
        ("a " * 40, "has more than 32 words"),
    ],
)
def test_unsearchable_words_match_nothing_and_say_why(
    lab: Lab, annotator: User, made: dict[str, Episode], query: str, expected: str
) -> None:
    client = lab(annotator)
    html = page_of(client, f"?q={query}")
    assert expected in html
    assert rows_of(html) == set()
    assert client.get(f"/search/counts?q={query}").status_code == 200
    refused = client.get(f"/search/trajectories.ndjson?q={query}")
    assert refused.status_code == 400
    assert expected in refused.content.decode()


def test_stop_words_can_be_searched(lab: Lab, annotator: User) -> None:
    episode = episode_thought("To be or not to be.")
    assert rows_of(page_of(lab(annotator), "?q=not to be")) == {(episode.pk, 1)}


def test_the_last_of_two_queries_counts_with_a_notice(lab: Lab, annotator: User) -> None:
    episode = episode_thought("The second word.")
    html = page_of(lab(annotator), "?q=first&q=second")
    assert "“q” is given 2 times; the last one counts." in html
    assert rows_of(html) == {(episode.pk, 1)}


def test_many_unknown_filters_are_summarised(lab: Lab, annotator: User) -> None:
    html = page_of(lab(annotator), "?" + "&".join(f"name{number}=1" for number in range(40)))
    assert "“name4” is not a filter of a search" in html
    assert "name5" not in html
    assert "35 more unknown filters" in html


def test_impossible_ranges_are_reported(lab: Lab, annotator: User, made: dict[str, Episode]) -> None:
    html = page_of(lab(annotator), "?steps_min=9&steps_max=3&opened_from=2026-03-02&opened_to=2026-03-01")
    assert "No episode has both at least 9 and at most 3 steps." in html
    assert "No day is both from 2026-03-02 on and up to 2026-03-01." in html
    assert rows_of(html) == set()


def test_an_empty_result_is_explained(lab: Lab, annotator: User, db: None) -> None:
    client = lab(annotator)
    assert "make demo" in page_of(client, "")
    factories.episode()
    assert "No thoughts match" in page_of(client, "?q=nowhere")
    assert "only whole words match" in page_of(client, "?q=nowhere")
    assert "No episodes match" in page_of(client, "?outcome=correct")
    assert "matches whole words only" in page_of(client, "?problem=nowhere")


def test_an_episode_is_offered_by_its_number(lab: Lab, annotator: User, made: dict[str, Episode]) -> None:
    client = lab(annotator)
    number = made["c"].pk
    assert f'Looking for <a href="/episodes/{number}/"' in page_of(client, f"?q={number}")
    assert "Looking for" not in page_of(client, f"?q={number + 1000}")
    assert "Looking for" not in page_of(client, "?q=99999999999999999999")


def test_counts_are_loaded_separately_and_link_to_narrower_searches(
    lab: Lab, annotator: User, made: dict[str, Episode], monkeypatch: pytest.MonkeyPatch
) -> None:
    client = lab(annotator)
    html = page_of(client, "?q=verify")
    assert 'hx-get="/search/counts?q=verify"' in html
    counted = client.get("/search/counts?q=verify", headers=FRAGMENT).content.decode()
    assert re.search(r"2 steps</strong>\s+in\s+2 episodes", counted)
    assert "/search?q=verify&amp;outcome=void" in counted
    assert f"/search?q=verify&amp;run={made['a'].run_id}" in counted
    assert "/search?status=open" in client.get("/search/counts", headers=FRAGMENT).content.decode()
    monkeypatch.setattr("trajectories.lab.search.selectors.COUNTED_MAX", 1)
    counted = client.get("/search/counts?q=verify", headers=FRAGMENT).content.decode()
    assert re.search(r"More than\s+1 step</strong>\s+in\s+at least\s+1 episode", counted)
    whole = client.get("/search/counts?q=verify").content.decode()
    assert "<html" in whole


def slow(*_args: Any, **_more: Any) -> Any:
    with connection.cursor() as cursor:
        cursor.execute("SELECT pg_sleep(30)")


@pytest.mark.parametrize("headers", [FRAGMENT, {}], ids=["fragment", "page"])
@pytest.mark.parametrize(
    ("slow_part", "address", "expected"),
    [
        ("search_page", "/search", "Search stopped"),
        ("search_counts", "/search/counts", "Counting was stopped"),
    ],
)
def test_a_search_that_takes_too_long_is_stopped_with_a_notice(
    lab: Lab,
    annotator: User,
    made: dict[str, Episode],
    monkeypatch: pytest.MonkeyPatch,
    slow_part: str,
    address: str,
    expected: str,
    headers: dict[str, str],
) -> None:
    monkeypatch.setattr(slow_queries, "SEARCH_MS", 50)
    monkeypatch.setattr(selectors, slow_part, slow)
    response = lab(annotator).get(f"{address}?q=verify", headers=headers)
    assert response.status_code == 503
    html = response.content.decode()
    assert expected in html
    assert 'hx-get="/search/counts' not in html


def test_unsearchable_words_run_no_search(
    lab: Lab, annotator: User, made: dict[str, Episode], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(slow_queries, "SEARCH_MS", 50)
    monkeypatch.setattr(selectors, "search_page", slow)
    assert lab(annotator).get("/search?q=-verify").status_code == 200


def test_hits_are_shown_although_they_cannot_be_counted(
    lab: Lab, annotator: User, made: dict[str, Episode], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(selectors, "search_counts", slow)
    assert rows_of(page_of(lab(annotator), "?q=verify"))


def test_a_hostile_thought_is_escaped_and_its_token_masked(lab: Lab, annotator: User) -> None:
    episode = factories.episode()
    token = tokens.token_make(episode_id=episode.pk, key=django_settings.TOKEN_KEY)
    attack = f"<script>alert(1)</script> \u202everify at http://arena/e/{token}/ <b>verify</b>"
    factories.step(episode, 1, thought=attack, action={"type": "<i>"}, action_type="<i>")
    factories.verdict(episode)
    store.facts_compute([episode.pk])
    client = lab(annotator)
    pieces = [piece for piece in re.split("[-_]", token) if piece]
    for words in ("verify or script", *pieces):
        html = page_of(client, f"?q={quote(words)}")
        assert rows_of(html) == {(episode.pk, 1)}, words
        assert [bad for bad in ("<script>alert", "\u202e", "<b>verify", "<i>") if bad in html] == []
        assert [piece for piece in pieces if len(piece) > 5 and piece in html.partition("<tbody")[2]] == []
    assert "U+202E" in page_of(client, "?q=verify")


def test_the_page_runs_the_same_number_of_queries_for_one_hit_as_for_many(lab: Lab, annotator: User) -> None:
    client = lab(annotator)

    def counts(query: str) -> int:
        with CaptureQueriesContext(connection) as queries:
            page_of(client, query)
        # Who asks, and for how long at most, reads no table.
        frame = ("ROLE", "SAVEPOINT", "statement_timeout")
        return len([one for one in queries if not any(word in one["sql"] for word in frame)])

    episode_thought("I verify it.")
    few = counts("?q=verify"), counts("")
    for _ in range(5):
        episode_thought("I verify it.", "I verify again.")
    assert (counts("?q=verify"), counts("")) == few
    assert max(few) <= 11
