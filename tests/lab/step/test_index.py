"""The index of an episode's steps, and searching their text."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest
from django.contrib.auth.models import User
from django.db import connection
from django.test.utils import CaptureQueriesContext

from core.episodes import tokens
from tests import factories
from tests.conftest import LabClient
from tests.lab.long_scene import long_episode
from trajectories.actions.checks import CHECKS
from trajectories.behaviour.facts import store
from trajectories.models import Blob, Episode, PageEvent, SiteEvent
from trajectories.shell.queries import step_matches

pytestmark = pytest.mark.usefixtures("own_storages")
Lab = Callable[[User | None], LabClient]
HUNDRED_KB = 100_000


def index_of(client: LabClient, episode: Episode, query: str = "") -> dict[str, Any]:
    response = client.get(f"/episodes/{episode.pk}/index.json{query}")
    assert response["Content-Type"] == "application/json"
    return response.json()


def rows_of(index: dict[str, Any]) -> dict[int, dict[str, Any]]:
    return {row[0]: dict(zip(index["fields"], row, strict=True)) for row in index["steps"]}


def queries_of(client: LabClient, path: str) -> int:
    with CaptureQueriesContext(connection) as queries:
        assert client.get(path).status_code == 200
    return len([query for query in queries if "ROLE" not in query["sql"]])


def test_500_steps_are_at_most_100_kilobytes(lab: Lab, annotator: User) -> None:
    episode = long_episode(steps=500, pictures=5)
    response = lab(annotator).get(f"/episodes/{episode.pk}/index.json")
    assert len(response.json()["steps"]) == 500
    assert len(response.content) <= HUNDRED_KB


def test_500_steps_of_the_longest_words_are_at_most_100_kilobytes(lab: Lab, annotator: User) -> None:
    episode = factories.episode()
    for index in range(1, 501):
        text = "\u202e" * 40 + "漢" * 4_000 + '"' * 4_000
        action = {"type": "select", "value": text, "target": text}
        shot = f"{index:064x}"
        factories.step(
            episode,
            index,
            action=action,
            action_type="漢" * 32,
            action_result="no_target",
            screenshot=shot,
            duration_ms=123456.7,
        )
    assert len(lab(annotator).get(f"/episodes/{episode.pk}/index.json").content) <= HUNDRED_KB


def test_the_next_part_of_the_index_starts_where_the_last_ended(lab: Lab, annotator: User) -> None:
    episode = long_episode(steps=3, pictures=0)
    factories.step(episode, 700)
    client = lab(annotator)
    first = index_of(client, episode)
    assert (list(rows_of(first)), first["next_from"], first["last"]) == ([1, 2, 3], 700, 700)
    second = index_of(client, episode, "?from=700")
    assert (list(rows_of(second)), second["next_from"]) == ([700], None)


@pytest.mark.parametrize("query", ["?from=0", "?from=-3", "?from=x", "?from=²", "?from=99999999999999"])
def test_a_nonsensical_start_begins_at_the_first_step(lab: Lab, annotator: User, query: str) -> None:
    episode = long_episode(steps=2, pictures=0)
    assert index_of(lab(annotator), episode, query)["from"] == 1


def test_a_row_describes_the_action_and_its_result(lab: Lab, annotator: User) -> None:
    episode = factories.episode()
    factories.step(
        episode,
        1,
        action={"type": "type", "target": "e7", "text": "42"},
        action_type="type",
        action_result="ok",
        duration_ms=2500.0,
        url="https://gym/",
        screenshot="a" * 64,
    )
    factories.step(episode, 2, action_type="", action=None, parse_error="No JSON.", url="https://gym/done")
    Blob.objects.create(sha256="a" * 64, size=1, content_type="image/png")
    index = index_of(lab(annotator), episode)
    rows = rows_of(index)
    assert rows[1] == {
        "index": 1,
        "type": "type",
        "phrase": "42 on e7",
        "result": "ok",
        "tone": "good",
        "ms": 2500,
        "bar": 50,
        "picture": 0,
        "page_change": 0,
        "repeats": None,
        "check": None,
    }
    assert index["pictures"] == ["a" * 64]
    assert (rows[2]["tone"], rows[2]["picture"], rows[2]["page_change"]) == ("bad", None, 1)


def test_the_index_runs_the_same_number_of_queries_for_one_step_as_for_many(
    lab: Lab, annotator: User
) -> None:
    client = lab(annotator)
    few, many = long_episode(steps=1), long_episode(steps=60)
    counts = [queries_of(client, f"/episodes/{one.pk}/index.json") for one in (few, many)]
    assert counts[0] == counts[1] <= 8


def test_a_search_covers_thoughts_actions_trees_and_addresses(lab: Lab, annotator: User) -> None:
    episode = factories.episode()
    factories.step(episode, 1, thought="A Needle here")
    factories.step(episode, 2, action={"type": "type", "text": "needle"})
    factories.step(episode, 3, observation_text='[e1] link "NEEDLE"', url="https://gym/needle")
    factories.step(episode, 4, thought="hay")
    factories.step(episode, 5, thought="hay", raw="hay, needle")
    factories.step(episode, 6, thought="needle", raw="needle, hay")
    factories.step(factories.episode(), 1, thought="needle of another episode")
    client = lab(annotator)
    result = client.get(f"/episodes/{episode.pk}/find.json?find=nEEdle").json()
    assert result["steps"] == [
        [1, ["thought"]],
        [2, ["action"]],
        [3, ["tree", "url"]],
        [5, ["raw"]],
        [6, ["thought"]],
    ]
    assert {name for _, places in result["steps"] for name in places} == set(result["words"])


@pytest.mark.parametrize("find", ["%25", "_", "%5C", "%00", "+", "(", "%27"])
def test_special_characters_are_searched_literally(lab: Lab, annotator: User, find: str) -> None:
    episode = factories.episode()
    factories.step(episode, 1, thought="nothing of the kind")
    answer = lab(annotator).get(f"/episodes/{episode.pk}/find.json?find={find}")
    assert answer.json()["steps"] == []


def test_a_truncated_list_of_matches_is_marked_as_cut(
    lab: Lab, annotator: User, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(step_matches, "MATCHES_MAX", 2)
    episode = factories.episode()
    for index in range(1, 5):
        factories.step(episode, index)
    result = lab(annotator).get(f"/episodes/{episode.pk}/find.json?find=thought").json()
    assert ([index for index, _ in result["steps"]], result["is_cut"]) == ([1, 2], True)


def test_only_site_tasks_have_milestones(lab: Lab, annotator: User) -> None:
    episode = factories.episode()
    factories.step(episode, 1)
    SiteEvent.objects.create(episode=episode, seq=1, step=1, kind="page_served", data={})
    assert index_of(lab(annotator), episode)["milestones"] == []


def test_rows_of_the_index_hold_the_facts_of_their_steps(lab: Lab, annotator: User) -> None:
    episode = factories.episode()
    for index in (1, 2, 3):
        factories.step(
            episode, index, action={"type": "click", "target": "e1"}, action_type="click", action_result="ok",
            observation_text='[e1] button "Go"', url="https://gym/",
        )  # fmt: skip
    PageEvent.objects.create(episode=episode, page="p", seq=1, step=1, kind="load", at_ms=1.0)
    factories.verdict(episode)
    client = lab(annotator)
    before = rows_of(index_of(client, episode))
    assert [(row["repeats"], row["check"]) for row in before.values()] == [(None, None), (1, 0), (1, None)]
    store.facts_compute([episode.pk])
    after = rows_of(index_of(client, episode))
    assert [after[index]["repeats"] for index in (1, 2, 3)] == [None, 1, 1]
    unseen = next(index for index, row in after.items() if row["check"] is not None)
    page = client.get(f"/episodes/{episode.pk}/steps/3").content.decode()
    assert f'Same page and action as <a href="/episodes/{episode.pk}/steps/1">step 1</a>' in page
    assert "Action had no effect" in client.get(f"/episodes/{episode.pk}/steps/{unseen}").content.decode()
    assert "computed by rule, not judged by people" in page


@pytest.mark.parametrize(
    ("text", "label"), [("42", "Submitted an answer"), ("41", "Different answer submitted")]
)
def test_an_answer_without_a_page_has_its_own_labels(
    lab: Lab, annotator: User, text: str, label: str
) -> None:
    episode = factories.episode(arm="text_zero_shot", answer_channel="api")
    factories.step(episode, 1, action={"type": "answer", "text": text}, action_type="answer")
    factories.submission(episode, "42")
    factories.verdict(episode)
    store.facts_compute([episode.pk])
    page = lab(annotator).get(f"/episodes/{episode.pk}/steps/1").content.decode()
    assert page.count(label) >= 2
    action = page.partition("Action</h2>")[2].partition("</section>")[0]
    timeline = page.partition("data-timeline")[2].partition("</nav>")[0]
    assert label in action
    assert f'href="/episodes/{episode.pk}/steps/1"' in timeline
    assert not any(check.label in action + timeline for check in CHECKS.values())


def test_a_search_result_labels_an_answer_as_an_answer(lab: Lab, annotator: User) -> None:
    episode = factories.episode(arm="text_zero_shot", answer_channel="api")
    factories.step(
        episode, 1, thought="Counted.", action={"type": "answer", "text": "41"}, action_type="answer"
    )
    factories.submission(episode, "42")
    factories.verdict(episode)
    store.facts_compute([episode.pk])
    page = lab(annotator).get("/search?q=counted&action_check=different_effect").content.decode()
    hit = page.partition('id="hit-')[2].partition("</tr>")[0]
    assert "Different answer submitted" in hit
    assert CHECKS["different_effect"].label not in hit
    assert "Effect differs from action" in page


@pytest.mark.parametrize("place", ["thought", "raw", "observation_text", "url", "action"])
def test_no_token_can_be_guessed_by_searching(lab: Lab, annotator: User, settings: Any, place: str) -> None:
    episode = factories.episode()
    own, other = (tokens.token_make(episode_id=pk, key=settings.TOKEN_KEY) for pk in (episode.pk, 7_000_001))
    text = f"go to http://gym/e/{own}/quite or http://gym/e/{other}/quite"
    value = {"type": "goto", "url": text} if place == "action" else text
    factories.step(episode, 90, url=f"http://gym/e/{own}/", raw=text)
    factories.step(episode, 91, **{place: value})
    client = lab(annotator)
    for piece in (own[:8], own[-8:], own, f"/e/{own[:3]}", f"{own[-2:]}/quite", other[-8:], f"/e/{other}"):
        assert client.get(f"/episodes/{episode.pk}/find.json", {"find": piece}).json()["steps"] == []
        page = client.get(f"/episodes/{episode.pk}/steps/91", {"find": piece}).content.decode()
        assert "tab-found" not in page
        assert "<mark>" not in page
        assert "data-match-in-view" not in page
    for piece in ("/quite", "GYM/e/", "/e/***/quite", "**"):
        result = client.get(f"/episodes/{episode.pk}/find.json", {"find": piece}).json()
        assert 91 in [index for index, _ in result["steps"]]
