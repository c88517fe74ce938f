"""A simulated evaluation in the database: benchmarks x arms x looks, with a planted loss at each rung.

To look at one, run ``manage.py shell -c "from tests.reports.simulated import report_fill; report_fill()"``.
"""

from __future__ import annotations

import random
from collections.abc import Mapping, Sequence
from typing import Any

from core.episodes.presentation import look_rotate
from tests import factories
from trajectories.models import Episode, EpisodeFacts, Group, Report, Run, Step
from trajectories.record import hot_sql

# Accuracy by benchmark: the base, then the loss at each rung.
BENCHMARKS: Mapping[str, tuple[float, ...]] = {
    "gsm8k": (0.82, 0.06, 0.02, 0.09, 0.04),
    "math": (0.55, 0.05, 0.04, 0.12, 0.05),
    "mmlu": (0.70, 0.03, 0.01, 0.06, 0.02),
    "arc": (0.85, 0.02, -0.01, 0.05, 0.03),
    "wikitable": (0.60, 0.04, 0.05, 0.15, 0.06),
    "reviews": (0.50, 0.02, 0.08, 0.10, 0.05),
}
LADDER = ("text_zero_shot", "text_agent", "gym_with_text", "gym", "gym_image")
# This arm needs a picture, which an outline does not have.
OBSERVATIONS = {"gym_image": "som-v1"}
PAGES = frozenset({"gym_with_text", "gym", "gym_image"})
ITEM_SPREAD, LOOK_SPREAD = 0.25, 0.05


def report_fill(
    *,
    benchmarks: Sequence[str] = tuple(BENCHMARKS),
    arms: Sequence[str] = LADDER,
    items: int = 40,
    looks: int = 8,
    versions: Sequence[int | None] = (None,),
    seed: int = 7,
    name: str = "Simulated: planted losses at each rung",
) -> Report:
    """Create a report that is not computed yet.

    It has one run per arm and benchmark, and one sample per look and version.
    """
    rng = random.Random(seed)
    plan = {
        "name": name,
        "model": {"name": "simulated-policy", "checkpoint": "step-0"},
        "benchmarks": [{"slug": slug, "split": "test", "limit": items} for slug in benchmarks],
        "arms": [f"{arm}:{OBSERVATIONS[arm]}" if arm in OBSERVATIONS else arm for arm in arms],
        "samples": looks * len(versions),
        "retest": True,
        "margin": 3.0,
        "observation": "axtree-v2",
    }
    report = factories.report(plan=plan, name=name)
    for slug in benchmarks:
        benchmark = factories.benchmark(id=slug, title=slug.upper())
        tasks = [factories.task(benchmark=benchmark, split="test") for _ in range(items)]
        ease = [rng.gauss(0, ITEM_SPREAD) for _ in tasks]
        bright = [rng.gauss(0, LOOK_SPREAD) for _ in range(looks)]
        losses = dict(zip(LADDER, BENCHMARKS[slug], strict=True))
        level = losses[LADDER[0]]
        for arm in arms:
            level -= losses[arm] if arm != LADDER[0] else 0.0
            for retest in (False, True) if arm == arms[0] else (False,):
                shares = [
                    [level + ease[item] + (bright[look] if arm in PAGES else 0.0) for look in range(looks)]
                    for item in range(items)
                ]
                _arm_fill(report, tasks, arm, shares, versions=versions, retest=retest, rng=rng)
    return report


def _arm_fill(
    report: Report,
    tasks: Sequence[Any],
    arm: str,
    shares: Sequence[Sequence[float]],
    *,
    versions: Sequence[int | None],
    retest: bool,
    rng: random.Random,
) -> None:
    """Create and fill one run; ``shares`` are the probabilities of a correct answer by item and look."""
    run = factories.run(
        report=report,
        simulated=True,
        name=f"simulated {tasks[0].benchmark_id} {arm}",
        model="simulated-policy",
        checkpoint="step-0",
        observation=OBSERVATIONS.get(arm, "axtree-v2"),
        settings={"retest": retest},
    )
    groups = Group.objects.bulk_create(
        Group(
            run=run, task=task, arm=arm, seed=1, template="prompts-v7a", size=len(shares[0]) * len(versions)
        )
        for task in tasks
    )
    drafts = [
        _episode(run, group, look, version)
        for group in groups
        for version in versions
        for look in range(len(shares[0]))
    ]
    episodes = Episode.objects.bulk_create(drafts)
    gains = {version: 0.06 * number for number, version in enumerate(versions)}
    chances = [
        shares[item][look] + gains[version]
        for item in range(len(tasks))
        for version in versions
        for look in range(len(shares[0]))
    ]
    endings = [_ending(episode, chance, rng) for episode, chance in zip(episodes, chances, strict=True)]
    hot_sql.finish_many(run_id=run.pk, endings=endings)
    Step.objects.bulk_create(
        Step(
            episode=episode,
            index=1,
            thought="A simulated thought.",
            action={"type": "answer", "text": "42"},
            action_type="answer",
            content_hash=b"\0" * 16,
        )
        for episode in episodes
    )
    words = {"text_zero_shot": 120.0, "text_agent": 80.0}.get(arm, 35.0)
    EpisodeFacts.objects.bulk_create(_facts(episode, rng.gauss(words, 12.0)) for episode in episodes)


def _episode(run: Run, group: Group, look: int, version: int | None) -> Episode:
    shown = look_rotate(seed=7, place=look, fixed={})
    return Episode(
        run=run,
        task_id=group.task_id,
        group=group,
        arm=group.arm,
        sample_index=look + (version or 0) * 100,
        seed=look,
        presentation=shown.as_dict(),
        presentation_hash=shown.digest(),
        policy_version=version,
        max_steps=8,
        answer_channel="page" if group.arm in PAGES else "api",
        virtual_start=factories.START,
    )


def _ending(episode: Episode, chance: float, rng: random.Random) -> hot_sql.Ending:
    if rng.random() < 0.01:
        return hot_sql.Ending(episode=episode.pk, outcome="void", reason="harness_error")
    outcome = "correct" if rng.random() < min(max(chance, 0.0), 1.0) else "incorrect"
    return hot_sql.Ending(episode=episode.pk, outcome=outcome, reason="answer")


def _facts(episode: Episode, words: float) -> EpisodeFacts:
    counts = dict.fromkeys(
        (
            "no_effect",
            "different_effect",
            "unexplained",
            "unexplained_events",
            "loops",
            "backtracks",
            "page_changes",
            "hidden_thoughts",
            "invalid_actions",
        ),
        0,
    )
    return EpisodeFacts(
        episode=episode,
        version=1,
        steps=1,
        duration_ms=1.0,
        confirmed=1,
        thought_words=max(words, 1.0),
        seen_until=factories.START,
        **counts,
    )
