"""The arm in which an agent copies the question of a page, and how its copy is judged."""

from __future__ import annotations

from typing import Any

import pytest

from core.episodes.tokens import token_make
from tasks_app.models import Gold, Task
from tests import factories
from tests.conftest import ApiClient, ArenaClient
from trajectories.models import Episode, Run, Verdict
from trajectories.record import hot_sql
from trajectories.rollouts.episodes.opening_messages import opening_messages
from trajectories.rollouts.judging import queue_sql, services
from trajectories.shell.queries.runs import run_tallies_by_arm, tallies_by_run

pytestmark = pytest.mark.django_db
CHOICES = [{"label": "A", "text": "$\\frac{1}{2}$"}, {"label": "B", "text": "Costs \\$2"}]
FORMULAS = {"text": "Which is $x$?", "format": "latex", "choices": CHOICES, "order": "free"}
TABLE = {
    "text": "Who won?",
    "format": "plain",
    "table": {"header": ["Year", "Winner"], "rows": [["1998", "Ada"], ["2002", "Bo"]]},
}
REQUIREMENT = "Your program should define this function and pass this test:"
CODE = {"text": "Add two numbers.", "signature": "def add(a, b):", "asserts": ["assert add(1, 2) == 3"]}


def choice_task(**fields: Any) -> Task:
    return factories.task(kind="choice", prompt="Which?", payload=FORMULAS, answer="A", **fields)


def opened(client: ApiClient, task: Task, *, run: Run | None = None, **fields: Any) -> tuple[Episode, Any]:
    run = run or factories.run(observation="axtree-v2")
    body = {"run": run.pk, "tasks": [task.pk], "arm": "probe_read", **fields}
    status, answer = client.json("POST", "/episodes", body)
    assert status == 201, answer
    return Episode.objects.get(pk=answer["episodes"][0]["id"]), answer


def refused(client: ApiClient, task: Task, **fields: Any) -> tuple[int, str]:
    run = factories.run(**{"observation": "axtree-v2", **fields.pop("run", {})})
    status, answer = client.json(
        "POST", "/episodes", {"run": run.pk, "tasks": [task.pk], "arm": "probe_read", **fields}
    )
    return status, answer["error"]["code"]


def judged(episode: Episode, answer: str) -> Verdict:
    factories.submission(episode, answer)
    assert services.submission_judge(episode_id=episode.pk)
    return Verdict.objects.get(episode=episode)


def test_a_copy_of_the_question_is_judged_by_its_distance(trainer: ApiClient) -> None:
    episode, _ = opened(trainer, choice_task())
    verdict = judged(episode, "Which is $x$?\n\nA. $\\frac{1}{2}$\n\nB. Costs $2")
    assert (verdict.outcome, verdict.metrics, verdict.score) == ("correct", {"distance": 0.0}, 1.0)
    assert (verdict.verifier, verdict.gold_version) == ("transcript-v1", None)


def test_a_solution_is_no_copy(trainer: ApiClient) -> None:
    episode, _ = opened(trainer, choice_task())
    verdict = judged(episode, "A")
    assert verdict.outcome == "incorrect"
    assert verdict.metrics["distance"] > 0.9


def test_choices_are_copied_in_the_order_of_the_episode(trainer: ApiClient) -> None:
    episode, _ = opened(trainer, choice_task(), presentation={"choices": "permuted"}, seed=3)
    assert episode.variation is not None
    first, second = (CHOICES[place]["text"] for place in episode.variation["order"])
    copy = f"Which is $x$? A. {first} B. {second}".replace("\\$", "$")
    assert judged(episode, copy).metrics == {"distance": 0.0}


@pytest.mark.parametrize(
    ("kind", "payload", "copy"),
    [
        ("table", TABLE, "Who won? Year | Winner\n1998 | Ada\n2002 | Bo"),
        ("code", CODE, f"Add two numbers. {REQUIREMENT}\ndef add(a, b):\nassert add(1, 2) == 3"),
        ("picture", {"text": "What is shown in <image 1>?", "format": "plain", "pictures": []}, None),
    ],
)
def test_every_kind_of_question_on_one_page_can_be_copied(
    trainer: ApiClient, kind: str, payload: dict[str, Any], copy: str | None
) -> None:
    episode, _ = opened(trainer, factories.task(kind=kind, payload=payload))
    assert judged(episode, copy or payload["text"]).outcome == "correct"


