"""Episodes on mock sites whose pages have no task bar, for harnesses that answer through the API."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any
from urllib.parse import urlencode

import pytest
from django.core.management import call_command

from tasks_app.models import Gold, Task
from tests import factories
from tests.conftest import ApiClient, ArenaClient
from trajectories.models import Episode, Group, Verdict
from trajectories.record.prompts import templates
from trajectories.rollouts.episodes.opening_messages import opening_messages
from trajectories.rollouts.judging import services
from verifiers import denotations

pytestmark = pytest.mark.django_db

FORM = "application/x-www-form-urlencoded"
WITHOUT = {"presentation": {"task_bar": False}, "answer_channel": "api"}
WHO = {"name": "Kim Doe", "email": "kim@example.org", "rules": "on"}


@pytest.fixture
def tasks(db: None) -> list[Task]:
    call_command("load_benchmark", "stays", count=12, seed=2, split="test")
    return list(Task.objects.filter(benchmark="stays", split="test").order_by("pk"))


@pytest.fixture
def booking(tasks: list[Task]) -> Task:
    """A task in which something has to be booked."""
    return next(task for task in tasks if "family:book_stay" in task.tags)


@pytest.fixture
def as_lab(settings: Any) -> Callable[..., tuple[int, Any]]:
    """A call to the lab, for tests that also use the arena."""

    def call(client: ApiClient, *request: Any) -> tuple[int, Any]:
        before, settings.ROOT_URLCONF = settings.ROOT_URLCONF, "gymsite.urls_lab"
        answer = client.json(*request)
        settings.ROOT_URLCONF = before
        return answer

    return call


def body(*tasks: Task, **fields: Any) -> dict[str, Any]:
    return {"run": factories.run().pk, "tasks": [task.pk for task in tasks], **fields}


def test_pages_without_the_bar_neither_state_the_task_nor_take_its_answer(
    trainer: ApiClient, arena_client: ArenaClient, as_lab: Callable[..., Any], booking: Task
) -> None:
    status, answer = as_lab(trainer, "POST", "/episodes", body(booking, **WITHOUT))
    assert status == 201
    address = "/" + answer["episodes"][0]["start_url"].split("/", 3)[3]
    for page in ("", "trips", "search"):
        shown = arena_client.get(f"{address}{page}").content.decode()
        assert "task-bar" not in shown
        assert 'name="answer"' not in shown
        assert "Conditions" not in shown
    refused = arena_client.generic("POST", f"{address}submit", "placed=1&answer=a", content_type=FORM)
    assert refused.status_code == 409
    assert "task-bar" not in refused.content.decode()
    assert Episode.objects.get().variation == {"task_bar": False}


def test_a_task_done_on_pages_and_answered_by_the_api_is_judged_by_state_and_values(
    trainer: ApiClient, arena_client: ArenaClient, as_lab: Callable[..., Any], booking: Task
) -> None:
    gold = Gold.objects.get(task=booking, is_current=True)
    values = denotations.split_cell(gold.answer)
    trip = next(one for one in gold.extra["state"]["trips"] if one["code"] == values[1])
    stay = {name: trip[name] for name in ("check_in", "check_out", "guests")}
    _, answer = as_lab(trainer, "POST", "/episodes", body(booking, samples_per_task=3, **WITHOUT))
    done, untouched, turned = answer["episodes"]
    for one in (done, turned):
        address = "/" + one["start_url"].split("/", 3)[3]
        page = f"{address}stays/{trip['listing']}/book/{trip['room']}"
        booked = arena_client.generic("POST", page, urlencode({**WHO, **stay}), content_type=FORM)
        assert booked.status_code == 303

    for one, submitted in ((done, values), (untouched, values), (turned, values[::-1])):
        path = f"/episodes/{one['id']}/submission"
        assert as_lab(trainer, "POST", path, {"answer": submitted})[0] == 202
        assert services.submission_judge(episode_id=one["id"])

    verdicts = {verdict.episode_id: verdict for verdict in Verdict.objects.all()}
    assert verdicts[done["id"]].outcome == "correct"
    assert verdicts[done["id"]].metrics["milestone/booked_right_room"] == 1.0
    assert verdicts[untouched["id"]].outcome == "incorrect"
    assert verdicts[untouched["id"]].metrics["values_right"] == 1.0
    assert verdicts[turned["id"]].outcome == "incorrect"
    assert verdicts[turned["id"]].metrics["state_right"] == 1.0


@pytest.mark.parametrize("channel", [{}, {"answer_channel": "page"}])
def test_opening_without_the_bar_for_answers_on_the_page_is_refused_with_advice(
    trainer: ApiClient, channel: dict[str, str]
) -> None:
    request = body(factories.task(), presentation={"task_bar": False}, **channel)
    status, answer = trainer.json("POST", "/episodes", request)
    assert (status, answer["error"]["code"]) == (422, "wrong_channel")
    assert '"answer_channel": "api"' in answer["error"]["message"]
    assert "/submission" in answer["error"]["message"]
    assert not Episode.objects.exists()


@pytest.mark.parametrize("value", ["no", "false", 0, 1, None, []])
def test_the_task_bar_axis_accepts_only_true_and_false(trainer: ApiClient, value: object) -> None:
    request = body(factories.task(), presentation={"task_bar": value}, answer_channel="api")
    status, answer = trainer.json("POST", "/episodes", request)
    assert (status, answer["error"]["code"]) == (422, "unknown_task_bar")


def test_the_bar_is_shown_by_default(trainer: ApiClient, booking: Task) -> None:
    for fields in ({}, {"presentation": {"task_bar": True}}, {"answer_channel": "api"}):
        assert trainer.json("POST", "/episodes", body(booking, **fields))[0] == 201
    assert set(Episode.objects.values_list("variation", flat=True)) == {None}


def test_leaving_out_the_bar_has_no_effect_on_tasks_of_one_page(trainer: ApiClient) -> None:
    assert trainer.json("POST", "/episodes", body(factories.task(), **WITHOUT))[0] == 201
    assert Episode.objects.get().variation is None


def test_leaving_out_the_bar_does_not_change_the_look(trainer: ApiClient, booking: Task) -> None:
    looks = []
    for fields in ({"answer_channel": "api"}, WITHOUT):
        _, answer = trainer.json("POST", "/episodes", body(booking, seed=5, **fields))
        looks.append(answer["episodes"][0]["presentation_hash"])
    assert looks[0] == looks[1]


def test_a_refill_also_leaves_out_the_bar(trainer: ApiClient, booking: Task) -> None:
    _, answer = trainer.json("POST", "/episodes", body(booking, **WITHOUT))
    group = answer["episodes"][0]["group"]
    assert trainer.json("POST", f"/groups/{group}/refill", {"count": 2})[0] == 201
    assert [episode.variation for episode in Episode.objects.all()] == [{"task_bar": False}] * 3


def _first_and_last_message(client: ApiClient, task: Task, **fields: Any) -> tuple[str, str]:
    """Open an episode; returns the first and the last message of its prompt."""
    _, answer = client.json("POST", "/episodes", body(task, seed=1, **fields))
    (messages,) = answer["messages"].values()
    return messages[0]["content"], messages[-1]["content"]


@pytest.mark.parametrize("arm", ["gym", "gym_with_text"])
def test_the_prompt_states_task_and_fields_if_no_page_does(
    trainer: ApiClient, tasks: list[Task], booking: Task, arm: str
) -> None:
    read = next(task for task in tasks if "scope" in task.payload)
    for task in (booking, read):
        _, question = _first_and_last_message(trainer, task, arm=arm, **WITHOUT)
        assert "The problem is on the page" not in question
        assert question.count(task.payload["text"]) == 1
        assert question.count(" | ".join(task.payload["fields"])) == 1
        assert question.endswith(task.payload["fields"][-1])


def test_without_the_bar_the_prompt_states_the_task_but_not_the_site(
    trainer: ApiClient, tasks: list[Task]
) -> None:
    read = next(task for task in tasks if "scope" in task.payload)
    _, question = _first_and_last_message(trainer, read, **WITHOUT)
    assert len(question) < len(read.payload["text"]) + 300


@pytest.mark.parametrize("arm", ["gym", "gym_with_text"])
def test_where_the_api_takes_the_answer_the_prompt_says_so(
    trainer: ApiClient, booking: Task, arm: str
) -> None:
    for task in (booking, factories.task()):
        by_page, _ = _first_and_last_message(trainer, task, arm=arm)
        assert "Submit your final answer through the page" in by_page
        for fields in ({"answer_channel": "api"}, WITHOUT):
            by_api, _ = _first_and_last_message(trainer, task, arm=arm, **fields)
            assert '{"type": "answer", "text": ' in by_api
            assert "the page takes no answers" in by_api
            assert "through the page" not in by_api
            assert by_api.split("\n\n")[0] == by_page.split("\n\n")[0]


def test_a_bar_that_takes_no_answer_names_the_values_of_the_answer(
    trainer: ApiClient, arena_client: ArenaClient, as_lab: Callable[..., Any], booking: Task
) -> None:
    _, answer = as_lab(trainer, "POST", "/episodes", body(booking, answer_channel="api"))
    page = arena_client.get("/" + answer["episodes"][0]["start_url"].split("/", 3)[3]).content.decode()
    for label in booking.payload["fields"]:
        assert f"<li>{label}</li>" in page


def test_samples_added_later_get_the_same_prompt(trainer: ApiClient, booking: Task) -> None:
    _, answer = trainer.json("POST", "/episodes", body(booking, max_steps=9, **WITHOUT))
    group = answer["episodes"][0]["group"]
    _, later = trainer.json("POST", f"/groups/{group}/refill", {"count": 1})
    assert later["messages"] == answer["messages"]


def test_the_lab_rebuilds_the_prompt_of_a_site_task(trainer: ApiClient, booking: Task) -> None:
    for fields in ({}, {"answer_channel": "api"}, WITHOUT):
        _, answer = trainer.json("POST", "/episodes", body(booking, **fields))
        (messages,) = answer["messages"].values()
        assert (
            opening_messages(Episode.objects.get(pk=answer["episodes"][0]["id"]), with_solutions=False)
            == messages
        )


def test_a_refill_uses_the_template_version_of_its_group(
    trainer: ApiClient, booking: Task, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    current = templates.VERSION.removeprefix("prompts-") + ".toml"
    words = (templates.FOLDER / current).read_text()
    (tmp_path / current).write_text(words)
    (tmp_path / "v3.toml").write_text(words.replace("Solve the task.", "Older words."))
    monkeypatch.setattr(templates, "FOLDER", tmp_path)
    _, answer = trainer.json("POST", "/episodes", body(booking, **WITHOUT))
    Group.objects.update(template="prompts-v3a")
    status, later = trainer.json("POST", f"/groups/{answer['episodes'][0]['group']}/refill", {"count": 1})
    assert status == 201
    (messages,) = later["messages"].values()
    assert messages[0]["content"].startswith("Older words.")


def test_no_instruction_about_values_mentions_a_table() -> None:
    for paraphrase in templates.PARAPHRASES:
        assert "table" not in templates.Template(f"{templates.VERSION}{paraphrase}").instruction("values")
