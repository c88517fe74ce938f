"""The plan of a run of one model on one benchmark, and the run's progress."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from palaestra.api import Client
from palaestra.api.calls import rows_read
from palaestra.episode_config import EpisodeConfig
from palaestra.errors import PalaestraError
from palaestra.observation import get_format, perceivable_check
from palaestra.play.pools import LITE, browser_check
from palaestra.protocol.arms import arm_of
from palaestra.records import EpisodeState, Run, Task

# With a fixed seed, a task has the same looks for every model, arm and attempt.
SEED = 1
ALL_TASKS = 1_000_000
SITE = "site"
PLAIN = "plain"
"""The origin of episodes that were played from the start and without help. Only these are samples."""


@dataclass(frozen=True, kw_only=True)
class RunPlan:
    """The plan of ``palaestra run``: ``samples`` episodes for each of a benchmark's first ``limit`` tasks.

    ``config`` has the settings of each episode, ``sampling`` are extra fields of every call to the model, and
    ``model_note`` is a note about the model for readers of the run. Plans with the same ``name`` belong to
    one run. ``report`` is the report that the run belongs to; with ``retest`` the run plays its arm a second
    time for that report. ``planted_accuracy`` is the accuracy of a simulated policy. With ``browser="lite"``
    pages are read without a browser, which the run declares. With ``answer_check="once"`` the agent is asked
    to check its first answer, and the second one counts.

    Raises ``PalaestraError`` if the observation cannot show the arm, or ``browser`` does not support the
    observation.
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
        """The run's name: the given name, or one composed of its settings."""
        if self.name:
            return self.name
        benchmark = f"{self.benchmark}/{self.split}" if self.split else self.benchmark
        parts = [self.model, benchmark, self.arm]
        if arm_of(self.arm).has_page:
            parts.append(get_format(self.config.observation).id)
            parts += [self.browser] if self.browser == LITE else []
        if not arm_of(self.arm).is_free_text:
            parts += [self.config.grammar, self.config.history]
        parts += ["answer check"] if self.answer_check else []
        return " ".join(parts)[:200]

    @property
    def opening(self) -> dict[str, Any]:
        """The arguments of ``Client.episodes_open`` other than run and tasks."""
        return {"arm": self.arm, "seed": self.seed, "token_budget": self.config.token_budget}

    @property
    def fields(self) -> dict[str, Any]:
        """The arguments of ``Client.run_create``; a run that is continued must have the same values."""
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
            "observation": get_format(config.observation).id,
            "observation_settings": config.observation_settings,
            # In free-text arms there is only one completion, so settings that do not apply to it are the same
            # in all runs.
            "grammar": "json" if is_one_completion else config.grammar,
            "history": "full" if is_one_completion else config.history,
            "actions_per_turn": config.actions_per_turn,
            "settings": settings,
        }


@dataclass(frozen=True, kw_only=True)
class Progress:
    """The progress of a run.

    ``missing`` is the number of samples still to be opened, by task; ``unfinished`` are interrupted episodes;
    ``left_out`` is the number of tasks that cannot be perceived."""

    tasks: list[Task]
    left_out: int
    judged: list[EpisodeState]
    unfinished: list[EpisodeState]
    missing: dict[int, int]

    @property
    def count_missing(self) -> int:
        return sum(self.missing.values())


async def run_find(client: Client, plan: RunPlan) -> Run | None:
    """Return the run that the plan continues, or None. Raises ``PalaestraError`` if its settings differ."""
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
    """Create a run for the plan and return it."""
    return await client.run_create(name=plan.title, tags=list(plan.tags), **plan.fields)


async def progress_read(client: Client, plan: RunPlan, run: Run | None) -> Progress:
    """Return the progress of a run; everything is missing if there is no run yet.

    Void episodes do not count, so their samples are opened again. Forks and episodes with help do not count
    either, because they are not samples of the plan; they are only continued. Raises ``PalaestraError`` if
    there are no tasks.
    """
    tasks, left_out = await _choose_tasks(client, plan)
    ids = {task.id for task in tasks}
    stored = await episodes_list(client, run.id) if run else []
    plain = await episodes_list(client, run.id, origin=PLAIN) if run else []
    samples = [state for state in plain if state.task in ids]
    judged = [state for state in samples if state.is_judged]
    # An episode whose answer awaits its verdict needs no more turns.
    waiting = [state for state in samples if state.status != "finished"]
    counts = Counter(state.task for state in (*judged, *waiting))
    unfinished = [state for state in stored if state.task in ids and state.status != "finished"]
    missing = {task.id: plan.samples - counts[task.id] for task in tasks if counts[task.id] < plan.samples}
    return Progress(tasks=tasks, left_out=left_out, judged=judged, unfinished=unfinished, missing=missing)


async def episodes_list(client: Client, run: int, **filters: str) -> list[EpisodeState]:
    """Return the states of a run's episodes, optionally filtered, for example by ``origin``."""
    return [state async for state in rows_read(client.episodes_page, run=run, limit=1_000, **filters)]


async def tasks_missing(client: Client, benchmark: str, split: str | None) -> PalaestraError:
    """Return the error for a benchmark or split without tasks."""
    known = ", ".join(sorted(each.id for each in await client.benchmarks()))
    return PalaestraError(
        f"There are no tasks of {benchmark!r}{f' in split {split!r}' if split else ''}. "
        f"Benchmarks: {known}. Load one with manage.py load_benchmark."
    )


async def _choose_tasks(client: Client, plan: RunPlan) -> tuple[list[Task], int]:
    """Return the plan's tasks, and the number of tasks left out because they cannot be perceived."""
    filters = {"benchmark": plan.benchmark, "split": plan.split}
    offered = await client.tasks(limit=plan.limit or ALL_TASKS, **filters)
    if not offered:
        raise await tasks_missing(client, plan.benchmark, plan.split)
    arm = arm_of(plan.arm)
    is_blind = not (arm.has_text or arm.is_probe) and not get_format(plan.config.observation).has_screenshot
    has_sites = arm.has_page and not arm.is_probe
    tasks = [
        task
        for task in offered
        if not (is_blind and task.payload.get("pictures")) and (has_sites or task.kind != SITE)
    ]
    return tasks, len(offered) - len(tasks)
