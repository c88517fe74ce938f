from __future__ import annotations

from pathlib import Path
from typing import Any

from django.core.management.base import BaseCommand, CommandError, CommandParser
from tqdm import tqdm

from core.errors import GymError
from trajectories.annotation.machines.endpoint import JudgeUnreachable
from trajectories.judges import services
from trajectories.judges.background import endpoint_open


class Command(BaseCommand):
    help = (
        "Let a judge grade judged episodes by its rubric. The judge is read from a TOML file and stored, or"
        " is already stored. After an interruption, run it again to continue."
    )

    def add_arguments(self, parser: CommandParser) -> None:
        parser.add_argument("judge", help="a file whose name ends with .toml, or the name of a stored judge")
        parser.add_argument(
            "--run", type=int, action="append", default=[], help="only this run; can be repeated"
        )
        parser.add_argument("--void", action="store_true", help="grade episodes with a void grade again")
        parser.add_argument(
            "--key-env", default="", help="environment variable that contains the endpoint's key"
        )

    def handle(self, *_args: Any, **options: Any) -> None:
        try:
            self._judge(options)
        except OSError as error:
            raise CommandError(f"{options['judge']} cannot be read: {error.strerror}.") from None
        except JudgeUnreachable as error:
            raise CommandError(
                f"{error.message} The grades so far were kept; run the command again to continue."
            ) from None
        except GymError as error:
            raise CommandError(error.message) from None

    def _judge(self, options: dict[str, Any]) -> None:
        name: str = options["judge"]
        judge = services.judge_store(Path(name).read_bytes())[0] if name.endswith(".toml") else None
        judge = judge or services.judge_get(name)
        with tqdm(unit="episode", disable=None) as bar, endpoint_open(judge, options["key_env"]) as endpoint:

            def progress(done: int, total: int) -> None:
                bar.total = total
                bar.update(done - bar.n)

            tally = services.episodes_judge(
                judge, endpoint, progress, runs=options["run"], has_void=options["void"]
            )
        self.stdout.write(
            f"{judge.name}@{judge.sha256[:12]}. Episodes graded: {tally.episodes}. Void grades: {tally.void}."
        )
