from __future__ import annotations

import shutil
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest

from core.work import redis_client
from tests import factories
from tests.servers import servers
from trajectories.models import Episode, Verdict
from trajectories.record import heartbeats
from trajectories.record.api import capacity, health


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
