"""``palaestra intervene``: a model writes, the policy goes on from there."""

from __future__ import annotations

import json
from typing import Any

import pytest

from fake_model import FakeModel, Reply
from fake_server import FakeServer
from fake_state import GOLD
from palaestra.api import Client
from palaestra.commands import main
from palaestra.errors import ApiError
from palaestra.interventions import Candidate, reply_read
from palaestra.models.continuation import BEGUN
from palaestra.records import Opening

pytestmark = pytest.mark.usefixtures("short_pauses")
ATTEMPT = "Half of 84 is asked.\n\nHalf of 84 is 41.\n\nAnswer: 41"
TEXT = "I halve 80 and 4 apart."
PLACES = [Candidate(step=1, substep=number, text="t") for number in (1, 2, 3)]


def says(request: dict[str, Any], *, location: object = 2, content: str = TEXT) -> Reply:
    """A model that answers wrongly, corrects itself where it is asked to, and goes on rightly from there."""
    last = request["messages"][-1]
    if last["content"] == BEGUN:
        return Reply(text=", six, seven")
    if last["role"] == "assistant":
        return Reply(text=f"\n\nThat is {GOLD}.\n\nAnswer: {GOLD}")
    if "# The attempt" in str(last["content"]):
        written = json.dumps({"location": location, "content": content})
        return Reply(text=f"The second is wrong.\n{written}")
    return Reply(text=ATTEMPT)


def run(fake: FakeServer, model: FakeModel, *more: str) -> int:
    where = ["--server", fake.lab_url, "--key", "k", "--base-url", model.url, "--model", "tiny"]
    return main([*more[:1], *where, *more[1:]])


@pytest.fixture
def failed(fake: FakeServer, model: FakeModel) -> None:
    """A run of one failed episode."""
    model.reply = says
    settings = ("--benchmark", "gsm8k", "--arm", "text_zero_shot", "--limit", "1", "--max-tokens", "99")
    assert run(fake, model, "run", *settings) == 0
    model.requests.clear()


@pytest.mark.usefixtures("failed")
def test_the_policy_goes_on_from_the_words_and_the_whole_message_is_recorded(
    fake: FakeServer, model: FakeModel, capsys: pytest.CaptureFixture[str]
) -> None:
    assert run(fake, model, "intervene", "--run", "7", "--count", "3") == 0
    begun = f"Half of 84 is asked.\n\n{TEXT}"
    forks = [one for one in fake.state.episodes.values() if one["id"] > 1]
    assert len(forks) == 3
    for fork in forks:
        step = fork["steps"][1]
        assert step["raw"] == f"{begun}\n\nThat is {GOLD}.\n\nAnswer: {GOLD}"
        assert step["prefill_chars"] == len(begun)
        assert fork["answer"] == GOLD
    out = capsys.readouterr().out
    assert "intervention 1 (episode 1, step 1, substep 2): 3 of 3 right" in out
    sent = [one for one in model.requests if one["messages"][-1]["content"] == begun]
    assert len(sent) == 3
    assert all(one["continue_final_message"] for one in sent)
    assert {(one["temperature"], one["top_p"], one["top_k"], one["max_tokens"]) for one in sent} == {
        (0.7, 0.8, 20, 16_384)
    }


@pytest.mark.usefixtures("failed")
def test_the_hash_of_the_prompt_is_of_what_stood_before_the_message(
    fake: FakeServer, model: FakeModel
) -> None:
    assert run(fake, model, "intervene", "--run", "7", "--count", "1") == 0
    first, fork = fake.state.episodes.values()
    assert fork["steps"][1]["prompt_sha256"] == first["steps"][1]["prompt_sha256"]


@pytest.mark.usefixtures("failed")
def test_words_that_were_written_before_are_gone_on_from(
    fake: FakeServer, model: FakeModel, capsys: pytest.CaptureFixture[str]
) -> None:
    fake.state.write_intervention(1, step=1, substep=3, text="Once more.")
    assert run(fake, model, "intervene", "--run", "7", "--written", "--count", "2") == 0
    assert "(episode 1, step 1, substep 3): 2 of 2 right" in capsys.readouterr().out
    assert run(fake, model, "intervene", "--run", "7", "--written", "--count", "2") == 1


@pytest.mark.usefixtures("failed")
@pytest.mark.parametrize("status", [403, 409, 422])
def test_one_that_the_server_refuses_leaves_the_others_to_be_played(
    fake: FakeServer,
    model: FakeModel,
    capsys: pytest.CaptureFixture[str],
    monkeypatch: pytest.MonkeyPatch,
    status: int,
) -> None:
    for text in ("Once more.", "And again."):
        made = fake.state.write_intervention(1, step=1, substep=3, text=text)
    refill = Client.group_refill

    async def refused(client: Client, group: int, *, count: int) -> Opening:
        if group != made["group"]:
            return await refill(client, group, count=count)
        raise ApiError(status=status, code="gold_changed", message="The gold has changed.")

    monkeypatch.setattr(Client, "group_refill", refused)
    assert run(fake, model, "intervene", "--run", "7", "--written", "--count", "1") == 0
    printed = capsys.readouterr()
    assert "1 intervention; left out: 1 refused." in printed.out
    assert f"Intervention {made['id']}: {status} gold_changed" in printed.err


@pytest.mark.usefixtures("failed")
@pytest.mark.parametrize(
    ("written", "reason"),
    [
        ({"location": 9}, "1 unreadable"),
        ({"content": " "}, "1 unreadable"),
        ({"content": f"It is {GOLD}."}, "1 leaked"),
    ],
)
def test_what_cannot_be_used_is_counted_and_opens_nothing(
    fake: FakeServer,
    model: FakeModel,
    capsys: pytest.CaptureFixture[str],
    written: dict[str, Any],
    reason: str,
) -> None:
    model.reply = lambda request: says(request, **written)
    assert run(fake, model, "intervene", "--run", "7") == 1
    assert reason in capsys.readouterr().out
    assert len(fake.state.episodes) == 1


@pytest.mark.usefixtures("failed")
def test_an_endpoint_that_cannot_go_on_is_refused_before_anything_is_opened(
    fake: FakeServer, model: FakeModel, capsys: pytest.CaptureFixture[str]
) -> None:
    model.reply = lambda _: Reply(text="six, seven")
    assert run(fake, model, "intervene", "--run", "7") == 1
    assert "does not continue" in capsys.readouterr().err
    assert len(fake.state.episodes) == 1
    assert not any(path.endswith("/substeps") for _, path in fake.state.calls)


@pytest.mark.parametrize(
    ("reply", "place"),
    [
        ('{"location": 2, "content": "x"}', 2),
        ('{"location": "3", "content": "x"}', 3),
        ('I take {"location": 1, "content": "a"} back: {"location": 2, "content": "\\\\frac12"}', 2),
        ('```json\n{"location": 1, "content": "x {y}"}\n```', 1),
        ('{"location": 0, "content": "x"}', None),
        ('{"location": -1, "content": "x"}', None),
        ('{"location": 2}', None),
        ('{"location": 2, "content": ["x"]}', None),
        ("2", None),
        ("", None),
    ],
)
def test_the_last_object_that_names_a_substep_counts(reply: str, place: int | None) -> None:
    written = reply_read(reply, PLACES)
    assert (written.replaced.substep if written else None) == place
