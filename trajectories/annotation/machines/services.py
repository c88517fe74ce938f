"""Labelling of a project's units by machines, each of which labels a unit only once."""

from __future__ import annotations

import os
from collections.abc import Iterable, Iterator, Sequence
from concurrent.futures import FIRST_COMPLETED, Future, ThreadPoolExecutor, wait
from dataclasses import asdict, dataclass, field
from itertools import groupby, islice
from typing import Any

import httpx
import msgspec
from django.conf import settings

from core.errors import GymError
from trajectories.annotation.codebook.types import Codebook, load_codebook
from trajectories.annotation.machines.judge import WORKER_TIMEOUT_S, WORKER_TRIES, Judge
from trajectories.annotation.machines.labels import MachineLabel, annotator_get, labels_add
from trajectories.annotation.machines.prompt import VERSION, Material, hash_prompt
from trajectories.annotation.machines.rules import answer_by_rules, hash_rules
from trajectories.behaviour.facts.compute import sentences_read
from trajectories.behaviour.facts.source import sources_read
from trajectories.models import AnnotationJob, AnnotationProject, AnnotationUnit, Annotator, Step
from trajectories.record.due_work import Progress

RULES = "rules"
EPISODES_AT_ONCE = 20
CONCURRENCY = 8
# The most requests in flight or queued at the same time.
WAITING_MAX = 4 * CONCURRENCY
# The most seconds between two progress reports, even if no answer arrives.
REPORT_S = 5.0


@dataclass
class Tally:
    """Counts of units by outcome; ``deleted`` counts those whose step no longer exists."""

    labelled: int = 0
    unusable: int = 0
    deleted: int = 0


@dataclass(frozen=True, kw_only=True)
class Workload:
    """The units that a machine still has to label; ``before`` counts those already labelled."""

    annotator: Annotator
    codebook: Codebook
    units: list[AnnotationUnit]
    before: int
    progress: Progress
    tally: Tally = field(default_factory=Tally)

    @classmethod
    def of(cls, project: AnnotationProject, annotator: Annotator, progress: Progress) -> Workload:
        """Collect the units in queue order, without gold units, which are only for people."""
        rows = AnnotationUnit.objects.filter(project=project, gold__isnull=True)
        units = rows.exclude(labels__annotator=annotator).order_by("position", "paragraph", "pk")
        left = list(units)
        return cls(
            annotator=annotator,
            codebook=load_codebook(project.codebook),
            units=left,
            before=rows.count() - len(left),
            progress=progress,
        )

    def store(self, labels: Sequence[MachineLabel]) -> None:
        labels_add(labels, annotator=self.annotator, codebook=self.codebook)
        usable = sum(label.answers is not None for label in labels)
        self.tally.labelled += usable
        self.tally.unusable += len(labels) - usable

    def report(self) -> None:
        done = self.tally.labelled + self.tally.unusable + self.tally.deleted
        self.progress(self.before + done, self.before + len(self.units))

    def result(self) -> dict[str, Any]:
        return {"annotator": self.annotator.name, **asdict(self.tally)}


def machine_label(job: AnnotationJob, progress: Progress) -> dict[str, Any]:
    """Label by ``rules`` or by a ``model``, depending on the parameter ``machine``. A repeated job resumes.

    The judge model's endpoint is always a setting of the installation, never a parameter.
    """
    project = AnnotationProject.objects.select_related("codebook").get(pk=job.project_id)
    if job.parameters.get("machine") == RULES:
        return rules_label(project, progress)
    with httpx.Client() as client:
        return judge_label(project, load_judge(client), progress)


def load_judge(client: httpx.Client) -> Judge:
    """Return this installation's judge. Raises ``GymError`` 422 ``no_judge`` if it has none."""
    if not (settings.ANNOTATION_JUDGE_URL and settings.ANNOTATION_JUDGE_MODEL):
        message = "This installation has no judge model. Set ANNOTATION_JUDGE_URL and ANNOTATION_JUDGE_MODEL."
        raise GymError("no_judge", message, status=422)
    return Judge(
        url=settings.ANNOTATION_JUDGE_URL,
        model=settings.ANNOTATION_JUDGE_MODEL,
        key=settings.ANNOTATION_JUDGE_KEY,
        client=client,
        tries=WORKER_TRIES,
        timeout_s=WORKER_TIMEOUT_S,
    )


def key_read(name: str) -> str:
    """Return the key in an environment variable, or an empty key if ``name`` is empty.

    Raises ``GymError`` 422 ``no_key`` if the named variable is not set.
    """
    if name and not os.environ.get(name):
        raise GymError("no_key", f"The environment variable {name} is not set.", status=422)
    return os.environ.get(name, "") if name else ""


