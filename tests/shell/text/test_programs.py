"""The programs that an episode ran on its page, as the lab shows them."""

from __future__ import annotations

import re
from collections.abc import Callable
from datetime import timedelta
from typing import Any

import pytest
from django.contrib.auth.models import User
from django.utils import timezone

from tests import factories
from tests.arena.test_code import PAYLOAD
from tests.conftest import LabClient
from tests.shell.text.test_questions import words
from trajectories.models import Episode, SiteEvent, ToolCall
from trajectories.shell import updates
from trajectories.shell.queries import programs

Lab = Callable[[User | None], LabClient]
SHOWN = ["assert add(1, 2) == 3", "assert add(0, 0) == 0"]
PROGRAM = "def add(a, b):\n    return 3"
OUTPUT = {
    "passed": [True, False],
    "told": ["", "AssertionError"],
    "problem": "",
    "printed": "",
    "is_cut": False,
}


@pytest.fixture
def episode(db: None) -> Episode:
    """An open episode with a Run button and steps 1 and 2."""
    task = factories.task(kind="code", payload=PAYLOAD)
    made = factories.episode(task=task, variation={"asserts": SHOWN, "tools": ["run"]})
    for index in (1, 2):
        factories.step(made, index)
    return made


def call(episode: Episode, number: int = 1, **fields: Any) -> None:
    values = {"tool": "run", "input": PROGRAM, "status": "done", "output": OUTPUT, **fields}
    ToolCall.objects.create(episode=episode, number=number, **values)


def page(client: LabClient, episode: Episode, path: str = "") -> str:
    return client.get(f"/episodes/{episode.pk}/{path}").content.decode()


def test_an_episode_shows_each_program_with_the_result_of_each_assert(
    lab: Lab, owner: User, episode: Episode
) -> None:
    call(episode, step=2, finished_at=timezone.now())

    html = page(lab(owner), episode)

    assert 'aria-label="Program of run 1">def add(a, b):\n    return 3</pre>' in html
    expected = "passed assert add(1, 2) == 3 failed assert add(0, 0) == 0 AssertionError"
    assert expected in words(html)
    assert f'During <a href="/episodes/{episode.pk}/steps/2">step 2</a>' in html


def test_a_tool_call_is_shown_only_at_its_step(lab: Lab, owner: User, episode: Episode) -> None:
    call(episode, step=2)
    client = lab(owner)

    rows = re.findall(r'<li class="step-row"[^>]*>.*?</li>', page(client, episode), flags=re.DOTALL)

    assert ["run 1: 1 of 2 passed" in words(row) for row in rows] == [False, True]
    assert "return 3" in page(client, episode, "steps/2")
    assert "return 3" not in page(client, episode, "steps/1")


def test_a_tool_call_without_a_step_is_linked_from_its_event(lab: Lab, owner: User, episode: Episode) -> None:
    call(episode)
    SiteEvent.objects.create(episode=episode, seq=1, kind="tool_called", data={"tool": "run", "number": 1})

    html = page(lab(owner), episode)

    assert "Outside any step" in html
    assert '<li id="call-1">' in html
    assert '<a href="#call-1">tool_called</a>' in html


@pytest.mark.parametrize(
    ("fields", "state"),
    [
        ({"status": "waiting", "output": None}, "waiting"),
        ({"status": "running", "output": None}, "being run"),
        ({"status": "failed", "output": {}}, "did not run: no sandbox"),
        ({"output": {**OUTPUT, "passed": [True, True], "told": ["", ""]}}, "2 of 2 passed"),
    ],
)
def test_each_state_of_a_tool_call_has_a_label(fields: dict[str, Any], state: str, episode: Episode) -> None:
    call(episode, **fields)

    assert [one.state for one in programs.tool_calls(episode)] == [state]


@pytest.mark.parametrize(
    ("problem", "state"),
    [
        ("out of time", "failed: out of time"),
        (
            "SyntaxError: invalid syntax (<program>, line 1)",
            "failed: SyntaxError: invalid syntax (<program>, line 1)",
        ),
        ("\nKeyError: 1\nand more", "failed: KeyError: 1"),
        ("x" * 81, f"failed: {'x' * 79}\u2026"),
        ("\n ", "failed"),
    ],
)
def test_a_failed_program_is_labelled_with_its_error(problem: str, state: str, episode: Episode) -> None:
    call(episode, output={**OUTPUT, "passed": [], "told": [], "problem": problem})

    assert [one.state for one in programs.tool_calls(episode)] == [state]


