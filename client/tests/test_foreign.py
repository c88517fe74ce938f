"""Episodes for other browsers, without one: see ``tests/doors`` for real ones."""

from __future__ import annotations

import httpx
import pytest

from fake_server import FakeServer
from palaestra import PalaestraError
from palaestra.commands import main
from palaestra.foreign import ForeignEpisode, convert_actions


async def test_steps_are_posted_in_order_with_the_time_until_the_next_and_without_the_token(
    fake: FakeServer,
) -> None:
    async with ForeignEpisode(fake.lab_url, "key", task=1) as episode:
        address = episode.start_url
        episode.step(thought=f"I am at {address}", action={"type": "browser_click"}, url=address)
        episode.step(raw="again")
    [stored] = fake.state.episodes.values()
    first, second = (stored["steps"][index] for index in sorted(stored["steps"]))
    assert (first["thought"], first["url"]) == ("I am at https://gym/", "https://gym/")
    assert first["duration_ms"] >= 0
    assert second["raw"] == "again"
    assert [run["name"] for run in fake.state.runs] == ["Foreign browsers"]


async def test_an_outcome_is_part_of_its_turn(fake: FakeServer) -> None:
    async with ForeignEpisode(fake.lab_url, "key", task=1) as episode:
        episode.step(action={"type": "click"})
        episode.outcome("refused", f"not at {episode.start_url}")
    [stored] = fake.state.episodes.values()
    step = stored["steps"][1]
    assert (step["action_result"], step["result_message"]) == ("refused", "not at https://gym/")


async def test_episodes_share_the_run_of_their_name(fake: FakeServer) -> None:
    for _ in range(2):
        async with ForeignEpisode(fake.lab_url, "key", task=1, run_name="mine"):
            pass
    assert len(fake.state.runs) == 1
    assert [one["verdict"]["reason"] for one in fake.state.episodes.values()] == ["agent_stopped"] * 2


async def test_an_answered_episode_stays_open_for_the_last_events_of_its_pages(fake: FakeServer) -> None:
    async with ForeignEpisode(fake.lab_url, "key", task=1) as episode:
        async with httpx.AsyncClient() as http:
            await http.post(f"{episode.start_url}submit", data={"answer": "42"})
        verdict = await episode.verdict()
    assert verdict is not None
    assert verdict.reason == "answer"
    assert fake.state.episodes[episode.id]["closed"] is None


async def test_an_arm_without_a_page_has_no_address(fake: FakeServer) -> None:
    with pytest.raises(PalaestraError, match="has no page"):
        await ForeignEpisode(fake.lab_url, "key", task=1, arm="text_agent").__aenter__()


def test_the_command_prints_an_address_and_ends_without_an_answer(
    fake: FakeServer, capsys: pytest.CaptureFixture[str]
) -> None:
    where = ["--server", fake.lab_url, "--key", "key"]
    assert main(["open", "1", *where, "--wait", "1"]) == 1
    shown = capsys.readouterr()
    assert "/e/" in shown.out
    assert "No answer in time." in shown.err
    assert main(["open", *where]) == 1
    assert "Name a task" in capsys.readouterr().err


def test_actions_of_browser_use_get_a_type() -> None:
    assert convert_actions([{"click": {"index": 3}}]) == {"type": "browser_use.click", "index": 3}
    several = convert_actions([{"input": {"index": 1, "text": "a"}}, {"done": {"success": True}}])
    assert several["type"] == "browser_use.actions"
    assert [one["type"] for one in several["actions"]] == ["browser_use.input", "browser_use.done"]
