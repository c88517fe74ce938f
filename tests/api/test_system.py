from __future__ import annotations

import shutil
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest

from core import redis_client
from tests import factories
from tests.servers import servers
from trajectories import heartbeats
from trajectories.api import capacity, health
from trajectories.models import Episode, Verdict


@pytest.fixture(autouse=True)
def _fresh() -> Iterator[None]:
    redis_client.client().flushdb()
    health.forget_report()
    yield
    health.forget_report()


@pytest.fixture
def redis_gone(settings: Any) -> Iterator[None]:
    """An address at which no Redis listens."""
    settings.REDIS_URL = "unix:///nowhere/redis.sock"
    redis_client.client.cache_clear()
    yield
    redis_client.client.cache_clear()


def test_health_needs_no_key_and_names_what_is_down(api: Callable[..., Any], settings: Any) -> None:
    status, answer = api().json("GET", "/health")

    assert status == 503
    assert answer["down"] == ["sweeper", "workers"]
    assert {name: answer[name] for name in ("status", "database", "redis", "arena_url", "live_url")} == {
        "status": "down",
        "database": "ok",
        "redis": "ok",
        "arena_url": settings.ARENA_URL,
        "live_url": settings.LIVE_URL,
    }


def test_health_is_ok_when_what_judging_and_measures_need_is_alive(api: Callable[..., Any]) -> None:
    for name in ("verify", "sweeper", "housekeeper"):
        heartbeats.alive_mark(name)

    status, answer = api().json("GET", "/health")

    assert (status, answer["status"], answer["down"]) == (200, "ok", [])
    assert answer["missing"] == ["sandbox"]


def test_a_missing_housekeeper_is_named_and_no_reason_to_take_the_lab_down(api: Callable[..., Any]) -> None:
    for name in ("verify", "sweeper", "sandbox"):
        heartbeats.alive_mark(name)

    status, answer = api().json("GET", "/health")

    assert (status, answer["status"], answer["missing"]) == (200, "degraded", ["housekeeper"])


@pytest.mark.usefixtures("redis_gone")
def test_health_reports_redis_apart_from_the_workers(api: Callable[..., Any]) -> None:
    status, answer = api().json("GET", "/health")

    assert (status, answer["down"], answer["workers"]) == (503, ["redis"], "unknown")


def test_health_reports_that_the_database_is_down(
    api: Callable[..., Any], monkeypatch: pytest.MonkeyPatch
) -> None:
    client = api()
    monkeypatch.setitem(health.connection.settings_dict, "HOST", "/nowhere")

    status, answer = client.json("GET", "/health")

    assert (status, answer["database"]) == (503, "down")
    assert "database" in answer["down"]


def test_health_is_probed_at_most_once_a_second(
    api: Callable[..., Any], monkeypatch: pytest.MonkeyPatch
) -> None:
    client, probes = api(), []
    probe = health._probe
    monkeypatch.setattr(health, "_probe", lambda: probes.append(1) or probe())
    monkeypatch.setattr(health, "CACHE_S", 60.0)
    monkeypatch.setattr(health, "CACHE_DOWN_S", 60.0)

    answers = [client.json("GET", "/health")[1] for _ in range(3)]

    assert len(probes) == 1
    assert answers[0] == answers[2]


def test_a_process_stays_marked_alive_until_it_stops() -> None:
    stop = heartbeats.alive_keep("verify")
    try:
        for _ in range(200):
            if heartbeats.alive_names(["verify"]):
                break
            stop.wait(0.01)
        assert heartbeats.alive_names(["verify", "sweeper"]) == {"verify"}
        assert 0 < redis_client.client().ttl("gym:alive:verify") <= heartbeats.ALIVE_S
    finally:
        stop.set()


def _beat(client: Any, *ids: int) -> list[int]:
    """The episodes that are gone; every other one must have been counted as alive."""
    status, answer = client.json("POST", "/heartbeat", {"episodes": list(ids)})
    assert (status, answer["alive"]) == (200, len(ids) - len(answer["gone"]))
    return sorted(answer["gone"])


def test_only_active_episodes_are_alive(api: Callable[..., Any]) -> None:
    opened, submitted, ended = factories.episode(), factories.episode(), factories.episode()
    factories.submission(submitted)
    factories.verdict(ended)
    unknown = 2**63 - 1

    gone = _beat(api("trainer"), opened.pk, submitted.pk, ended.pk, unknown)

    assert gone == [ended.pk, unknown]
    assert set(heartbeats.last_beats([opened.pk, submitted.pk, ended.pk, unknown])) == {
        opened.pk,
        submitted.pk,
    }
    names = redis_client.client().keys("gym:*")
    assert not [name for name in names if name.endswith((f":{ended.pk}", f":{unknown}"))]


def test_heartbeats_of_a_hidden_split_keep_nothing_alive(api: Callable[..., Any]) -> None:
    episode = factories.episode(task=factories.task(split="test"))
    train, test = api("trainer", splits=["train"]), api("trainer", splits=["train", "test"])
    assert _beat(train, episode.pk) == [episode.pk]
    assert heartbeats.last_beats([episode.pk]) == {}
    assert _beat(test, episode.pk) == []
    assert _beat(train, episode.pk) == [episode.pk]  # known by now


