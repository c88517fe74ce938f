from __future__ import annotations

from typing import Any

from django.conf import settings
from django.core.management.base import BaseCommand, CommandError, CommandParser

from trajectories.behaviour.fidelity import check, rendering, sample
from trajectories.models import Episode, Fidelity, Step
from trajectories.models.fidelity import LEFT

ROW = "{:>6}  {:<12} {:<14} {:>9} {:>9}"


class Command(BaseCommand):
    help = (
        "Compare an episode's DOM replays with its screenshots, and print the result for each step. Replays"
        " are rendered in a sandbox, which needs bubblewrap and Chromium."
    )

    def add_arguments(self, parser: CommandParser) -> None:
        parser.add_argument("episode", type=int)
        parser.add_argument("--step", type=int, help="check only this step, even if it was checked before")
        parser.add_argument("--all", action="store_true", help="check every step, even those checked before")

    def handle(self, *_args: Any, **options: Any) -> None:
        episode_id: int = options["episode"]
        episode = Episode.objects.filter(pk=episode_id).first()
        if episode is None:
            raise CommandError(f"There is no episode {episode_id}.")
        if episode.finished_at is None and options["step"] is None:
            raise CommandError(f"Episode {episode_id} has not ended. Use --step N to check one of its steps.")
        problem = rendering.drawing_problem()
        if problem:
            raise CommandError(problem[1])
        requested = self._requested(episode_id, step=options["step"], all_steps=options["all"])
        for index in requested:
            sample.step_wait_again(episode_id=episode_id, index=index)
        if episode.finished_at is not None:
            sample.episode_choose(episode_id)
            self._explain(episode, are_named=bool(requested))
        self.stdout.write(ROW.format("step", "state", "reason", "changed", "hash bits"))
        waiting = Fidelity.objects.filter(episode_id=episode_id, reason__in=LEFT)
        for index in list(waiting.order_by("index").values_list("index", flat=True)):
            check.step_check(episode_id=episode_id, index=index)
        for row in Fidelity.objects.filter(episode_id=episode_id).order_by("index"):
            share = "" if row.changed_share is None else f"{row.changed_share:.4%}"
            bits = "" if row.phash_distance is None else str(row.phash_distance)
            self.stdout.write(ROW.format(row.index, row.state, row.reason, share, bits))

    def _explain(self, episode: Episode, *, are_named: bool) -> None:
        """Explain why the table may have few rows, or temporary reasons in them."""
        problem = "" if are_named else sample.problem_of(episode)
        if problem:
            self.stderr.write(f"No step was chosen. {problem}")
        left = sample.settles_in(episode.pk)
        if left:
            # If the sweeper chooses no steps, it will never check this episode again.
            is_due = bool(settings.FIDELITY_STEPS_MAX)
            again = "its steps will be checked again" if is_due else "check it again"
            self.stderr.write(
                f"Episode {episode.pk} has just ended, and its pages may continue to send recordings for"
                f" {left:.0f} s; {again} after that."
            )

    def _requested(self, episode_id: int, *, step: int | None, all_steps: bool) -> list[int]:
        indexes = Step.objects.filter(episode_id=episode_id).order_by("index").values_list("index", flat=True)
        if step is not None and not indexes.filter(index=step).exists():
            raise CommandError(f"Episode {episode_id} has no step {step}.")
        if step is not None:
            return [step]
        return list(indexes) if all_steps else []
