"""Exports of a search: the episodes of its hits, and nothing that the reader may not see."""

from __future__ import annotations

import csv
import json
from collections.abc import Callable
from typing import Any

import pytest
from django.contrib.auth.models import User

from tests import factories
from tests.conftest import LabClient
from tests.lab.search.test_search import episode_thought
from trajectories.lab.search import exports
from trajectories.lab.search import selectors as selector
from trajectories.lab.search.selectors import Search, search_episode_ids
from trajectories.models import Episode
from trajectories.rollouts.episodes.retrieval import selectors
from trajectories.shell.forms import EPISODES_MAX

Lab = Callable[[User | None], LabClient]


@pytest.fixture
def made(db: None) -> list[Episode]:
    """Newest first: an open one, one with two hits and a gold, one with another outcome, one without hits."""
    task = factories.task(answer="gold-answer")
    none = episode_thought("Nothing.")
    other = episode_thought("I verify.", outcome="incorrect", run=factories.run(model="=1+1"))
    twice = episode_thought("I verify it, with", "verify, and again", group=factories.group(task=task))
    return [factories.episode(), twice, other, none]


def taken(client: LabClient, path: str) -> list[str]:
    response: Any = client.get(path)
    assert response.status_code == 200
    assert response["Content-Disposition"].startswith('attachment; filename="palaestra-')
    assert response["X-Content-Type-Options"] == "nosniff"
    assert response.streaming
    return bytes(response.getvalue()).decode().splitlines()


@pytest.mark.parametrize("at_once", [1, 200])
@pytest.mark.parametrize(
    ("query", "expected"),
    [
        ("?q=verify", [1, 2]),
        ("?q=verify&outcome=correct", [1]),
        ("?outcome=correct", [1, 3]),
        ("", [0, 1, 2, 3]),
    ],
)
def test_all_three_exports_hold_the_matching_episodes(
    lab: Lab,
    annotator: User,
    made: list[Episode],
    monkeypatch: pytest.MonkeyPatch,
    at_once: int,
    query: str,
    expected: list[int],
) -> None:
    monkeypatch.setattr(exports, "EPISODES_AT_ONCE", at_once)
    monkeypatch.setattr(selector, "EXPORTED_AT_ONCE", at_once)
    client = lab(annotator)
    ids = [made[place].pk for place in expected]
    heading, *lines = taken(client, f"/search/ids.txt{query}")
    assert [int(line) for line in lines] == ids
    assert heading.startswith(f"# /search{query} 20")
    heading, *lines = taken(client, f"/search/facts.csv{query}")
    assert [int(row["episode"]) for row in csv.DictReader(lines)] == ids
    assert heading.startswith(f"# /search{query} 20")
    first, *lines = taken(client, f"/search/trajectories.ndjson{query}")
    assert [json.loads(line)["id"] for line in lines] == ids
    assert json.loads(first)["search"]["address"] == f"/search{query}"


def test_the_lines_are_those_of_the_runs_export(lab: Lab, annotator: User, made: list[Episode]) -> None:
    _, line, _ = taken(lab(annotator), "/search/trajectories.ndjson?q=verify")
    principal = exports.Principal(key_id=0, name="x", scopes=frozenset({"read"}), splits=frozenset())
    (expected,) = selectors.trajectory_lines(run=made[1].run, principal=principal)
    assert line.encode() == expected.rstrip(b"\n")


def test_the_first_record_holds_query_and_filters(lab: Lab, annotator: User, made: list[Episode]) -> None:
    query = "?q=verify&outcome=correct&steps_min=1&seconds_max=2.5&opened_from=2026-03-01"
    first, *_ = taken(lab(annotator), f"/search/trajectories.ndjson{query}")
    header = json.loads(first)["search"]
    assert header["query"] == "verify"
    assert header["filters"] == {
        "outcome": "correct",
        "steps_min": 1,
        "duration_max_ms": 2500.0,
        "opened_from": "2026-03-01",
    }
    assert header["golds"] is False


