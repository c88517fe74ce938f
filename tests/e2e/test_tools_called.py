"""Tools called by an action, where no page shows them: scripted policies, in every grammar."""

from __future__ import annotations

import asyncio
from collections.abc import Sequence
from concurrent.futures import ThreadPoolExecutor
from typing import Any

import msgspec
import pytest
from pytest_django.live_server_helper import LiveServer

from palaestra.api import Client
from palaestra.conversation import conversation_rebuild
from palaestra.episode_config import EpisodeConfig
from palaestra.grammars import GRAMMARS, get_grammar
from palaestra.play.episode import Episode as Played
from palaestra.records import OpenedEpisode
from tasks_app.models import Gold, Task
from tasks_app.starters import starter_drafts
from tasks_app.tool_tasks.oracle import list_calls
from tasks_app.tool_tasks.types import Call, Truth
from tests import factories
from tests.tool_policies import POLICIES, planted_check
from trajectories.models import SiteEvent, Step, ToolCall, Verdict
from trajectories.record.api import auth
from trajectories.rewards.store import components_of, readings_of
from trajectories.rollouts.judging import services

pytestmark = [pytest.mark.e2e, pytest.mark.django_db(transaction=True)]

DRAFTS = {draft.key.partition("/")[0]: draft for draft in starter_drafts("tools")}
TRUTHS = {family: msgspec.convert(draft.gold.extra, Truth) for family, draft in DRAFTS.items()}
VERIFIER = "denotation-v1"


def tasks_make() -> dict[str, Task]:
    """The starter task of each family, by family."""
    benchmark = factories.benchmark(
        id="tools", kind="tools", verifier_official=VERIFIER, verifier_training=VERIFIER
    )
    made = {}
    for family, draft in DRAFTS.items():
        fields = {"payload": dict(draft.payload), "answer": draft.gold.answer, "tags": list(draft.tags)}
        made[family] = factories.task(benchmark=benchmark, kind="tools", **fields)
        Gold.objects.filter(task=made[family]).update(extra=dict(draft.gold.extra))
    return made


def declared_of(call: Call) -> dict[str, Any]:
    return {"type": "call_tool", "tool": call.tool, "arguments": dict(call.arguments)}


async def play(
    client: Client,
    opened: OpenedEpisode,
    messages: list[Any],
    calls: Sequence[Call],
    answer: str,
    grammar: str,
) -> None:
    """Call tools, answer, and rebuild what the model was sent from the record."""
    episode = Played(client, opened, messages=messages, config=EpisodeConfig(grammar=grammar))
    sent = []
    await episode.begin()
    for declared in [*map(declared_of, calls), {"type": "answer", "text": answer}]:
        (completion,) = get_grammar(grammar).render(declared, thought="I see.")
        sent.append(list(episode.observation.messages))
        turn, _ = await episode.turn(completion)
        assert turn.parse_error is None
    assert episode.is_over
    await episode.step_queue.flush()
    assert await conversation_rebuild(client, opened.id) == sent


async def play_all(
    lab: str, key: str, run: int, tasks: dict[str, int], policies: Sequence[str], grammar: str
) -> Any:
    """The episodes by policy and family."""
    played = {}
    async with Client(lab, key) as client:
        for policy in policies:
            opening = await client.episodes_open(
                run=run, tasks=list(tasks.values()), arm="text_agent", seed=1
            )
            for family, opened in zip(tasks, opening.episodes, strict=True):
                calls = POLICIES[policy].play(list_calls(TRUTHS[family].graphs[0]))
                answer = DRAFTS[family].gold.answer
                await play(client, opened, opening.messages_of(opened), calls, answer, grammar)
                played[policy, family] = opened.id
    return played


