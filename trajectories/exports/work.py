"""The work that writes an export, one batch of units after another, with checkpoints in between."""

from __future__ import annotations

import tempfile
from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass
from datetime import timedelta
from functools import cached_property
from typing import Any

import msgspec
from django.conf import settings
from django.db.models import QuerySet
from django.utils import timezone
from msgspec.structs import replace

from core.errors import GymError
from core.storage import disk, file_lock
from tasks_app.models import Gold
from trajectories.exports import sources
from trajectories.exports.files import CHECKPOINT_BYTES, CHECKPOINT_UNITS, Files, checkpoint_write, file_store
from trajectories.exports.parameters import Parameters, parameters_read, parameters_store
from trajectories.exports.registry import KINDS, LABEL_READERS
from trajectories.exports.types import GOLD, IMAGES, Batch, ColumnType, EpisodeKind, LabelReader, Row
from trajectories.models import Episode, Export
from trajectories.record.due_work import Progress
from trajectories.record.projects import Sight

MANIFEST = "manifest.json"
VERSION = 1
# Descriptions of what was left out, by reason.
LEFT_OUT = {
    sources.LOCKED: "episodes of locked splits",
    "other_outcome": "episodes of other outcomes",
    "plain": "episodes that are neither guided nor forked nor taken over",
    "guided": "guided episodes",
    "forked": "forked episodes",
    "taken_over": "episodes in which a person acted",
    "not_ended": "episodes that had not ended",
    "labels_elsewhere": "steps with a weighted label in episodes that are left out",
    "no_steps": "episodes without a step",
    "too_long": "episodes too long for one conversation",
    "no_completion": "episodes with a step whose completion is unknown",
    "no_prompt": "episodes whose prompt cannot be rebuilt",
    "lacks_pictures": "episodes without one of their pictures",
    "no_thought": "solutions without a written thought",
    "no_label": "steps or episodes without a label",
    "other_answer": "steps or episodes whose label has no weight",
    "no_majority": "steps or episodes on which people disagree",
    "gold_unit": "steps or episodes labelled only for training",
    "other_segment": "steps outside the chosen segments",
    "no_intervention": "groups of forks without an intervention",
    "no_success": "interventions without a correct continuation",
    "other_beginning": "continuations that do not begin with their intervention",
    "pairs_max": "pairs beyond the limit per group or task",
    "no_pair": "groups without a pair for the same prompt",
    "no_match": "tasks without both a text solution and a gym prompt",
    "no_relative": "tasks without an incorrect and a correct episode in the same tree",
    "no_bad_step": "pairs without a page after a bad step",
    "no_revision": "incorrect episodes without a revision thought",
    "no_page": "pairs that diverge where no page was shown",
    "changing_history": "pairs whose history changes from turn to turn",
}
DISK_FULL = (
    "The disk is full. Free some space (`manage.py prune` deletes what nobody needs), "
    "then run the export again."
)


