"""Chat messages: byte for byte what the model was sent."""

from __future__ import annotations

import base64
import hashlib
from typing import Any

import msgspec
import pytest

from tests import factories
from tests.exports import scene
from trajectories.models import Step

pytestmark = [pytest.mark.django_db, pytest.mark.usefixtures("own_storages")]


def prompt_bytes(row: dict[str, Any], place: int) -> bytes:
    """A prompt from a row and the files beside it, as the model was sent it."""
    url = f"data:image/png;base64,{base64.b64encode(scene.PICTURE).decode()}"
    text = msgspec.json.encode(row["messages"][: row["prompts"][place]["messages"]]).decode()
    for image in row.get("images", ()):
        text = text.replace(image, url)
    return text.encode()


@pytest.mark.parametrize("history", ["full", "diff", "last_k:1"])
@pytest.mark.parametrize("picture", [False, True])
def test_every_prompt_in_a_row_has_the_hash_that_the_client_posted(history: str, picture: bool) -> None:
    run = factories.run(observation="both-v2" if picture else "axtree-v2", history=history)
    scene.played(scene.gym_group(run), steps=3, picture=picture)
    export = scene.exported("chat", runs=[run.pk])
    rows = scene.rows_of(export)
    hashes = dict(Step.objects.values_list("index", "more__prompt_sha256"))
    prompts = [(row, place) for row in rows for place in range(len(row["prompts"]))]
    assert len(prompts) == 3
    assert all(row["exact"] for row in rows)
    for row, place in prompts:
        digest = hashlib.sha256(prompt_bytes(row, place)).hexdigest()
        assert digest == hashes[row["prompts"][place]["step"]]
    name = f"images/{hashlib.sha256(scene.PICTURE).hexdigest()}.png"
    assert [row.get("images") for row in rows] == [[name] if picture else None] * len(rows)


def test_a_prompt_that_is_not_what_was_sent_is_not_passed_off_as_exact() -> None:
    episode = scene.played(scene.gym_group())
    Step.objects.filter(episode=episode, index=1).update(observation_text="another page")
    (row,) = scene.rows_of(scene.exported("chat"))
    assert not row["exact"]
    assert [one["check"] for one in row["prompts"]] == ["differs", "differs"]


def test_a_prompt_without_a_hash_is_not_exact() -> None:
    episode = scene.played(scene.gym_group())
    Step.objects.filter(episode=episode, index=2).update(more={})
    (row,) = scene.rows_of(scene.exported("chat"))
    assert [(one["exact"], one["check"]) for one in row["prompts"]] == [
        (True, "verified"),
        (False, "no_hash"),
    ]
    assert not row["exact"]