def test_a_copied_program_is_never_run(trainer: ApiClient) -> None:
    benchmark = factories.benchmark(id="code", verifier_official="code-v1", verifier_training="code-v1")
    task = factories.task(kind="code", payload=CODE, benchmark=benchmark)
    copied, _ = opened(trainer, task)
    solved = factories.episode(task=task)
    assert queue_sql.episodes_sandboxed([copied.pk, solved.pk]) == {solved.pk}


def test_the_page_shows_the_question_and_no_form(arena_client: ArenaClient, settings: Any) -> None:
    episode = factories.episode(task=choice_task(), arm="probe_read", answer_channel="api")
    address = f"/e/{token_make(episode_id=episode.pk, key=settings.TOKEN_KEY)}/"
    html = arena_client.get(address).content.decode()
    assert "Which is" in html
    assert 'name="answer"' not in html
    form = "application/x-www-form-urlencoded"
    assert arena_client.post(f"{address}submit", "answer=A", content_type=form).status_code == 409


def test_the_prompt_asks_for_a_copy_and_does_not_hold_the_question(trainer: ApiClient) -> None:
    episode, answer = opened(trainer, choice_task())
    assert answer["episodes"][0]["answer_form"] == "block"
    (messages,) = answer["messages"].values()
    assert messages[0]["content"].startswith("Do not solve the task")
    assert "Which is" not in str(messages)
    assert '{"type": "answer"' in messages[0]["content"]
    assert opening_messages(episode, with_solutions=False) == messages


def test_a_question_with_pictures_can_be_read_in_an_outline(trainer: ApiClient) -> None:
    picture = {"name": "a.png", "sha256": "0" * 64, "content_type": "image/png", "width": 9, "height": 9}
    payload = {"text": "Which of <image 1> is it?", "format": "plain", "pictures": [picture]}
    episode, _ = opened(trainer, factories.task(kind="picture", payload=payload))
    assert judged(episode, "Which of is it?").outcome == "correct"


def test_no_training_run_rewards_a_copy(trainer: ApiClient) -> None:
    assert refused(trainer, choice_task(), run={"kind": "train"}) == (422, "probe_in_training")


def test_a_site_has_no_single_page_to_copy(trainer: ApiClient) -> None:
    site = factories.task(kind="site", payload={"text": "Book.", "fields": ["Total"], "forms": 0})
    assert refused(trainer, site) == (422, "not_one_page")


def test_an_answer_on_the_page_is_refused_when_opening(trainer: ApiClient) -> None:
    assert refused(trainer, choice_task(), answer_channel="page") == (422, "wrong_channel")


def test_copies_are_rated_in_their_arm_and_in_no_other_accuracy(trainer: ApiClient) -> None:
    run = factories.run(observation="axtree-v2")
    task = choice_task()
    factories.verdict(factories.episode(run=run, task=task, arm="gym"), outcome="incorrect")
    episode, _ = opened(trainer, task, run=run)
    judged(episode, "Which is $x$? A. $\\frac{1}{2}$ B. Costs $2")
    by_arm = run_tallies_by_arm(run_id=run.pk)
    assert {arm: tally.rate and tally.rate.value for arm, tally in by_arm.items()} == {
        "gym": 0,
        "probe_read": 1,
    }
    whole = tallies_by_run([run.pk])[run.pk].rate
    assert whole is not None
    assert (whole.value, whole.judged) == (0, 1)
    assert hot_sql.sums_rebuild(run_id=run.pk) == 0


def test_a_task_without_a_gold_can_be_copied(trainer: ApiClient) -> None:
    task = choice_task()
    Gold.objects.filter(task=task).delete()
    episode, _ = opened(trainer, task)
    assert judged(episode, "Which is $x$? A. $\\frac{1}{2}$ B. Costs $2").outcome == "correct"
