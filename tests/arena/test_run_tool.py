"""The Run tool from the agent's side."""

from __future__ import annotations

from collections.abc import Callable
from datetime import timedelta
from typing import Any
from urllib.parse import urlencode

import psycopg
import pytest
from django.db import ProgrammingError, connection, transaction
from django.utils import timezone

from gymsite.arena import run_tool, tool_calls
from tasks_app.questions import CALLS_MAX
from tests import factories
from tests.arena.test_code import PAYLOAD, code_episode
from tests.arena.test_pages import Outline, page
from tests.conftest import ArenaClient
from trajectories.models import Episode, SiteEvent, ToolCall

Address = Callable[..., str]
Run = Callable[..., Any]
GRANTED = {"tools": ["run"]}
PROGRAM = "def add(a, b):\n    return '<b>'"
REFRESH = '<meta http-equiv="refresh" content="1;url=run">'


def episode_with_run(**fields: Any) -> Episode:
    return code_episode(variation=GRANTED, **fields)


def outcome(**fields: Any) -> dict[str, Any]:
    return {"passed": [], "told": [], "problem": "", "printed": "", "is_cut": False, **fields}


def called(episode: Episode, number: int = 1, **fields: Any) -> ToolCall:
    values = {"tool": "run", "input": PROGRAM, **fields}
    return ToolCall.objects.create(episode=episode, number=number, **values)


@pytest.fixture
def run(arena_client: ArenaClient, address: Address) -> Run:
    """Press the button Run, as a browser without JavaScript would."""

    def send(episode: Episode, program: str = PROGRAM, **extra: Any) -> Any:
        body = urlencode({"answer": program.replace("\n", "\r\n")})
        form = "application/x-www-form-urlencoded"
        return arena_client.generic("POST", address(episode, "run"), body, content_type=form, **extra)

    return send


@pytest.mark.parametrize("variation", [None, {"asserts": PAYLOAD["asserts"]}, {"tools": ["sort"]}])
def test_a_run_must_be_granted(variation: Any, run: Run, arena_client: ArenaClient, address: Address) -> None:
    episode = code_episode(variation=variation)

    html = page(arena_client, address(episode))

    assert "Run" not in html
    assert "run.js" not in html
    assert arena_client.get(address(episode, "run")).status_code == 404
    assert run(episode).status_code == 404
    assert not ToolCall.objects.exists()


def test_a_question_of_another_kind_runs_nothing(
    run: Run, arena_client: ArenaClient, address: Address
) -> None:
    episode = factories.episode(variation=GRANTED)

    assert run(episode).status_code == 404
    assert "Run" not in page(arena_client, address(episode))


def test_the_button_comes_before_the_one_that_submits(arena_client: ArenaClient, address: Address) -> None:
    outline = Outline(page(arena_client, address(episode_with_run())))

    first, last = outline.all("button")
    assert first["formaction"] == "run"
    assert "formaction" not in last


def test_a_run_is_stored_and_the_page_waits_with_the_program_in_its_field(
    run: Run, arena_client: ArenaClient, address: Address
) -> None:
    episode = episode_with_run()

    answer = run(episode, headers={"x-gym-step": "3"})

    call = ToolCall.objects.get(episode=episode)
    assert (answer.status_code, answer["Location"]) == (303, "run")
    assert (call.number, call.step, call.tool, call.input, call.status) == (1, 3, "run", PROGRAM, "waiting")
    event = SiteEvent.objects.get(episode=episode)
    assert (event.kind, event.step, event.data) == ("tool_called", 3, {"tool": "run", "number": 1})
    for path in ("run", ""):
        html = page(arena_client, address(episode, path))
        assert "Running the program" in html
        assert "def add(a, b):\n    return &#39;&lt;b&gt;&#39;</textarea>" in html
        assert REFRESH in html
    assert SiteEvent.objects.filter(episode=episode, kind="page_served").count() == 1


@pytest.mark.django_db(transaction=True)
def test_a_run_wakes_the_sweeper_as_it_is_committed(run: Run) -> None:
    episode = episode_with_run()
    params = connection.get_connection_params()
    params.pop("cursor_factory", None)
    with psycopg.connect(**params, autocommit=True) as listener:
        listener.execute("LISTEN tool_call")
        run(episode)
        (notice,) = list(listener.notifies(timeout=5, stop_after=1))
    assert notice.payload == ""


def test_the_result_of_a_run_is_shown_and_escaped(arena_client: ArenaClient, address: Address) -> None:
    asserts = ["assert add(1, 2) == 3", "assert add('<i>', '') == '<i>'"]
    episode = code_episode(variation={**GRANTED, "asserts": asserts})
    reasons = {"told": ["", "KeyError: '<script>'"]}
    output = outcome(passed=[True, False], printed="<hr>\n", is_cut=True) | reasons
    called(episode, status="done", output=output)

    html = page(arena_client, address(episode))

    assert "1 of 2 passed." in html
    assert "<samp>KeyError: &#39;&lt;script&gt;&#39;</samp>" in html
    assert "<pre>assert add(&#39;&lt;i&gt;&#39;, &#39;&#39;) == &#39;&lt;i&gt;&#39;</pre>" in html
    assert "<p>The program printed (shortened):</p>" in html
    assert "<pre>&lt;hr&gt;\n</pre>" in html
    assert "1 of 20 runs used." in html
    assert REFRESH not in html


