"""Storage of judges, and grading by them; episodes that a judge has graded are not graded again."""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass

import msgspec
from django.db import IntegrityError, transaction
from django.db.models import Exists, JSONField, OuterRef, QuerySet, Subquery

from core.errors import GymError
from palaestra.protocol.outcomes import JUDGED
from palaestra.protocol.suggestions import did_you_mean
from trajectories.annotation.machines.endpoint import NO_ANSWER, Endpoint
from trajectories.judges.calls import Caller, caller
from trajectories.judges.parser import judge_of, judge_read, refused, sha256_of
from trajectories.judges.prompt import Attempt, prompt_sha256
from trajectories.judges.types import JudgeBody
from trajectories.models import Episode, Judge, JudgeCall, RewardComponents, RewardSource, Step, Submission
from trajectories.record.due_work import Progress
from trajectories.rewards.components.judge import JUDGE
from trajectories.rewards.registry import FAMILY
from trajectories.rewards.store import components_write

EPISODES_AT_ONCE = 20


def attempts_read(episode_ids: Sequence[int]) -> list[Attempt]:
    """Return the parts of these episodes that judges may see, in the order of ``episode_ids``."""
    prompts = dict(Episode.objects.filter(pk__in=episode_ids).values_list("pk", "task__prompt"))
    answers = dict(Submission.objects.filter(episode_id__in=episode_ids).values_list("episode_id", "answer"))
    steps: dict[int, list[Step]] = {}
    for step in _steps(episode_ids):
        steps.setdefault(step.episode_id, []).append(step)
    return [
        _attempt(one, prompts[one], answers.get(one), steps.get(one, []))
        for one in episode_ids
        if one in prompts
    ]


def _steps(episode_ids: Sequence[int]) -> Iterator[Step]:
    """Yield the policy's own steps, since steps that a person took in its place earn it nothing."""
    rows = Step.objects.filter(episode_id__in=episode_ids).exclude(actor=Step.Actor.PERSON)
    columns = ("episode_id", "index", "thought", "action", "observation_text")
    return rows.only(*columns).order_by("episode_id", "index").iterator()


def _attempt(episode: int, prompt: str, answer: str | list[str] | None, steps: Sequence[Step]) -> Attempt:
    actions = [f"{step.index}. {msgspec.json.encode(step.action).decode()}" for step in steps if step.action]
    thoughts = [f"{step.index}. {step.thought}" for step in steps if step.thought]
    lines = answer if isinstance(answer, list) else [answer or ""]
    return Attempt(
        episode=episode,
        texts={
            "task": prompt,
            "answer": "\n".join(lines),
            "actions": "\n".join(actions),
            "thoughts": "\n".join(thoughts),
            "last_page": steps[-1].observation_text if steps else "",
        },
    )


@dataclass
class Tally:
    """Counts of graded episodes and of void grades."""

    episodes: int = 0
    void: int = 0


def judge_store(data: bytes) -> tuple[Judge, bool]:
    """Store the judge in a TOML file, and return it with whether it is new.

    Raises ``GymError`` ``judge_refused`` (422), and ``judge_exists`` (409) if another judge has the same
    name, or the same judge is stored under another name.
    """
    body = judge_read(data)
    sha256 = sha256_of(body)
    same = Judge.objects.filter(sha256=sha256).first()
    if same is not None and same.name == body.name:
        return same, False
    if same is not None:
        raise GymError("judge_exists", f"The same judge is already stored as {same.name!r}.", status=409)
    try:
        with transaction.atomic():
            judge = Judge.objects.create(
                name=body.name,
                sha256=sha256,
                body=msgspec.to_builtins(body),
                prompt_sha256=prompt_sha256(body),
            )
    except IntegrityError as error:
        message = f"{body.name!r} is the name of another judge. A changed judge is a new judge: rename it."
        raise GymError("judge_exists", message, status=409) from error
    return judge, True


def judge_get(name: str) -> Judge:
    """Return the judge with this name. Raises ``GymError`` ``unknown_judge`` (422) if there is none."""
    judge = Judge.objects.filter(name=name).first()
    if judge is None:
        hint = did_you_mean(name, Judge.objects.values_list("name", flat=True))
        raise GymError("unknown_judge", f"There is no judge {name!r}. {hint}", status=422)
    return judge


def body_of(judge: Judge) -> JudgeBody:
    """Return a stored judge's definition.

    Raises ``GymError`` ``judge_refused`` if this version of the code builds a different prompt for it.
    """
    body = judge_of(judge.body)
    if prompt_sha256(body) != judge.prompt_sha256:
        raise refused(
            [f"This version of the code builds a different prompt for {judge.name!r}. Store the judge again."]
        )
    return body


