"""BrowserGym's own browser on Palaestra's pages."""

from __future__ import annotations

import os
from collections.abc import Iterator, Sequence
from contextlib import closing
from typing import Any

import gymnasium
import msgspec
import pytest
from browsergym.core.action.highlevel import HighLevelActionSet
from chromium_link import chromium_link
from samples import Seat, note
from script import (
    GOLD,
    KEY,
    OPENING,
    SCRIPTS,
    SEED,
    SERVER,
    Move,
    Scene,
    Script,
    element,
    example_run,
    paid,
    play,
    scene_make,
)

from palaestra import Client, VoidEpisode
from palaestra.doors.browsergym import build_goal, parse_thought, tasks_register
from palaestra.doors.browsergym_calls import classify_error, parse_declared
from palaestra.doors.loop_thread import run_blocking
from palaestra.pages.bounds import DONE_PATH

os.environ |= {"PALAESTRA_KEY": KEY, "PLAYWRIGHT_BROWSERS_PATH": chromium_link()}
# Its actions give up after half a second, which a busy machine may take: then they are forced.
ACTIONS = HighLevelActionSet(retry_with_force=True).to_python_code
CALLS = {
    "type": "fill('{target}', '{text}')",
    "click": "click('{target}')",
    "select": "select_option('{target}', '{value}')",
    "back": "go_back()",
    "give_up": "report_infeasible('no')",
}
ROLES = {"DisclosureTriangle": "summary"}
AGENTLAB = "{thought}\n\naction:\n{action}\n"
# What must be equal through another browser, with other names for the elements.
OF_STEP = ("index", "thought", "parsed", "action_result", "url", "target_path")
OF_EPISODE = ("presentation", "status", "task")
OF_SUBMISSION = ("answer", "channel")
OF_VERDICT = ("outcome", "reward", "reason", "terminated", "truncated", "score")


@pytest.fixture
def env(script: Script) -> Iterator[Any]:
    with closing(env_made(script)) as made:
        yield made


def env_made(script: Script, **opening: Any) -> Any:
    return env_of(run_blocking(scene_make("doors: BrowserGym", script=script)), **{**OPENING, **opening})


def env_of(scene: Scene, **opening: Any) -> Any:
    [name] = tasks_register(SERVER, run=scene.run, ids=[scene.task], **opening)
    return gymnasium.make(
        name, disable_env_checker=True, pre_observation_delay=0, with_pictures=True, action_mapping=ACTIONS
    )


def elements_of(shown: dict[str, Any]) -> Iterator[tuple[str, str, str]]:
    """Role, name and id in the order of the page; the tree is listed level by level."""
    nodes = {node["nodeId"]: node for node in shown["axtree_object"]["nodes"]}
    waiting = list(nodes)[:1]
    while waiting:
        node = nodes[waiting.pop()]
        waiting.extend(reversed(node["childIds"]))
        if identity := node.get("browsergym_id"):
            role = node["role"]["value"]
            yield ROLES.get(role, role), node["name"]["value"], identity


def call_of(move: Move, shown: dict[str, Any]) -> str:
    if move.action is None:
        return move.thought
    fields = {
        name: element(value, elements_of(shown)) if value.startswith("<") else value
        for name, value in move.action.items()
    }
    return CALLS[fields["type"]].format(**fields)


def play_through(env: Any, moves: list[Move]) -> tuple[Any, ...]:
    """What the last step returned; thoughts are told as AgentLab does it."""
    shown, _ = env.reset(seed=SEED)
    taken: tuple[Any, ...] = ()
    for move in moves:
        call = call_of(move, shown)
        env.unwrapped.chat.add_message("info", AGENTLAB.format(thought=move.thought, action=call))
        taken = env.step(call)
        shown = taken[0]
    return taken


def record_of(episode: int) -> dict[str, Any]:
    async def read() -> dict[str, Any]:
        async with Client(SERVER, KEY) as client:
            return await client.trajectory(episode)

    return run_blocking(read())


