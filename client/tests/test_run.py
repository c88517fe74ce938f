from __future__ import annotations

import json
import logging
import re
import signal
import threading
from collections import Counter
from collections.abc import Iterator
from pathlib import Path

import pytest
from playwright.async_api import Error as PlaywrightError

import palaestra
from fake_model import FakeModel, Reply
from fake_server import FakeServer
from fake_state import GOLD
from palaestra.commands import INTERRUPTED, main, parser_make
from palaestra.records import EpisodeState, UsageTotals, Verdict
from palaestra.run.report import Price, RunReport, compute_interval, prices_read

RIGHT = Reply(text=f'Half of 84.\nAction: {{"type": "answer", "text": "{GOLD}"}}')
LOOKS = Reply(text="I look.\nAction: noop")


@pytest.fixture
def model() -> Iterator[FakeModel]:
    made = FakeModel()
    yield made
    made.close()


def run(fake: FakeServer, model: FakeModel, *more: str, arm: str = "text_agent") -> int:
    where = ["--server", fake.lab_url, "--key", "k", "--base-url", model.url, "--model", "tiny"]
    return main(["run", *where, "--benchmark", "gsm8k", "--arm", arm, *more])


def played(fake: FakeServer) -> list[int]:
    return sorted(one["task"] for one in fake.state.episodes.values() if one["status"] == "finished")


def test_a_run_plays_every_sample_once_and_ends_with_its_results(
    fake: FakeServer, model: FakeModel, capsys: pytest.CaptureFixture[str]
) -> None:
    model.replies(RIGHT)
    assert run(fake, model, "--limit", "3", "--samples", "2", "--temperature", "0.5") == 0
    out = capsys.readouterr()
    assert played(fake) == [1, 1, 2, 2, 3, 3]
    assert "100.0% (6 of 6), 95% interval" in out.out
    assert f"{fake.lab_url}/runs/7/" in out.out
    assert "6/6 episodes" in out.err
    assert model.requests[0]["temperature"] == 0.5

    assert run(fake, model, "--limit", "3", "--samples", "2", "--temperature", "0.5") == 0
    assert len(fake.state.episodes) == 6
    assert run(fake, model, "--limit", "4", "--samples", "2", "--temperature", "0.5") == 0
    assert Counter(played(fake)) == {1: 2, 2: 2, 3: 2, 4: 2}, "a larger run goes on with what is there"
    assert len(fake.state.runs) == 1


@pytest.mark.parametrize(
    ("failure", "is_shown"),
    [
        (PlaywrightError("Target page, context or browser has been closed"), False),
        (Exception("Connection closed while reading from the driver"), False),
        (RuntimeError("a task of ours broke"), True),
    ],
)
def test_what_an_interrupted_driver_leaves_unread_is_not_shown(
    fake: FakeServer, model: FakeModel, caplog: pytest.LogCaptureFixture, failure: Exception, is_shown: bool
) -> None:
    model.replies(RIGHT)
    run(fake, model, "--limit", "1")
    logging.getLogger("asyncio").error("Task exception was never retrieved", exc_info=failure)
    assert ("never retrieved" in caplog.text) is is_shown


def test_other_settings_need_another_name(
    fake: FakeServer, model: FakeModel, capsys: pytest.CaptureFixture[str]
) -> None:
    model.replies(RIGHT)
    assert run(fake, model, "--limit", "1", "--name", "mine") == 0
    assert (
        run(fake, model, "--limit", "1", "--name", "mine", "--temperature", "1", "--history", "last_k:2") == 1
    )
    assert "differs in: history, sampling." in capsys.readouterr().err
    assert len(fake.state.episodes) == 1


def test_how_pages_are_observed_is_stored_with_the_run(fake: FakeServer, model: FakeModel) -> None:
    model.replies(RIGHT)
    seen = ["--observation", "both", "--scope", "viewport", "--picture-max", "640"]
    assert run(fake, model, "--limit", "1", "--name", "mine", *seen) == 0
    assert fake.state.runs[0]["observation_settings"] == {"scope": "viewport", "picture_max": 640}
    assert run(fake, model, "--limit", "1", "--name", "mine", "--observation", "both") == 1


