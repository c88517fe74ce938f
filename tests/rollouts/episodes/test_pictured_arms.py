"""Arms in which a picture stands for the whole question."""

from __future__ import annotations

import io
from typing import Any

import pytest
from PIL import Image

from core.episodes.tokens import token_make
from core.storage.blobs import blob_open
from tasks_app import question_pictures
from tasks_app.models import QuestionPicture, Task
from tests import factories
from tests.conftest import ApiClient, ArenaClient
from trajectories.models import Episode
from trajectories.rollouts.episodes.opening_messages import opening_messages

pytestmark = pytest.mark.django_db
TEXT = "Which of these is a prime?"
CHOICES = [{"label": "A", "text": "Nine"}, {"label": "B", "text": "Seven"}]


@pytest.fixture
def task() -> Task:
    payload = {"text": TEXT, "format": "plain", "choices": CHOICES}
    made = factories.task(kind="choice", prompt=TEXT, payload=payload, answer="B")
    question_pictures.picture_store(made, _png())
    return made


def _png() -> bytes:
    file = io.BytesIO()
    Image.new("RGB", (320, 90), "white").save(file, "PNG")
    return file.getvalue()


def _post(client: ApiClient, task: Task, arm: str, **run: Any) -> tuple[int, Any]:
    body = {
        "run": factories.run(**{"observation": "screenshot-v2", **run}).pk,
        "tasks": [task.pk],
        "arm": arm,
    }
    return client.json("POST", "/episodes", body)


def test_the_prompt_holds_the_picture_and_nothing_of_the_text(trainer: ApiClient, task: Task) -> None:
    status, answer = _post(trainer, task, "prompt_image")
    assert status == 201, answer
    (messages,) = answer["messages"].values()
    sha256 = QuestionPicture.objects.get().sha256
    (part,) = messages[-1]["content"]
    assert part["image_url"]["url"].endswith(f"/api/v1/blobs/{sha256}")
    for words in (TEXT, "Nine", "Seven"):
        assert words not in str(answer)
    assert opening_messages(Episode.objects.get(), with_solutions=False) == messages


def test_the_page_shows_the_same_picture_and_the_labels_alone(
    arena_client: ArenaClient, settings: Any, task: Task
) -> None:
    picture = question_pictures.find_pictures([task])[task.pk]
    episode = factories.episode(task=task, arm="gym_image", variation={"picture": picture})
    address = f"/e/{token_make(episode_id=episode.pk, key=settings.TOKEN_KEY)}/"
    html = arena_client.get(address).content.decode()
    for words in (TEXT, "Nine", "Seven"):
        assert words not in html
    assert 'value="A"' in html
    assert 'value="B"' in html
    assert b"".join(arena_client.get(f"{address}pictures/question")) == _png_stored()


def _png_stored() -> bytes:
    with blob_open(QuestionPicture.objects.get().sha256) as file:
        return file.read()


def test_choices_keep_the_order_of_their_picture_in_training(trainer: ApiClient, task: Task) -> None:
    assert _post(trainer, task, "prompt_image", kind="train")[0] == 201
    assert set(Episode.objects.get().variation or {}) == {"picture"}


@pytest.mark.parametrize("arm", ["prompt_image", "gym_image"])
def test_a_question_that_was_not_drawn_or_has_changed_is_refused(
    trainer: ApiClient, task: Task, arm: str
) -> None:
    Task.objects.update(content_hash="changed")
    status, answer = _post(trainer, task, arm)
    assert (status, answer["error"]["code"]) == (422, "not_drawn")
    assert f"draw_questions {task.benchmark_id}" in answer["error"]["message"]
    assert question_pictures.tasks_undrawn(benchmark=task.benchmark_id) == [task]


@pytest.mark.parametrize("observation", ["axtree-v2", ""])
def test_a_picture_beside_an_outline_alone_is_refused(
    trainer: ApiClient, task: Task, observation: str
) -> None:
    status, answer = _post(trainer, task, "gym_image", observation=observation)
    assert (status, answer["error"]["code"]) == (422, "unperceivable")
    assert _post(trainer, task, "prompt_image", observation="axtree-v2")[0] == 201


def test_a_program_cannot_be_posed_by_a_picture(trainer: ApiClient) -> None:
    status, answer = _post(trainer, factories.task(kind="code", payload={"text": "Add."}), "gym_image")
    assert (status, answer["error"]["code"]) == (422, "unperceivable")