def events_of(record: dict[str, Any]) -> list[Any]:
    """What the server noted. The page after an answer is opened by other browsers alone."""
    noted = [(event["kind"], event["data"]) for event in record["site_events"]]
    return [event for event in noted if event != ("page_served", {"path": DONE_PATH})]


def parts_of(record: dict[str, Any], names: Sequence[str]) -> dict[str, Any]:
    return {name: record.get(name) for name in names}


@pytest.mark.parametrize("script", SCRIPTS.values(), ids=SCRIPTS)
def test_a_script_leaves_the_same_record_as_through_the_client(script: Script, env: Any) -> None:
    expected = run_blocking(play(script)).trajectory
    shown, reward, terminated, truncated, info = play_through(env, script.moves)
    assert (info["task_info"]["outcome"], reward) == (script.outcome, script.reward)
    assert (terminated, truncated) == (True, False)
    record = record_of(info["task_info"]["episode"])
    assert parts_of(record["verdict"], OF_VERDICT) == parts_of(expected["verdict"], OF_VERDICT)
    record["task"].pop("id")
    answers = [parts_of(one["submission"] or {}, OF_SUBMISSION) for one in (record, expected)]
    assert answers[0] == answers[1]
    assert parts_of(record, OF_EPISODE) == parts_of(expected, OF_EPISODE)
    assert events_of(record) == events_of(expected)
    assert [parts_of(step, OF_STEP) for step in record["steps"]] == [
        parts_of(step, OF_STEP) for step in expected["steps"]
    ]
    kinds = [(step["action"] or {}).get("type") for step in record["steps"]]
    assert kinds == [(step["action"] or {}).get("type") for step in expected["steps"]]
    assert all(step["screenshot"] and step["observation"]["text"] for step in record["steps"])
    token = env.unwrapped.task.episode.bounds.root.split("/")[-2]
    assert token not in str(shown) + str(record)


@pytest.mark.parametrize("script", SCRIPTS.values(), ids=SCRIPTS)
def test_a_profile_pays_and_info_has_the_parts(script: Script, profile: str) -> None:
    with closing(env_made(script, reward_profile=profile)) as env:
        _, reward, _, _, info = play_through(env, script.moves)
    ended = info["task_info"]
    expected = run_blocking(paid(ended["episode"], profile))
    assert (reward, ended["rewards"]) == (expected.total, msgspec.to_builtins(expected))
    assert reward != script.reward


def test_info_holds_what_an_episode_of_the_table_is_paid(seat: Seat) -> None:
    opening = {**OPENING, **seat.sample.opening, "reward_profile": seat.profile}
    with closing(env_of(seat.scene, **opening)) as env:
        reward: float | str
        try:
            _, reward, _, _, info = play_through(env, seat.sample.script.moves)
            if seat.sample.is_void:
                run_blocking(closed(env.unwrapped.task.episode.id))
                env.step("noop(1)")
            held = info["task_info"]["rewards"]
        except VoidEpisode as void:
            reward, held = "an error, with the parts", msgspec.to_builtins(void.rewards)
    expected = seat.paid()
    assert held == msgspec.to_builtins(expected)
    assert (None if isinstance(reward, str) else reward) == expected.total
    note("BrowserGym", seat, reward, held["components"])


async def closed(episode: int) -> None:
    """End an episode as its harness does whose model has failed."""
    async with Client(SERVER, KEY) as client:
        await client.episode_close(episode, reason="model_error")


def test_only_a_shown_address_opens_and_samples_of_a_group_have_one_page(env: Any) -> None:
    first, begun = env.reset(seed=SEED)
    assert first["url"] == "https://gym/"
    shown, *_ = env.step("goto('https://gym/')")
    assert (shown["last_action_error"], shown["url"]) == ("", "https://gym/")
    shown, *_ = env.step(f"goto('{SERVER}/login')")
    assert "ERR_PROXY_CONNECTION_FAILED" in shown["last_action_error"]
    group = begun["task_info"]["group"]
    _, again = env.reset(options={"group": group})
    assert again["task_info"]["group"] == group
    left, second = (record_of(start["task_info"]["episode"]) for start in (begun, again))
    assert left["presentation"] == second["presentation"]
    assert (left["verdict"]["outcome"], left["verdict"]["reason"]) == ("void", "cancelled")