def rules_label(project: AnnotationProject, progress: Progress) -> dict[str, Any]:
    """Label the units that the thought ribbon's rules have not labelled yet."""
    _steps_only(project)
    version = hash_rules()
    annotator = annotator_get(
        project, kind=Annotator.Kind.RULES, name=f"Rules {version}", settings={"version": version}
    )
    work = Workload.of(project, annotator, progress)
    for batch in _by_episodes(work.units):
        labels = list(_rules_labels(batch, work.codebook))
        work.tally.deleted += len(batch) - len(labels)
        work.store(labels)
        work.report()
    return work.result()


def judge_label(project: AnnotationProject, judge: Judge, progress: Progress) -> dict[str, Any]:
    """Label the units that a judge model has not labelled yet.

    Raises ``GymError`` 502 if it does not answer.
    """
    _steps_only(project)
    codebook = load_codebook(project.codebook)
    digest = hash_prompt(codebook)
    annotator = annotator_get(
        project,
        kind=Annotator.Kind.MODEL,
        name=f"{judge.model[:150]}, prompt {digest[:8]}{', schema' if judge.has_schema else ''}",
        settings={
            "model": judge.model,
            "endpoint": judge.url,
            "prompt": digest,
            "version": VERSION,
            "temperature": 0,
            "max_tokens": judge.max_tokens,
            "schema": judge.has_schema,
        },
    )
    work = Workload.of(project, annotator, progress)
    _ask_all(work, judge)
    return work.result()


def _steps_only(project: AnnotationProject) -> None:
    if project.level != AnnotationProject.Level.STEP:
        message = "Machines label only the thoughts of steps. This project labels something else."
        raise GymError("no_machine_labels", message, status=422)


def _ask_all(work: Workload, judge: Judge) -> None:
    """Label units concurrently. Replies are stored even if a call fails or the worker's time runs out."""
    materials, waiting = _materials(work), set[Future[MachineLabel]]()
    with ThreadPoolExecutor(max_workers=CONCURRENCY) as pool:
        try:
            while True:
                waiting |= {
                    pool.submit(judge.label, one, codebook=work.codebook)
                    for one in islice(materials, WAITING_MAX - len(waiting))
                }
                if not waiting:
                    return work.report()
                done, waiting = wait(waiting, timeout=REPORT_S, return_when=FIRST_COMPLETED)
                _store_answered(work, done)
                for future in done:
                    future.result()  # Raise the call's error, if there was one.
                work.report()
        except BaseException:
            judge.is_over.set()
            pool.shutdown(wait=True, cancel_futures=True)
            _store_answered(work, waiting)
            raise


def _store_answered(work: Workload, futures: Iterable[Future[MachineLabel]]) -> None:
    done = [future for future in futures if future.done() and not future.cancelled()]
    work.store([future.result() for future in done if future.exception() is None])


def _materials(work: Workload) -> Iterator[Material]:
    for batch in _by_episodes(work.units):
        rows = Step.objects.select_related("episode__task").filter(
            episode_id__in={unit.episode_id for unit in batch}, index__in={unit.step for unit in batch}
        )
        steps = {(step.episode_id, step.index): step for step in rows}
        for unit in batch:
            step = steps.get((unit.episode_id, unit.step))
            if step is None:
                work.tally.deleted += 1
                continue
            yield Material(
                unit=unit,
                question=step.episode.task.prompt,
                outline=step.observation_text,
                action=msgspec.json.encode(step.action).decode() if step.action else "",
                thought=step.thought,
            )


def _rules_labels(units: Sequence[AnnotationUnit], codebook: Codebook) -> Iterator[MachineLabel]:
    read = {
        (source.episode, step.index): sentences
        for source in sources_read(sorted({unit.episode_id for unit in units}))
        for step, sentences in zip(source.steps, sentences_read(source), strict=True)
    }
    for unit in units:
        place = (unit.episode_id, unit.step)
        if place in read:
            answers = answer_by_rules(read[place], unit=unit, codebook=codebook)
            yield MachineLabel(unit=unit, answers=answers if answers.values else None)


def _by_episodes(units: Sequence[AnnotationUnit]) -> Iterator[list[AnnotationUnit]]:
    """Yield the units in batches of whole episodes, so that each episode is read only once."""
    grouped = groupby(sorted(units, key=lambda unit: unit.episode_id), key=lambda unit: unit.episode_id)
    episodes = iter([list(members) for _, members in grouped])
    while batch := list(islice(episodes, EPISODES_AT_ONCE)):
        yield [unit for members in batch for unit in members]