def test_the_reason_that_a_program_did_not_run_is_shown_once(
    arena_client: ArenaClient, address: Address
) -> None:
    episode = episode_with_run()
    called(episode, status="done", output=outcome(problem="SyntaxError: no"))

    html = page(arena_client, address(episode))

    assert html.count("SyntaxError: no") == 1
    assert "passed." not in html


@pytest.mark.parametrize("status", ["waiting", "running", "failed"])
def test_a_failed_run_does_not_count_and_may_be_repeated(
    status: str, run: Run, arena_client: ArenaClient, address: Address, settings: Any
) -> None:
    episode = episode_with_run()
    late = timezone.now() - timedelta(seconds=settings.TOOL_CALL_TIMEOUT_S + 1)
    called(episode, status=status, created_at=late)

    html = page(arena_client, address(episode))

    assert "could not be run" in html
    assert "0 of 20 runs used." in html
    assert REFRESH not in html
    assert run(episode).status_code == 303
    assert list(ToolCall.objects.order_by("number").values_list("number", flat=True)) == [1, 2]


@pytest.mark.parametrize("status", ["waiting", "running"])
def test_only_one_run_is_active_at_a_time(status: str, run: Run) -> None:
    episode = episode_with_run()
    called(episode, status=status)

    same, other = run(episode), run(episode, "other = 1")

    assert same.status_code == 303
    assert other.status_code == 409
    assert "Another run is in progress" in other.content.decode()
    assert "other = 1</textarea>" in other.content.decode()
    assert REFRESH not in other.content.decode()
    assert ToolCall.objects.count() == 1


def test_an_episode_has_twenty_runs(run: Run) -> None:
    episode = episode_with_run()
    for number in range(1, CALLS_MAX):
        called(episode, number, status="done", output=outcome())

    last, further = run(episode), None
    ToolCall.objects.filter(status="waiting").update(status="done", output=outcome())
    further = run(episode)

    assert last.status_code == 303
    assert further.status_code == 409
    assert "You have used all 20 runs." in further.content.decode()
    assert ToolCall.objects.count() == 20


def test_failed_runs_have_a_limit_too(run: Run) -> None:
    episode = episode_with_run()
    called(episode, tool_calls.ROWS_MAX, status="failed")

    assert run(episode).status_code == 409


@pytest.mark.parametrize(
    ("program", "status", "message"),
    [
        (" \n", 422, "Write a program first."),
        ("x = 1\0", 400, "cannot hold NUL"),
        ("x" * (run_tool.PROGRAM_MAX_BYTES + 1), 413, "at most 64 KB"),
        ("é" * (run_tool.PROGRAM_MAX_BYTES // 2 + 1), 413, "at most 64 KB"),
    ],
)
def test_a_body_that_is_not_a_program_is_refused_with_a_message(
    program: str, status: int, message: str, run: Run
) -> None:
    answer = run(episode_with_run(), program)

    assert answer.status_code == status
    assert message in answer.content.decode()
    assert not ToolCall.objects.exists()


def test_a_script_gets_only_the_fragment_that_shows_the_run(
    run: Run, arena_client: ArenaClient, address: Address
) -> None:
    episode = episode_with_run()
    headers = {"x-gym-part": "run"}

    before = arena_client.get(address(episode, "run"), headers=headers).content.decode()
    refused = run(episode, "", headers=headers)
    run(episode, headers=headers)
    waiting = arena_client.get(address(episode, "run"), headers=headers).content.decode()

    assert 'data-state="none"' in before
    assert (refused.status_code, "Write a program first." in refused.content.decode()) == (422, True)
    assert 'data-state="waiting"' in waiting
    for part in (before, refused.content.decode(), waiting):
        assert part.startswith("<section")
        assert "<html" not in part


def test_no_run_is_accepted_after_the_answer(run: Run, submit: Callable[..., Any]) -> None:
    episode = episode_with_run()
    submit(episode, "answer=x")

    answer = run(episode)

    assert answer.status_code == 409
    assert "An answer has already been recorded" in answer.content.decode()
    assert not ToolCall.objects.exists()


def test_no_run_is_accepted_where_the_page_takes_no_answer(run: Run) -> None:
    assert run(episode_with_run(answer_channel="api")).status_code == 404


@pytest.mark.parametrize(
    "statement",
    [
        "UPDATE trajectories_toolcall SET status = 'done'",
        "UPDATE trajectories_toolcall SET output = '{}'",
        "DELETE FROM trajectories_toolcall",
        "INSERT INTO trajectories_toolcall (number, tool, input, status) VALUES (1, '', '', 'done')",
        "INSERT INTO trajectories_toolcall (number, tool, input, output) VALUES (1, '', '', '{}')",
    ],
)
def test_the_arena_cannot_forge_the_result_of_a_run(as_role: Any, statement: str) -> None:
    with (
        as_role("gym_arena"),
        pytest.raises(ProgrammingError, match="permission denied"),
        transaction.atomic(),
        connection.cursor() as cursor,
    ):
        cursor.execute(statement)
