from __future__ import annotations

import hashlib
import json
import os
import re
import signal
import subprocess
import sys
import time
from collections import Counter
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from fake_model import FakeModel, Reply
from fake_server import FakeServer
from fake_state import GOLD
from palaestra.commands import main
from palaestra.errors import PalaestraError
from palaestra.evaluation import silence
from palaestra.evaluation.plan import plan_read, plan_sha256
from palaestra.evaluation.power import Guess, compute_smallest_gap, compute_t_quantile
from palaestra.models import health

RIGHT = Reply(text=f'Half of 84.\nAction: {{"type": "answer", "text": "{GOLD}"}}\nAnswer: {GOLD}')
TEXT_ARMS = "text_zero_shot,text_agent"


@pytest.fixture
def model() -> Iterator[FakeModel]:
    made = FakeModel()
    made.replies(RIGHT)
    yield made
    made.close()


def arguments(fake: FakeServer, model: FakeModel, *more: str) -> list[str]:
    where = ["--server", fake.lab_url, "--key", "k", "--base-url", model.url, "--model", "tiny"]
    return [*where, "--benchmark", "gsm8k", "--limit", "3", "--samples", "2", *more]


def cells(fake: FakeServer) -> Counter[tuple[Any, ...]]:
    """How often each cell was judged: its run, task and look."""
    return Counter(
        (one["body"]["run"], one["task"], one["presentation_hash"])
        for one in fake.state.episodes.values()
        if one["verdict"] and one["verdict"]["reward"] is not None
    )


def text_cells(fake: FakeServer, samples: int = 2) -> Counter[tuple[Any, ...]]:
    """Those that a plan of three items asks for in three runs of text."""
    return Counter({(run, task, "drawn"): samples for run in (7, 8, 9) for task in (1, 2, 3)})


