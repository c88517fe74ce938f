from __future__ import annotations

from pathlib import Path
from typing import Any

from django.core.management.base import BaseCommand, CommandError, CommandParser
from tqdm import tqdm

from core.errors import GymError
from trajectories.annotation.imports.checks import Check, ImportSettings
from trajectories.annotation.imports.files import files_open
from trajectories.annotation.imports.services import file_import
from trajectories.models import AnnotationProject, Annotator


class Command(BaseCommand):
    help = (
        "Add the labels of a file to an annotation project: an export (.zip), or its labels (.jsonl, .csv)."
        " All lines are checked first; nothing is overwritten, and the same file twice changes nothing."
    )

    def add_arguments(self, parser: CommandParser) -> None:
        parser.add_argument("project", type=int, help="its number, as in its address")
        parser.add_argument("file", type=Path)
        parser.add_argument("--manifest", type=Path, help="manifest.json, for labels without their archive")
        parser.add_argument("--annotator", metavar="NAME", default="", help="who made all of the labels")
        parser.add_argument(
            "--kind", choices=Annotator.Kind.values, default=Annotator.Kind.PERSON, help="of --annotator"
        )
        parser.add_argument(
            "--other-codebooks",
            action="store_true",
            help="take labels of other codebook versions, as far as the project's can express them",
        )

    def handle(self, *_args: Any, **options: Any) -> None:
        project = AnnotationProject.objects.select_related("codebook").filter(pk=options["project"]).first()
        if project is None:
            raise CommandError(f"There is no annotation project {options['project']}.")
        settings = ImportSettings(
            annotator=options["annotator"],
            kind=options["kind"],
            takes_other_codebooks=options["other_codebooks"],
        )
        try:
            result = self._import(project, settings, options["file"], options["manifest"])
        except OSError as error:
            raise CommandError(f"{error.filename}: {error.strerror}.") from error
        except GymError as error:
            raise CommandError("\n".join([error.message, *error.fields.get("lines", [])[1:]])) from error
        self.stdout.write(f"{result['added']:,} of {result['labels']:,} labels added. {result['problem']}")

    def _import(
        self, project: AnnotationProject, settings: ImportSettings, file: Path, manifest: Path | None
    ) -> dict[str, Any]:
        manifest_open = (lambda: manifest.open("rb")) if manifest else None
        opened = files_open(name=file.name, open_=lambda: file.open("rb"), manifest_open=manifest_open)
        with opened as (files, read), tqdm(unit=" labels", unit_scale=True, leave=False) as bar:
            check = Check(project=project, files=files, manifest=read, settings=settings)

            def progress(done: int, total: int) -> None:
                bar.total = total
                bar.update(done - bar.n)

            return file_import(check, progress)