@pytest.mark.parametrize("grammar", GRAMMARS)
def test_what_is_called_by_actions_is_what_is_scored(grammar: str, live_server: LiveServer) -> None:
    tasks = {family: task.pk for family, task in tasks_make().items()}
    policies = list(POLICIES) if grammar == "json" else ["oracle"]
    run = factories.run(grammar=grammar)
    key = auth.key_create(name="tools", scopes=["read", "trainer"])
    with ThreadPoolExecutor(1) as thread:
        job = play_all(live_server.url, key, run.pk, tasks, policies, grammar)
        played = thread.submit(asyncio.run, job).result()

    assert len(played) == len(policies) * len(DRAFTS)
    for (policy, family), episode in played.items():
        assert services.submission_judge(episode_id=episode)
        assert Verdict.objects.get(episode=episode).outcome == "correct"
        planted_check(policy, TRUTHS[family], episode)
        assert_carried_out(episode)
        assert_recorded(episode, POLICIES[policy].play(list_calls(TRUTHS[family].graphs[0])))


def assert_recorded(episode: int, calls: Sequence[Call]) -> None:
    """As a page records them: a call with its result, and a site event, each of its step."""
    stored = list(ToolCall.objects.filter(episode=episode).order_by("number"))
    events = list(SiteEvent.objects.filter(episode=episode).order_by("seq"))
    steps = list(Step.objects.filter(episode=episode).order_by("index"))[:-1]
    assert [one.data["tool"] for one in events] == [one.tool for one in stored] == [one.tool for one in calls]
    assert [one.data["arguments"] for one in events] == [dict(one.arguments) for one in calls]
    assert [one.step for one in events] == [one.step for one in stored] == [one.index for one in steps]
    for call, step in zip(stored, steps, strict=True):
        assert step.action_result == ("ok" if call.output["is_ok"] else "refused")
        assert step.more["result_message"] == f"{call.output['text']}\n{call.number} of 20 calls used."


def assert_carried_out(episode: int) -> None:
    """Calls that a tool answers count as actions that did something, and others as those that did not."""
    (reading,) = readings_of([episode])
    outputs = ToolCall.objects.filter(episode=episode).values_list("output", flat=True)
    done = [float(output["is_ok"]) for output in outputs] + [1.0]  # the answer
    assert components_of(reading)["executed"].episode == sum(done) / len(done)
    assert {step.check for step in reading.steps} == {"confirmed"}


async def fork_play(lab: str, key: str, parent: int, family: str) -> int:
    """A fork after the first call makes the others and answers."""
    async with Client(lab, key) as client:
        opening = await client.episode_fork(parent, step=1)
        (opened,) = opening.episodes
        episode = Played(client, opened, messages=opening.messages_of(opened), config=EpisodeConfig())
        first = await episode.begin()
        assert first.result_message == (await client.trajectory(parent))["steps"][0]["result_message"]
        calls = list_calls(TRUTHS[family].graphs[0])[1:]
        for declared in [*map(declared_of, calls), {"type": "answer", "text": DRAFTS[family].gold.answer}]:
            await episode.turn(*get_grammar("json").render(declared))
        await episode.step_queue.flush()
        return opened.id


def test_a_fork_goes_on_after_its_parents_calls_and_is_scored_with_them(live_server: LiveServer) -> None:
    family = "pipeline"
    tasks = {family: tasks_make()[family].pk}
    key = auth.key_create(name="tools", scopes=["read", "trainer"])
    with ThreadPoolExecutor(1) as thread:
        job: Any = play_all(live_server.url, key, factories.run().pk, tasks, ["oracle"], "json")
        ((_, parent),) = thread.submit(asyncio.run, job).result().items()
        assert services.submission_judge(episode_id=parent)
        job = fork_play(live_server.url, key, parent, family)
        fork = thread.submit(asyncio.run, job).result()

    assert services.submission_judge(episode_id=fork)
    planted_check("oracle", TRUTHS[family], fork)
    rows = [
        list(SiteEvent.objects.filter(episode=one).order_by("seq").values_list("seq", "step", "data"))
        for one in (parent, fork)
    ]
    assert rows[0] == rows[1]
    assert len(rows[0]) == len(list_calls(TRUTHS[family].graphs[0])) > 1
