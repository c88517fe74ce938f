"""``manage.py record_solutions``: play tasks by their solutions, and record the episodes."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from django.conf import settings
from django.core.management.base import CommandError, CommandParser

from core.commands import GymCommand
from palaestra.protocol.arms import ARMS
from tasks_app import kinds
from tasks_app.models import Task
from tasks_app.registry import benchmarks
from trajectories.models import Run, Verdict

if TYPE_CHECKING:
    from palaestra.rollouts import Rollout

COUNT, PAGES = 10, 1
OUTLINES = ("axtree", "som")


class Command(GymCommand):
    help = (
        "Play tasks of a benchmark by their solutions, as episodes of a run. "
        "Guidance of the kind start_state can then open episodes partway through those on mock sites."
    )

    def add_arguments(self, parser: CommandParser) -> None:
        parser.add_argument("--run", type=int, required=True, metavar="R", help="The run that records them.")
        parser.add_argument("--benchmark", required=True, metavar="B")
        parser.add_argument("--split", metavar="S", help="Only tasks of this split.")
        parser.add_argument("--tasks", type=int, nargs="+", metavar="ID", help="Only these tasks.")
        parser.add_argument(
            "--count", type=int, default=COUNT, metavar="N", help="At most N tasks (default: 10)."
        )
        parser.add_argument(
            "--arm", default="gym", choices=list(ARMS), help="The episodes' arm (default: gym)."
        )
        parser.add_argument(
            "--pages", type=int, default=PAGES, metavar="N", help="Concurrent pages (default: 1)."
        )
        parser.add_argument("--url", default=settings.LAB_URL, help="The installation's address.")
        parser.add_argument(
            "--again", action="store_true", help="Also record tasks that have a correct episode in the run."
        )

    def handle(self, **options: Any) -> None:
        try:
            from gymsite.oracle import recorder
            from palaestra.errors import PalaestraError
        except ModuleNotFoundError as error:
            raise CommandError(f"This needs the client ({error}): pip install ./client") from None
        run, tasks = _run(options["run"]), _tasks(options)
        _check(run, tasks, options["arm"])
        if not options["again"]:
            tasks = recorder.list_unrecorded(tasks, run, options["arm"])
        try:
            rollouts = recorder.solutions_record(
                tasks[: options["count"]],
                run,
                arm=options["arm"],
                lab_url=options["url"],
                on_done=self._report,
                pages=options["pages"],
            )
        except PalaestraError as error:
            raise CommandError(str(error)) from None
        correct = sum(rollout.outcome == Verdict.Outcome.CORRECT for rollout in rollouts)
        self.stdout.write(f"{correct} of {len(rollouts)} solutions recorded in run {run.pk}.")
        if correct < len(rollouts):
            raise CommandError(f"{len(rollouts) - correct} are not correct and provide no start states.")

    def _report(self, rollout: Rollout) -> None:
        why = f" ({rollout.problem.splitlines()[0]})" if rollout.problem else ""
        self.stdout.write(
            f"task {rollout.task}: episode {rollout.episode}, {rollout.steps} steps, {rollout.outcome}{why}"
        )


def _run(number: int) -> Run:
    run = Run.objects.filter(pk=number).first()
    if run is None:
        raise CommandError(f"There is no run {number}.")
    return run


def _tasks(options: dict[str, Any]) -> list[Task]:
    """Return the chosen tasks. Raises ``CommandError`` if there are none."""
    tasks = Task.objects.filter(benchmark=benchmarks.get(options["benchmark"]).id).order_by("pk")
    if options["split"]:
        tasks = tasks.filter(split=options["split"])
    if options["tasks"]:
        tasks = tasks.filter(pk__in=options["tasks"])
    if not (chosen := list(tasks)):
        raise CommandError("There is no such task: load the benchmark first.")
    return chosen


def _check(run: Run, tasks: list[Task], arm: str) -> None:
    """Refuse combinations of run, tasks and arm in which solutions cannot be played."""
    is_site = any(task.kind == kinds.SITE for task in tasks)
    if run.settings.get("browser") == "lite" and ARMS[arm].has_page:
        raise CommandError(f"Run {run.pk} reads pages without a browser, but solutions need one.")
    if is_site and not ARMS[arm].has_page:
        raise CommandError(f"A mock site is solved on its pages, but the arm {arm} has none.")
    if ARMS[arm].is_probe:
        raise CommandError(f"The arm {arm} is a probe, so it provides no start states.")
    if ARMS[arm].has_page and not is_site and run.observation and not run.observation.startswith(OUTLINES):
        raise CommandError(f"Answering questions needs element ids, which {run.observation} does not show.")
