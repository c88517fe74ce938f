from __future__ import annotations

from typing import Any

import pytest
from django.db.models.functions import Now

from tasks_app.choices import label_move
from tasks_app.models import Gold, Task
from tasks_app.variation import payload_shown
from tests import factories
from tests.conftest import ApiClient
from trajectories.models import Episode, Group, Verdict
from trajectories.record import hot_sql
from trajectories.rollouts.episodes.opening_messages import opening_messages
from trajectories.rollouts.judging import rejudge, services

pytestmark = pytest.mark.django_db

TEXTS = ("red", "green", "blue", "grey")
SHA256 = "ab" * 32
PICTURE = {
    "name": "figure-1",
    "sha256": SHA256,
    "content_type": "image/png",
    "size": 9,
    "width": 3,
    "height": 3,
}


def _choice_task(*, order: str = "free", answer: str = "B", **payload: Any) -> Task:
    benchmark = factories.benchmark(
        id="arc", kind="choice", verifier_official="choice-v2", verifier_training="choice-v2"
    )
    choices = [{"label": label, "text": text} for label, text in zip("ABCD", TEXTS, strict=True)]
    shown = {"text": "Which?", "format": "plain", "choices": choices, "order": order, **payload}
    return factories.task(benchmark=benchmark, kind="choice", payload=shown, answer=answer, prompt="Which?")


def _open(client: ApiClient, task: Task, *, kind: str = "train", **fields: Any) -> dict[str, Any]:
    run = fields.pop("run", None) or factories.run(kind=kind)
    status, answer = client.json("POST", "/episodes", {"run": run.pk, "tasks": [task.pk], **fields})
    assert status == 201, answer
    return answer


def _orders() -> list[list[int] | None]:
    episodes = Episode.objects.order_by("id")
    return [(episode.variation or {}).get("order") for episode in episodes]


def test_training_permutes_the_choices_of_a_sample_identically_in_every_arm(trainer: ApiClient) -> None:
    task = _choice_task()
    for arm in ("gym", "text_zero_shot"):
        _open(trainer, task, arm=arm, samples_per_task=6, seed=3)
    orders = _orders()
    assert orders[:6] == orders[6:]
    assert len({str(order) for order in orders[:6]}) > 1


def test_evaluation_keeps_the_source_order_by_default(trainer: ApiClient) -> None:
    task = _choice_task()
    _open(trainer, task, kind="eval")
    _open(trainer, task, kind="eval", presentation={"choices": "permuted"}, seed=3)
    _open(trainer, task, presentation={"choices": "source"})
    plain, permuted, source = _orders()
    assert plain is None
    assert source is None
    assert sorted(permuted or []) == [0, 1, 2, 3]


def test_an_unknown_order_is_refused_with_the_known_ones(trainer: ApiClient) -> None:
    body = {"run": factories.run().pk, "tasks": [_choice_task().pk], "presentation": {"choices": "permute"}}
    status, answer = trainer.json("POST", "/episodes", body)
    assert (status, answer["error"]["code"]) == (422, "unknown_choices_order")
    assert "permuted" in answer["error"]["message"]


def test_fixed_choices_are_not_permuted(trainer: ApiClient) -> None:
    _open(trainer, _choice_task(order="fixed"), samples_per_task=4)
    assert _orders() == [None] * 4


def test_the_prompt_shows_the_order_of_its_sample(trainer: ApiClient) -> None:
    answer = _open(trainer, _choice_task(), arm="text_zero_shot", samples_per_task=6, seed=3)
    for opened in answer["episodes"]:
        order = Episode.objects.get(pk=opened["id"]).variation["order"]
        question = answer["messages"][opened["messages_ref"]][-1]["content"]
        for label, source in zip("ABCD", order, strict=True):
            assert f"{label}. {TEXTS[source]}" in question


def test_the_lab_rebuilds_the_prompt(trainer: ApiClient) -> None:
    answer = _open(trainer, _choice_task(), arm="text_agent", samples_per_task=3, seed=3)
    for opened in answer["episodes"]:
        assert (
            opening_messages(Episode.objects.get(pk=opened["id"]), with_solutions=False)
            == answer["messages"][opened["messages_ref"]]
        )


