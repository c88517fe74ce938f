"""The conversation that the model was sent before a step."""

from __future__ import annotations

import base64
import hashlib
from collections.abc import Callable
from typing import Any

import msgspec
import pytest
from django.contrib.auth.models import User

from core.storage import blobs
from tests import factories
from tests.conftest import LabClient
from trajectories.lab.step import conversation
from trajectories.lab.step.conversation import Check, StepConversation
from trajectories.models import Blob, Episode, Step
from trajectories.rollouts.episodes import conversations

pytestmark = pytest.mark.usefixtures("own_storages")
Lab = Callable[[User | None], LabClient]
PICTURE = b"\x89PNG\r\n\x1a\n one"


def talk(**more: object) -> tuple[Episode, Step]:
    """Two steps on a page that shows pictures and outlines."""
    stored = blobs.blob_store(PICTURE)
    Blob.objects.create(sha256=stored.sha256, size=stored.size, content_type=stored.content_type)
    run = factories.run(observation="both-v2")
    group = factories.group(run=run, arm="gym", template="prompts-v7a")
    episode = factories.episode(group=group)
    shown = {"observation_kind": "both-v2", "screenshot": stored.sha256}
    first = {"raw": "<b>I look.</b>", "action_result": "ok", "more": {"result_message": "Done."}}
    factories.step(episode, 1, observation_text="one\ntwo", **first, **shown)
    step = factories.step(episode, 2, observation_text="one\nthree", raw="I stop.", more=more, **shown)
    return episode, step


def inlined(messages: list[dict[str, Any]]) -> list[dict[str, Any]]:
    """With pictures as an endpoint gets them."""
    url = f"data:image/png;base64,{base64.b64encode(PICTURE).decode()}"
    picture = {"type": "image_url", "image_url": {"url": url}}
    return [
        message
        if isinstance(message["content"], str)
        else {**message, "content": [part if "text" in part else picture for part in message["content"]]}
        for message in messages
    ]


def rebuilt(episode: Episode, step: Step) -> StepConversation:
    return StepConversation(episode=episode, step=step, sees_golds=True)


def test_the_conversation_holds_pages_and_completions_before_the_step(lab: Lab, annotator: User) -> None:
    episode, _ = talk()
    path = f"/episodes/{episode.pk}/steps/2/conversation"
    client = lab(annotator)
    html = client.get(f"{path}?fragment").content.decode()
    assert "5 messages" in html
    assert "&lt;b&gt;I look.&lt;/b&gt;" in html
    assert "I stop." not in html
    assert "Result of your action: ok. Done." in html
    assert "rebuilt, without a hash" in html
    assert 'class="message-who message-system"' in html
    sent = client.get(f"{path}.json").json()
    assert [message["role"] for message in sent] == ["system", "user", "user", "assistant", "user"]
    assert client.get(f"{path}/6").status_code == 404


def test_the_hash_that_was_posted_verifies_the_conversation(db: None) -> None:
    episode, step = talk()
    messages = [one.message for one in rebuilt(episode, step).messages]
    step.more = {"prompt_sha256": hashlib.sha256(msgspec.json.encode(inlined(messages))).hexdigest()}
    assert rebuilt(episode, step).check == Check.VERIFIED
    Step.objects.filter(episode=episode, index=1).update(raw="I looked.")
    assert rebuilt(episode, step).check == Check.DIFFERS
    blobs.blob_delete(step.screenshot)
    assert rebuilt(episode, step).check == Check.LACKS_PICTURES


def test_a_long_message_is_fetched_alone(lab: Lab, annotator: User, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(conversation, "SHORT_CHARS", 10)
    episode, _ = talk()
    client = lab(annotator)
    path = f"/episodes/{episode.pk}/steps/2/conversation"
    html = client.get(f"{path}?fragment").content.decode()
    assert "I look.&lt;/b&gt;</pre>" not in html
    assert f'data-href="{path}/4"' in html
    assert "I look.&lt;/b&gt;</pre>" in client.get(f"{path}/4?fragment").content.decode()


def test_earlier_messages_have_a_page_of_their_own(
    lab: Lab, annotator: User, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(conversation, "MESSAGES_SHOWN", 2)
    episode, _ = talk()
    path = f"/episodes/{episode.pk}/steps/2/conversation"
    html = lab(annotator).get(path).content.decode()
    assert f'href="{path}?until=3"' in html
    assert "I look." in html
    assert "I look." not in lab(annotator).get(f"{path}?until=3").content.decode()


def test_a_huge_conversation_is_not_put_together(
    lab: Lab, annotator: User, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(conversations, "CHARS_MAX", 5)
    episode, _ = talk()
    html = lab(annotator).get(f"/episodes/{episode.pk}/steps/2/conversation").content.decode()
    assert "too long to be rebuilt" in html