def source_of(judge: Judge) -> RewardSource:
    """Return the reward source of the judge's components, whose version is the judge's hash."""
    source, _ = RewardSource.objects.get_or_create(
        kind=RewardSource.Kind.JUDGE, name=judge.name, version=judge.sha256, defaults={"detail": judge.body}
    )
    return source


def episodes_due(judge: Judge, *, runs: Sequence[int], has_void: bool = False) -> QuerySet[Episode]:
    """Return the episodes that the judge should grade: those judged right or wrong that it has not graded.

    ``runs`` restricts them, if it is not empty. With ``has_void``, return instead the episodes whose newest
    grades lack at least one criterion. Episodes with a void verdict are never due.
    """
    graded = RewardComponents.objects.filter(episode_id=OuterRef("pk"), source=source_of(judge))
    episodes = Episode.objects.filter(verdict__outcome__in=JUDGED)
    if runs:
        episodes = episodes.filter(run__in=runs)
    if not has_void:
        return episodes.filter(~Exists(graded))
    latest = graded.order_by("-computed_at").values("values")[:1]
    is_void = {"latest__contains": {component_name(judge.name): None}}
    return episodes.annotate(latest=Subquery(latest, output_field=JSONField())).filter(**is_void)


def component_name(judge: str, criterion: str = "") -> str:
    """Return the name of a criterion's component or, without a criterion, of the judge's mean."""
    return FAMILY.join([JUDGE, judge, *([criterion] if criterion else [])])


def episodes_judge(
    judge: Judge, endpoint: Endpoint, progress: Progress, *, runs: Sequence[int], has_void: bool = False
) -> Tally:
    """Grade the due episodes, a batch at a time.

    Raises ``JudgeUnreachable`` if the judge answers no call of a batch. Earlier batches are stored by then,
    so the next call resumes after them.
    """
    body, tally = body_of(judge), Tally()
    due = list(episodes_due(judge, runs=runs, has_void=has_void).order_by("pk").values_list("pk", flat=True))
    with caller(judge, body, endpoint) as grader:
        for start in range(0, len(due), EPISODES_AT_ONCE):
            batch_judge(grader, due[start : start + EPISODES_AT_ONCE], tally)
            progress(min(start + EPISODES_AT_ONCE, len(due)), len(due))
    return tally


def batch_judge(
    grader: Caller, episode_ids: Sequence[int], tally: Tally, *, is_patient: bool = False
) -> None:
    """Grade these episodes and store the grades. Raises ``JudgeUnreachable`` if no call was answered.

    With ``is_patient``, an episode with an unanswered call is left for later; otherwise the criterion is
    void.
    """
    attempts = attempts_read(episode_ids)
    made = grader.grade([(attempt, criterion) for attempt in attempts for criterion in grader.body.criteria])
    left = {call.episode_id for call, is_unanswered in made if is_unanswered and is_patient}
    grades: dict[int, dict[str, str]] = {}
    for call, _ in made:
        if call.episode_id not in left:
            grades.setdefault(call.episode_id, {})[call.criterion] = call.grade
    grades_store(grader.judge, grader.body, grades, tally)


def grades_store(
    judge: Judge, body: JudgeBody, grades: Mapping[int, Mapping[str, str]], tally: Tally
) -> None:
    """Store the components that follow from episodes' grades; a criterion without a grade is void."""
    source = source_of(judge).pk
    with transaction.atomic():
        for episode, given in grades.items():
            values = components_of(body, given)
            components_write(episode, source=source, values=values, steps={})
            tally.episodes += 1
            tally.void += sum(value is None for name, value in values.items() if name.count(FAMILY) > 1)


def judging_calls(judge: Judge) -> QuerySet[JudgeCall]:
    """Return the judge's calls for real grades, without those that tested attack texts."""
    return JudgeCall.objects.filter(judge=judge, attack="")


def list_unanswered_calls(judge: Judge) -> QuerySet[JudgeCall]:
    """Return the judge's calls to which the endpoint gave no answer."""
    return judging_calls(judge).filter(problem__startswith=NO_ANSWER)


def list_answered_calls(judge: Judge) -> QuerySet[JudgeCall]:
    """Return the judge's calls that were answered, whether or not with a usable grade."""
    return judging_calls(judge).exclude(problem__startswith=NO_ANSWER)


def components_of(body: JudgeBody, grades: Mapping[str, str]) -> dict[str, float | None]:
    """Return an episode's components. A criterion without a grade is null, which makes the mean null too."""
    values = {one.id: one.value(grades.get(one.id, "")) for one in body.criteria}
    named = {component_name(body.name, name): value for name, value in values.items()}
    return {**named, component_name(body.name): _mean(body, values)}


def _mean(body: JudgeBody, values: Mapping[str, float | None]) -> float | None:
    parts = [(one.weight, values[one.id]) for one in body.criteria]
    if any(value is None for _, value in parts):
        return None
    return math.fsum(weight * (value or 0.0) for weight, value in parts) / math.fsum(w for w, _ in parts)
