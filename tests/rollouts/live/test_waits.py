from __future__ import annotations

import asyncio

import pytest
from django.db import connection

from tests import factories
from tests.rollouts.live.conftest import Live, in_thread, judge, until_waiting
from trajectories.models import Episode
from trajectories.record import hot_sql
from trajectories.record.api import auth
from trajectories.rollouts.live import events

pytestmark = pytest.mark.django_db(transaction=True)


async def test_a_wait_ends_with_the_verdict(live: Live, key: str, episode: Episode) -> None:
    async with live.client(key) as client:
        waiting = asyncio.create_task(client.get(f"/wait/episodes/{episode.pk}?timeout=60"))
        await until_waiting(live, 1)
        await in_thread(judge, episode)
        answer = await waiting
    assert answer.status_code == 200
    assert answer.headers["content-type"] == "application/json"
    assert answer.json()["status"] == "finished"
    assert answer.json()["verdict"]["reward"] == 1.0


async def test_a_wait_answers_as_the_api_does(live: Live, key: str, episode: Episode) -> None:
    await in_thread(factories.step, episode, 3)
    await in_thread(judge, episode, outcome="incorrect")
    async with live.client(key) as client:
        answer = await client.get(f"/wait/episodes/{episode.pk}")
    assert answer.json() == (await in_thread(hot_sql.episode_states, [episode.pk]))[episode.pk]
    assert answer.json()["steps_used"] == 3


async def test_a_timed_out_wait_returns_the_current_state(live: Live, key: str, episode: Episode) -> None:
    async with live.client(key) as client:
        now = await client.get(f"/wait/episodes/{episode.pk}?timeout=0")
        waiting = asyncio.create_task(client.get(f"/wait/episodes/{episode.pk}?timeout=1"))
        await until_waiting(live, 1)
        await in_thread(factories.step, episode, 2)
        later = await waiting
    assert now.json()["status"] == "open"
    assert later.json()["status"] == "open"
    assert later.json()["steps_used"] == 2


async def test_an_unannounced_verdict_ends_a_wait(live: Live, key: str, episode: Episode) -> None:
    async with live.client(key) as client:
        waiting = [
            asyncio.create_task(client.get(f"/wait/episodes/{episode.pk}?timeout=60")),
            asyncio.create_task(client.get(f"/wait/runs/{episode.run_id}/verdicts?timeout=60")),
        ]
        await until_waiting(live, 2)
        await in_thread(factories.verdict, episode)
        one, run = await asyncio.gather(*waiting)
    assert one.json()["verdict"]["outcome"] == "correct"
    assert [record["episode"] for record in run.json()["results"]] == [episode.pk]


async def test_verdicts_come_after_their_cursor_and_only_once(live: Live, key: str) -> None:
    group = await in_thread(factories.group)
    episodes = [await in_thread(factories.episode, group=group) for _ in range(3)]
    for episode in episodes:
        await in_thread(judge, episode)
    path = f"/wait/runs/{group.run_id}/verdicts"
    async with live.client(key) as client:
        first = (await client.get(path)).json()
        rest = (await client.get(f"{path}?after=2&timeout=0")).json()
        none = (await client.get(f"{path}?after={first['next']}&timeout=0")).json()
    assert [record["episode"] for record in first["results"]] == [episode.pk for episode in episodes]
    assert first["results"][0].keys() == {"episode", "group", "verdict"}
    assert first["next"] == 3
    assert [record["episode"] for record in rest["results"]] == [episodes[2].pk]
    assert none == {"results": [], "next": 3}


@pytest.mark.parametrize(
    "path", ["episodes/999999999", "runs/999999999/verdicts", f"episodes/{2**63}", "nothing"]
)
async def test_an_unknown_id_is_404_at_once(live: Live, key: str, path: str) -> None:
    async with live.client(key) as client:
        answer = await client.get(f"/wait/{path}?timeout=60")
    assert answer.status_code == 404
    assert answer.json()["error"].keys() == {"code", "message", "fields"}


@pytest.mark.parametrize(
    ("query", "field"),
    [
        ("timeout=61", "timeout"),
        ("timeout=-1", "timeout"),
        ("timeout=nan", "timeout"),
        ("timeout=soon", "timeout"),
        ("after=-1", "after"),
        ("after=1.5", "after"),
        ("after=９", "after"),
        (f"after={2**63}", "after"),
    ],
)
async def test_bad_parameters_are_named(
    live: Live, key: str, episode: Episode, query: str, field: str
) -> None:
    async with live.client(key) as client:
        answer = await client.get(f"/wait/runs/{episode.run_id}/verdicts?{query}")
    assert answer.status_code == 400
    assert list(answer.json()["error"]["fields"]) == [field]