def test_golds_are_exported_only_to_gold_readers_who_request_them(
    lab: Lab, owner: User, annotator: User, made: list[Episode]
) -> None:
    factories.verdict(made[0], evidence={"gold": "gold-answer"})
    path = "/search/trajectories.ndjson"
    assert "gold-answer" in "".join(taken(lab(owner), f"{path}?golds=1"))
    assert "gold-answer" not in "".join(taken(lab(owner), path))
    for name in ("trajectories.ndjson", "facts.csv", "ids.txt"):
        lines = taken(lab(annotator), f"/search/{name}?golds=1")
        assert "gold-answer" not in "".join(lines), name
        assert factories.GOLD_CANARY not in "".join(lines), name


def test_only_gold_readers_are_offered_golds(
    lab: Lab, owner: User, annotator: User, made: list[Episode]
) -> None:
    assert "golds=1" in lab(owner).get("/search").content.decode()
    assert "golds=1" not in lab(annotator).get("/search").content.decode()


def test_the_table_has_how_episodes_ended_and_their_measures(
    lab: Lab, annotator: User, made: list[Episode]
) -> None:
    _, *lines = taken(lab(annotator), "/search/facts.csv?q=verify")
    twice, other = csv.DictReader(lines)
    assert (twice["outcome"], twice["reward"], twice["steps"], twice["not_seen"]) == (
        "correct",
        "1.0",
        "2",
        "0",
    )
    assert (twice["terminated"], twice["simulated"], twice["thought_words"]) == ("true", "false", "3.5")
    # No spreadsheet may interpret a name as a formula.
    assert other["model"] == "'=1+1"


def test_the_csv_heading_is_one_cell_whatever_the_query(lab: Lab, annotator: User, db: None) -> None:
    heading, *_ = taken(lab(annotator), "/search/facts.csv?q=a%2C%3DHYPERLINK%28%22x%22%29%0A%22")
    assert len(next(csv.reader([heading]))) == 1
    assert heading.startswith("# /search?q=a%2C%3DHYPERLINK")


def test_a_long_selection_is_read_in_batches(
    django_assert_max_num_queries: Any, db: None, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(selector, "EXPORTED_AT_ONCE", 2)
    group = factories.group()
    for _ in range(5):
        factories.episode(group=group)
    ids = search_episode_ids(Search(filters={}))
    with django_assert_max_num_queries(1):
        next(ids)
    with django_assert_max_num_queries(2):
        assert len(list(ids)) == 4


def test_only_selected_episodes_are_exported(lab: Lab, annotator: User, made: list[Episode]) -> None:
    client, selected = lab(annotator), made[0].pk
    html = client.get("/search").content.decode()
    assert 'formaction="/search/trajectories.ndjson"' in html
    lines = b"".join(client.get(f"/search/ids.txt?episodes=&episodes={selected}").streaming_content)
    assert lines.decode().splitlines()[1:] == [str(selected)]


@pytest.mark.parametrize(("ticked", "is_none"), [("", True), (",", True), ("1,b", False)])
def test_an_empty_and_an_invalid_selection_get_different_errors(
    lab: Lab, annotator: User, made: list[Episode], ticked: str, is_none: bool
) -> None:
    refused = lab(annotator).get(f"/search/trajectories.ndjson?episodes={ticked}")
    text = refused.content.decode()
    assert refused.status_code == 400
    assert ("No episode was selected." in text) is is_none
    assert ("is not a list of numbers" in text) is not is_none


def test_the_only_episode_of_a_list_can_be_exported(lab: Lab, annotator: User, db: None) -> None:
    episode = factories.episode()
    client = lab(annotator)
    for path in ("/search", f"/runs/{episode.run_id}/", f"/tasks/{episode.task_id}/"):
        html = client.get(path).content.decode()
        assert 'form="compare"' in html
        assert '<form id="compare"' in html
        assert f"NDJSON, up to {EPISODES_MAX}" in html
