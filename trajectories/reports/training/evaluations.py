"""The evaluations of a training run's checkpoints, benchmark by benchmark.

An evaluation belongs to a checkpoint if its run is of kind ``eval``, is in the same project, and names the
training run's model and that checkpoint. The checkpoint is the one that training started from (``checkpoint``
of the training run) or that of a policy version.
"""

from __future__ import annotations

import itertools
from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import NamedTuple

from palaestra.protocol.arms import ARMS
from trajectories.models import PolicyVersion, Run
from trajectories.reports import selectors, setups
from trajectories.reports.analysis import MAIN
from trajectories.reports.arm_data import BenchmarkData
from trajectories.reports.episode_rows import episode_rows
from trajectories.reports.estimators.answers import Answers, Codes
from trajectories.reports.ladder import RUNGS, UNSCORED, ArmKey

# The parts of a set-up that training changes. All other parts have to be the same before and after.
OF_TRAINING = ("checkpoint", "policy version")


class Checkpoint(NamedTuple):
    """A checkpoint. ``version`` is None for the start of training, and for the checkpoint of a report."""

    name: str
    version: int | None
    label: str


@dataclass(frozen=True)
class Evaluation:
    """The evaluation of ``checkpoints``, the earliest first, on one benchmark; ``runs`` are by id."""

    benchmark: str
    data: BenchmarkData
    runs: Mapping[int, Run]
    checkpoints: Sequence[Checkpoint]

    @cached_property
    def items(self) -> Codes:
        return self.data.codes(MAIN.counts)

    def arms(self, *checkpoints: Checkpoint) -> list[str]:
        """Return the scored arms in which all these checkpoints were evaluated, in the order of tables."""
        names = {point.name for point in checkpoints}
        keys = [key for key in self.data.arms if key.checkpoint in names and key.arm not in UNSCORED]
        counts = itertools.groupby(sorted(key.arm for key in keys))
        shared = {arm for arm, group in counts if len(list(group)) == len(names)}
        return [key.arm for key in setups.arm_order({ArmKey(arm) for arm in shared})]

    def text_arm(self, *checkpoints: Checkpoint) -> str | None:
        """Return the ladder's first arm without a page in which these checkpoints were evaluated."""
        return next((arm for arm in self._rungs(checkpoints) if not ARMS[arm].has_page), None)

    def page_arm(self, *checkpoints: Checkpoint) -> str | None:
        """Return ``gym`` if it was evaluated at these checkpoints, else the ladder's last arm with a page."""
        pages = [arm for arm in self._rungs(checkpoints) if ARMS[arm].has_page]
        return "gym" if "gym" in pages else next(reversed(pages), None)

    def text_and_page(self, *checkpoints: Checkpoint) -> tuple[str, str] | None:
        """Return the text arm and the page arm, whose difference is the gap, or None if one is missing."""
        text, page = self.text_arm(*checkpoints), self.page_arm(*checkpoints)
        return (text, page) if text and page else None

    def _rungs(self, checkpoints: Sequence[Checkpoint]) -> list[str]:
        evaluated = self.arms(*checkpoints)
        return [arm for arm in RUNGS if arm in evaluated]

    def answers(self, checkpoint: Checkpoint, arm: str) -> Answers:
        return self.data.answers(ArmKey(arm, checkpoint=checkpoint.name), self.items)

    def episodes(self, checkpoint: Checkpoint, arm: str, items: Codes) -> list[int]:
        """Return the ids of a checkpoint's episodes in an arm, sorted by item."""
        made = self.data.episodes(ArmKey(arm, checkpoint=checkpoint.name), items)
        return [int(episode) for episode in made.episode[made.item.argsort(kind="stable")]]

    def run_of(self, checkpoint: Checkpoint, arm: str) -> int:
        """Return the id of the checkpoint's first run in this arm, in which it must have been evaluated."""
        return min(self.data.arms[ArmKey(arm, checkpoint=checkpoint.name)].runs)

    def mixture(self, arm: str, *checkpoints: Checkpoint) -> str:
        """Describe how an arm's set-ups differ between these checkpoints, apart from what training changes.

        The text is empty if they do not differ.
        """
        names = {point.name for point in checkpoints}
        made = [
            setups.setup_of(self.runs[run], arm=arm, conditions=conditions)
            for (key, run), conditions in self.data.conditions.items()
            if key.arm == arm and key.checkpoint in names
        ]
        return setups.mixture(
            {name: value for name, value in setup.items() if name not in OF_TRAINING} for setup in made
        )


def checkpoints_of(run: Run) -> list[Checkpoint]:
    """Return the checkpoint that training started from, then those of its versions, without repeats."""
    versions = PolicyVersion.objects.filter(run=run).exclude(checkpoint="").order_by("version")
    named = [Checkpoint(row.checkpoint, row.version, f"version {row.version}") for row in versions]
    points = [Checkpoint(run.checkpoint, None, "start"), *named] if run.checkpoint else named
    first: dict[str, Checkpoint] = {}
    for point in points:
        first.setdefault(point.name, point)
    return list(first.values())


def evaluation_runs(run: Run, checkpoints: Iterable[Checkpoint]) -> dict[Run, str]:
    """Return the evaluation runs of a training run's checkpoints, each with its checkpoint's name."""
    names = [point.name for point in checkpoints]
    of_model = Run.objects.filter(project=run.project, kind=Run.Kind.EVAL, model=run.model)
    runs = of_model.filter(checkpoint__in=names).order_by("pk")
    return {evaluated_run: evaluated_run.checkpoint for evaluated_run in runs if not evaluated_run.is_retest}


def evaluations_of(
    runs: Mapping[Run, str], checkpoints: Sequence[Checkpoint], *, splits: Collection[str] = ()
) -> list[Evaluation]:
    """Return an evaluation for each benchmark with episodes; ``runs`` maps runs to checkpoint names."""
    named = {run.pk: name for run, name in runs.items()}
    evaluations = []
    for benchmark, run_ids in selectors.runs_by_benchmark(named).items():
        rows = episode_rows(run_ids, splits=splits, benchmark=benchmark)
        data = BenchmarkData(rows, checkpoints=named)
        if not data.arms:
            continue
        evaluated = {key.checkpoint for key in data.arms}
        evaluations.append(
            Evaluation(
                benchmark=benchmark,
                data=data,
                runs={run.pk: run for run in runs},
                checkpoints=[point for point in checkpoints if point.name in evaluated],
            )
        )
    return evaluations
