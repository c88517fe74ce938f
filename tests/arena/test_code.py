from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest

from core.episodes.presentation import look_make
from gymsite.arena.questions import code
from tasks_app.questions import questions
from tests import factories
from tests.arena.test_pages import Outline, page
from tests.conftest import ArenaClient
from trajectories.models import Episode, Submission

Address = Callable[..., str]
PAYLOAD = {
    "text": "Write a function to add <two> numbers.",
    "format": "plain",
    "signature": "def add(a, b):",
    "asserts": ["assert add('a  b', '') == 'a  b'"],
}
PROGRAM = "def add(a, b):\n    return a + b"


def code_episode(payload: dict[str, Any] | None = None, **fields: Any) -> Episode:
    task = factories.task(kind="code", payload={**PAYLOAD, **(payload or {})})
    return factories.episode(task=task, **fields)


def look(**fixed: object) -> dict[str, object]:
    return dict(look_make(seed=3, fixed=fixed).as_dict())


def test_a_code_question_shows_text_signature_assert_and_one_field(
    arena_client: ArenaClient, address: Address
) -> None:
    html = page(arena_client, address(code_episode()))
    outline = Outline(html)

    (field,) = outline.all("textarea")
    assert "Write a function to add &lt;two&gt; numbers." in html
    assert "<pre>def add(a, b):\n\nassert add(&#39;a  b&#39;, &#39;&#39;) == &#39;a  b&#39;</pre>" in html
    assert (field["name"], field["spellcheck"], field["autocapitalize"]) == ("answer", "false", "off")
    assert [label["for"] for label in outline.all("label")] == [field["id"]]
    assert [button["type"] for button in outline.all("button")] == ["submit"]
    assert outline.all("input") == []


def test_the_episodes_own_asserts_are_shown(arena_client: ArenaClient, address: Address) -> None:
    asserts = [*PAYLOAD["asserts"], "assert add(1, 2) == 3"]

    html = page(arena_client, address(code_episode(variation={"asserts": asserts})))

    assert "assert add(1, 2) == 3</pre>" in html
    assert "pass these tests:" in html


@pytest.mark.parametrize(
    ("editor", "own", "other"), [("plain", "code_field", "editor"), ("codemirror", "editor", "code_field")]
)
def test_the_look_sets_the_editor(
    editor: str, own: str, other: str, arena_client: ArenaClient, address: Address
) -> None:
    html = page(arena_client, address(code_episode(presentation=look(editor=editor))))

    assert f"js/arena/{own}.js" in html
    assert f"js/arena/{other}.js" not in html
    assert ("codemirror.min.js" in html) is (editor == "codemirror")


def test_an_episode_answered_through_the_api_shows_no_field(
    arena_client: ArenaClient, address: Address
) -> None:
    outline = Outline(page(arena_client, address(code_episode(answer_channel="api"))))

    assert outline.all("textarea") == outline.all("form") == []


@pytest.mark.parametrize(
    ("signature", "asserts", "words"),
    [
        ("def f(x):", 1, "Your program should define this function and pass this test:"),
        ("def f(x):", 3, "Your program should define this function and pass these tests:"),
        ("def f(x):\ndef g():", 1, "Your program should define these functions and pass this test:"),
        ("", 2, "Your program should pass these tests:"),
    ],
)
def test_one_sentence_describes_the_task(signature: str, asserts: int, words: str) -> None:
    payload = {**PAYLOAD, "signature": signature, "asserts": ["assert f(1)"] * asserts}

    assert code.requirement(payload) == words
    assert words in questions.get("code").text(payload)


def test_the_text_for_arms_without_a_page_contains_all_words_of_the_page() -> None:
    kind = questions.get("code")

    text = kind.text(PAYLOAD)

    fence = "```python\ndef add(a, b):\n\nassert add('a  b', '') == 'a  b'\n```"
    assert text.endswith(fence)
    assert "".join(text.replace("```python", "").replace("```", "").split()) == "".join(
        kind.axtree_text(PAYLOAD).split()
    )


def test_a_client_types_the_program_and_presses_the_last_button() -> None:
    typed, pressed = questions.get("code").moves(PAYLOAD, PROGRAM)

    assert (typed.act, typed.role, typed.text) == ("type", "textbox", PROGRAM)
    assert (pressed.act, pressed.role, pressed.place) == ("press", "button", -1)


def test_a_program_is_stored_as_it_was_typed(submit: Callable[..., Any]) -> None:
    episode = code_episode()

    answer = submit(episode, "answer=def+f%28%29%3A%0D%0A%09return+1")

    assert answer.status_code == 303
    assert Submission.objects.get(episode=episode).answer == "def f():\n\treturn 1"
