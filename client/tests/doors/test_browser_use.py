"""browser-use from PyPI: its own browser and agent, with a scripted model in place of a real one."""

from __future__ import annotations

import os
from typing import Any

os.environ |= {"ANONYMIZED_TELEMETRY": "false", "BROWSER_USE_LOGGING_LEVEL": "error"}

from browser_use import Agent, BrowserProfile, BrowserSession
from browser_use.llm.views import ChatInvokeCompletion
from foreign import ACTIONS, answered_correctly, episode_make, record_of
from script import GOLD

from palaestra.foreign import browser_use_callback
from palaestra.pages.browser import browser_find

THOUGHTS = ("81 rolls at $2 each: 162.", "I hand it in.", "It is recorded.")


class Script:
    """A model that knows what to do: it reads the indices of field and button from the page."""

    provider = name = model = model_name = "scripted"
    _verified_api_keys = True

    def __init__(self, session: BrowserSession) -> None:
        self._session, self._turn = session, 0

    async def ainvoke(self, _messages: Any, output_format: Any = None, **_: Any) -> ChatInvokeCompletion[Any]:
        elements = await self._session.get_selector_map()
        index = {node.tag_name: number for number, node in reversed(elements.items())}
        actions: list[dict[str, Any]] = [
            {"input": {"index": index.get("input", 0), "text": GOLD}},
            {"click": {"index": index.get("button", 0)}},
            {"done": {"text": "done", "success": True}},
        ]
        turn = min(self._turn, len(actions) - 1)
        self._turn += 1
        output = output_format(memory="", next_goal=THOUGHTS[turn], action=[actions[turn]])
        return ChatInvokeCompletion(completion=output, usage=None)


def session_make() -> BrowserSession:
    profile = BrowserProfile(
        executable_path=browser_find(), headless=True, chromium_sandbox=False, enable_default_extensions=False
    )
    return BrowserSession(browser_profile=profile)


def agent_make(session: BrowserSession, address: str, **fields: Any) -> Agent[Any, Any]:
    return Agent(
        task="Solve the task on the page.",
        llm=Script(session),
        browser_session=session,
        initial_actions=[{"navigate": {"url": address, "new_tab": False}}],
        use_vision=False,
        use_judge=False,
        **fields,
    )


async def test_browser_use_is_recorded_by_the_page_and_judged() -> None:
    session = session_make()
    async with await episode_make() as episode:
        try:
            await agent_make(session, episode.start_url).run(max_steps=4)
        finally:
            await session.kill()
        await answered_correctly(episode)


async def test_its_callback_records_what_the_model_thought() -> None:
    session = session_make()
    async with await episode_make() as episode:
        callback = browser_use_callback(episode)
        agent = agent_make(session, episode.start_url, register_new_step_callback=callback)
        try:
            await agent.run(max_steps=4)
        finally:
            await session.kill()
        verdict = await episode.verdict()
        assert (verdict.outcome, verdict.reason) == ("correct", "answer")
    steps = [step for step in (await record_of(episode))["steps"] if step["thought"]]
    assert [step["thought"] for step in steps] == list(THOUGHTS)
    assert [step["action"]["type"] for step in steps] == [
        "browser_use.input",
        "browser_use.click",
        "browser_use.done",
    ]
    assert steps[0]["action"]["text"] == ACTIONS[1][1]
    assert steps[0]["url"] == "https://gym/"