@pytest.mark.parametrize("more", [[], ["--with-pictures"]])
def test_steps_have_screenshots_where_the_run_wants_them(
    more: list[str], fake: FakeServer, model: FakeModel
) -> None:
    model.replies(LOOKS)
    assert run(fake, model, "--limit", "1", *more, arm="gym") == 0
    [episode] = fake.state.episodes.values()
    shots = [step.get("screenshot") for step in episode["steps"].values()]
    assert shots
    assert all(bool(shot) is bool(more) for shot in shots)


def test_a_run_without_a_browser_says_so_and_is_another_run(
    fake: FakeServer, model: FakeModel, capsys: pytest.CaptureFixture[str]
) -> None:
    model.replies(LOOKS)
    for more in ([], ["--browser", "lite"]):
        assert run(fake, model, "--limit", "1", *more, arm="gym") == 0
    with_browser, without = fake.state.runs
    assert "browser" not in with_browser["settings"]
    assert without["settings"]["browser"] == "lite"
    shown = [
        [step["observation"]["text"] for step in episode["steps"].values()]
        for episode in fake.state.episodes.values()
    ]
    assert shown[0] == shown[1] != []
    assert run(fake, model, "--browser", "lite", "--observation", "both", arm="gym") == 1
    assert "use the observation axtree" in capsys.readouterr().err


def test_a_question_as_a_picture_needs_an_observation_with_one(
    fake: FakeServer, model: FakeModel, capsys: pytest.CaptureFixture[str]
) -> None:
    assert run(fake, model, arm="gym_image") == 1
    assert "with pictures: screenshot, som, both" in capsys.readouterr().err
    assert not fake.state.runs


@pytest.fixture
def ctrl_c() -> Iterator[None]:
    """Python's own handler of SIGINT, which whoever starts the tests in the background has ignored."""
    before = signal.signal(signal.SIGINT, signal.default_int_handler)
    yield
    signal.signal(signal.SIGINT, before)


@pytest.mark.parametrize("arm", ["text_agent", "gym"])
def test_an_interrupted_run_goes_on_where_it_was(
    arm: str, fake: FakeServer, model: FakeModel, ctrl_c: None
) -> None:
    turns = Counter[str]()

    def reply(request: dict[str, object]) -> Reply:
        with model.lock:
            turns["before"] += 1
            if turns["before"] == 6:
                signal.pthread_kill(threading.main_thread().ident or 0, signal.SIGINT)
        return LOOKS

    model.reply = reply
    fake.state.max_steps = 30
    assert run(fake, model, "--limit", "3", arm=arm) == INTERRUPTED
    before = {number: dict(one["steps"]) for number, one in fake.state.episodes.items()}
    assert len(before) == 3
    assert played(fake) == []

    model.replies(Reply(text='Stop.\nAction: {"type": "give_up", "reason": "no"}'))
    assert run(fake, model, "--limit", "3", arm=arm) == 0
    assert played(fake) == [1, 2, 3]
    assert len(fake.state.episodes) == 3, "no episode is opened twice"
    looks = []
    for number, steps in before.items():
        after = fake.state.episodes[number]["steps"]
        assert {index: after[index] for index in steps} == steps
        # A step on its way when the run was interrupted may be stored a moment after its end.
        looks.append(len(after) - 1)
        assert [step["thought"] for step in after.values()] == ["I look."] * looks[-1] + ["Stop."]
    repeated = [json.dumps(request["messages"]).count("I look.") for request in model.requests[-3:]]
    assert sorted(repeated) == sorted(looks), "the model is shown what it did before"


