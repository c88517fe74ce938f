from __future__ import annotations

from collections.abc import Callable
from typing import Any

import psycopg
import pytest
from django.conf import LazySettings
from django.db import ProgrammingError, connection

from tests import factories
from tests.conftest import ArenaClient
from trajectories.models import Episode, SiteEvent, Submission

Address = Callable[..., str]
Submit = Callable[..., Any]


def stored(episode: Episode) -> Any:
    return Submission.objects.values_list("answer", "channel").filter(episode=episode).first()


def test_an_answer_is_stored_as_written_and_the_episode_waits(
    submit: Submit, arena_client: ArenaClient, address: Address
) -> None:
    episode = factories.episode()

    response = submit(episode, "answer=+1%2C000%E2%82%AC+", headers={"x-gym-step": "2"})

    episode.refresh_from_db()
    assert (response.status_code, response["Location"]) == (303, "done")
    assert episode.status == "submitted"
    assert stored(episode) == (" 1,000€ ", "page")
    assert SiteEvent.objects.filter(episode=episode).values_list("kind", "step").get() == (
        "answer_recorded",
        2,
    )
    assert "<h1>Answer recorded</h1>" in arena_client.get(address(episode, "done")).content.decode()


def test_a_repeated_field_is_a_list(submit: Submit) -> None:
    episode = factories.episode()

    submit(episode, "answer=b&answer=a&other=c")

    assert stored(episode) == (["b", "a"], "page")


def test_repeating_the_answer_is_accepted_and_another_answer_changes_nothing(submit: Submit) -> None:
    episode = factories.episode()
    submit(episode, "answer=7")

    again, other = submit(episode, "answer=7"), submit(episode, "answer=8")

    assert again.status_code == 303
    assert other.status_code == 409
    assert "An answer has already been recorded" in other.content.decode()
    assert stored(episode) == ("7", "page")


@pytest.mark.parametrize("outcome", ["correct", "incorrect"])
def test_pages_after_the_verdict_do_not_depend_on_it(
    outcome: str, submit: Submit, arena_client: ArenaClient, address: Address
) -> None:
    episode = factories.episode()
    submit(episode, "answer=7")
    waiting = [arena_client.get(address(episode, page)).content for page in ("", "done")]

    factories.verdict(episode, outcome=outcome)

    assert [arena_client.get(address(episode, page)).content for page in ("", "done")] == waiting
    assert submit(episode, "answer=7").status_code == 303
    assert submit(episode, "answer=8").status_code == 409


def test_the_done_page_of_an_open_episode_redirects_to_the_question(
    arena_client: ArenaClient, address: Address
) -> None:
    response = arena_client.get(address(factories.episode(), "done"))

    assert (response.status_code, response["Location"]) == (302, "./")


@pytest.mark.parametrize(
    ("body", "extra", "status", "words"),
    [
        ("", {}, 422, "Give an answer first."),
        ("answer=+%09", {}, 422, "Give an answer first."),
        ("other=1", {}, 422, "Give an answer first."),
        ("answer=a%00b", {}, 400, "NUL"),
        ("answer=" + "1" * 100_001, {}, 413, "100000"),
        ("&".join(["answer=1"] * 101), {}, 413, "You can give at most 100"),
    ],
)
def test_an_answer_that_cannot_be_stored_is_refused_and_the_form_stays(
    body: str, extra: dict[str, str], status: int, words: str, submit: Submit
) -> None:
    episode = factories.episode()

    response = submit(episode, body, **extra)

    episode.refresh_from_db()
    html = response.content.decode()
    assert response.status_code == status
    assert words in html
    assert 'aria-describedby="answer-error"' in html
    assert stored(episode) is None
    assert episode.status == "open"


@pytest.mark.parametrize(
    ("body", "kind", "status"),
    [
        (b"answer=1&" + b"x=" + b"y" * 2_000_000, "application/x-www-form-urlencoded", 413),
        (b"&".join([b"a=1"] * 1_001), "application/x-www-form-urlencoded", 400),
        (b'{"answer": "1"}', "application/json", 400),
        (b"--x\r\nbroken", "multipart/form-data; boundary=x", 400),
    ],
)
def test_a_body_that_is_not_a_form_is_refused(
    body: bytes, kind: str, status: int, arena_client: ArenaClient, address: Address
) -> None:
    episode = factories.episode()

    response = arena_client.generic("POST", address(episode, "submit"), body, content_type=kind)

    assert response.status_code == status
    assert stored(episode) is None


def test_a_lone_surrogate_in_a_form_is_replaced(submit: Submit) -> None:
    episode = factories.episode()

    submit(episode, "answer=a%ED%A0%80b")

    answer, _ = stored(episode)
    assert answer.startswith("a�")


def test_an_answer_wakes_the_sweeper(submit: Submit, django_db_blocker: Any, transactional_db: None) -> None:
    episode = factories.episode()
    settings = connection.get_connection_params()
    with psycopg.connect(
        **{k: settings[k] for k in ("host", "port", "user", "password", "dbname") if k in settings},
        autocommit=True,
    ) as listener:
        listener.execute("LISTEN submission")
        submit(episode, "answer=7")
        (notice,) = list(listener.notifies(timeout=5, stop_after=1))

    assert notice.payload == ""


@pytest.mark.parametrize(
    "statement",
    [
        "SELECT answer FROM tasks_app_gold",
        "SELECT data FROM trajectories_verdictevidence",
        "SELECT outcome FROM trajectories_verdict",
        "SELECT key FROM tasks_app_task",
        "SELECT benchmark_id FROM tasks_app_task",
        "UPDATE trajectories_episode SET max_steps = 100",
        "UPDATE trajectories_submission SET answer = '1'",
        "DELETE FROM trajectories_siteevent",
    ],
)
def test_the_arenas_role_is_denied_other_statements(statement: str, db: None) -> None:
    with connection.cursor() as cursor:
        cursor.execute("SET LOCAL ROLE gym_arena")
        with pytest.raises(ProgrammingError, match="permission denied"):
            cursor.execute(statement)


def test_a_setting_limits_the_length_of_answers(submit: Submit, settings: LazySettings) -> None:
    settings.ANSWER_MAX_CHARS = 3
    episode = factories.episode()

    assert submit(episode, "answer=1234").status_code == 413
    assert submit(episode, "answer=123").status_code == 303


def test_line_breaks_are_stored_as_they_were_typed(submit: Callable[..., Any]) -> None:
    episode = factories.episode()
    assert submit(episode, "answer=a%0D%0A++b%0D%0A").status_code == 303
    assert Submission.objects.get(episode=episode).answer == "a\n  b\n"


def test_an_answer_that_is_too_long_stays_in_the_field(submit: Callable[..., Any], settings: Any) -> None:
    settings.ANSWER_MAX_CHARS = 20
    payload = {"text": "Write it.", "format": "plain", "signature": "def f():", "asserts": ["assert f()"]}
    episode = factories.episode(task=factories.task(kind="code", payload=payload))
    response = submit(episode, "answer=def+f%28%29%3A%0A++++return+%22longer%22")
    assert response.status_code == 413
    assert "return &#34;longer&#34;</textarea>" in response.content.decode()
