"""The local model itself: ``make test-model``, after ``make demo-model`` has installed it."""

from __future__ import annotations

from collections.abc import Iterator

import pytest

from fake_server import FakeServer
from palaestra.commands import main
from palaestra.local_model import MODEL, model_find, server_start
from ports import free_port

pytestmark = pytest.mark.model


@pytest.fixture(scope="module")
def base_url() -> Iterator[str]:
    pytest.importorskip("xllamacpp", reason="make demo-model installs it")
    port = free_port()
    server = server_start(model_find(), port=port)
    yield f"http://127.0.0.1:{port}/v1"
    del server


def test_the_model_answers_a_call(base_url: str, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["models", "--base-url", base_url, "--model", MODEL]) == 0
    assert "written; thoughts: none; finish reason: " in capsys.readouterr().out


@pytest.mark.parametrize("arm", ["text_zero_shot", "text_agent"])
def test_its_episodes_are_judged_and_none_breaks(arm: str, base_url: str, fake: FakeServer) -> None:
    where = ["--server", fake.lab_url, "--key", "k", "--base-url", base_url, "--model", MODEL]
    sampling = ["--temperature", "0.7", "--max-tokens", "60"]
    assert main(["run", *where, *sampling, "--benchmark", "gsm8k", "--arm", arm, "--limit", "2"]) == 0
    rows = list(fake.state.episodes.values())
    assert len(rows) == 2
    assert {row["verdict"]["outcome"] for row in rows} <= {"correct", "incorrect"}
    for row in rows:
        assert row["steps"][1]["usage"]["completion"] > 0


def test_a_conversation_that_outgrows_it_ends_as_context_length(base_url: str, fake: FakeServer) -> None:
    where = ["--server", fake.lab_url, "--key", "k", "--base-url", base_url, "--model", MODEL]
    fake.state.question = "word " * 20_000
    assert main(["run", *where, "--benchmark", "gsm8k", "--arm", "text_agent", "--limit", "1"]) == 0
    [row] = fake.state.episodes.values()
    assert row["closed"]["reason"] == "context_length"
