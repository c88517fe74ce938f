from __future__ import annotations

import json
from collections.abc import Callable
from datetime import timedelta
from typing import Any

import msgspec
import pytest
from django.conf import settings as django_settings
from django.utils import timezone

from core.episodes.tokens import token_make
from tasks_app.models import Gold
from tests import factories
from trajectories.behaviour.facts import store
from trajectories.models import Episode, PageEvent, SiteEvent, Step, ToolCall, VerdictEvidence
from trajectories.record.api.auth import Principal
from trajectories.rollouts.episodes.retrieval import records, selectors

PARSED_GOLD = "parsed-gold-9142"
READER = Principal(key_id=1, name="r", scopes=frozenset(["read"]), splits=frozenset())


def _full_episode(**fields: Any) -> Episode:
    """An episode with everything in it; a token hides wherever a harness or page can put text."""
    episode = factories.episode(**fields)
    token = token_make(episode_id=episode.pk, key=django_settings.TOKEN_KEY)
    address = f"http://127.0.0.1:8000/e/{token}/"
    factories.step(
        episode,
        1,
        thought=f"I open {address}",
        raw='say "\u2028\n</script>" \\ \U0001f600',
        url=address,
        observation_kind="axtree-v2",
        observation_text=f"link {address}submit",
        screenshot="0" * 64,
        policy_version=3,
        more={"usage": {"prompt": 12}, "rewards": {"format": 0.5}},
    )
    factories.step(episode, 3)
    PageEvent.objects.create(
        episode=episode, page="p", seq=1, kind="click", at_ms=1.5, data={"href": address}
    )
    SiteEvent.objects.create(episode=episode, seq=1, kind="page_served", data={"path": "/"})
    factories.submission(episode, "41")
    factories.verdict(episode, "incorrect", verifier="numeric-v1", evidence={"gold": PARSED_GOLD})
    return episode


def test_a_trajectory_holds_steps_events_submission_and_verdict(api: Callable[..., Any]) -> None:
    episode = _full_episode()

    status, trajectory = api("read").json("GET", f"/episodes/{episode.pk}/trajectory")

    assert status == 200
    first, second = trajectory["steps"]
    assert (first["index"], second["index"]) == (1, 3)
    assert first["raw"] == 'say "\u2028\n</script>" \\ \U0001f600'
    assert first["usage"] == {"prompt": 12}
    assert first["rewards"] == {"format": 0.5}
    assert (first["policy_version"], first["screenshot"], first["parse_error"]) == (3, "0" * 64, None)
    assert second["observation"] is None
    assert trajectory["page_events"][0]["kind"] == "click"
    assert trajectory["site_events"][0]["data"] == {"path": "/"}
    assert trajectory["submission"]["answer"] == "41"
    assert (trajectory["verdict"]["outcome"], trajectory["verdict"]["verifier"]) == (
        "incorrect",
        "numeric-v1",
    )
    assert (trajectory["terminated"], trajectory["truncated"]) == (True, False)
    assert trajectory["task"]["prompt"] == episode.task.prompt
    msgspec.convert(trajectory, records.Trajectory)


def test_an_empty_episode_has_a_trajectory(api: Callable[..., Any]) -> None:
    trajectory = api("read").json("GET", f"/episodes/{factories.episode().pk}/trajectory")[1]

    assert (
        trajectory["steps"],
        trajectory["page_events"],
        trajectory["submission"],
        trajectory["verdict"],
    ) == ([], [], None, None)
    msgspec.convert(trajectory, records.Trajectory)


def test_only_keys_with_the_scope_golds_read_golds_and_seeds(api: Callable[..., Any]) -> None:
    episode = _full_episode(seed=918273645)
    addresses = [f"/episodes/{episode.pk}/trajectory", f"/runs/{episode.run_id}/trajectories"]

    for address in addresses:
        for scopes in (("read",), ("read", "trainer")):
            text = api(*scopes).get(f"/api/v1{address}").getvalue().decode()
            assert PARSED_GOLD not in text
            assert factories.GOLD_CANARY not in text
            assert "918273645" not in text
        trajectory = msgspec.json.decode(api("read", "golds").get(f"/api/v1{address}").getvalue())
        assert trajectory["evidence"] == {"gold": PARSED_GOLD}
        assert trajectory["seed"] == 918273645


