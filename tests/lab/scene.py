"""An installation with contents for all pages: runs, arms, looks, correct and wrong answers, and voids."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta
from typing import Any

from django.db import transaction

from core.storage import blobs
from tasks_app.models import Task
from tests import factories
from trajectories.behaviour.facts import store
from trajectories.models import Blob, Episode, PageEvent, PolicyVersion, Run, SiteEvent, Step

PROBLEMS = (
    (
        r"Compute $\sum_{k=1}^{10} \frac{1}{k(k+1)}$. Express your answer as a common fraction.",
        r"\frac{10}{11}",
        ["algebra", "level 3"],
    ),
    (
        r"The roots of $x^2 - 7x + 10 = 0$ are $a$ and $b$. What is $\left|a - b\right|$?",
        "3",
        ["algebra", "level 2"],
    ),
    (
        "How many positive integers less than $100$ are divisible by neither $3$ nor $5$?",
        "53",
        ["number theory", "level 4"],
    ),
    (
        r"A fair die is rolled twice. What is the probability that the second roll is higher?",
        r"\frac{5}{12}",
        ["probability", "level 2"],
    ),
    (r"Simplify $\sqrt{50} + \sqrt{18}$.", r"8\sqrt{2}", ["prealgebra", "level 1"]),
    (
        r"If $f(x) = \frac{3x-2}{x-2}$, what is the value of $f(-2) + f(-1) + f(0)$?",
        r"\frac{14}{3}",
        ["algebra"],
    ),
)
THOUGHTS = (
    """I open the page and read the question before touching anything. It asks for the sum of 1/(k(k+1)) for k
from 1 to 10, as a fraction.

Each term splits: 1/(k(k+1)) = 1/k - 1/(k+1). So the sum telescopes: everything between the first and the last
piece cancels.""",
    """What is left is 1 - 1/11 = 10/11. Let me check it with a small case: for n = 2 the sum is
1/2 + 1/6 = 2/3, and the formula gives 1 - 1/3 = 2/3. Good.

