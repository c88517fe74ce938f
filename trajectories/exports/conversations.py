"""Episodes as conversations: what a model was sent and wrote, and whether that is verified to be exact."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from typing import Any

from core.storage import blobs
from palaestra.protocol.conversation import observation_message
from trajectories.models import Episode, Step
from trajectories.record.prompts import sent
from trajectories.record.prompts.conversation import Message
from trajectories.record.prompts.sent import Turn
from trajectories.rollouts.episodes import conversations
from trajectories.rollouts.episodes.forks.lineage import prompt_hashes
from trajectories.rollouts.episodes.prompt_hash import Check, PromptHash, picture_of

# With this history setting, earlier messages change from turn to turn.
CHANGING = "last_k"
ASSISTANT = "assistant"
FOLDER = "images"
ROOM_BYTES = 2**40  # practically no limit, because pictures are read one at a time
HIDDEN = "hidden_solutions"


@dataclass(frozen=True, kw_only=True)
class Prompt:
    """The prompt of a step: the first ``length`` messages of its conversation. The step's completion follows.

    ``check`` is ``verified`` if the messages have the hash that was posted with the step, and ``no_hash`` if
    no hash was posted. The other values are in ``Check``, besides ``hidden_solutions``.
    """

    step: int
    length: int
    check: str
    sha256: str | None

    @property
    def is_exact(self) -> bool:
        return self.check == Check.VERIFIED


@dataclass(frozen=True, kw_only=True)
class Conversation:
    """A conversation whose ``messages`` are as sent, except that file names (``images``) replace pictures."""

    messages: list[Message]
    prompts: list[Prompt]
    images: list[str]

    @property
    def is_exact(self) -> bool:
        """True if every prompt is verified to be exactly what the model was sent."""
        return all(prompt.is_exact for prompt in self.prompts)

    def prompt_before(self, place: int) -> list[Message]:
        return self.messages[: self.prompts[place].length]


def read_conversations(
    episode: Episode, *, solutions: bool, left_out: Counter[str], first_alone: bool = False
) -> list[Conversation]:
    """Return an episode's conversation, or one for each step if earlier messages change from turn to turn.

    If none can be built, the list is empty and the reason is counted in ``left_out``. With ``first_alone``,
    the conversation ends after the first step.
    """
    rows = Step.objects.filter(episode_id=episode.pk).order_by("index" if first_alone else "-index")
    last = rows.values_list("index", flat=True).first()
    if last is None:
        left_out["no_steps"] += 1
        return []
    if conversations.is_too_long(episode.pk, last=last):
        left_out["too_long"] += 1
        return []
    turns = conversations.read_turns(episode, last=last)
    if not all(turn.raw for turn in turns):
        left_out["no_completion"] += 1
        return []
    built = list(_build_conversations(episode, turns, solutions=solutions))
    if not built or not built[0].messages:
        left_out["no_prompt"] += 1
        return []
    if any(
        not blobs.blob_exists(sha256)
        for conversation in built
        for sha256 in map(_hash_of, conversation.images)
    ):
        left_out["lacks_pictures"] += 1
        return []
    return built


def read_page_before(episode: Episode, step: int) -> Message | None:
    """Return the full observation before a step as a message, or None if there was none.

    It does not include the result of the previous step, and pictures are replaced by their file names.
    """
    turns = conversations.read_turns(episode, first=step, last=step)
    shown = turns[-1].shown if turns and turns[-1].index == step else None
    if shown is None or not (shown.text or shown.picture):
        return None
    return _name_pictures(observation_message(replace(shown, result="", result_message="")), {})


def _build_conversations(episode: Episode, turns: list[Turn], *, solutions: bool) -> Iterator[Conversation]:
    posted = prompt_hashes(episode.pk, turns[-1].index)
    is_hidden = bool(episode.group.examples) and not solutions
    is_changing = episode.run.history.partition(":")[0] == CHANGING
    ends = range(1, len(turns) + 1) if is_changing else [len(turns)]
    for end in ends:
        # Only exports of guided episodes contain guidance, and their authors are allowed to see it.
        before = conversations.messages_before(
            episode, turns=turns[:end], with_solutions=solutions, with_guidance=True
        )
        if not before:
            return
        final = turns[end - 1]
        completion = sent.completion(final.raw, conversations.grammar_of(episode))
        places = {
            one.step: place for place, one in enumerate(before) if one.step and _is_completion(one.message)
        }
        places[final.index] = len(before)
        shown = {final.index: places[final.index]} if is_changing else places
        messages = [message.message for message in before]
        prompts = list(_prompts(messages, shown, posted=posted, is_hidden=is_hidden))
        yield _conversation([*messages, completion], prompts)


def _is_completion(message: Message) -> bool:
    return bool(message["role"] == ASSISTANT)


def _prompts(
    messages: Sequence[Message], places: dict[int, int], *, posted: dict[int, str | None], is_hidden: bool
) -> Iterator[Prompt]:
    """Yield the prompts in step order, hashing each message only once."""
    growing, added, is_lacking = PromptHash(room=ROOM_BYTES), 0, False
    for step, place in sorted(places.items()):
        sha256 = posted.get(step)
        if not sha256:
            yield Prompt(step=step, length=place, check=Check.NO_HASH, sha256=None)
            continue
        try:
            for message in messages[added:place]:
                growing.add(message)
            added = max(added, place)
        except FileNotFoundError:
            is_lacking = True
        check: str = Check.VERIFIED if growing.hexdigest() == sha256 else Check.DIFFERS
        if is_lacking:
            check = Check.LACKS_PICTURES
        yield Prompt(step=step, length=place, check=HIDDEN if is_hidden else check, sha256=sha256)


def _conversation(messages: list[Message], prompts: list[Prompt]) -> Conversation:
    images: dict[str, None] = {}
    named = [_name_pictures(message, images) for message in messages]
    return Conversation(messages=named, prompts=prompts, images=list(images))


def _name_pictures(message: Message, images: dict[str, None]) -> Message:
    """Return the message with its pictures replaced by file names, which are added to ``images``."""
    content = message["content"]
    if isinstance(content, str):
        return message
    parts: list[dict[str, Any]] = []
    for part in content:
        if (sha256 := picture_of(part)) is not None:
            name = name_image(sha256)
            images[name] = None
            part = {"type": "image_url", "image_url": {"url": name}}
        parts.append(part)
    return {**message, "content": parts}


def name_image(sha256: str) -> str:
    return f"{FOLDER}/{sha256}.png"


def _hash_of(name: str) -> str:
    return name.removeprefix(f"{FOLDER}/").removesuffix(".png")