def test_the_arena_token_is_masked_everywhere(api: Callable[..., Any]) -> None:
    episode = _full_episode()
    token = token_make(episode_id=episode.pk, key=django_settings.TOKEN_KEY)
    client = api("admin")

    for address in (f"/episodes/{episode.pk}/trajectory", f"/runs/{episode.run_id}/trajectories"):
        text = client.get(f"/api/v1{address}").getvalue().decode()
        assert token not in text
        assert "http://127.0.0.1:8000/e/***/submit" in text


def test_text_that_only_looks_like_a_token_is_left_alone() -> None:
    text = f"https://example.org/e/{'a' * 32}/ and /e/{'b' * 40}"

    assert selectors.without_tokens(text) == text


def test_the_stream_of_a_run_has_a_line_for_each_of_its_episodes(api: Callable[..., Any]) -> None:
    run = factories.run()
    made = [factories.episode(group=factories.group(run=run)).pk for _ in range(40)]
    factories.episode()

    response = api("read").get(f"/api/v1/runs/{run.pk}/trajectories")

    assert response["Content-Type"] == "application/x-ndjson"
    lines = response.getvalue().decode().split("\n")
    assert lines[-1] == ""
    assert [json.loads(line)["id"] for line in lines[:-1]] == made


def test_reading_an_episode_gives_its_current_state(api: Callable[..., Any]) -> None:
    episode = factories.episode()
    factories.step(episode, 4)
    client = api("read")

    _, before = client.json("GET", f"/episodes/{episode.pk}")
    factories.verdict(episode)
    _, after = client.json("GET", f"/episodes/{episode.pk}")

    assert (before["status"], before["steps_used"], before["verdict"]) == ("open", 4, None)
    assert (after["status"], after["verdict"]["reward"], after["terminated"]) == ("finished", 1.0, True)


def test_episodes_are_filtered_and_paged(api: Callable[..., Any], django_assert_num_queries: Any) -> None:
    run = factories.run()
    group = factories.group(run=run)
    made = [factories.episode(group=group) for _ in range(4)]
    factories.verdict(made[1])
    factories.episode(group=factories.group(run=run))
    factories.episode()
    client = api("read")

    def ids(query: str) -> list[int]:
        return [record["id"] for record in client.json("GET", f"/episodes?{query}")[1]["results"]]

    with django_assert_num_queries(3):  # the key, the ids, the records
        _, first = client.json("GET", f"/episodes?group={group.pk}&limit=3")
    assert [record["id"] for record in first["results"]] == [episode.pk for episode in made[:3]]
    assert ids(f"group={group.pk}&limit=3&cursor={first['next']}") == [made[3].pk]
    assert ids(f"run={run.pk}&status=finished") == [made[1].pk]
    assert len(ids(f"run={run.pk}")) == 5
    assert len(ids("")) == 6


@pytest.mark.parametrize(
    ("query", "field"),
    [
        ("status=opne", "status"),
        ("status=open%00", "status"),
        ("run=0", "run"),
        ("run=9223372036854775808", "run"),
        ("run=x", "run"),
        ("group=-1", "group"),
        ("cursor=abc", "cursor"),
        ("grop=1", "grop"),
    ],
)
def test_a_bad_parameter_is_named(api: Callable[..., Any], query: str, field: str) -> None:
    status, answer = api("read").json("GET", f"/episodes?{query}")

    assert (status, list(answer["error"]["fields"])) == (400, [field])


@pytest.mark.parametrize("ending", ["", "/trajectory"])
@pytest.mark.parametrize("number", ["0", "999999", "9223372036854775807", "9223372036854775808", "1" * 40])
def test_a_missing_episode_is_404(api: Callable[..., Any], number: str, ending: str) -> None:
    assert api("read").json("GET", f"/episodes/{number}{ending}")[0] == 404


