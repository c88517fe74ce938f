"""Questions drawn as pictures by a real browser."""

from __future__ import annotations

import io
from concurrent.futures import ThreadPoolExecutor

import pytest
from PIL import Image

from core.storage.blobs import blob_open
from gymsite.question_pages.drawing import questions_draw
from tasks_app import question_pictures
from tests import factories

pytestmark = [pytest.mark.e2e, pytest.mark.django_db]

LATEX = {"text": r"What is $\frac{1}{2^{10}}$ of 4096?", "format": "latex"}
CHOICES = [{"label": "A", "text": "Nine is a prime number"}, {"label": "B", "text": "Seven"}]


def test_a_question_is_drawn_whole_and_the_same_every_time() -> None:
    formula = factories.task(payload=LATEX)
    without = factories.task(kind="choice", payload={"text": "Which?", "format": "plain", "choices": []})
    choice = factories.task(kind="choice", payload={"text": "Which?", "format": "plain", "choices": CHOICES})
    tasks = [formula, without, choice]

    with ThreadPoolExecutor(1) as thread:  # the browser of other tests keeps an event loop in this one
        first, again = (dict(thread.submit(questions_draw, tasks).result()) for _ in range(2))

    assert first == again
    sizes = [Image.open(io.BytesIO(first[place])).size for place in range(3)]
    assert sizes[2][1] > sizes[1][1] + 60, "the choices are part of the picture"
    assert all(len(Image.open(io.BytesIO(one)).convert("L").getcolors() or []) > 10 for one in first.values())

    question_pictures.picture_store(choice, first[2])
    stored = question_pictures.find_pictures(tasks)
    assert list(stored) == [choice.pk]
    with blob_open(stored[choice.pk]["sha256"]) as file:
        assert Image.open(file).size == sizes[2]