def test_only_plain_episodes_count_in_the_results_of_a_run(
    fake: FakeServer, model: FakeModel, capsys: pytest.CaptureFixture[str]
) -> None:
    model.replies(RIGHT)
    assert run(fake, model, "--limit", "2") == 0
    fake.state.episodes[1]["origin"] = "guided"
    fake.state.episodes[1]["verdict"].update(outcome="incorrect", reward=0.0)
    capsys.readouterr()
    assert run(fake, model, "--limit", "2") == 0
    assert played(fake) == [1, 1, 2], "help is no sample: the task is played once more"
    assert "100.0% (2 of 2)" in capsys.readouterr().out


def test_void_episodes_are_played_again(fake: FakeServer, model: FakeModel) -> None:
    model.replies(RIGHT, Reply(status=401, error={"message": "no such key"}))
    assert run(fake, model, "--limit", "2") == 1, "nothing was judged"
    assert {one["verdict"]["outcome"] for one in fake.state.episodes.values()} == {"void"}
    model.replies(RIGHT)
    assert run(fake, model, "--limit", "2") == 0
    assert [one["verdict"]["outcome"] for one in fake.state.episodes.values()] == ["void"] * 2 + [
        "correct"
    ] * 2


def test_a_benchmark_without_tasks_is_named(
    fake: FakeServer, model: FakeModel, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("fake_server.Lab.tasks_page", lambda _: {"results": [], "next": None})
    assert run(fake, model) == 1
    assert "There are no tasks of 'gsm8k'. Benchmarks: gsm8k." in capsys.readouterr().err
    assert not fake.state.runs


def test_the_models_of_an_endpoint_are_listed_and_one_is_tried(
    model: FakeModel, capsys: pytest.CaptureFixture[str]
) -> None:
    model.replies(Reply(text="42"))
    assert main(["models", "--base-url", model.url, "--model", "tiny"]) == 0
    out = capsys.readouterr().out
    assert f"{model.url}/ offers: big, tiny" in out
    assert "It wrote: '42'" in out
    assert "120 tokens read, 30 written" in out
    model.replies(Reply(status=401, error={"message": "no such key"}))
    assert main(["models", "--base-url", model.url]) == 1


# ---- the report
def test_costs_follow_from_a_price_table(tmp_path: Path) -> None:
    table = tmp_path / "prices.json"
    table.write_text(
        '{"currency": "EUR", "models": {"tiny": {"prompt": 2, "cached": 0.5, "completion": 10}}}'
    )
    prices = prices_read(table)
    usage = UsageTotals(steps=4, prompt=3_000_000, cached=1_000_000, completion=100_000)
    assert prices.models["tiny"].compute_cost(usage) == pytest.approx(2 * 2 + 0.5 + 1)
    assert Price(prompt=2, completion=10).compute_cost(usage) == pytest.approx(7)
    verdict = Verdict(outcome="correct", reward=1.0, reason="answer")
    state = EpisodeState(id=1, task=1, status="finished", verdict=verdict)
    text = RunReport(states=[state], usage=usage, model="tiny", prices=prices).format_table()
    assert "5.5000 EUR" in text
    assert (
        "no price of other"
        in RunReport(states=[state], usage=usage, model="other", prices=prices).format_table()
    )


def test_copies_are_reported_by_their_distance_and_not_as_accuracy() -> None:
    states = [
        EpisodeState(id=n, task=n, status="finished", verdict=verdict)
        for n, verdict in enumerate(
            (
                Verdict(outcome="correct", reward=1.0, reason="answer", metrics={"distance": 0.0}),
                Verdict(outcome="incorrect", reward=0.0, reason="answer", metrics={"distance": 0.5}),
                Verdict(outcome="incorrect", reward=0.0, reason="step_budget"),
            )
        )
    ]
    table = RunReport(states=states, usage=UsageTotals(), model="tiny").format_table()
    assert "copies    2, at a distance of 0.250 on average; 1 of them exact" in table
    assert "accuracy" not in table


def test_a_verdict_is_void_by_its_outcome() -> None:
    verdicts = {
        "correct": Verdict(outcome="correct", reward=1.0, reason="answer"),
        "incorrect": Verdict(outcome="incorrect", reward=0.0, reason="answer"),
        "void": Verdict(outcome="void", reward=None, reason="cancelled"),
        "": None,
    }
    states = {
        name: EpisodeState(id=1, status="finished", verdict=verdict) for name, verdict in verdicts.items()
    }
    assert [name for name, state in states.items() if state.is_judged] == ["correct", "incorrect"]
    assert [name for name, state in states.items() if state.is_void] == ["void"]


def test_samples_of_one_task_widen_the_interval() -> None:
    apart = compute_interval([[True], [False]] * 50)
    assert apart == pytest.approx((0.404, 0.596), abs=0.001)
    together = compute_interval([[True] * 10, [False] * 10] * 5)
    assert together[1] - together[0] > 2 * (apart[1] - apart[0]), "100 episodes, and only 10 tasks"
    mixed = compute_interval([[True, False] * 5] * 10)
    assert mixed == pytest.approx(apart, abs=0.001), "tasks that do not differ: every sample counts"
    assert compute_interval([[False]] * 10)[0] == 0.0


def test_a_model_that_cannot_be_had_opens_neither_run_nor_episode(
    fake: FakeServer, model: FakeModel, capsys: pytest.CaptureFixture[str]
) -> None:
    model.replies(Reply(status=401, error={"message": "no such key"}))
    assert run(fake, model) == 1
    words = capsys.readouterr().err
    assert "no such key" in words
    assert model.url in words
    assert not fake.state.episodes
    assert not fake.state.runs


def test_an_endpoint_that_is_not_there_is_named_at_once(
    fake: FakeServer, capsys: pytest.CaptureFixture[str]
) -> None:
    where = ["--server", fake.lab_url, "--key", "k", "--base-url", "http://127.0.0.1:9/v1", "--model", "tiny"]
    assert main(["run", *where, "--benchmark", "gsm8k"]) == 1
    assert "http://127.0.0.1:9/v1" in capsys.readouterr().err
    assert not fake.state.runs


def test_no_task_leaves_for_an_address_that_nobody_named(
    fake: FakeServer, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.delenv("OPENAI_BASE_URL", raising=False)
    where = ["--server", fake.lab_url, "--key", "k", "--model", "tiny"]
    assert main(["run", *where, "--benchmark", "gsm8k"]) == 1
    assert "--base-url" in capsys.readouterr().err


def test_a_model_that_goes_away_ends_the_run_with_words(
    fake: FakeServer, model: FakeModel, capsys: pytest.CaptureFixture[str]
) -> None:
    model.replies(RIGHT, Reply(status=401, error={"message": "the key has expired"}))
    assert run(fake, model, "--limit", "5", "--samples", "4") == 1
    assert "the key has expired. Run the command again to continue." in capsys.readouterr().err


def test_the_lab_is_the_one_that_the_environment_names(
    fake: FakeServer, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("PALAESTRA_SERVER", fake.lab_url)
    assert main(["benchmarks", "--key", "k"]) == 0
    assert "gsm8k" in capsys.readouterr().out


def test_the_version_is_printed(capsys: pytest.CaptureFixture[str]) -> None:
    with pytest.raises(SystemExit) as ended:
        main(["--version"])
    assert ended.value.code == 0
    assert palaestra.__version__ in capsys.readouterr().out


def test_help_states_defaults_and_describes_arms(capsys: pytest.CaptureFixture[str]) -> None:
    with pytest.raises(SystemExit):
        main(["run", "--help"])
    text = " ".join(capsys.readouterr().out.split())
    for part in (
        "default: gym",
        "default: axtree",
        "default: json",
        "default: 16",
        "default: $PALAESTRA_SERVER",
        "The question is on a web page that the model reads and acts on.",
    ):
        assert part in text
    assert "default: None" not in text


def test_every_command_prints_its_help(capsys: pytest.CaptureFixture[str]) -> None:
    commands = re.findall(r"^    (\w[\w-]*) ", parser_make().format_help(), re.MULTILINE)
    assert len(commands) > 8
    for command in commands:
        with pytest.raises(SystemExit) as ended:
            main([command, "--help"])
        assert ended.value.code == 0
        assert "default: None" not in capsys.readouterr().out
