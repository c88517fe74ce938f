"""The episode that all foreign browsers play (one task in one look), and what its record must contain."""

from __future__ import annotations

import asyncio
from typing import Any

from script import BENCHMARK, GOLD, KEY, OPENING, SERVER, TASK_KEY

from palaestra import Client
from palaestra.foreign import ForeignEpisode

RUN_NAME = "Foreign browsers of the tests"
ACTIONS = [("open", ""), ("type", GOLD), ("click", "")]


async def task_find() -> int:
    async with Client(SERVER, KEY) as client:
        tasks = await client.tasks(benchmark=BENCHMARK, limit=100)
        return next(task.id for task in tasks if task.key == TASK_KEY)


async def episode_make(**fields: Any) -> ForeignEpisode:
    """Return an episode, which the caller must enter."""
    opening = {"task": await task_find(), "run_name": RUN_NAME, **OPENING, **fields}
    return ForeignEpisode(SERVER, KEY, **opening)


async def record_of(episode: ForeignEpisode) -> dict[str, Any]:
    """Return the trajectory once the last page has sent its report."""
    async with Client(SERVER, KEY) as client:
        for _ in range(20):
            record: dict[str, Any] = await client.trajectory(episode.id)
            if any(action["opened"] == "done" for action in record["page_actions"]) or record["steps"]:
                break
            await asyncio.sleep(0.25)
        return record


async def answered_correctly(episode: ForeignEpisode) -> None:
    """Assert that the answer was judged correct and that the pages recorded the actions that led to it."""
    verdict = await episode.verdict()
    assert verdict is not None
    assert (verdict.outcome, verdict.reward, verdict.reason) == ("correct", 1.0, "answer")
    record = await record_of(episode)
    assert record["steps"] == []
    assert [(one["kind"], one["value"]) for one in record["page_actions"]] == ACTIONS
    assert record["page_actions"][-1]["opened"] == "done"
    assert record["recording"] == "full"
    assert {"page_served", "answer_recorded"} <= {event["kind"] for event in record["site_events"]}
    assert record["page_events"]