@dataclass(kw_only=True)
class ExportWork:
    """The work that writes one export, starting from its last checkpoint."""

    export: Export

    def do(self, progress: Progress) -> dict[str, Any]:
        """Write the export and return its result.

        Raises ``GymError`` if there is nothing to export or the disk is full.
        """
        try:
            return self._do(progress)
        except Exception as error:
            if not disk.is_disk_full_error(error):
                raise
            raise GymError("disk_full", DISK_FULL) from error

    @cached_property
    def kind(self) -> EpisodeKind:
        return KINDS.get(self.export.kind)

    @cached_property
    def parameters(self) -> Parameters:
        return parameters_read(self.export.parameters)

    @cached_property
    def columns(self) -> dict[str, ColumnType]:
        columns = dict(self.kind.columns)
        return {**columns, GOLD: "text"} if self.parameters.golds and "task" in columns else columns

    @property
    def label_reader(self) -> LabelReader:
        return LABEL_READERS.get("annotation")

    @property
    def viewer(self) -> Sight:
        """The author's rights, as far as the export stores them."""
        return Sight(self.export.project, frozenset(self.export.splits))

    @property
    def episodes(self) -> QuerySet[Episode]:
        return sources.filter_episodes(self.parameters, viewer=self.viewer)

    def _do(self, progress: Progress) -> dict[str, Any]:
        self._begin()
        begun = self.export.result
        done, after = begun["units"], begun["after"]
        left_out: Counter[str] = Counter(begun["left_out"])
        files, stored = self._files(), done
        try:
            for ids in sources.batch_units(self.episodes, unit=self.kind.unit, after=after):
                progress(done, self.export.total)
                for row in self._rows(ids, left_out):
                    files.add(row)
                done, after = done + len(ids), ids[-1]
                if files.size >= CHECKPOINT_BYTES or done - stored >= CHECKPOINT_UNITS:
                    checkpoint_write(self.export, files, done=done, after=after, left_out=left_out)
                    files, stored = self._files(), done
        except BaseException:
            files.discard()
            raise
        checkpoint_write(self.export, files, done=done, after=after, left_out=left_out)
        result = self._end()
        progress(done, done)
        return result

    def _begin(self) -> None:
        """Fix which episodes the export contains, unless an earlier worker has done so."""
        export = self.export
        if "units" in export.result:
            return
        parameters = replace(self.parameters, as_of=timezone.now())
        export.parameters = parameters_store(parameters)
        del self.parameters
        export.total = sources.count_units(self.episodes, unit=self.kind.unit)
        left_out = self._left_out()
        if not export.total:
            raise _empty(left_out)
        export.result = {"files": [], "units": 0, "after": 0, "left_out": left_out}
        fields = {name: getattr(export, name) for name in ("parameters", "total", "result")}
        Export.objects.filter(pk=export.pk, requested_at=export.requested_at).update(**fields)

    def _left_out(self) -> dict[str, int]:
        """Count what the filters leave out, by reason, before any row is made."""
        labels = self.parameters.labels
        counts = sources.count_left_out(self.parameters, viewer=self.viewer)
        if labels:
            seen = sources.filter_visible_episodes(self.viewer)
            if count := self.label_reader.count_elsewhere(labels, seen, self.episodes):
                counts["labels_elsewhere"] = count
        return counts

    def _files(self) -> Files:
        number = self.export.result.get("checkpoints", 0)
        return Files(kind=self.kind, columns=self.columns, format=self.parameters.format, number=number)

    def _rows(self, ids: tuple[int, ...], left_out: Counter[str]) -> Iterator[Row]:
        column = sources.COLUMNS[self.kind.unit]
        episodes = self.episodes.filter(**{f"{column}__in": ids})
        labels = None
        if self.parameters.labels:
            numbers = list(episodes.values_list("pk", flat=True))
            labels = self.label_reader.read(self.parameters.labels, numbers)
        batch = Batch(
            ids=ids, parameters=self.parameters, episodes=episodes, left_out=left_out, labels=labels
        )
        rows = self.kind.rows(batch)
        return rows if GOLD not in self.columns else _with_golds(rows, ids=episodes.values("task_id"))

    def _end(self) -> dict[str, Any]:
        """Store the manifest and return the export's result.

        The manifest's only time is ``as_of``, so that the same export gives the same bytes.
        """
        export = self.export
        # The export counted its units when it began, so missing units have been deleted since.
        if missing := max(0, export.total - sources.count_units(self.episodes, unit=self.kind.unit)):
            message = (
                f"{missing:,} of {export.total:,} {self.kind.unit}s were deleted meanwhile. Run it again."
            )
            raise GymError("deleted_meanwhile", message)
        rows = sum(one["rows"] for one in export.result["files"] if not one["name"].startswith(IMAGES))
        if not rows:
            raise _empty(export.result["left_out"])
        content = {
            "version": VERSION,
            "kind": export.kind,
            "parameters": export.parameters,
            "splits": export.splits,
            "columns": self.columns,
            **{name: export.result[name] for name in ("units", "left_out", "files")},
            "rows": rows,
        }
        with tempfile.TemporaryFile() as file, file_lock.hold_files():
            file.write(msgspec.json.format(msgspec.json.encode(content)) + b"\n")
            manifest = file_store(file, name=MANIFEST, rows=0)
            result = {**export.result, "rows": rows, "manifest": msgspec.to_builtins(manifest)}
            expires_at = timezone.now() + timedelta(days=settings.EXPORT_DAYS)
            Export.objects.filter(pk=export.pk, requested_at=export.requested_at).update(
                result=result, expires_at=expires_at
            )
        return result


def _with_golds(rows: Iterator[Row], *, ids: Any) -> Iterator[Row]:
    golds = dict(Gold.objects.filter(task__in=ids, is_current=True).values_list("task_id", "answer"))
    for row in rows:
        yield {**row, GOLD: golds.get(row["task"])}


def _empty(left_out: dict[str, int]) -> GymError:
    """Return the error for an export without rows, which names what was left out."""
    reasons = ", ".join(f"{LEFT_OUT.get(name, name)} ({count:,})" for name, count in sorted(left_out.items()))
    message = f"Nothing matches. Left out: {reasons}." if reasons else "No finished episode matches."
    return GymError("nothing_to_export", f"{message} Choose other filters.")