def test_a_plan_is_written_once_with_its_hash(
    fake: FakeServer, model: FakeModel, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    path = tmp_path / "plan.json"
    command = ["plan", *arguments(fake, model, "--out", str(path), "--temperature", "0.5")]
    assert main(command) == 0
    out = capsys.readouterr().out
    written = json.loads(path.read_text())
    canonical = json.dumps(written, sort_keys=True, separators=(",", ":"), ensure_ascii=False)
    digest = hashlib.sha256(canonical.encode()).hexdigest()
    assert f"{digest}  {path}" in out
    assert plan_sha256(plan_read(path)) == digest
    assert "3 items of gsm8k; 30 episodes" in out, "four arms and the retest, two samples each"
    assert "fewer than 10 items of gsm8k" in out
    assert written["benchmarks"][0]["task_ids"] == [1, 2, 3]
    assert written["model"]["sampling"] == {"temperature": 0.5}
    assert written["contrasts"] == [["text_zero_shot", "gym_with_text"], ["text_zero_shot", "gym"]]

    assert main(command) == 1
    assert "never overwritten" in capsys.readouterr().err


@pytest.mark.parametrize(
    ("change", "message"),
    [
        ({"marjin": 3}, "Did you mean 'margin'?"),
        (
            {"looks": {"design": "latin", "count": 4, "factors": {"fnt": ["mono"]}}},
            "there is no look with fnt",
        ),
        ({"looks": {"design": "latin", "count": 4, "factors": {"font": ["comic"]}}}, "sans, serif, mono"),
        ({"samples": "four"}, "samples"),
    ],
)
def test_a_plan_that_cannot_be_meant_is_refused(
    change: dict[str, Any], message: str, fake: FakeServer, model: FakeModel, tmp_path: Path
) -> None:
    path = tmp_path / "plan.json"
    main(["plan", *arguments(fake, model, "--out", str(path))])
    path.write_text(json.dumps({**json.loads(path.read_text()), **change}))
    with pytest.raises(PalaestraError, match=re.escape(message)):
        plan_read(path)
    assert main(["eval", *arguments(fake, model, "--plan", str(path))]) == 1
    assert fake.state.reports == []


def test_an_evaluation_plays_every_cell_once_and_ends_with_the_report(
    fake: FakeServer, model: FakeModel, capsys: pytest.CaptureFixture[str]
) -> None:
    command = ["eval", *arguments(fake, model, "--arms", TEXT_ARMS)]
    assert main(command) == 0
    out = capsys.readouterr()
    assert cells(fake) == text_cells(fake)
    assert "9.2" in out.out
    assert "too few items" in out.out
    assert out.out.rstrip().endswith(f"{fake.lab_url}/reports/1/")
    assert "18/18 episodes" in out.err
    assert "tokens read" in out.err
    assert {run["report"] for run in fake.state.runs} == {1}
    assert [run["settings"].get("retest", False) for run in fake.state.runs] == [False, False, True]

    assert main(command) == 0, "again: nothing is left to play"
    assert cells(fake) == text_cells(fake)
    assert (len(fake.state.reports), len(fake.state.runs)) == (1, 3)


def test_arms_are_interleaved_in_time(fake: FakeServer, model: FakeModel) -> None:
    assert main(["eval", *arguments(fake, model, "--arms", TEXT_ARMS, "--samples", "8", "--no-retest")]) == 0
    runs = [one["body"]["run"] for one in fake.state.episodes.values()]
    order = [one["episode"] for one in fake.state.verdicts]
    played = [runs[number - 1] for number in order]
    assert set(played[: len(played) // 2]) == set(runs), "both arms are played in the first half"


def test_pages_are_shown_in_the_looks_of_the_plan(fake: FakeServer, model: FakeModel) -> None:
    more = ("--arms", "text_agent,gym", "--samples", "3", "--looks", "3", "--no-retest")
    model.replies(Reply(text='Stop.\nAction: {"type": "give_up", "reason": "no"}'))
    assert main(["eval", *arguments(fake, model, *more)]) == 0
    of_pages = {cell: times for cell, times in cells(fake).items() if cell[0] == 8}
    assert set(of_pages.values()) == {1}
    looks = {digest for _, _, digest in of_pages}
    assert len(looks) == 3
    assert {(task, digest) for _, task, digest in of_pages} == {(t, d) for t in (1, 2, 3) for d in looks}


def test_a_report_of_the_same_name_with_another_plan_is_refused(
    fake: FakeServer, model: FakeModel, capsys: pytest.CaptureFixture[str]
) -> None:
    command = ["eval", *arguments(fake, model, "--arms", TEXT_ARMS, "--name", "mine")]
    assert main(command) == 0
    assert main([*command, "--temperature", "1"]) == 1
    assert "its plan differs in: model" in capsys.readouterr().err


def test_void_cells_are_played_again(fake: FakeServer, model: FakeModel) -> None:
    command = ["eval", *arguments(fake, model, "--arms", TEXT_ARMS)]
    refused = Reply(status=401, error={"message": "no such key"})
    model.replies(RIGHT, *[refused] * 3, RIGHT)  # the first is the call that is tried
    assert main(command) == 0
    assert sum(cells(fake).values()) == 15
    model.replies(RIGHT)
    assert main(command) == 0
    assert cells(fake) == text_cells(fake)


def test_a_cell_is_not_filled_by_an_episode_with_help(fake: FakeServer, model: FakeModel) -> None:
    command = ["eval", *arguments(fake, model, "--arms", TEXT_ARMS)]
    assert main(command) == 0
    count = len(fake.state.episodes)
    fake.state.episodes[1]["origin"] = "guided"
    assert main(command) == 0
    assert len(fake.state.episodes) == count + 1
    first, last = fake.state.episodes[1], fake.state.episodes[count + 1]
    assert (last["task"], last["body"]["run"]) == (first["task"], first["body"]["run"])


def test_an_evaluation_whose_model_does_not_answer_stops_and_goes_on_later(
    fake: FakeServer, model: FakeModel, capsys: pytest.CaptureFixture[str]
) -> None:
    command = ["eval", *arguments(fake, model, "--arms", TEXT_ARMS, "--samples", "8")]
    model.replies(RIGHT, Reply(status=401, error={"message": "no such key"}))
    assert main(command) == 1
    stopped = capsys.readouterr().err.rstrip().splitlines()[-1]
    assert stopped.startswith("The evaluation stopped: The model does not answer: ")
    assert "no such key" in stopped
    assert len(fake.state.verdicts) < 72, "it did not go through all cells"
    model.replies(RIGHT)
    assert main(command) == 0
    assert cells(fake) == text_cells(fake, samples=8)


@pytest.fixture
def hurried(monkeypatch: pytest.MonkeyPatch) -> None:
    """A model's silence is noticed in tenths of the time."""
    for name, seconds in (("POLL_S", 0.1), ("REPORTED_AFTER_S", 0.5), ("GONE_AFTER_S", 2.0)):
        monkeypatch.setattr(silence, name, seconds)
    monkeypatch.setattr(health, "CONNECT_TIMEOUT_S", 0.5)


@pytest.mark.usefixtures("hurried")
def test_a_model_that_never_answers_is_given_up_at_once(
    fake: FakeServer, model: FakeModel, capsys: pytest.CaptureFixture[str]
) -> None:
    model.close()
    began = time.monotonic()
    assert main(["eval", *arguments(fake, model, "--arms", TEXT_ARMS)]) == 1
    assert time.monotonic() - began < 20, "calls are repeated for longer"
    last = capsys.readouterr().err.splitlines()[-1]
    assert last.startswith(
        f"The evaluation stopped: The model does not answer: {model.url}/: APIConnectionError"
    )
    assert not fake.state.episodes
    assert not fake.state.runs
    assert not fake.state.reports


@pytest.mark.usefixtures("hurried")
def test_a_slow_model_is_not_taken_for_a_dead_one(
    fake: FakeServer, model: FakeModel, capsys: pytest.CaptureFixture[str]
) -> None:
    slow = [Reply(text=RIGHT.text, hangs=4.0), RIGHT]

    def reply(_: dict[str, Any]) -> Reply:
        """The call after the one that is tried is answered late; all others fail until then."""
        if slow:
            return slow.pop()
        return RIGHT if time.monotonic() - model.times[1] > 3.5 else Reply(status=502)

    model.reply = reply
    assert main(["eval", *arguments(fake, model, "--arms", TEXT_ARMS)]) == 0
    err = capsys.readouterr().err
    assert "No call to the model has succeeded for" in err, "while one call waits, the others fail"
    assert "The model answers again." in err
    assert "does not answer" not in err
    assert cells(fake) == text_cells(fake)


def test_the_arguments_of_a_plan_do_not_go_with_its_file(
    fake: FakeServer, model: FakeModel, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    path = tmp_path / "plan.json"
    main(["plan", *arguments(fake, model, "--out", str(path), "--arms", TEXT_ARMS)])
    where = ["--server", fake.lab_url, "--key", "k", "--base-url", model.url, "--plan", str(path)]
    assert main(["eval", *where, "--samples", "3", "--looks", "2"]) == 1
    assert "Leave out samples, looks, or write another plan." in capsys.readouterr().err
    assert main(["eval", *where, "--model", "other"]) == 1
    assert "The plan is for tiny, not for other." in capsys.readouterr().err
    assert fake.state.reports == []
    assert main(["eval", *where]) == 0
    assert cells(fake) == text_cells(fake)


def test_a_plan_of_a_simulated_policy_needs_its_files(
    fake: FakeServer, model: FakeModel, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    path, gap = tmp_path / "plan.json", tmp_path / "gap.json"
    gap.write_text('{"name": "nine", "accuracy": 0.8}')
    where = ["--server", fake.lab_url, "--key", "k"]
    made = ["--planted", str(gap), "--benchmark", "gsm8k", "--limit", "3", "--out", str(path)]
    assert main(["plan", *where, *made]) == 0
    assert main(["eval", *where, "--plan", str(path)]) == 1
    assert "simulated policy planted/nine: give its files" in capsys.readouterr().err
    gap.write_text('{"name": "ten", "accuracy": 0.8}')
    golds = ["--golds", str(tmp_path / "golds")]
    assert main(["eval", *where, "--plan", str(path), "--planted", str(gap), *golds]) == 1
    assert "The plan is for planted/nine, not for planted/ten." in capsys.readouterr().err
    pixels = ["--planted", str(gap), "--benchmark", "gsm8k", "--arms", "text_agent,gym:screenshot", *golds]
    assert main(["eval", *where, *pixels]) == 1
    assert "gym:screenshot-v2 shows none: use som." in capsys.readouterr().err
    assert fake.state.reports == []


def test_a_plan_made_again_from_the_same_arguments_is_the_same_evaluation(
    fake: FakeServer, model: FakeModel, monkeypatch: pytest.MonkeyPatch
) -> None:
    command = ["eval", *arguments(fake, model, "--arms", "text_agent,gym", "--looks", "2", "--samples", "2")]
    model.replies(Reply(text='Stop.\nAction: {"type": "give_up", "reason": "no"}'))
    assert main(command) == 0
    report = fake.state.reports[0]
    report["plan"]["created_at"] = "2026-01-01T00:00:00+00:00"
    report["plan_sha256"] = "that of another moment"
    assert main(command) == 0
    assert len(fake.state.reports) == 1
    assert set(cells(fake).values()) == {1, 2}


def test_an_arm_of_another_observation_is_played_in_it(fake: FakeServer, model: FakeModel) -> None:
    more = ("--arms", "text_agent,gym,gym:som,gym_image:som", "--picture-max", "640", "--looks", "2")
    model.replies(Reply(text='Stop.\nAction: {"type": "give_up", "reason": "no"}'))
    assert main(["eval", *arguments(fake, model, *more, "--no-retest")]) == 0
    seen = [
        (run["settings"]["arm"], run["observation"], run["observation_settings"]) for run in fake.state.runs
    ]
    assert seen == [
        ("text_agent", "axtree-v2", {}),
        ("gym", "axtree-v2", {}),
        ("gym", "som-v1", {"picture_max": 640}),
        ("gym_image", "som-v1", {"picture_max": 640}),
    ]
    kinds = {
        step["observation"]["kind"]
        for one in fake.state.episodes.values()
        if one["body"]["run"] == fake.state.runs[2]["id"]
        for step in one["steps"].values()
    }
    assert kinds == {"som-v1"}


@pytest.mark.parametrize(
    ("more", "message"),
    [
        (("--arms", "ladder,gym_image"), "Name one for this arm, such as gym_image:som."),
        (("--arms", "gym:axtree"), "names the plan's own observation: write gym."),
        (("--picture-max", "640"), "picture_max has no effect on any observation in the plan."),
    ],
)
def test_an_arm_that_shows_nothing_is_refused_before_a_report_is_made(
    more: tuple[str, ...],
    message: str,
    fake: FakeServer,
    model: FakeModel,
    capsys: pytest.CaptureFixture[str],
) -> None:
    assert main(["eval", *arguments(fake, model, *more)]) == 1
    assert message in capsys.readouterr().err
    assert fake.state.reports == []


@pytest.mark.parametrize("arm", ["gym_image:som", "prompt_image"])
def test_items_without_a_picture_are_refused_before_anything_is_stored(
    arm: str, fake: FakeServer, model: FakeModel, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    path = tmp_path / "plan.json"
    plan = arguments(fake, model, "--arms", f"text_zero_shot,{arm}", "--out", str(path))
    assert main(["plan", *plan]) == 0
    fake.state.drawn = {"1", "3"}
    capsys.readouterr()

    assert main(["eval", *plan[:-2]]) == 1
    refusal = capsys.readouterr().err
    assert main(["eval", *plan[:8], "--plan", str(path)]) == 1
    path.unlink()
    assert main(["plan", *plan]) == 1

    assert "1 of 3 items of 'gsm8k' have none, the first of them task 2" in refusal
    assert capsys.readouterr().err.count("have none") == 2
    assert not path.exists()
    assert fake.state.reports == []


def test_a_killed_evaluation_goes_on_with_no_cell_twice(fake: FakeServer, model: FakeModel) -> None:
    slow = Reply(text=RIGHT.text, hangs=0.3)
    model.replies(slow)
    command = ["eval", *arguments(fake, model, "--arms", TEXT_ARMS, "--samples", "6", "--concurrency", "2")]
    program = "import sys; from palaestra.commands import main; sys.exit(main(sys.argv[1:]))"
    process = subprocess.Popen(
        [sys.executable, "-c", program, *command], stderr=subprocess.DEVNULL, env=os.environ
    )
    deadline = time.monotonic() + 120
    while len(fake.state.verdicts) < 5 and time.monotonic() < deadline:
        time.sleep(0.05)
    process.send_signal(signal.SIGKILL)
    process.wait()
    judged = sum(cells(fake).values())
    assert 5 <= judged < 54

    model.replies(RIGHT)
    assert main(command) == 0
    assert cells(fake) == text_cells(fake, samples=6)
    assert len(fake.state.episodes) == 54, "no episode was opened twice"


def test_the_smallest_gap_shrinks_with_items_samples_and_looks() -> None:
    base = {"items": 200, "samples": 4, "looks": 12, "alpha": 0.05, "power": 0.8}
    points = compute_smallest_gap(Guess(), **base)
    assert points is not None
    for better in ({"items": 800}, {"samples": 16}, {"looks": 48}):
        smaller = compute_smallest_gap(Guess(), **{**base, **better})
        assert smaller is not None
        assert smaller < points
    assert compute_smallest_gap(Guess(), **{**base, "looks": 1}) is None


@pytest.mark.parametrize(
    ("p", "df", "value"),
    [(0.975, 1, 12.706), (0.975, 2, 4.303), (0.975, 3, 3.182), (0.8, 7, 0.896), (0.975, 11, 2.201)],
)
def test_quantiles_of_t_are_those_of_the_tables(p: float, df: int, value: float) -> None:
    assert compute_t_quantile(p, df) == pytest.approx(value, rel=0.01)
