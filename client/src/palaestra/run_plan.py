"""A run of one model over one benchmark: what is to be played, and what has been."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from palaestra.api import Client
from palaestra.episode_config import EpisodeConfig
from palaestra.errors import PalaestraError
from palaestra.observation import format_of, perceivable_check
from palaestra.paging import rows_read
from palaestra.pools import LITE, browser_check
from palaestra.protocol.arms import arm_of
from palaestra.records import EpisodeState, Run, Task

# With a seed the looks of a task are the same for every model, arm and attempt.
SEED = 1
ALL_TASKS = 1_000_000
SITE = "site"
PLAIN = "plain"
"""The origin of episodes that were played from their start and without help: those that are samples."""


@dataclass(frozen=True, kw_only=True)
class RunPlan:
    """What `palaestra run` plays: ``samples`` of each of the first ``limit`` tasks of a benchmark.

    ``config`` is how each episode is run, ``sampling`` are fields of every call of the model, ``model_note``
    is what readers of its run should know of it. Two plans with the same ``name`` are one run. ``report`` is
    the report that it is played for, ``retest`` says that it plays its arm there for the second time,
    ``planted_accuracy`` is what a simulated policy was made to solve. ``browser`` ``lite`` reads pages
    without a browser, which the run then says. ``answer_check`` ``once`` has every first answer checked: the
    second one counts.

    Raises ``PalaestraError`` for an arm that the observation cannot show, and for an observation that pages
    read without a browser lack.
    """

    model: str
    benchmark: str
    split: str | None = None
    arm: str = "gym"
    config: EpisodeConfig = EpisodeConfig()  # noqa: RUF009 (it is frozen)
    limit: int | None = None
    samples: int = 1
    name: str = ""
    sampling: Mapping[str, Any] = field(default_factory=dict)
    browser: str = "chromium"
    answer_check: str | None = None
    seed: int = SEED
    tags: Sequence[str] = ()
    model_note: str = ""
    checkpoint: str = ""
    report: int | None = None
    retest: bool = False
    simulated: bool = False
    planted_accuracy: float | None = None

    def __post_init__(self) -> None:
        perceivable_check(self.arm, self.config.observation)
        browser_check(self.browser, self.config)

    @property
    def title(self) -> str:
        """The run's name: the one that was given, or what it compares."""
        if self.name:
            return self.name
        benchmark = f"{self.benchmark}/{self.split}" if self.split else self.benchmark
        parts = [self.model, benchmark, self.arm]
        if arm_of(self.arm).has_page:
            parts.append(format_of(self.config.observation).id)
            parts += [self.browser] if self.browser == LITE else []
        if not arm_of(self.arm).is_free_text:
            parts += [self.config.grammar, self.config.history]
        parts += ["answer check"] if self.answer_check else []
        return " ".join(parts)[:200]

    @property
    def opening(self) -> dict[str, Any]:
        """Fields of ``Client.episodes_open`` beside run and tasks."""
        return {"arm": self.arm, "seed": self.seed, "token_budget": self.config.token_budget}

    @property
    def fields(self) -> dict[str, Any]:
        """Fields of ``Client.run_create``; a run that goes on must have the same."""
        config, is_one_completion = self.config, arm_of(self.arm).is_free_text
        settings = {
            "benchmark": self.benchmark,
            "split": self.split,
            "arm": self.arm,
            "seed": self.seed,
            "sampling": dict(self.sampling),
            "token_budget": config.token_budget,
            "prompt_token_budget": config.prompt_token_budget,
            **({"browser": LITE} if self.browser == LITE else {}),
            **({"answer_check": self.answer_check} if self.answer_check else {}),
            **({"thought_tags": list(map(list, config.thought_tags))} if config.thought_tags else {}),
            **({"model_note": self.model_note} if self.model_note else {}),
            **({"retest": True} if self.retest else {}),
            **({} if self.planted_accuracy is None else {"planted_accuracy": self.planted_accuracy}),
        }
        return {
            "kind": "eval",
            "model": self.model,
            "checkpoint": self.checkpoint,
            "simulated": self.simulated,
            "report": self.report,
            "observation": format_of(config.observation).id,
            "observation_settings": config.observation_settings,
            # What a single completion does not meet is the same in every run of such an arm.
            "grammar": "json" if is_one_completion else config.grammar,
            "history": "full" if is_one_completion else config.history,
            "actions_per_turn": config.actions_per_turn,
            "settings": settings,
        }


