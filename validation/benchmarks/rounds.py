"""Right and wrong answers, submitted as an agent would submit them, and the workers' verdicts on them."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass
from itertools import chain
from typing import Any, Literal

from core.errors import GymError
from tasks_app import choices, gold_answers
from tasks_app.models import Gold, Task
from tasks_app.questions import questions
from tasks_app.variation import payload_shown
from trajectories.models import Episode, Run, Verdict, VerdictCounter, VerdictEvidence
from trajectories.models.access import Scope
from trajectories.record.api.auth import Principal
from trajectories.rollouts.episodes import creation, services
from trajectories.rollouts.episodes.creation_body import Opening
from validation.benchmarks.wrong_answers import wrong_answer

ARM = "text_zero_shot"
SEED = 7
TASKS_TOGETHER = 250
POLL_S = 0.2
SILENT_S = 300.0
OWNER = Principal(
    key_id=0, name="check_benchmarks", scopes=frozenset({Scope.TRAINER.value}), splits=frozenset()
)

Role = Literal["own gold", "wrong answer"]
ROLES: tuple[Role, Role] = ("own gold", "wrong answer")
Progress = Callable[[int], object]


@dataclass(frozen=True, kw_only=True)
class Finding:
    """A submitted answer and its verdict; ``read`` shows how the verifier parsed the answer and the gold."""

    task: Task
    run_kind: str
    role: Role
    answer: str | list[str]
    is_disputed: bool
    outcome: str
    reason: str
    verifier: str
    read: str

    @property
    def is_void(self) -> bool:
        return self.outcome == Verdict.Outcome.VOID

    @property
    def is_expected(self) -> bool:
        correct, incorrect = Verdict.Outcome.CORRECT, Verdict.Outcome.INCORRECT
        return self.outcome == (correct if self.role == "own gold" else incorrect)


@dataclass(frozen=True)
class _Sent:
    task: Task
    gold: Gold
    run: Run
    role: Role
    answer: str | list[str]


def runs_make(name: str) -> list[Run]:
    """Create a run for evaluation and one for training, so that both verifiers of a task judge its gold."""
    runs = []
    for kind in (Run.Kind.EVAL, Run.Kind.TRAIN):
        run = Run.objects.create(name=f"check of {name}", kind=kind, simulated=True, tags=["check"])
        VerdictCounter.objects.create(run=run)
        runs.append(run)
    return runs


def tasks_check(tasks: Sequence[Task], *, runs: Sequence[Run], progress: Progress) -> Iterator[Finding]:
    """Submit every task's gold and a wrong answer in each run, and wait for the verdicts.

    ``progress`` is called with the number of new verdicts. Raises ``GymError`` ``no_verdicts`` if none
    arrives in time.
    """
    golds = {gold.task_id: gold for gold in Gold.objects.filter(task__in=tasks, is_current=True)}
    answers = [golds[task.pk].answer for task in tasks]
    for start in range(0, len(tasks), TASKS_TOGETHER):
        some = {task.pk: index for index, task in enumerate(tasks[start : start + TASKS_TOGETHER], start)}
        sent: dict[int, _Sent] = {}
        for run in runs:
            for episode in _open(list(some), run=run):
                index = some[episode.task_id]
                task, role = tasks[index], ROLES[episode.sample_index]
                others = chain(answers[index + 1 :], answers[:index])
                answer = _answer(task, answers[index], role, episode.variation, others=others)
                sent[episode.pk] = _Sent(task, golds[task.pk], run, role, answer)
        for episode_id, submission in sent.items():
            services.submission_receive(episode_id=episode_id, answer=submission.answer, principal=OWNER)
        _wait(list(sent), progress)
        yield from _findings(sent)


def _open(ids: list[int], *, run: Run) -> list[Episode]:
    """Open two samples of each task, one for each role."""
    body = Opening(run=run.pk, tasks=ids, arm=ARM, samples_per_task=len(ROLES), seed=SEED)
    opened = creation.episodes_open(opening=body, principal=OWNER)["episodes"]
    episodes = Episode.objects.filter(pk__in=[record["id"] for record in opened])
    return list(episodes.only("pk", "task_id", "sample_index", "variation").order_by("pk"))


def _answer(
    task: Task, gold: str, role: Role, variation: dict[str, Any] | None, *, others: Iterable[str]
) -> str | list[str]:
    """Write the answer as an agent in this episode would, a choice by the label that the page shows."""
    form = questions.get(task.kind).form_of(task.payload)
    order = (variation or {}).get("order")
    if order is not None:
        labels = [choice["label"] for choice in task.payload["choices"]]
        gold = choices.label_move(gold, labels=labels, order=order)
    if role == "own gold":
        return gold_answers.write_gold_answer(gold, form=form)
    payload = payload_shown(task.payload, variation)
    return wrong_answer(payload=payload, form=form, right=gold, others=others)


def _wait(ids: list[int], progress: Progress) -> None:
    """Wait until all episodes are judged; each new verdict restarts the time limit."""
    waiting, last_news = len(ids), time.monotonic()
    while waiting:
        left = Episode.objects.filter(pk__in=ids).exclude(status=Episode.Status.FINISHED).count()
        if left < waiting:
            progress(waiting - left)
            waiting, last_news = left, time.monotonic()
        elif time.monotonic() - last_news > SILENT_S:
            message = f"No verdict for {SILENT_S:.0f} s; {left} answers are waiting. Are the workers running?"
            raise GymError("no_verdicts", message)
        else:
            _pause()


def _pause() -> None:
    time.sleep(POLL_S)


def _findings(sent: dict[int, _Sent]) -> Iterator[Finding]:
    verdicts = Verdict.objects.filter(episode__in=sent).order_by("episode_id", "-pk")
    evidence = dict(
        VerdictEvidence.objects.filter(verdict__episode__in=sent).values_list("verdict_id", "data")
    )
    for verdict in verdicts:
        submitted = sent[verdict.episode_id]
        yield Finding(
            task=submitted.task,
            run_kind=submitted.run.kind,
            role=submitted.role,
            answer=submitted.answer,
            is_disputed=submitted.gold.status == Gold.Status.DISPUTED,
            outcome=verdict.outcome,
            reason=verdict.reason,
            verifier=verdict.verifier,
            read=_read(evidence.get(verdict.pk) or {}, verdict.verifier),
        )


def _read(evidence: dict[str, Any], verifier: str) -> str:
    opinion = evidence.get("verifiers", {}).get(verifier)
    if not opinion:
        return str(evidence)
    return f"gold read as {opinion['parsed_gold']!r}, answer as {opinion['parsed_answer']!r}"
