from __future__ import annotations

from typing import Any

from django.core.management.base import BaseCommand, CommandError, CommandParser

from core.errors import GymError
from trajectories.annotation.labels.consensus import read_successes
from trajectories.annotation.pairs.selectors import DECIDED, SECOND, list_winners
from trajectories.models import AnnotationProject
from trajectories.models.access import DEFAULT_PROJECT
from trajectories.rewards.learned.lessons import EPISODES_MAX, Opinions
from trajectories.rewards.learned.store import model_fit


class Command(BaseCommand):
    help = (
        "Fit a learned reward to verdicts, people's labels and preferences, and measure it on held-out tasks."
    )

    def add_arguments(self, parser: CommandParser) -> None:
        parser.add_argument("name", help="a name for display; the model is identified by its content")
        parser.add_argument(
            "--project", default=DEFAULT_PROJECT, help="the project from whose runs and labels it learns"
        )
        parser.add_argument(
            "--runs",
            type=int,
            nargs="+",
            default=[],
            help="only these runs (default: all that are not simulated)",
        )
        parser.add_argument(
            "--limit", type=int, default=EPISODES_MAX, help="use at most this many episodes, the newest"
        )

    def handle(self, *_args: Any, **options: Any) -> None:
        project: str = options["project"]
        try:
            model, is_new = model_fit(
                name=options["name"],
                project=project,
                opinions=opinions_of(project),
                runs=options["runs"],
                limit=options["limit"],
            )
        except GymError as error:
            raise CommandError(error.message) from error
        card = model.card
        self.stdout.write(f"{model.component} {'is new' if is_new else 'already existed'}.")
        self.stdout.write(
            f"Fitted to {card.fitted.episodes} episodes of {card.fitted.items} tasks and {card.pairs_fitted} "
            f"pairs; measured on {card.held.episodes} episodes of {card.held.items} other tasks."
        )
        self.stdout.write(
            f"AUROC {card.auroc.value} ({card.auroc.low} to {card.auroc.high}), calibration error "
            f"{card.calibration_error}."
        )
        for warning in card.warnings:
            self.stdout.write(warning)
        self.stdout.write(
            "Run `manage.py compute_rewards` to compute it for episodes that have already ended."
        )


def opinions_of(project: str) -> Opinions:
    """Read people's opinions from a project's annotation projects; if several differ, the newest counts."""
    rooms = AnnotationProject.objects.filter(project=project).select_related("codebook").order_by("pk")
    successes: dict[int, bool] = {}
    pairs: list[tuple[int, int]] = []
    for room in rooms:
        if room.level == AnnotationProject.Level.TRAJECTORY:
            successes |= read_successes(room)
        elif room.level == AnnotationProject.Level.PAIR:
            pairs += _preferred(room)
    return Opinions(successes=successes, preferences=pairs)


def _preferred(room: AnnotationProject) -> list[tuple[int, int]]:
    """Return the decided pairs of whole trajectories, each with the better episode first."""
    return [
        (other, one) if winner.answer == SECOND else (one, other)
        for winner in list_winners(room)
        if winner.answer in DECIDED
        for (one, step), (other, _) in [winner.pair.places]
        if step == 0
    ]