def test_a_key_limited_to_splits_reads_no_episode_of_another_split(api: Callable[..., Any]) -> None:
    run = factories.run()
    seen, hidden = (
        factories.episode(group=factories.group(run=run, task=factories.task(split=split)))
        for split in ("train", "test")
    )
    client = api("admin", splits=["train"])

    assert client.json("GET", f"/episodes/{seen.pk}")[0] == 200
    for ending in ("", "/trajectory"):
        status, answer = client.json("GET", f"/episodes/{hidden.pk}{ending}")
        assert (status, answer["error"]["code"]) == (404, "unknown_episode")
    listed = client.json("GET", f"/episodes?run={run.pk}")[1]["results"]
    assert [record["id"] for record in listed] == [seen.pk]
    lines = client.get(f"/api/v1/runs/{run.pk}/trajectories").getvalue().splitlines()
    assert [json.loads(line)["id"] for line in lines] == [seen.pk]
    stats = client.json("GET", f"/tasks/stats?run={run.pk}")[1]["results"]
    assert [row["task"] for row in stats] == [seen.task_id]


def test_evidence_belongs_to_the_current_verdict(api: Callable[..., Any]) -> None:
    episode = _full_episode()
    VerdictEvidence.objects.all().delete()

    trajectory = api("read", "golds").json("GET", f"/episodes/{episode.pk}/trajectory")[1]

    assert trajectory["evidence"] is None


OUTPUT = {"passed": [False], "told": ["KeyError: 'k'"], "problem": "", "printed": "on\n", "is_cut": False}


def _call(episode: Episode, number: int, **fields: Any) -> None:
    values = {"tool": "run", "input": f"def f(): return {number}", **fields}
    ToolCall.objects.create(episode=episode, number=number, **values)


@pytest.mark.parametrize("is_streamed", [False, True])
def test_tool_calls_are_listed_in_order(api: Callable[..., Any], is_streamed: bool) -> None:
    episode = factories.episode()
    _call(episode, 2, input="try()")
    _call(episode, 1, step=3, status="done", output=OUTPUT, finished_at=timezone.now())
    _call(factories.episode(run=episode.run), 1)
    address = f"/runs/{episode.run_id}/trajectories" if is_streamed else f"/episodes/{episode.pk}/trajectory"

    lines = api("read").get(f"/api/v1{address}").getvalue().splitlines()

    trajectory = msgspec.convert(msgspec.json.decode(lines[0]), records.Trajectory)
    first, second = trajectory.tool_calls
    assert (first.number, first.tool, first.step, first.input) == (1, "run", 3, "def f(): return 1")
    assert (first.status, first.output) == ("done", OUTPUT)
    assert first.finished_at is not None
    assert (second.number, second.step, second.status) == (2, None, "waiting")
    assert (second.output, second.finished_at) == (None, None)


def test_the_lab_role_can_read_a_trajectory(as_role: Callable[[str], Any]) -> None:
    episode = factories.episode()
    _call(episode, 1)

    with as_role("gym_lab"):
        text = selectors.trajectory_text(episode_id=episode.pk, principal=READER)

    assert len(msgspec.json.decode(text)["tool_calls"]) == 1


@pytest.mark.parametrize(
    ("status", "age", "published"),
    [
        ("waiting", 0, "waiting"),
        ("waiting", 9_999, "lost"),
        ("running", 9_999, "lost"),
        ("done", 9_999, "done"),
        ("failed", 9_999, "failed"),
    ],
)
def test_an_unfinished_tool_call_is_lost_after_its_time_limit(
    api: Callable[..., Any], status: str, age: int, published: str
) -> None:
    episode = factories.episode()
    _call(episode, 1, status=status, output={}, created_at=timezone.now() - timedelta(seconds=age))

    (record,) = api("read").json("GET", f"/episodes/{episode.pk}/trajectory")[1]["tool_calls"]

    assert (record["status"], record["output"]) == (published, None)


@pytest.mark.parametrize("scopes", [("read",), ("read", "golds")])
def test_a_trajectory_does_not_reveal_hidden_asserts(
    api: Callable[..., Any], scopes: tuple[str, ...]
) -> None:
    shown, held_back = "assert f(1) == 1", "assert f(70) == 77"
    episode = factories.episode(
        task=factories.task(kind="code", payload={"text": "Write f.", "signature": "", "asserts": [shown]}),
        variation={"asserts": [shown, held_back], "tools": ["run"]},
    )
    Gold.objects.filter(task=episode.task).update(extra={"tests": [shown, held_back]})
    _call(episode, 1, status="done", output=OUTPUT)

    text = api(*scopes).get(f"/api/v1/episodes/{episode.pk}/trajectory").getvalue().decode()

    assert shown in text
    assert held_back not in text