def test_a_void_is_an_error_and_an_agent_that_stops_is_wrong(env: Any) -> None:
    _, begun = env.reset(seed=SEED)

    run_blocking(closed(begun["task_info"]["episode"]))
    with pytest.raises(VoidEpisode, match="model_error"):
        env.step("noop(1)")
    _, begun = env.reset(seed=SEED)
    env.unwrapped.chat.add_message("info", AGENTLAB.format(thought="I stop.", action=None))
    env.close()
    verdict = record_of(begun["task_info"]["episode"])["verdict"]
    assert (verdict["outcome"], verdict["reason"]) == ("incorrect", "no_submission")


def test_a_message_may_be_the_answer_and_steps_are_counted() -> None:
    with closing(env_made(SCRIPTS["right"], answer_channel="api", max_steps=2)) as env:
        env.reset(seed=SEED)
        *_, info = env.step(f"send_msg_to_user('{GOLD}')")
        assert info["task_info"]["outcome"] == "correct"
        env.reset(seed=SEED)
        env.step("scroll(0, 10)")
        _, reward, terminated, truncated, info = env.step("scroll(0, -10)")
        assert (reward, terminated, truncated) == (0.0, False, True)
        assert info["task_info"]["reason"] == "step_budget"


@pytest.mark.parametrize(
    ("text", "action", "bid"),
    [
        ("click('a7', button='right')", {"type": "click", "target": "a7", "button": "right"}, "a7"),
        ("I think.\nselect_option('7', 'red')", {"type": "select", "target": "7", "value": "red"}, "7"),
        ("scroll(0, 200)", {"type": "scroll", "dx": 0, "dy": 200}, ""),
        ("new_tab()", {"type": "browsergym.new_tab"}, ""),
        ("send_msg_to_user('162')", {"type": "browsergym.send_msg_to_user", "text": "162"}, ""),
        ("nothing('x', y=1)", {"type": "browsergym.nothing", "arguments": ["x"], "y": 1}, ""),
        (
            "click('1')\nclick('2')",
            {
                "type": "sequence",
                "actions": [{"type": "click", "target": "1"}, {"type": "click", "target": "2"}],
            },
            "",
        ),
        ("I do nothing.", None, ""),
    ],
)
def test_calls_are_recorded_as_actions(text: str, action: dict[str, Any] | None, bid: str) -> None:
    declared = parse_declared(text)
    assert (declared.action, declared.bid) == (action, bid)


@pytest.mark.parametrize(
    ("error", "result"),
    [
        ("", "ok"),
        ("ValueError: Received an empty action.", "invalid"),
        ('ValueError: Could not find element with bid "9"', "no_target"),
        ("TimeoutError: Locator.click: Timeout 500ms exceeded.", "timeout"),
        ("Error: Element is not an <input>", "refused"),
    ],
)
def test_errors_are_results(error: str, result: str) -> None:
    assert classify_error(error) == result


def test_the_chat_tells_thoughts_and_the_goal_has_no_grammar() -> None:
    assert parse_thought(AGENTLAB.format(thought="So:\naction", action="click('1')")) == "So:\naction"
    assert parse_thought(AGENTLAB.format(thought=None, action="click('1')")) is None
    assert parse_thought("Plainly.") == "Plainly."
    messages = [
        {"role": "system", "content": "Solve it.\n\nWrite JSON."},
        {"role": "user", "content": [{"type": "text", "text": "The task is on the page."}]},
    ]
    texts = [part["text"] for part in build_goal(messages, "Submit it.", 9)]
    assert texts == ["Solve it.", "The task is on the page.", "Submit it. You have 9 steps."]


def test_the_example_runs() -> None:
    assert example_run("browsergym").endswith("reward 1.0 answer\n")