@dataclass(frozen=True, kw_only=True)
class Progress:
    """What a run holds of its plan. ``missing`` are samples by task that have to be opened, ``unfinished``
    episodes that were interrupted, ``left_out`` tasks that cannot be perceived."""

    tasks: list[Task]
    left_out: int
    judged: list[EpisodeState]
    unfinished: list[EpisodeState]
    missing: dict[int, int]

    @property
    def count_missing(self) -> int:
        return sum(self.missing.values())


async def run_find(client: Client, plan: RunPlan) -> Run | None:
    """The run that the plan goes on with, if any. Raises ``PalaestraError`` if its set-up differs."""
    page = await client.runs(name=plan.title)
    if not page.results:
        return None
    run: Run = page.results[0]
    differing = [name for name, value in plan.fields.items() if getattr(run, name) != value]
    if "settings" in differing:
        settings = plan.fields["settings"]
        names = {*settings, *run.settings}
        differing += [name for name in names if run.settings.get(name) != settings.get(name)]
        differing.remove("settings")
    if differing:
        raise PalaestraError(
            f'Run {run.id} is named "{plan.title}" and differs in: {", ".join(sorted(differing))}. '
            "Give this one another name (--name)."
        )
    return run


async def run_create(client: Client, plan: RunPlan) -> Run:
    """A new run of the plan."""
    return await client.run_create(name=plan.title, tags=list(plan.tags), **plan.fields)


async def progress_read(client: Client, plan: RunPlan, run: Run | None) -> Progress:
    """What has been played, nothing where there is no run yet. Void episodes count for nothing: their
    samples are opened again. Neither do forks, nor episodes with help: they are no samples of the plan, and
    are only played on.

    Raises ``PalaestraError`` if the benchmark has no such tasks.
    """
    tasks, left_out = await _tasks(client, plan)
    ids = {task.id for task in tasks}
    stored = await episodes_list(client, run.id) if run else []
    plain = await episodes_list(client, run.id, origin=PLAIN) if run else []
    samples = [one for one in plain if one.task in ids]
    judged = [one for one in samples if one.is_judged]
    # An answer that waits for its verdict needs no more turns.
    waiting = [one for one in samples if one.status != "finished"]
    held = Counter(one.task for one in (*judged, *waiting))
    unfinished = [one for one in stored if one.task in ids and one.status != "finished"]
    missing = {task.id: plan.samples - held[task.id] for task in tasks if held[task.id] < plan.samples}
    return Progress(tasks=tasks, left_out=left_out, judged=judged, unfinished=unfinished, missing=missing)


async def episodes_list(client: Client, run: int, **filters: str) -> list[EpisodeState]:
    """The states of the episodes of a run: all, or those of an ``origin``."""
    return [one async for one in rows_read(client.episodes_page, run=run, limit=1_000, **filters)]


async def tasks_missing(client: Client, benchmark: str, split: str | None) -> PalaestraError:
    """What to say where a benchmark has no tasks."""
    known = ", ".join(sorted(one.id for one in await client.benchmarks()))
    return PalaestraError(
        f"There are no tasks of {benchmark!r}{f' in split {split!r}' if split else ''}. "
        f"Benchmarks: {known}. Load one with manage.py load_benchmark."
    )


async def _tasks(client: Client, plan: RunPlan) -> tuple[list[Task], int]:
    """The plan's tasks, and how many were left out because they cannot be perceived."""
    filters = {"benchmark": plan.benchmark, "split": plan.split}
    offered = await client.tasks(limit=plan.limit or ALL_TASKS, **filters)
    if not offered:
        raise await tasks_missing(client, plan.benchmark, plan.split)
    arm = arm_of(plan.arm)
    is_blind = not (arm.has_text or arm.is_probe) and not format_of(plan.config.observation).has_screenshot
    has_sites = arm.has_page and not arm.is_probe
    tasks = [
        task
        for task in offered
        if not (is_blind and task.payload.get("pictures")) and (has_sites or task.kind != SITE)
    ]
    return tasks, len(offered) - len(tasks)
