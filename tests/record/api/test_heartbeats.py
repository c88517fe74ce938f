"""Heartbeats: what keeps an episode alive, and for whom."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Any

import pytest
from django.conf import settings

from core.work import redis_client
from tests import factories
from trajectories.models.access import DEFAULT_PROJECT
from trajectories.record import heartbeats


@pytest.fixture(autouse=True)
def _fresh() -> Iterator[None]:
    redis_client.client().flushdb()
    yield
    redis_client.client.cache_clear()


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
    for prefix in (heartbeats.BEAT, f"{heartbeats.ACTIVE}{DEFAULT_PROJECT}:"):
        names = {f"{prefix}{one}" for one in (opened.pk, submitted.pk)}
        assert set(redis_client.client().keys(f"{prefix}*")) == names


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


def test_an_episode_stays_gone_when_its_marks_have_expired(trainer: Any) -> None:
    episode = factories.episode()
    _beat(trainer, episode.pk)
    factories.verdict(episode)
    heartbeats.mark_gone([episode.pk])
    for mark in (heartbeats.GONE, f"{heartbeats.ACTIVE}{DEFAULT_PROJECT}:"):
        assert redis_client.client().delete(f"{mark}{episode.pk}") == 1

    assert _beat(trainer, episode.pk) == [episode.pk]


def test_the_mark_of_an_ended_episode_outlasts_that_of_an_active_one(trainer: Any) -> None:
    episode = factories.episode()
    _beat(trainer, episode.pk)
    heartbeats.mark_gone([episode.pk])
    gone, active = (
        redis_client.client().ttl(f"{mark}{episode.pk}")
        for mark in (heartbeats.GONE, f"{heartbeats.ACTIVE}{DEFAULT_PROJECT}:")
    )
    assert gone >= active + settings.LEASE_S - 1


def test_heartbeats_of_another_project_keep_nothing_alive(api: Callable[..., Any]) -> None:
    episode = factories.episode()
    stranger = api("trainer", project="astra")
    assert _beat(stranger, episode.pk) == [episode.pk]
    assert _beat(api("trainer"), episode.pk) == []
    first = heartbeats.last_beats([episode.pk])
    assert _beat(stranger, episode.pk) == [episode.pk]
    assert heartbeats.last_beats([episode.pk]) == first


def test_what_redis_knows_of_an_episode_is_looked_up_again_in_a_lease(trainer: Any, settings: Any) -> None:
    settings.LEASE_S = 0.7
    _beat(trainer, (episode := factories.episode()).pk)

    assert 0 < redis_client.client().ttl(f"{heartbeats.ACTIVE}{DEFAULT_PROJECT}:{episode.pk}") <= 1


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
    heartbeats.active_note(dict.fromkeys(range(1, 5001), "train"), project=DEFAULT_PROJECT)
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


def test_without_redis_a_heartbeat_is_answered_503_and_episodes_still_end(
    trainer: Any, settings: Any, caplog: pytest.LogCaptureFixture
) -> None:
    settings.REDIS_URL = "unix:///nowhere/redis.sock"  # where none listens
    redis_client.client.cache_clear()
    client = trainer
    response = client.post("/api/v1/heartbeat", {"episodes": [1]}, content_type="application/json")

    assert (response.status_code, response.json()["error"]["code"]) == (503, "redis_down")
    assert response["Retry-After"] == "1"
    heartbeats.mark_gone([1])
    heartbeats.alive_mark("verify")
    assert len(caplog.records) >= 2
    with pytest.raises(redis_client.Unreachable):
        heartbeats.last_beats([1])