@pytest.mark.parametrize(
    ("variation", "published"),
    [
        ({"order": [1, 0], "tools": ["zoom"]}, {"order": [1, 0], "tools": ["zoom"]}),
        ({"asserts": ["assert f(70) == 77"]}, None),
        (None, None),
    ],
)
def test_a_trajectory_has_the_choice_order(api: Callable[..., Any], variation: Any, published: Any) -> None:
    episode = factories.episode(variation=variation)

    record = api("read").json("GET", f"/episodes/{episode.pk}/trajectory")[1]

    assert record["arrangement"] == published
    msgspec.convert(record, records.Trajectory)


def test_the_token_is_masked_in_programs_and_their_output(api: Callable[..., Any]) -> None:
    episode = factories.episode()
    token = token_make(episode_id=episode.pk, key=django_settings.TOKEN_KEY)
    address = f"http://127.0.0.1:8000/e/{token}/"
    _call(episode, 1, input=f"# {address}", status="done", output={**OUTPUT, "printed": address})

    text = api("admin").get(f"/api/v1/episodes/{episode.pk}/trajectory").getvalue().decode()

    assert token not in text
    assert text.count("/e/***/") == 2


def test_a_click_outside_all_steps_has_no_step(api: Callable[..., Any]) -> None:
    episode = _full_episode()
    Step.objects.filter(episode=episode).update(started_at=timezone.now() - timedelta(hours=1), duration_ms=5)
    store.facts_compute([episode.pk])
    record = api("read").json("GET", f"/episodes/{episode.pk}/trajectory")[1]["said_done"]
    assert record["extra_events"] == 1
    assert [(one["step"], one["kind"]) for one in record["extras"]] == [(None, "click")]
    assert msgspec.convert(record, records.SaidDoneRecord, strict=False)


def test_action_checks_are_published_once_they_are_computed(api: Callable[..., Any]) -> None:
    episode = _full_episode()
    reader = api("read")
    before = reader.json("GET", f"/episodes/{episode.pk}/trajectory")[1]
    store.facts_compute([episode.pk])
    after = reader.json("GET", f"/episodes/{episode.pk}/trajectory")[1]

    assert before["said_done"] is before["behaviour"] is before["steps"][0]["said_done"] is None
    # The one click belongs to no step, and without their times it may be of any.
    assert after["said_done"]["extra_events"] == 0
    assert after["steps"][0]["said_done"]["kind"] == "unknown"
    assert after["behaviour"]["steps"] == 2
    assert after["steps"][1]["behaviour"]["thought_words"] == 1
    assert msgspec.convert(after["steps"][0]["behaviour"], records.StepBehaviour, strict=False)
    assert msgspec.convert(after["behaviour"], records.BehaviourRecord, strict=False)
    assert msgspec.convert(after["said_done"], records.SaidDoneRecord, strict=False)


@pytest.mark.django_db
def test_an_episode_without_steps_has_the_actions_that_its_pages_reported() -> None:
    episode = factories.episode()
    origin, field = (
        1_700_000_000_000,
        {"role": "textbox", "name": "Your answer", "element": "1", "value": "162"},
    )
    for seq, (kind, data) in enumerate([("load", {"path": "", "origin": origin}), ("input", field)], 1):
        PageEvent.objects.create(episode=episode, page="p", seq=seq, kind=kind, at_ms=seq * 1000, data=data)
    opened, typed = _read(episode)["page_actions"]
    assert (opened["kind"], typed["kind"], typed["value"]) == ("open", "type", "162")
    assert (typed["seqs"], typed["at_ms"]) == ([2], origin + 2000)
    factories.step(episode, 1)
    assert _read(episode)["page_actions"] == []


def _read(episode: Episode) -> dict[str, Any]:
    trajectory: dict[str, Any] = json.loads(
        selectors.trajectory_text(episode_id=episode.pk, principal=READER)
    )
    return trajectory
