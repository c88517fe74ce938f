"""Played episodes to export, with the prompt hashes that the client would post."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Iterable
from datetime import timedelta
from typing import Any

import msgspec
from django.utils import timezone

from core.storage import blobs
from palaestra.conversation import prompts_rebuild
from palaestra.grammars import get_grammar
from palaestra.observation import Observation
from palaestra.turn.histories import PastTurn
from tests import factories
from trajectories.exports import selectors, services
from trajectories.exports.jobs import EXPORTS
from trajectories.exports.parameters import Parameters
from trajectories.models import Episode, Export, Group, Intervention, Run, Step
from trajectories.rollouts.episodes.opening_messages import opening_messages

AUTHOR = services.Author(
    name="trainer", sees_solutions=True, sees_golds=True, sees_guidance=True, unlocks=True
)
COPIED, INTERVENTION = "Six and seven.\n\n", "I should multiply them."
PICTURE = b"\x89PNG\r\n\x1a\n one"


def gym_group(run: Run | None = None, **fields: Any) -> Group:
    run = run or factories.run(kind="train", observation="axtree-v2")
    return factories.group(run=run, arm="gym", template="prompts-v7a", **fields)


def played(group: Group, *, outcome: str = "correct", steps: int = 2, picture: bool = False) -> Episode:
    """Create an ended episode with a page for each step; the first page is the same in the whole group."""
    episode = factories.episode(group=group, policy_version=3)
    screenshot = blobs.blob_store(PICTURE).sha256 if picture else ""
    kind = "both-v2" if picture else "axtree-v2"
    steps_record(episode, range(1, steps + 1), kind=kind, screenshot=screenshot)
    prompts_post(episode, picture=picture)
    factories.verdict(episode, outcome=outcome, reason="answer" if outcome != "void" else "harness_error")
    return episode


def forked(
    parent: Episode, *, after: int, outcome: str, steps: int = 2, run: Run | None = None, **fields: Any
) -> Episode:
    """Create an ended fork with steps of its own."""
    group = gym_group(run or parent.run, task=parent.task)
    fork = factories.episode(group=group, parent=parent, begins_after=after, **fields)
    shown = {"kind": parent.steps.first().observation_kind, "screenshot": parent.steps.first().screenshot}
    steps_record(fork, range(after + 1, after + steps + 1), **shown)
    factories.verdict(fork, outcome=outcome)
    return fork


def steps_record(
    episode: Episode, indices: Iterable[int], *, kind: str = "axtree-v2", screenshot: str = ""
) -> None:
    for index in indices:
        factories.step(
            episode,
            index,
            raw=f'I think of {episode.pk}.\nAction: {{"type": "click", "target": "e{index}"}}',
            thought=f"I think of {episode.pk}.",
            action={"type": "click", "target": f"e{index}"},
            action_type="click",
            action_result="ok",
            observation_kind=kind,
            observation_text=f'heading "Page {index}"\nbutton [e{index}]',
            screenshot=screenshot,
            policy_version=3,
        )


def answered(group: Group, thought: str, *, outcome: str = "correct") -> Episode:
    """Create an ended episode of an arm without a page, with one completion."""
    episode = factories.episode(group=group, answer_channel="api")
    factories.step(episode, 1, raw=f"{thought}\nAnswer: 42", thought=thought, action_type="answer")
    prompts_post(episode)
    factories.verdict(episode, outcome=outcome)
    return episode


def intervened(parent: Episode, *outcomes: str, begun: str = COPIED + INTERVENTION) -> Intervention:
    """Create an intervention in an episode without a page, whose continuations have these outcomes."""
    made = factories.intervention(parent, substep=2, copied=COPIED, text=INTERVENTION)
    for outcome in outcomes:
        fork = factories.episode(group=made.group, parent=parent, answer_channel="api")
        factories.step(fork, 1, raw=f"{begun}\n\nAnswer: 42", thought=begun, action_type="answer")
        prompts_post(fork)
        factories.verdict(fork, outcome, reason="answer" if outcome != "void" else "harness_error")
    return made


def prompts_post(episode: Episode, *, picture: bool = False) -> None:
    """Store the hash of each prompt as the client would send it, using the client's code."""
    line = [one.pk for one in ancestors(episode)]
    steps = [
        Step.objects.filter(episode__in=line, index=index).order_by("-episode").first()
        for index in range(1, episode.begins_after + Step.objects.filter(episode=episode).count() + 1)
    ]
    has_page = episode.has_page
    turns = [
        PastTurn(
            shown=Observation(
                kind=step.observation_kind,
                text=step.observation_text,
                screenshot=PICTURE if picture else None,
                result=steps[place - 1].action_result if place else None,
                result_message="",
            )
            if has_page or place
            else None,
            raw=step.raw,
        )
        for place, step in enumerate(steps)
    ]
    prompts = prompts_rebuild(
        history=episode.run.history,
        grammar=get_grammar(episode.run.grammar if has_page else "json"),
        opening=opening_messages(episode, with_solutions=True),
        turns=turns,
    )
    for step, messages in zip(steps, prompts, strict=True):
        more = {"prompt_sha256": hashlib.sha256(msgspec.json.encode(messages)).hexdigest()}
        Step.objects.filter(episode=episode, index=step.index).update(more=more)


def ancestors(episode: Episode | None) -> Iterable[Episode]:
    """Yield the episode, its parent, and so on."""
    while episode is not None:
        yield episode
        episode = episode.parent


def exported(kind: str, *, author: services.Author = AUTHOR, **parameters: Any) -> Export:
    """Request an export and return it after a worker has finished it, successfully or not."""
    export = services.export_request(kind, Parameters(**parameters), author=author)
    export.refresh_from_db()
    EXPORTS.run(export.pk)
    export.refresh_from_db()
    return export


def rows_of(export: Export, *, stem: str | None = None) -> list[dict[str, Any]]:
    """Return the rows in the export's JSON lines; with ``stem``, only those in files with that name."""
    assert export.state == "done", export.problem
    names = [one["name"] for one in selectors.file_entries(export)]
    chosen = [name for name in names if name.startswith(f"{stem or export.kind}_") and name.endswith("jsonl")]
    return [json.loads(line) for name in chosen for line in content_of(export, name).splitlines()]


def content_of(export: Export, name: str) -> bytes:
    _, file = selectors.file_open(export, name)
    with file:
        return bytes(file.read())


def expire(export: Export) -> None:
    Export.objects.filter(pk=export.pk).update(expires_at=timezone.now() - timedelta(hours=1))