def test_the_displayed_label_is_the_right_answer(trainer: ApiClient) -> None:
    opened = _open(trainer, _choice_task(), arm="text_zero_shot", samples_per_task=6, seed=3)["episodes"]
    for place, record in enumerate(opened):
        episode = Episode.objects.get(pk=record["id"])
        shown = label_move("B", labels=["A", "B", "C", "D"], order=episode.variation["order"])
        wrong = "ABCD"[("ABCD".index(shown) + 1) % 4]
        factories.submission(episode, shown if place % 2 else wrong)
        services.submission_judge(episode_id=episode.pk)
        assert Verdict.objects.get(episode=episode).outcome == ("correct" if place % 2 else "incorrect")
    assert [flip for flip in rejudge.rejudge(benchmark=None, is_dry_run=True) if flip] == []


def test_a_label_is_judged_with_the_text_that_the_episode_showed_beside_it(trainer: ApiClient) -> None:
    opened = _open(trainer, _choice_task(), arm="text_zero_shot", samples_per_task=6, seed=3)["episodes"]
    for place, record in enumerate(opened):
        episode = Episode.objects.get(pk=record["id"])
        shown = label_move("B", labels=["A", "B", "C", "D"], order=episode.variation["order"])
        text = TEXTS["ABCD".index("B")] if place % 2 else TEXTS["ABCD".index("C")]
        factories.submission(episode, f"{shown}. {text}")
        services.submission_judge(episode_id=episode.pk)
        verdict = Verdict.objects.get(episode=episode)
        right, refused = ("correct", "answer"), ("incorrect", "unparsable_answer")
        assert (verdict.outcome, verdict.reason) == (right if place % 2 else refused)
    assert [flip for flip in rejudge.rejudge(benchmark=None, is_dry_run=True) if flip] == []


def test_a_corrected_gold_is_permuted_like_the_choices(trainer: ApiClient) -> None:
    task = _choice_task()
    record = _open(trainer, task, arm="text_zero_shot", seed=3)["episodes"][0]
    Gold.objects.filter(task=task).update(answer="D")
    episode = Episode.objects.get(pk=record["id"])
    shown = label_move("D", labels=["A", "B", "C", "D"], order=episode.variation["order"])
    factories.submission(episode, shown)
    services.submission_judge(episode_id=episode.pk)
    assert Verdict.objects.get(episode=episode).outcome == "correct"


def test_an_import_that_changes_the_choices_breaks_no_page_and_no_verdict(trainer: ApiClient) -> None:
    task = _choice_task()
    records = _open(trainer, task, samples_per_task=2, seed=3)["episodes"]
    closed, open_still = (Episode.objects.get(pk=record["id"]) for record in records)
    shown = label_move("B", labels=["A", "B", "C", "D"], order=closed.variation["order"])
    hot_sql.submission_write(episode_id=closed.pk, answer=shown, channel="page")
    services.submission_judge(episode_id=closed.pk)

    fewer = [{"label": label, "text": text} for label, text in zip("ABC", TEXTS[::-1], strict=False)]
    Task.objects.filter(pk=task.pk).update(payload={**task.payload, "choices": fewer}, changed_at=Now())
    Gold.objects.filter(task=task).update(answer="C")

    task.refresh_from_db()
    assert payload_shown(task.payload, open_still.variation)["choices"] == fewer
    hot_sql.submission_write(episode_id=open_still.pk, answer="C", channel="page")
    services.submission_judge(episode_id=open_still.pk)
    assert Verdict.objects.get(episode=open_still).outcome == "correct"
    assert rejudge.judged_count(benchmark=None) == (0, 2)
    assert list(rejudge.rejudge(benchmark=None, is_dry_run=True)) == []


def test_a_refill_continues_the_random_orders_of_its_group(trainer: ApiClient) -> None:
    task = _choice_task()
    _open(trainer, task, samples_per_task=2, seed=3)
    trainer.json("POST", f"/groups/{Group.objects.get().pk}/refill", {"count": 2})
    at_once = factories.run(kind="train")
    _open(trainer, task, samples_per_task=4, seed=3, run=at_once)
    assert _orders()[:4] == _orders()[4:]