@pytest.mark.parametrize("status", ["waiting", "running"])
def test_an_unfinished_call_is_labelled_lost_after_its_time_limit(
    status: str, settings: Any, episode: Episode
) -> None:
    call(
        episode,
        status=status,
        output=None,
        created_at=timezone.now() - timedelta(seconds=settings.TOOL_CALL_TIMEOUT_S + 1),
    )

    assert [one.state for one in programs.tool_calls(episode)] == ["lost: no answer in time"]


def test_a_long_program_is_cut_with_a_notice(
    lab: Lab, owner: User, monkeypatch: pytest.MonkeyPatch, episode: Episode
) -> None:
    monkeypatch.setattr(programs, "PROGRAM_CHARS", 7)
    call(episode)

    html = page(lab(owner), episode)

    assert ">def add</pre>" in html
    assert "This is the beginning of 27 characters" in html


def test_output_of_a_program_is_shown_and_never_executed(lab: Lab, owner: User, episode: Episode) -> None:
    attack = "<script>alert(1)</script>\u202egpj.exe"
    output = {"passed": [False], "told": [attack], "problem": attack, "printed": attack, "is_cut": True}
    call(episode, step=1, input=attack, output=output)
    client = lab(owner)

    for path, count in (("", 6), ("progress", 6), ("steps/1", 5)):
        html = page(client, episode, path)
        assert html.count("&lt;script&gt;alert(1)") == count, path
        assert "<script>alert" not in html, path
        assert "\u202e" not in html, path


def test_a_new_or_finished_call_refreshes_an_open_episode(lab: Lab, owner: User, episode: Episode) -> None:
    client = lab(owner)

    def is_changed_since(seen: str) -> bool:
        return client.get(f"/episodes/{episode.pk}/progress?seen={seen}").status_code == 200

    before = updates.Updates(episode).version
    assert not is_changed_since(before)
    call(episode, status="waiting", output=None)
    made = updates.Updates(episode).version
    assert is_changed_since(before)
    assert not is_changed_since(made)
    ToolCall.objects.update(status="done", output=OUTPUT, finished_at=timezone.now())
    assert is_changed_since(made)


def test_an_episode_without_tools_queries_no_calls(
    lab: Lab, owner: User, django_assert_num_queries: Any
) -> None:
    episode = factories.episode()

    with django_assert_num_queries(0):
        assert (programs.tool_calls(episode), programs.calls_version(episode)) == ([], "")
    assert 'id="calls"' not in page(lab(owner), episode)


@pytest.mark.parametrize("arm", ["gym", "text_agent"])
@pytest.mark.parametrize(("is_ok", "state"), [(True, "answered"), (False, "no result")])
def test_a_call_of_a_panels_tool_is_shown_with_its_arguments_and_result(
    lab: Lab, owner: User, is_ok: bool, state: str, arm: str
) -> None:
    payload = {"text": "?", "format": "plain", "tools": ["handbook"], "seed": 5}
    task = factories.task(kind="tools", payload=payload)
    episode = factories.episode(task=task, variation={"tools": ["handbook"]}, arm=arm)
    factories.step(episode, 1)
    output = {"text": "Boats <b>cost</b> 3 crowns.", "is_ok": is_ok}
    call(episode, tool="handbook", input='{"query":"<b>oats"}', output=output, step=1)

    of_step, html = page(lab(owner), episode, "steps/1"), page(lab(owner), episode)

    assert [one.state for one in programs.tool_calls(episode)] == [state]
    assert "Boats &lt;b&gt;cost&lt;/b&gt; 3 crowns." in of_step
    assert 'aria-label="Arguments of call 1">{&quot;query&quot;:&quot;&lt;b&gt;oats&quot;}</pre>' in html
    assert "Boats &lt;b&gt;cost&lt;/b&gt; 3 crowns." in html
