"""Interventions: a model that writes them, and the tokens of the rows in their export.

The model finds the first mistake in an attempt and writes the substep that should replace it.

The method is InT: https://arxiv.org/abs/2601.14209.
"""

from __future__ import annotations

import json
from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from palaestra.grammars.lenient_json import Unreadable, value_read
from palaestra.policies.base import TIME_LIMIT_S
from palaestra.policies.clock import PolicyClock
from palaestra.splices import label_tokens

if TYPE_CHECKING:
    from palaestra.api import Client
    from palaestra.api.interventions import StepSubsteps
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
class Candidate:
    """A substep of an attempt that can be replaced: its position and its text."""

    step: int
    substep: int
    text: str


@dataclass(frozen=True, kw_only=True)
class Written:
    """An intervention written by a model: the substep that it replaces, and the new text."""

    replaced: Candidate
    content: str


def list_candidates(steps: Sequence[StepSubsteps]) -> list[Candidate]:
    """Return the substeps of an attempt that can be replaced, in order."""
    return [
        Candidate(step=step.step, substep=substep.number, text=substep.text)
        for step in steps
        if not step.problem
        for substep in step.substeps
    ]


def build_request(*, task: str, candidates: Sequence[Candidate], reference: str = "") -> list[Message]:
    """Return the messages that ask for an intervention; ``reference`` is a correct solution to compare."""
    parts = [INSTRUCTION, f"# Task\n\n{task}"]
    if reference:
        parts.append(f"# A correct solution, for you alone\n\n{reference}")
    numbered = "\n\n".join(
        f"[{number}] {candidate.text}" for number, candidate in enumerate(candidates, start=1)
    )
    return [{"role": "user", "content": "\n\n".join([*parts, f"# The attempt\n\n{numbered}"])}]


def reply_read(text: str, candidates: Sequence[Candidate]) -> Written | None:
    """Return the intervention in the last ``{location, content}`` object that names a candidate, or None."""
    for start in reversed([index for index, char in enumerate(text) if char == "{"]):
        try:
            value, _ = value_read(text, start)
        except Unreadable:
            continue
        if isinstance(value, dict) and (written := _parse(value, candidates)):
            return written
    return None


def _parse(value: dict[str, Any], candidates: Sequence[Candidate]) -> Written | None:
    location, content = str(value.get("location", "")), value.get("content")
    is_number = location.isascii() and location.isdigit()
    number = int(location[:9]) if is_number else 0
    if not 1 <= number <= len(candidates) or not isinstance(content, str) or not content.strip():
        return None
    return Written(replaced=candidates[number - 1], content=content.strip())


class InterventionWriter:
    """A model that writes interventions.

    With ``with_solutions``, the model is shown the task's solution; this needs an API key with the scope
    ``golds``.
    """

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
        """Return an intervention for an episode, or the reason why there is none.

        The reason is ``closed`` if no step has a substep that can be replaced, and ``unreadable`` if the
        reply names no substep. Raises ``ModelFailure``.
        """
        candidates = list_candidates(await self._client.substeps(episode))
        if not candidates:
            return "closed"
        messages = await self._client.episode_messages(episode)
        task = next((read_text(message) for message in reversed(messages) if message["role"] == "user"), "")
        request = build_request(
            task=task, candidates=candidates, reference=await self._read_reference(episode)
        )
        completion = await self._endpoint.complete(
            request, model=self.model, clock=PolicyClock(TIME_LIMIT_S), sampling=self._sampling
        )
        return reply_read(completion.text, candidates) or "unreadable"

    async def _read_reference(self, episode: int) -> str:
        if not self._with_solutions:
            return ""
        task = (await self._client.episode(episode)).task
        async for gold in self._client.golds_export(ids=[task]):
            return str(gold.get("solution") or gold.get("answer") or "")
        return ""


def read_text(message: Message) -> str:
    """Return the text of a message, without its pictures."""
    content = message["content"]
    if isinstance(content, str):
        return content
    return "\n\n".join(part["text"] for part in content if part["type"] == "text")


# ---- rows of the export ``interventions``
def tokens_of(
    row: Mapping[str, Any], tokenizer: Any, *, train: Collection[str] = ("copied", "intervention")
) -> dict[str, list[int]]:
    """Tokenize a row for TRL's ``SFTTrainer``.

    ``input_ids`` end with the intervention and do not include the tokens that end the turn. ``labels`` are
    -100 except for the parts marked ``train``. ``tokenizer`` must be a fast tokenizer of ``transformers``
    with a chat template. Raises ``ValueError`` if the template changes the message.
    """
    spans = json.loads(row["spans"]) if isinstance(row["spans"], str) else row["spans"]
    content = row["completion"][0]["content"]
    content = content if isinstance(content, str) else content[0]["text"]
    messages = [*row["prompt"], {"role": "assistant", "content": content}]
    text = tokenizer.apply_chat_template(messages, tokenize=False, continue_final_message=True)
    # Templates may strip trailing whitespace.
    rendered = content if text.endswith(content) else content.rstrip()
    if not text.endswith(rendered.lstrip()):
        raise ValueError("The chat template changes the message, so its parts cannot be located.")
    first = len(text) - len(rendered)
    trained = [(first + span["begin"], first + span["end"]) for span in spans if span["kind"] in train]
    return label_tokens(text, tokenizer, trained=trained)
