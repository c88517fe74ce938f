"""A simulated policy with a known gap: answers are right or wrong at random, with deficits from a file."""

from __future__ import annotations

import hashlib
from collections.abc import Mapping, Sequence
from pathlib import Path
from statistics import NormalDist, fmean

import msgspec

from palaestra.errors import PalaestraError
from palaestra.evaluation.cells import Cell
from palaestra.evaluation.looks import Look, factors_check
from palaestra.evaluation.plan import PlannedArm
from palaestra.observation import Observation
from palaestra.policies import EpisodeInfo, Solution, Solver
from palaestra.policies.solver import PROGRAM_FORM
from palaestra.policies.submission import PlannedAnswer, write_completion
from palaestra.protocol.looks import Value
from palaestra.records import Task

PREFIX = "planted/"
# The rungs of the ladder, in order; a loss at one rung applies to all later rungs.
PIXELS = "pixels"
RUNGS = ("text_zero_shot", "text_agent", "gym_with_text", "gym", PIXELS, "gym_image")
LEAST, MOST = 0.001, 0.999
WRONG_NUMBER = "-98765.4321"
WRONG_PROGRAM = "def answer(*values):\n    return None"
POINTS = 100.0
_NORMAL = NormalDist()


class PlantedGap(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """A JSON file such as ``{"name": "nine", "accuracy": 0.8, "deficits": {"gym": 9}, "item_share": 0.5}``.

    ``accuracy`` is the share of items that the policy solves as text. ``deficits`` are the points lost at
    each rung, by arm, and at ``pixels``, which is ``gym`` with an observation other than the plan's.
    ``looks`` are the points lost under values of a look, such as ``{"font": {"mono": 4}}``; the arm's mean is
    unchanged. ``item_share``, ``arm_item_share`` and ``look_share`` divide the variance of the deviate that
    decides an answer among the item, the item in its arm, and the look; the rest is drawn for each episode.
    """

    name: str
    accuracy: float
    deficits: dict[str, float] = {}
    looks: dict[str, dict[str, float]] = {}
    item_share: float = 0.5
    arm_item_share: float = 0.1
    look_share: float = 0.02
    seed: int = 1

    def find_accuracy(self, arm: PlannedArm) -> float:
        """Return the policy's accuracy in an arm, averaged over items and looks."""
        return self.find_accuracy_at(PIXELS if arm.observation and arm.arm == "gym" else arm.arm)

    def find_accuracy_at(self, rung: str) -> float:
        """Return the policy's accuracy at a rung, as ``find_accuracy`` does for an arm."""
        lost = RUNGS[: RUNGS.index(rung) + 1] if rung in RUNGS else (rung,)
        return self.accuracy - sum(self.deficits.get(rung, 0.0) for rung in lost) / POINTS

    def sum_losses(self, look: Look) -> float:
        """Return the total of points lost under a look."""
        return sum(values.get(str(look[axis]), 0.0) for axis, values in self.looks.items())


def planted_read(path: Path) -> PlantedGap:
    """Read a planted gap from a file. Raises ``PalaestraError`` if it is invalid."""
    try:
        gap = msgspec.json.decode(path.read_bytes(), type=PlantedGap)
    except (msgspec.ValidationError, msgspec.DecodeError) as failure:
        raise PalaestraError(f"{path}: {failure}. Expected: {PlantedGap.__doc__}") from failure
    if unknown := gap.deficits.keys() - set(RUNGS):
        raise PalaestraError(f"{path}: {min(unknown)!r} is not a rung. Rungs: {', '.join(RUNGS)}.")
    factors_check({axis: map(_parse_value, values) for axis, values in gap.looks.items()}, where=str(path))
    if not all(0 < gap.find_accuracy_at(rung) < 1 for rung in RUNGS):
        raise PalaestraError(f"{path}: every arm's accuracy must be between 0 and 1.")
    shares = (gap.item_share, gap.arm_item_share, gap.look_share)
    if min(shares) < 0 or sum(shares) > 1:
        raise PalaestraError(
            f"{path}: each share of the variance must be from 0 to 1, and their sum at most 1."
        )
    return gap


def _parse_value(text: str) -> Value:
    """Parse a JSON key as the value of an axis."""
    return int(text) if text.isdigit() else text


class PlantedPolicy:
    """A policy whose answers are right or wrong by a draw that depends only on the cell, so it is
    reproducible.

    ``cells`` maps episodes to their cells. Raises ``PalaestraError`` if a task has no solution.
    """

    simulated = True

    def __init__(
        self,
        gap: PlantedGap,
        *,
        solutions: Mapping[int, Solution],
        tasks: Mapping[int, Task],
        looks: Sequence[Look],
        cells: Mapping[int, Cell],
    ) -> None:
        self.name = PREFIX + gap.name
        if missing := tasks.keys() - solutions.keys():
            raise PalaestraError(
                f"The golds do not include task {min(missing)}: export the golds of every benchmark."
            )
        self._gap, self._tasks, self._cells, self._solutions = gap, tasks, cells, solutions
        self._solver = Solver(solutions, tasks.values())
        losses = [gap.sum_losses(look) for look in looks]
        self._losses = [loss - fmean(losses) for loss in losses]

    async def act(self, observation: Observation, episode: EpisodeInfo) -> str | None:
        cell = self._cells[episode.id]
        if self.is_right(cell):
            return await self._solver.act(observation, episode)
        return write_completion(
            observation,
            episode,
            answer=self._choose_wrong(self._tasks[cell.task], cell, form=episode.answer_form),
            reasoning="A simulated policy: this answer is wrong, as it was drawn to be.",
            closing="The answer stands on the page, so I submit it.",
        )

    def find_accuracy(self, arm: PlannedArm) -> float:
        """Return the accuracy that is planted in an arm."""
        return self._gap.find_accuracy(arm)

    def is_right(self, cell: Cell) -> bool:
        """Draw whether a cell's answer is right.

        This is a latent-threshold (probit) model. A standard normal deviate, the sum of components for the
        item, the item in its arm, the look and the episode, is compared with the quantile of the arm's
        accuracy. The arm's mean therefore equals that accuracy in expectation.
        """
        gap, series = self._gap, cell.series
        loss = 0.0 if cell.look is None else self._losses[cell.look] / POINTS
        accuracy = min(MOST, max(LEAST, self.find_accuracy(series.planned) - loss))
        look_share = 0.0 if cell.look is None else gap.look_share
        parts = {
            ("item", cell.task): gap.item_share,
            ("arm", cell.task, str(series.planned)): gap.arm_item_share,
            ("look", cell.look): look_share,
            ("episode", cell.task, str(series.planned), series.retest, cell.sample): 1
            - gap.item_share
            - gap.arm_item_share
            - look_share,
        }
        deviate = sum(self._draw_normal(*key) * share**0.5 for key, share in parts.items())
        return bool(deviate <= _NORMAL.inv_cdf(accuracy))

    def _draw_normal(self, *key: object) -> float:
        return _NORMAL.inv_cdf((self._draw_bits(*key) + 0.5) / 2**53)

    def _draw_bits(self, *key: object) -> int:
        """Return 53 pseudo-random bits, the precision of a float."""
        return int.from_bytes(hashlib.sha256(repr((self._gap.seed, key)).encode()).digest()[:8], "big") >> 11

    def _choose_wrong(self, task: Task, cell: Cell, *, form: str) -> PlannedAnswer:
        right = self._solutions[task.id].answer
        labels = [choice["label"] for choice in task.payload.get("choices", ()) if choice["label"] != right]
        if labels:
            label = labels[self._draw_bits("wrong", task.id, cell.sample) % len(labels)]
            return self._solver.plan_answer(task.id, label)
        if form == PROGRAM_FORM:
            return PlannedAnswer(values=(WRONG_PROGRAM,))
        # The page refuses an answer that has fewer values than the right answer.
        return PlannedAnswer(values=(WRONG_NUMBER,) * len(self._solver.list_values(task.id, form)))
