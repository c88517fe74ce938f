"""Has a model find the first mistake in an attempt, and write what should stand there (InT)."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from palaestra.grammars.lenient_json import Unreadable, value_read
from palaestra.policies.base import TIME_LIMIT_S
from palaestra.policies.clock import PolicyClock

if TYPE_CHECKING:
    from palaestra.api import Client
    from palaestra.interventions import StepSubsteps
    from palaestra.models.endpoint import Endpoint
    from palaestra.records import Message

INSTRUCTION = (
    "Below are a task and an attempt at it that failed, cut into numbered substeps. Check them one after the "
    "other, and find the first that is wrong or leads astray. Then write what should stand in its place: one "
    "short substep, in the words of the attempt, that corrects the mistake and from which it can go on. Do "
    "not write the final answer, and do not solve the rest.\n\n"
    'End with one JSON object: {"location": the number of that substep, "content": "the new substep"}.'
)


@dataclass(frozen=True, kw_only=True)
class Place:
    """A substep of an attempt: what it says, and where it is."""

    step: int
    substep: int
    text: str


@dataclass(frozen=True, kw_only=True)
class Written:
    """An intervention as a model wrote it."""

    place: Place
    content: str


def places_of(steps: Sequence[StepSubsteps]) -> list[Place]:
    """The substeps of an attempt that can be replaced, in order."""
    return [
        Place(step=step.step, substep=one.number, text=one.text)
        for step in steps
        if not step.problem
        for one in step.substeps
    ]


def request_of(*, task: str, places: Sequence[Place], reference: str = "") -> list[Message]:
    """The messages that ask for an intervention; ``reference`` is a solution that the writer may compare."""
    parts = [INSTRUCTION, f"# Task\n\n{task}"]
    if reference:
        parts.append(f"# A correct solution, for you alone\n\n{reference}")
    numbered = "\n\n".join(f"[{number}] {place.text}" for number, place in enumerate(places, start=1))
    return [{"role": "user", "content": "\n\n".join([*parts, f"# The attempt\n\n{numbered}"])}]


def reply_read(text: str, places: Sequence[Place]) -> Written | None:
    """The last object ``{location, content}`` of a reply; None without one that names a substep."""
    for at in reversed([at for at, sign in enumerate(text) if sign == "{"]):
        try:
            value, _ = value_read(text, at)
        except Unreadable:
            continue
        if isinstance(value, dict) and (written := _written(value, places)):
            return written
    return None


def _written(value: dict[str, Any], places: Sequence[Place]) -> Written | None:
    location, content = str(value.get("location", "")), value.get("content")
    if (
        not location.isascii()
        or not location.isdigit()
        or not isinstance(content, str)
        or not content.strip()
    ):
        return None
    number = int(location[:9])
    if not 1 <= number <= len(places):
        return None
    return Written(place=places[number - 1], content=content.strip())


class InterventionWriter:
    """A model that writes interventions. ``with_solutions``: it is shown the task's own solution, for which
    the client's key needs the scope ``golds``."""

    def __init__(
        self,
        client: Client,
        endpoint: Endpoint,
        *,
        model: str,
        sampling: Mapping[str, Any] | None = None,
        with_solutions: bool = False,
    ) -> None:
        self.model = model
        self._client = client
        self._endpoint = endpoint
        self._sampling = dict(sampling or {})
        self._with_solutions = with_solutions

    async def write(self, episode: int) -> Written | str:
        """One intervention for an episode, or why there is none: ``closed`` where no model can go on within
        any step, ``unreadable`` where the reply names no substep. Raises ``ModelFailure``."""
        places = places_of(await self._client.substeps(episode))
        if not places:
            return "closed"
        messages = await self._client.episode_messages(episode)
        task = next((text_of(one) for one in reversed(messages) if one["role"] == "user"), "")
        request = request_of(task=task, places=places, reference=await self._reference(episode))
        completion = await self._endpoint.complete(
            request, model=self.model, clock=PolicyClock(TIME_LIMIT_S), sampling=self._sampling
        )
        return reply_read(completion.text, places) or "unreadable"

    async def _reference(self, episode: int) -> str:
        if not self._with_solutions:
            return ""
        task = (await self._client.episode(episode)).task
        async for gold in self._client.golds_export(ids=[task]):
            return str(gold.get("solution") or gold.get("answer") or "")
        return ""


def text_of(message: Message) -> str:
    """The text of a message, without its pictures."""
    content = message["content"]
    if isinstance(content, str):
        return content
    return "\n\n".join(part["text"] for part in content if part["type"] == "text")
