"""Stored successes take the place of failures in what a trainer is handed."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from fake_server import FakeServer
from palaestra import Client, Env
from palaestra.doors.trl_replays import Replays
from palaestra.records import Message, Page, Run
from palaestra.records.curation import GroupState, Replayed, Success

OWN = {"reward": 0.0, "reason": "answer"}


def replay(success: int, *, instead_of: int) -> Replayed:
    return Replayed(
        episode=success, instead_of=instead_of, place=0, episodes=[success], rewards=[1.0], mean=1.0, std=0.0
    )


def tokenize(prompts: Sequence[Sequence[Message]], raws: Sequence[str]) -> dict[str, Any]:
    return {"prompt_ids": [len(one) for one in prompts], "completion_ids": list(raws)}


async def placed(
    fake: FakeServer, groups: list[GroupState], settings: dict[str, Any]
) -> list[dict[str, Any]]:
    """What two failures are handed over as: episode 11 of group 1 and episode 12 of group 2."""
    async with Env(fake.lab_url, "key", run=7, arm="text_zero_shot") as env:
        await env.reset(3)
        await env.step("So it is.")
        *_, info = await env.step("Answer: 42")
    assert info["episode"] == 1
    async with Client(fake.lab_url, "key") as client:

        async def run(_: int) -> Run:
            return Run(id=7, settings=settings, verdicts=5)

        async def groups_page(_: int, *, after: int) -> Page[GroupState]:
            left = groups[after - 5 :]
            return Page(results=left[:1], next=str(after + len(left[:1])))

        client.run, client.groups_page = run, groups_page  # type: ignore[method-assign,assignment]
        replays = Replays(client, 7)
        await replays.begin()
        ends = [{**OWN, "episode": 10 + group, "group": group} for group in (1, 2)]
        await replays.substitute(ends, tokenize)
        return ends


async def test_a_stored_success_is_handed_over_as_it_was_played(fake: FakeServer) -> None:
    groups = [
        GroupState(group=9, task=3, size=1, replayed=replay(1, instead_of=12)),
        GroupState(group=1, task=3, size=1, replayed=replay(1, instead_of=11)),
        GroupState(group=2, task=3, size=1),
    ]
    first, second = await placed(fake, groups, {"replay": {}})
    assert first == {
        "prompt_ids": [1, 3],
        "completion_ids": ["So it is.", "Answer: 42"],
        "reward": 1.0,
        "rewards": None,
        "reason": "replayed",
        "episode": 1,
        "group": 1,
    }
    assert second == {**OWN, "episode": 12, "group": 2}


async def test_a_group_that_is_not_complete_is_not_waited_for(fake: FakeServer) -> None:
    assert [end["reward"] for end in await placed(fake, [], {"replay": {}})] == [0.0, 0.0]


async def test_without_the_setting_nothing_is_replaced(fake: FakeServer) -> None:
    groups = [GroupState(group=1, task=3, size=1, replayed=replay(1, instead_of=11))]
    assert [end["reward"] for end in await placed(fake, groups, {})] == [0.0, 0.0]


async def test_successes_are_read_to_the_end(fake: FakeServer) -> None:
    pages: dict[str | None, Page[Success]] = {
        None: Page(results=[], next="a"),
        "a": Page(
            results=[Success(episode=2, task=1, group=1, arm="gym", finished_at="", steps_total=0)], next=None
        ),
    }
    read: list[dict[str, Any]] = []

    async def get(_: str, __: Any, **filters: Any) -> Page[Success]:
        read.append(filters)
        return pages[filters["cursor"]]

    async with Client(fake.lab_url, "key") as client:
        client._get = get  # type: ignore[method-assign]
        assert [one.episode async for one in client.successes(7, task=1, only_changed=True)] == [2]
    assert [(one["task"], one["steps"]) for one in read] == [(1, "changed")] * 2
