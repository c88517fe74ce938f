"""How long prompts would be under histories that were not played, against those that a model was sent."""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Any

import pytest

from fake_model import FakeModel, Reply
from fake_server import FakeServer, State
from palaestra.commands import main
from palaestra.run.prompt_sizes import TokenRate, count_characters, fit_rate

TURNS = 6
PER_CHARACTER, PER_PROMPT = 0.25, 300


@pytest.fixture
def model() -> Iterator[FakeModel]:
    made = FakeModel()
    yield made
    made.close()


def written(request: dict[str, Any]) -> Reply:
    """Every turn scrolls, so that the page stays, or writes another number, so that it does not."""
    turn = sum(message["role"] == "assistant" for message in request["messages"])
    number = f'{{"type": "type", "target": "e1", "text": "{turn}", "clear": true}}'
    action = '{"type": "give_up", "reason": "no"}' if turn == TURNS - 1 else number
    read = PER_CHARACTER * count_characters(request["messages"]) + PER_PROMPT
    usage = {"prompt_tokens": round(read), "completion_tokens": 1, "total_tokens": round(read) + 1}
    return Reply(text=f"I write {turn}.\nAction: {action}", usage=usage)


def play(fake: FakeServer, model: FakeModel, history: str) -> None:
    model.reply = written
    where = ["--server", fake.lab_url, "--key", "k", "--base-url", model.url, "--model", "tiny"]
    arguments = ["--benchmark", "gsm8k", "--arm", "gym", "--limit", "2", "--history", history]
    assert main(["run", *where, *arguments]) == 0


def measure(fake: FakeServer, *more: str) -> dict[str, list[dict[str, Any]]]:
    assert main(["prompts", "--server", fake.lab_url, "--key", "k", "--run", "7", *more]) == 0
    return fake.state.prompt_sizes


def test_prompts_are_as_long_as_those_that_were_sent_under_each_history(
    fake: FakeServer, model: FakeModel, capsys: pytest.CaptureFixture[str]
) -> None:
    measured = []
    for history in ("full", "last_k:1", "diff"):
        fake.state = State()
        fake.state.extra = "".join(f"<p>A line of the page, number {line}.</p>" for line in range(60))
        model.requests.clear()
        play(fake, model, history)
        sizes = measure(fake)

        _trial, *turns = model.requests
        sent = [count_characters(request["messages"]) for request in turns]
        assert len(sent) == 2 * TURNS
        assert sum(one["characters"] for one in sizes[history]) == sum(sent)
        assert max(one["longest_characters"] for one in sizes[history]) == max(sent)
        tokens = sum((written(request).usage or {})["prompt_tokens"] for request in turns)
        assert sum(one["tokens"] for one in sizes[history]) == pytest.approx(tokens, rel=0.01)
        measured.append({name: sorted(one["characters"] for one in sizes[name]) for name in sizes})

    assert measured[0] == measured[1] == measured[2], "whatever was played"
    total = {name: sum(sizes) for name, sizes in measured[0].items()}
    assert total["last_k:1"] < total["last_k:3"] < total["full"]
    assert total["diff"] < total["full"]
    assert re.search(
        r"(3.9|4.0). characters per token, and (29|30). tokens per prompt", capsys.readouterr().out
    )


def test_without_usage_there_are_characters_alone(
    fake: FakeServer, model: FakeModel, capsys: pytest.CaptureFixture[str]
) -> None:
    model.replies(Reply(text='Action: {"type": "give_up", "reason": "no"}', usage=None))
    where = ["--server", fake.lab_url, "--key", "k", "--base-url", model.url, "--model", "tiny"]
    assert main(["run", *where, "--benchmark", "gsm8k", "--arm", "text_agent", "--limit", "1"]) == 0
    [size] = measure(fake, "--history", "full")["full"]
    assert size["characters"] > 0
    assert size["tokens"] is None
    assert "--measured-by RUN" in capsys.readouterr().out


def test_an_unknown_history_is_refused(capsys: pytest.CaptureFixture[str]) -> None:
    with pytest.raises(SystemExit):
        main(["prompts", "--run", "7", "--history", "some"])
    assert "There is no history 'some'" in capsys.readouterr().err


def test_a_rate_is_fitted_and_never_negative() -> None:
    line = [(chars, round(0.2 * chars + 100)) for chars in (500, 900, 4_000)]
    rate = fit_rate(line)
    assert rate is not None
    assert (round(rate.per_character, 3), round(rate.per_prompt)) == (0.2, 100)
    assert fit_rate([(100, 30), (100, 30)]) == TokenRate(per_character=0.3, per_prompt=0.0)
    assert fit_rate([(100, 60), (200, 30)]) == TokenRate(per_character=0.3, per_prompt=0.0)
    assert fit_rate([]) is None