I type the answer.""",
    r"The field shows \frac{10}{11}. It is a common fraction in lowest terms, as asked. I submit it.",
    "The page says that the answer is recorded. Nothing is left to do.",
)
OBSERVATION = """page "Problem" https://gym/
[e1] heading "Problem" level=1
paragraph "Compute"
math "\\\\sum_{k=1}^{10} \\\\frac{1}{k(k+1)}"
paragraph "Express your answer as a common fraction."
[e2] textbox "Your answer" value=""
[e3] button "Submit"
"""


@transaction.atomic
def scene_make(*, picture: bytes) -> Episode:
    """Fill the database, and return the episode that has the most to show."""
    tasks = [_task(number, *problem) for number, problem in enumerate(PROBLEMS, start=1)]
    for name, share, simulated in (
        ("narrator", 1, True),
        ("solver", 6, True),
        ("qwen3-8b, step 1200", 4, False),
    ):
        run = _run(name=name, simulated=simulated)
        _episodes(run, tasks, right=share)
    replayed = _replayed(run, tasks[0], picture=_blob(picture))
    store.facts_compute(list(Episode.objects.values_list("pk", flat=True)))
    return replayed


def _task(number: int, text: str, answer: str, tags: list[str]) -> Task:
    benchmark = factories.benchmark(
        id="math", title="MATH", verifier_official="math-v1", verifier_training="math-v1", license="MIT"
    )
    return factories.task(
        benchmark=benchmark,
        key=f"algebra/{number}",
        prompt=text,
        payload={"text": text, "format": "latex"},
        answer=answer,
        solution="Split each term into partial fractions; the sum telescopes.",
        tags=tags,
        difficulty=number / 8,
        oracle_steps=2,
    )


def _run(*, name: str, simulated: bool) -> Run:
    run = factories.run(
        name=f"{name} on MATH",
        kind="eval",
        model=name,
        checkpoint="" if simulated else "s3://checkpoints/qwen3-8b/1200",
        observation="axtree-v2",
        simulated=simulated,
        tags=["nightly"],
        settings={"temperature": 0.7, "top_p": 0.95, "max_tokens": 2048},
    )
    PolicyVersion.objects.create(run=run, version=3, checkpoint=run.checkpoint, trainer_step=1200)
    return run


def _episodes(run: Run, tasks: list[Task], *, right: int) -> None:
    for arm in ("text_zero_shot", "gym"):
        for place, task in enumerate(tasks):
            group = factories.group(run=run, task=task, arm=arm, policy_version=3)
            for sample in range(2):
                episode = factories.episode(group=group, policy_version=3)
                factories.step(episode, 1, action_result="ok", action={"type": "answer", "text": "3"})
                factories.submission(episode, "3")
                wins = place < right - (1 if arm == "gym" and sample else 0)
                if place == 5 and sample and arm == "gym":
                    factories.verdict(episode, "void", "lease_lost")
                else:
                    factories.verdict(episode, "correct" if wins else "incorrect", verifier="math-v1")


def _blob(data: bytes) -> str:
    stored = blobs.blob_store(data)
    Blob.objects.update_or_create(
        sha256=stored.sha256, defaults={"size": stored.size, "content_type": stored.content_type}
    )
    return stored.sha256


def _replayed(run: Run, task: Task, *, picture: str) -> Episode:
    group = factories.group(run=run, task=task, arm="gym", policy_version=3, template="prompts-v7a")
    episode, *_ = [factories.episode(group=group, policy_version=3, token_budget=4096) for _ in range(4)]
    actions: list[dict[str, Any]] = [
        {"type": "scroll", "dy": 400},
        {"type": "type", "target": "e2", "text": r"\frac{10}{11}", "clear": True},
        {"type": "click", "target": "e3"},
        {"type": "noop"},
    ]
    for number, (thought, action) in enumerate(zip(THOUGHTS, actions, strict=True), start=1):
        _step(episode, number if number < 4 else 6, thought=thought, action=action, picture=picture)
    _events(episode)
    factories.submission(episode, r"\frac{10}{11}")
    factories.verdict(
        episode,
        verifier="math-v1",
        gold_version=1,
        score=1.0,
        evidence={
            "answer": r"\frac{10}{11}",
            "gold_version": 1,
            "verifiers": {
                name: {"correct": True, "parsed_answer": "10/11", "parsed_gold": "10/11"}
                for name in ("math-v1", "math_strict-v1")
            },
        },
    )
    return episode


def _step(episode: Episode, index: int, *, thought: str, action: dict[str, Any], picture: str) -> Step:
    return factories.step(
        episode,
        index,
        thought=thought,
        raw=f"{thought}\nAction: {action}",
        action=action,
        action_type=action["type"],
        action_result="ok",
        observation_kind="axtree-v2",
        observation_text=OBSERVATION,
        screenshot=picture,
        url="https://gym/",
        started_at=datetime.now(UTC) - timedelta(minutes=3),
        duration_ms=1840.0 + 120 * index,
        policy_version=3,
        more={
            "model_ms": 1620.0,
            "env_ms": 96.0,
            "usage": {"prompt": 1184, "completion": 212},
            "finish_reason": "stop",
        },
    )


def _events(episode: Episode) -> None:
    seen = (
        ("input", 2, {"role": "textbox", "name": "Your answer", "value": r"\frac{10}{11}"}),
        ("click", 3, {"role": "button", "name": "Submit", "x": 412, "y": 388}),
    )
    for seq, (kind, step, data) in enumerate(seen, start=1):
        PageEvent.objects.create(
            episode=episode, page="k3v9", seq=seq, step=step, kind=kind, at_ms=2100.5 * seq, data=data
        )
    for seq, (kind, step) in enumerate((("page_served", None), ("submitted", 3)), start=1):
        SiteEvent.objects.create(episode=episode, seq=seq, step=step, kind=kind, data={"path": "/"})
