"""The self-distillation export: a model's reasoning about a question in text, under the page's prompt."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterator

from palaestra.protocol.arms import ARMS
from trajectories.exports.chats import (
    EPISODE_COLUMNS,
    draw,
    hash_first_prompt,
    read_batch_conversations,
    read_episode_values,
    read_episodes,
    read_outcome,
    training_messages,
)
from trajectories.exports.conversations import ASSISTANT, Conversation
from trajectories.exports.registry import export_kind
from trajectories.exports.types import IMAGES, WEIGHT, Batch, Row
from trajectories.models import Episode, Step, Verdict
from trajectories.record.prompts.conversation import Message

SHARED = ("task", "benchmark", "split", "key", "model", "simulated")


@export_kind(
    "self_distillation",
    title="Self-distillation pairs",
    description="A correct solution from a text arm under the prompt that the same model was sent on the "
    "first turn in a gym arm of the same item, as prompt and completion. The completion is the reasoning "
    "alone.",
    unit="task",
    columns={
        **{name: EPISODE_COLUMNS[name] for name in SHARED},
        "text_episode": "integer",
        "text_arm": "text",
        "gym_episode": "integer",
        "gym_arm": "text",
        "guidance": EPISODE_COLUMNS["guidance"],
        "prompt": "messages",
        "completion": "messages",
        "exact": "truth",
        WEIGHT: "number",
        IMAGES: "images",
    },
    outcomes=("correct", "incorrect", "void"),
    options=("pairs_max", "seed"),
)
def rows(batch: Batch) -> Iterator[Row]:
    """Yield the rows of a batch of tasks.

    Outcome filters apply to text and gym episodes, and text episodes must be correct as well.
    """
    sides: dict[tuple[int, str, bool], tuple[list[Episode], list[Episode]]] = defaultdict(lambda: ([], []))
    for episode in read_episodes(batch, "task_id"):
        arm = ARMS[episode.arm]
        texts, gyms = sides[episode.task_id, episode.run.model, episode.run.simulated]
        if arm.has_page and not arm.is_probe:
            gyms.append(episode)
        elif arm.has_text and read_outcome(episode) == Verdict.Outcome.CORRECT:
            texts.append(episode)
    for texts, gyms in sides.values():
        pairs = list(_pairs(texts, gyms, batch))
        if not pairs:
            batch.left_out["no_match"] += 1
        yield from pairs


def _pairs(texts: list[Episode], gyms: list[Episode], batch: Batch) -> Iterator[Row]:
    """Yield a row per solution, paired with the distinct prompts in turn; labels filter only solutions."""
    prompts = list(_prompts(gyms, batch)) if texts else []
    solutions = sorted(texts, key=lambda one: draw(one.pk, seed=batch.parameters.seed)) if prompts else []
    count = 0
    for text in solutions:
        if count >= batch.parameters.pairs_max:
            batch.left_out["pairs_max"] += 1
            continue
        thought = _thought(text)
        if not thought:
            batch.left_out["no_thought"] += 1
            continue
        weight = batch.episode_weight(text.pk)
        if weight is None:
            continue
        gym, conversation = prompts[count % len(prompts)]
        count += 1
        yield {**_row(text, gym, conversation, thought), WEIGHT: weight}


def _prompts(gyms: list[Episode], batch: Batch) -> Iterator[tuple[Episode, Conversation]]:
    """Yield an episode and its conversation for each distinct first prompt, at most ``pairs_max``."""
    seen: set[bytes] = set()
    for gym in gyms:
        if len(seen) >= batch.parameters.pairs_max:
            return
        conversations = read_batch_conversations(batch, gym, first_alone=True)
        if not conversations:
            continue
        digest = hash_first_prompt(conversations[0])
        if digest not in seen:
            seen.add(digest)
            yield gym, conversations[0]


def _row(text: Episode, gym: Episode, conversation: Conversation, thought: str) -> Row:
    values = read_episode_values(text)
    completion: list[Message] = [{"role": ASSISTANT, "content": thought}]
    return {
        **{name: values[name] for name in SHARED},
        "text_episode": text.pk,
        "text_arm": text.arm,
        "gym_episode": gym.pk,
        "gym_arm": gym.arm,
        "guidance": gym.guidance,
        "exact": conversation.prompts[0].is_exact,
        **training_messages(prompt=conversation.prompt_before(0), completion=completion),
    }


def _thought(episode: Episode) -> str:
    """Return all thoughts of an episode, separated by blank lines."""
    thoughts = Step.objects.filter(episode_id=episode.pk).order_by("index").values_list("thought", flat=True)
    return "\n\n".join(filter(None, (thought.strip() for thought in thoughts)))