def test_each_heartbeat_differs_from_the_one_before(trainer: Any) -> None:
    episode = factories.episode()
    _beat(trainer, episode.pk)
    first = heartbeats.last_beats([episode.pk])
    _beat(trainer, episode.pk)

    assert heartbeats.last_beats([episode.pk]) != first


def test_an_episode_that_has_ended_forgets_its_heartbeat(trainer: Any) -> None:
    episode = factories.episode()
    _beat(trainer, episode.pk)
    factories.verdict(episode)
    heartbeats.mark_gone([episode.pk])

    assert _beat(trainer, episode.pk) == [episode.pk]
    assert heartbeats.last_beats([episode.pk]) == {}


def test_an_episode_stays_gone_when_its_mark_has_expired(trainer: Any) -> None:
    episode = factories.episode()
    _beat(trainer, episode.pk)
    factories.verdict(episode)
    heartbeats.mark_gone([episode.pk])
    redis_client.client().delete(f"{heartbeats.GONE}{episode.pk}")

    assert _beat(trainer, episode.pk) == [episode.pk]


def test_what_redis_knows_of_an_episode_is_looked_up_again_in_a_lease(trainer: Any, settings: Any) -> None:
    settings.LEASE_S = 0.7
    _beat(trainer, (episode := factories.episode()).pk)

    assert 0 < redis_client.client().ttl(f"{heartbeats.ACTIVE}{episode.pk}") <= 1


def test_a_key_that_sends_heartbeats_of_anything_is_refused(api: Callable[..., Any], settings: Any) -> None:
    settings.ACTIVE_EPISODES_MAX = 20
    guesser, trainer, episode = api("trainer"), api("trainer"), factories.episode()
    codes = []
    for first in range(1_000, 1_050, 10):
        body = {"episodes": list(range(first, first + 10))}
        codes.append(guesser.json("POST", "/heartbeat", body)[0])

    assert codes == [200, 200, 429, 429, 429]
    assert _beat(trainer, episode.pk) == []


def test_marks_of_ended_episodes_last_for_two_leases(settings: Any) -> None:
    settings.LEASE_S = 0.7
    heartbeats.mark_gone([7])

    assert 0 < redis_client.client().ttl("gym:gone:7") <= 2