async def test_without_a_valid_key_nobody_waits(live: Live, episode: Episode) -> None:
    golds_only = await in_thread(auth.key_create, name="exporter", scopes=["golds"])
    path = f"/wait/episodes/{episode.pk}"
    async with (
        live.client() as stranger,
        live.client("gym_wrong") as guesser,
        live.client(golds_only) as other,
    ):
        answers = [await stranger.get(path), await guesser.get(path), await other.get(path)]
    assert [answer.status_code for answer in answers] == [401, 401, 403]
    assert answers[0].headers["www-authenticate"] == "Bearer"


async def test_a_trainer_key_may_wait(live: Live, episode: Episode) -> None:
    trainer = await in_thread(auth.key_create, name="trainer", scopes=["trainer"])
    async with live.client(trainer) as client:
        assert (await client.get(f"/wait/episodes/{episode.pk}?timeout=0")).status_code == 200


async def test_a_key_limited_to_splits_sees_only_theirs(live: Live) -> None:
    limited = await in_thread(auth.key_create, name="limited", scopes=["read"], splits=["test"])
    run = await in_thread(factories.run)
    episodes = []
    for split in ("train", "test", "train"):
        task = await in_thread(factories.task, split=split)
        episodes.append(await in_thread(factories.episode, run=run, task=task))
        await in_thread(judge, episodes[-1])
    async with live.client(limited) as client:
        hidden = await client.get(f"/wait/episodes/{episodes[0].pk}?timeout=0")
        shown = await client.get(f"/wait/episodes/{episodes[1].pk}?timeout=0")
        stream = await client.get(f"/wait/runs/{run.pk}/verdicts?timeout=0")
        rest = await client.get(f"/wait/runs/{run.pk}/verdicts?after=2&timeout=0")
    assert (hidden.status_code, shown.status_code) == (404, 200)
    assert [record["episode"] for record in stream.json()["results"]] == [episodes[1].pk]
    assert rest.json() == {"results": [], "next": 3}


async def test_keys_and_waits_survive_the_loss_of_every_database_connection(
    live: Live, episode: Episode
) -> None:
    for number in range(3):
        new_key = await in_thread(auth.key_create, name=f"key {number}", scopes=["read"])
        async with live.client(new_key) as client:
            assert (await client.get(f"/wait/episodes/{episode.pk}?timeout=0")).status_code == 200
        assert await in_thread(database_connections_end) > 0


def database_connections_end() -> int:
    with connection.cursor() as cursor:
        cursor.execute(
            "SELECT count(pg_terminate_backend(pid)) FROM pg_stat_activity"
            " WHERE application_name LIKE '% hub'"
        )
        return int(cursor.fetchone()[0])


async def test_other_methods_are_refused(live: Live, key: str, episode: Episode) -> None:
    async with live.client(key) as client:
        posted = await client.post(f"/wait/episodes/{episode.pk}", content=b"x" * 100_000)
        headed = await client.head(f"/wait/episodes/{episode.pk}?timeout=0")
    assert (posted.status_code, posted.headers["connection"]) == (405, "close")
    assert (headed.status_code, headed.content) == (200, b"")


async def test_a_waiter_that_hangs_up_frees_its_slot(live: Live, key: str, episode: Episode) -> None:
    async with live.client(key) as client:
        waiting = asyncio.create_task(client.get(f"/wait/episodes/{episode.pk}?timeout=60"))
        await until_waiting(live, 1)
        waiting.cancel()
        await until_waiting(live, 0)


def test_a_malformed_announcement_is_ignored() -> None:
    announcement = events.announcement_encode(run_id=3, episode_ids=[1, 2])
    assert events.announcement_decode(announcement, channel=events.VERDICT_CHANNEL) == events.VerdictsWritten(
        run=3, episodes=[1, 2]
    )
    assert events.announcement_decode(b'{"run": "3"}', channel=events.OPENING_CHANNEL) is None
    assert events.announcement_decode(b"\xff", channel=events.VERDICT_CHANNEL) is None


async def test_waits_of_another_project_find_nothing_and_do_not_wait(live: Live, episode: Episode) -> None:
    stranger = await in_thread(auth.key_create, name="s", scopes=["admin"], project="astra")
    own = await in_thread(auth.key_create, name="o", scopes=["read"])
    addresses = [
        f"/wait/episodes/{episode.pk}?timeout=60",
        f"/wait/runs/{episode.run_id}/verdicts?timeout=60",
    ]
    async with live.client(stranger) as client, asyncio.timeout(20):
        hidden = [await client.get(address) for address in addresses]
        unknown = [await client.get(f"/wait/{kind}") for kind in ("episodes/999", "runs/999/verdicts")]
    assert [answer.status_code for answer in hidden] == [404, 404]
    assert [one.json()["error"]["code"] for one in hidden] == [one.json()["error"]["code"] for one in unknown]
    async with live.client(own) as client:
        seen = [await client.get(address.replace("60", "0")) for address in addresses]
    assert [answer.status_code for answer in seen] == [200, 200]