def test_a_picture_that_nobody_could_see_is_refused(trainer: ApiClient) -> None:
    task = _choice_task(pictures=[PICTURE])
    blind = factories.run(observation="axtree-v2")
    status, answer = trainer.json("POST", "/episodes", {"run": blind.pk, "tasks": [task.pk], "arm": "gym"})
    assert (status, answer["error"]["code"]) == (422, "unperceivable")
    for fields in (
        {"run": blind, "arm": "gym_with_text"},
        {"run": blind, "arm": "text_agent"},
        {"run": factories.run(observation="both-v2"), "arm": "gym"},
    ):
        _open(trainer, task, **fields)


def test_a_grammar_by_position_wants_a_picture(trainer: ApiClient) -> None:
    task = _choice_task()
    blind = factories.run(observation="axtree-v2", grammar="computer_openai")
    status, answer = trainer.json("POST", "/episodes", {"run": blind.pk, "tasks": [task.pk], "arm": "gym"})
    assert (status, answer["error"]["code"]) == (422, "unperceivable")
    for fields in (
        {"run": blind, "arm": "text_agent"},
        {"run": factories.run(observation="screenshot-v2", grammar="computer_openai"), "arm": "gym"},
    ):
        _open(trainer, task, **fields)


def test_pictures_are_parts_of_the_prompt_at_their_blobs_address(trainer: ApiClient, settings: Any) -> None:
    task = _choice_task(pictures=[PICTURE], text="Look at <image 1> and choose.")
    Task.objects.filter(pk=task.pk).update(prompt=f"Look at ![Figure 1](blob:{SHA256}) and choose.")
    (messages,) = _open(trainer, task, kind="eval", arm="text_zero_shot")["messages"].values()
    url = f"{settings.LAB_URL}/api/v1/blobs/{SHA256}"
    assert messages[-1]["content"] == [
        {"type": "text", "text": "Look at"},
        {"type": "image_url", "image_url": {"url": url}},
        {"type": "text", "text": "and choose."},
    ]


def test_text_that_only_looks_like_a_picture_remains_text(trainer: ApiClient) -> None:
    words = f"What does ![Figure 1](blob:{'cd' * 32}) mean in Markdown?"
    (messages,) = _open(trainer, factories.task(prompt=words), arm="text_zero_shot")["messages"].values()
    assert messages[-1]["content"] == words


@pytest.mark.parametrize(
    ("affordances", "words"),
    [
        ({"tools": {"runn": True}}, "runn"),
        ({"tools": ["run"]}, "true or false"),
        ({"toolz": {"run": True}}, "Did you mean"),
        ({"tools": {"run": 1}}, "true"),
    ],
)
def test_an_unknown_tool_is_refused(trainer: ApiClient, affordances: Any, words: str) -> None:
    body = {"name": "r", "kind": "eval", "affordances": affordances}
    status, answer = trainer.json("POST", "/runs", body)
    assert status == 400
    assert words in str(answer["error"]["fields"]["affordances"])


def _panel_task() -> Task:
    benchmark = factories.benchmark(
        id="tools", kind="tools", verifier_official="denotation-v1", verifier_training="denotation-v1"
    )
    shown = {"text": "What is 3 times 4?", "format": "plain", "tools": ["distance", "calculator"], "seed": 5}
    return factories.task(benchmark=benchmark, kind="tools", payload=shown, answer="12")


@pytest.mark.parametrize("arm", ["gym", "gym_with_text"])
def test_a_panel_belongs_to_its_question_whatever_the_run_grants(trainer: ApiClient, arm: str) -> None:
    _open(trainer, _panel_task(), arm=arm)
    assert Episode.objects.get().variation == {"tools": ["calculator", "distance"]}


def test_a_copied_question_has_no_panel(trainer: ApiClient) -> None:
    _open(trainer, _panel_task(), arm="probe_read", kind="eval")
    assert "tools" not in (Episode.objects.get().variation or {})


@pytest.mark.parametrize("arm", ["text_zero_shot", "text_few_shot", "prompt_image"])
def test_a_question_with_tools_needs_turns_to_call_them_in(trainer: ApiClient, arm: str) -> None:
    body = {"run": factories.run().pk, "tasks": [_panel_task().pk], "arm": arm}
    status, answer = trainer.json("POST", "/episodes", body)
    assert (status, answer["error"]["code"]) == (422, "arm_without_tools")
    assert "text_agent, gym, gym_with_text" in answer["error"]["message"]