def test_known_heartbeats_take_one_redis_call_and_query_only_the_key(
    api: Callable[..., Any], django_assert_num_queries: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    client, calls = api("trainer"), []
    heartbeats.active_note(dict.fromkeys(range(1, 5001), "train"))
    execute = redis_client.redis.Redis.execute_command
    monkeypatch.setattr(
        redis_client.redis.Redis,
        "execute_command",
        lambda self, *args, **options: calls.append(args[0]) or execute(self, *args, **options),
    )

    with django_assert_num_queries(1):
        assert _beat(client, *range(1, 5001)) == []

    assert calls == ["EVAL"]


def test_unknown_heartbeats_take_one_query_once(
    api: Callable[..., Any], django_assert_num_queries: Any
) -> None:
    client, run = api("trainer"), factories.run()
    ids = [factories.episode(run=run).pk for _ in range(20)]
    with django_assert_num_queries(2):  # its key, and these
        assert _beat(client, *ids) == []
    with django_assert_num_queries(1):
        assert _beat(client, *ids) == []


@pytest.mark.parametrize(
    "episodes", [None, "1", [0], [-1], [2**63], ["x"], [1.5], [True], [[1]], list(range(1, 5002))]
)
def test_heartbeats_of_no_episodes_are_refused(api: Callable[..., Any], episodes: Any) -> None:
    status, answer = api("trainer").json("POST", "/heartbeat", {"episodes": episodes})

    assert (status, answer["error"]["code"]) == (400, "invalid")
    assert redis_client.client().dbsize() == 0


@pytest.mark.usefixtures("redis_gone")
def test_without_redis_a_heartbeat_is_answered_503_and_episodes_still_end(
    api: Callable[..., Any], caplog: pytest.LogCaptureFixture
) -> None:
    client = api("trainer")
    response = client.post("/api/v1/heartbeat", {"episodes": [1]}, content_type="application/json")

    assert (response.status_code, response.json()["error"]["code"]) == (503, "redis_down")
    assert response["Retry-After"] == "1"
    heartbeats.mark_gone([1])
    heartbeats.alive_mark("verify")
    assert len(caplog.records) >= 2
    with pytest.raises(redis_client.Unreachable):
        heartbeats.last_beats([1])


def test_capacity_counts_active_episodes_and_queued_submissions(
    api: Callable[..., Any], settings: Any
) -> None:
    settings.ACTIVE_EPISODES_MAX = 50
    factories.episode()
    factories.submission(factories.episode())
    done = factories.episode()
    factories.submission(done)
    factories.verdict(done)
    Verdict.objects.filter(episode=done).update(latency_ms=12.5)

    status, answer = api("read").json("GET", "/capacity")

    assert status == 200
    assert answer == {
        "active": 2,
        "max_active": 50,
        "verify": {"queued": 1, "p95_ms": 12.5},
        "sandbox": {"queued": 0, "p95_ms": None},
        "recommended_inflight": 48,
    }


def test_capacity_reports_the_two_queues_separately(api: Callable[..., Any]) -> None:
    for verifier, latency_ms in (("numeric-v1", 2.0), ("code-v1", 40.0), ("code_strict-v1", 40.0)):
        done = factories.episode()
        factories.verdict(done)
        Verdict.objects.filter(episode=done).update(verifier=verifier, latency_ms=latency_ms)

    _, answer = api("read").json("GET", "/capacity")

    assert (answer["verify"]["p95_ms"], answer["sandbox"]["p95_ms"]) == (2.0, 40.0)


def test_a_long_queue_halves_the_recommended_concurrency(settings: Any) -> None:
    idle = capacity._recommended(active=0, queued=0)
    waiting_a_second = capacity.VERDICTS_PER_CHILD_S * settings.VERIFY_CHILDREN

    assert capacity._recommended(active=0, queued=waiting_a_second) == idle // 2
    assert capacity._recommended(active=settings.ACTIVE_EPISODES_MAX, queued=10**9) == 1


def test_past_the_limit_opening_is_refused_until_an_episode_ends(db: None, settings: Any) -> None:
    settings.ACTIVE_EPISODES_MAX = 3
    episodes = [factories.episode() for _ in range(2)]

    capacity.capacity_check(requested=1)
    with pytest.raises(capacity.GymError, match="ACTIVE_EPISODES_MAX") as refused:
        capacity.capacity_check(requested=2)
    assert (refused.value.status, refused.value.code, refused.value.retry_after_s) == (429, "at_capacity", 10)
    factories.verdict(episodes[0])
    capacity.capacity_check(requested=2)


def test_opening_past_the_limit_answers_retry_after(api: Callable[..., Any], settings: Any) -> None:
    settings.ACTIVE_EPISODES_MAX = 1
    run, task = factories.run(), factories.task()
    body = {"run": run.pk, "tasks": [task.pk], "arm": "text_zero_shot", "samples_per_task": 2}

    response = api("trainer").post("/api/v1/episodes", body, content_type="application/json")

    assert (response.status_code, response["Retry-After"]) == (429, "10")
    assert not Episode.objects.exists()


def test_an_unknown_address_gets_an_error_in_the_shape_of_the_api(api: Callable[..., Any]) -> None:
    for method in ("GET", "POST"):
        status, answer = api().json(method, "/no/such/call")
        assert (status, answer["error"]["code"]) == (404, "not_found")


def test_an_unknown_address_gets_that_error_whatever_characters_it_has(api: Callable[..., Any]) -> None:
    answer = api("read").get("/api/v1/episodes/7%0A8/resume")

    assert answer.status_code == 404
    assert answer.json()["error"]["code"] == "not_found"


@pytest.mark.parametrize("path", ["steps", "submission", "close"])
def test_a_refused_method_names_the_allowed_one(api: Callable[..., Any], path: str) -> None:
    answer = api("trainer").get(f"/api/v1/episodes/1/{path}")

    assert answer.status_code == 405
    assert "POST" in answer.headers["Allow"].split(", ")


@pytest.mark.parametrize("path", ["/runs", "/docs", "/schema"])
def test_no_response_depends_on_the_accept_header(api: Callable[..., Any], path: str) -> None:
    for accepted in ("text/html", "application/x-ndjson", "image/png", "nonsense"):
        assert api("read").get(f"/api/v1{path}", headers={"Accept": accepted}).status_code == 200


def test_health_is_down_when_the_database_can_only_be_read(
    api: Callable[..., Any], monkeypatch: pytest.MonkeyPatch
) -> None:
    client = api()
    parameters = health.connection.get_connection_params()
    only_read = {**parameters, "options": "-c default_transaction_read_only=on"}
    monkeypatch.setattr(health.connection, "get_connection_params", lambda: only_read)

    status, answer = client.json("GET", "/health")

    assert (status, answer["database"]) == (503, "down")


def test_health_writes_to_the_database_with_the_rights_of_the_lab(
    api: Callable[..., Any], monkeypatch: pytest.MonkeyPatch
) -> None:
    client = api()
    url = servers.role_url("lab", database=health.connection.settings_dict["NAME"])
    monkeypatch.setattr(health.connection, "get_connection_params", lambda: {"conninfo": url})

    assert client.json("GET", "/health")[1]["database"] == "ok"


def test_health_is_down_when_the_blobs_cannot_be_written(api: Callable[..., Any], own_storages: Path) -> None:
    client = api()
    (own_storages / "blobs").write_text("in the way of the folder")

    status, answer = client.json("GET", "/health")

    assert (status, answer["disk"]) == (503, "down")
    assert "disk" in answer["down"]


def test_health_tells_the_free_bytes(api: Callable[..., Any], own_storages: Path) -> None:
    answer = api().json("GET", "/health")[1]

    free = shutil.disk_usage(own_storages).free
    assert answer["disk"] == "ok"
    assert abs(answer["disk_free_bytes"] - free) < 2**30
