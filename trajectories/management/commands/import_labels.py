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
        "Add the labels of an export (.zip) or of a label file (.jsonl, .csv) to an annotation project. All"
        " lines are checked first. Nothing is overwritten, and importing a file again changes nothing."
    )

    def add_arguments(self, parser: CommandParser) -> None:
        parser.add_argument("project", type=int, help="the project's number, as in its address")
        parser.add_argument("file", type=Path)
        parser.add_argument(
            "--manifest", type=Path, help="the manifest.json of labels that are not in their archive"
        )
        parser.add_argument("--annotator", metavar="NAME", default="", help="who made all the labels")
        parser.add_argument(
            "--kind", choices=Annotator.Kind.values, default=Annotator.Kind.PERSON, help="what --annotator is"
        )
        parser.add_argument(
            "--other-codebooks",
            action="store_true",
            help="accept labels of other codebook versions if the project's codebook can express them",
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
