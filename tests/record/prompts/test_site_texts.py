"""Mock sites in the arms with text: from opening to verdict."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest
from django.core.management import call_command

from palaestra.extraction import answer_extract
from tasks_app.models import Gold, Task
from tasks_app.worlds import text_view
from tests import factories
from tests.conftest import ApiClient
from trajectories.lab.episode.page import SHOWN_CHARS, shorten_prompt
from trajectories.models import Episode, Group, Verdict
from trajectories.record.prompts import conversation, interface
from trajectories.rollouts.episodes.opening_messages import opening_messages
from trajectories.rollouts.judging import services
from verifiers import denotations

pytestmark = [pytest.mark.slow, pytest.mark.django_db]

TEXT_ARMS = ("text_zero_shot", "text_agent")
DOING = ("book_stay", "cancel_and_rebook", "change_dates")


@pytest.fixture(params=["stays", "reviews"])
def site(request: pytest.FixtureRequest, db: None) -> str:
    call_command("load_benchmark", request.param, count=48, seed=1, split="test")
    return str(request.param)


def _tasks(site: str, *, split: str = "test", done: bool = False) -> list[Task]:
    tasks = Task.objects.filter(benchmark=site, split=split).order_by("pk")
    return [task for task in tasks if ("scope" not in task.payload) is done]


def _short(site: str, count: int = 2) -> list[Task]:
    return [task for task in _tasks(site) if task.gap_eligible][:count]


def _open(client: ApiClient, tasks: list[Task], **fields: Any) -> Any:
    status, answer = _post(client, tasks, **fields)
    assert status == 201, answer
    return answer


def _post(client: ApiClient, tasks: list[Task], **fields: Any) -> tuple[int, Any]:
    body = {"run": factories.run().pk, "tasks": [task.pk for task in tasks], "seed": 1, **fields}
    return client.json("POST", "/episodes", body)


def _questions(answer: Any) -> list[str]:
    """The question of each episode: the last message of its prompt."""
    messages = [answer["messages"][episode["messages_ref"]] for episode in answer["episodes"]]
    return [one[-1]["content"] for one in messages]


def _site_text(task: Task, settings: Any, form: text_view.Form = "relevant") -> str:
    return text_view.world_text(task.payload, form=form, salt=settings.WORLD_SALT)


@pytest.mark.parametrize("arm", [*TEXT_ARMS, "gym_with_text"])
def test_the_sites_text_stands_before_the_wording_in_every_arm_that_has_text(
    trainer: ApiClient, site: str, settings: Any, arm: str
) -> None:
    tasks = _short(site)
    for task, question in zip(tasks, _questions(_open(trainer, tasks, arm=arm)), strict=True):
        assert _site_text(task, settings) in question
        assert question.index("# Problem") < question.index(task.prompt)
        assert question.endswith(" | ".join(task.payload["fields"]))


def test_a_question_is_the_same_in_every_arm_that_has_text(trainer: ApiClient, site: str) -> None:
    tasks = _short(site)
    setup = interface.setup_of(factories.run(), arm="gym_with_text", channel="page")
    with_page = conversation.messages_for(
        template="prompts-v7a", setup=setup, question=conversation.Question(text="?"), max_steps=1
    )
    before = str(with_page[-1]["content"]).removesuffix("?")
    questions = [_questions(_open(trainer, tasks, arm=arm)) for arm in (*TEXT_ARMS, "gym_with_text")]
    assert questions[0] == questions[1] == [question.removeprefix(before) for question in questions[2]]


def test_the_page_arm_has_no_text_of_its_site(trainer: ApiClient, site: str) -> None:
    task = _short(site)[0]
    answer = _open(trainer, [task], arm="gym", presentation={"text": "full"})
    assert task.prompt not in _questions(answer)[0]
    assert Episode.objects.get().variation is None


def test_the_prompt_can_hold_the_text_of_the_whole_site(trainer: ApiClient, site: str, settings: Any) -> None:
    task = _short(site)[0]
    answer = _open(trainer, [task], arm="text_zero_shot", presentation={"text": "full"})
    assert _site_text(task, settings, "full") in _questions(answer)[0]
    assert Episode.objects.get().variation == {"text": "full"}


def test_an_unknown_text_form_is_refused(trainer: ApiClient) -> None:
    status, answer = _post(trainer, [factories.task()], presentation={"text": "relevent"})
    assert (status, answer["error"]["code"]) == (422, "unknown_text_form")
    assert "Did you mean" in answer["error"]["message"]
    assert not Episode.objects.exists()


@pytest.mark.parametrize("arm", [*TEXT_ARMS, "text_few_shot"])
def test_interactive_tasks_are_refused_in_arms_without_pages(trainer: ApiClient, arm: str) -> None:
    call_command("load_benchmark", "stays", count=48, seed=1, split="test")
    done = _tasks("stays", done=True)
    assert {task.tags[0] for task in done} == {f"family:{family}" for family in DOING}
    for task in done:
        status, answer = _post(trainer, [_tasks("stays")[0], task], arm=arm)
        assert (status, answer["error"]["code"]) == (422, "arm_without_text")
    assert not Episode.objects.exists()


def test_an_interactive_task_has_only_its_wording_in_the_prompt(trainer: ApiClient) -> None:
    call_command("load_benchmark", "stays", count=48, seed=1, split="test")
    task = _tasks("stays", done=True)[0]
    (question,) = _questions(_open(trainer, [task], arm="gym_with_text"))
    assert question.endswith(task.prompt)
    assert "# Problem" not in question


def test_answers_without_a_page_are_judged(trainer: ApiClient, site: str) -> None:
    tasks = _tasks(site)
    golds = {gold.task_id: denotations.split_cell(gold.answer) for gold in Gold.objects.all()}
    answer = _open(trainer, tasks, arm="text_zero_shot", samples_per_task=2)
    for record in answer["episodes"]:
        values = golds[record["task"]]
        answers = values if record["sample_index"] == 0 else ["0", *values[1:]]
        reply = conversation.build_reply(form=record["answer_form"], answer=answers, solution="I counted.")
        given = answer_extract(reply, form=record["answer_form"])
        status, _ = trainer.json("POST", f"/episodes/{record['id']}/submission", {"answer": given})
        assert status == 202
        assert services.submission_judge(episode_id=record["id"])

    outcomes = Verdict.objects.values_list("episode__sample_index", "outcome")
    assert {*outcomes} == {(0, "correct"), (1, "incorrect")}
    assert len(outcomes) == 2 * len(tasks)


def test_solved_tasks_are_of_other_worlds_and_have_their_own_text(
    trainer: ApiClient, site: str, settings: Any
) -> None:
    call_command("load_benchmark", site, count=240, seed=1, split="train")
    families = {one.tags[0] for one in Task.objects.filter(benchmark=site, split="train")}
    task = next(one for one in _short(site, 20) if one.tags[0] in families)
    answer = _open(trainer, [task], arm="text_few_shot", shots=2, presentation={"text": "full"})
    (messages,) = answer["messages"].values()
    solved = [Task.objects.get(pk=pk) for pk in Group.objects.get().examples]
    assert len({one.payload["world"] for one in (*solved, task)}) == 3
    assert {one.tags[0] for one in solved} == {task.tags[0]}
    for one, question, reply in zip(solved, messages[1:-1:2], messages[2:-1:2], strict=True):
        assert _site_text(one, settings) in question["content"]
        assert one.gap_eligible
        gold = denotations.split_cell(one.golds.get().answer)
        assert answer_extract(reply["content"], form="values") == list(gold)


def test_the_record_of_a_task_does_not_contain_its_world(api: Callable[..., ApiClient], site: str) -> None:
    _, page = api("read").json("GET", f"/tasks?benchmark={site}&limit=100")
    tasks = {task.pk: task for task in _tasks(site)}
    records = [record for record in page["results"] if record["id"] in tasks]
    assert len(records) == len(tasks)
    for record in records:
        assert record["prompt"] == tasks[record["id"]].payload["text"]
        assert len(str(record)) < 8_000


def test_the_lab_rebuilds_the_prompt(trainer: ApiClient, site: str) -> None:
    for form in ("relevant", "full"):
        answer = _open(trainer, _short(site, 1), arm="text_agent", presentation={"text": form})
        (record,) = answer["episodes"]
        episode = Episode.objects.get(pk=record["id"])
        assert opening_messages(episode, with_solutions=False) == answer["messages"][record["messages_ref"]]
        shown = shorten_prompt(episode, golds=False)[-1]["content"]
        assert len(shown) < SHOWN_CHARS + 100
        assert shown.endswith(_questions(answer)[0][-100:])
        assert ("characters left out" in shown) is (form == "full")


def test_a_trajectory_names_the_form_of_its_sites_text(
    trainer: ApiClient, api: Callable[..., ApiClient], site: str
) -> None:
    answer = _open(trainer, _short(site, 1), arm="gym_with_text", presentation={"text": "full"})
    (record,) = answer["episodes"]
    _, trajectory = api("read").json("GET", f"/episodes/{record['id']}/trajectory")
    assert trajectory["arrangement"] == {"text": "full"}


def test_a_refill_gets_the_same_site_text(trainer: ApiClient, site: str) -> None:
    answer = _open(trainer, _short(site, 1), arm="text_zero_shot", presentation={"text": "full"})
    group = answer["episodes"][0]["group"]
    status, more = trainer.json("POST", f"/groups/{group}/refill", {"count": 1})
    assert status == 201
    assert more["messages"] == answer["messages"]


def test_tasks_of_another_installation_are_refused_with_a_reason(
    trainer: ApiClient, site: str, settings: Any
) -> None:
    tasks = _short(site, 1)
    opened = _open(trainer, tasks, arm="text_zero_shot")
    settings.WORLD_SALT = b"another"
    status, answer = _post(trainer, tasks, arm="text_zero_shot")
    assert (status, answer["error"]["code"]) == (422, "other_world_salt")
    assert "Load its benchmark again" in answer["error"]["message"]
    assert shorten_prompt(Episode.objects.get(pk=opened["episodes"][0]["id"]), golds=False) == []


def test_a_call_whose_prompts_are_too_long_opens_nothing(
    trainer: ApiClient, site: str, settings: Any
) -> None:
    tasks = _short(site, 2)
    lengths = [len(_site_text(task, settings)) for task in tasks]
    settings.PROMPT_CHARS_MAX = sum(lengths)
    status, answer = _post(trainer, tasks, arm="text_zero_shot")
    assert (status, answer["error"]["code"]) == (413, "prompts_too_long")
    assert "PROMPT_CHARS_MAX" in answer["error"]["message"]
    assert not Episode.objects.exists()
    assert _post(trainer, tasks[:1], arm="text_zero_shot", samples_per_task=9)[0] == 201
