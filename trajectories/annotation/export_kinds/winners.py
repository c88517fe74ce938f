"""Preferences that people expressed about pairs, in TRL's columns: ``prompt``, ``chosen``, ``rejected``."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from trajectories.annotation.pairs.selectors import DECIDED, DISPUTED, SECOND, Winner, list_winners
from trajectories.exports.registry import PROJECT_KINDS
from trajectories.exports.types import ColumnType, ProjectKind, Row
from trajectories.models import AnnotationProject
from trajectories.record.prompts.sent import SentMessage
from trajectories.rollouts.episodes.conversations import conversation_read

ASSISTANT = "assistant"
COLUMNS: dict[str, ColumnType] = {
    "prompt": "messages",
    "chosen": "messages",
    "rejected": "messages",
    "preference": "text",
    "source": "text",
    "same_prompt": "truth",
    "pictures_left_out": "integer",
    "project": "integer",
    "codebook": "text",
    "unit": "integer",
    "stratum": "text",
    "weight": "number",
    "chosen_episode": "integer",
    "chosen_step": "integer",
    "rejected_episode": "integer",
    "rejected_step": "integer",
    "annotators": "integer",
    "agreement": "number",
    "swapped": "integer",
    "reasons": "json",
}


def read_winners(
    project: AnnotationProject, names: Mapping[int, str], left_out: Counter[str]
) -> Iterator[Row]:
    """Yield a row for each pair with a winner.

    ``prompt`` holds the messages before the first completion that is compared. Labelled pairs that have no
    winner, lack recorded messages or completions, or serve to train annotators are counted in ``left_out``.
    """
    if golds := project.units.filter(gold__isnull=False, labels__isnull=False).distinct().count():
        left_out["gold"] = golds
    for winner in list_winners(project):
        if winner.answer not in DECIDED:
            left_out[DISPUTED if winner.answer == DISPUTED else "no_winner"] += 1
        elif row := _row(project, winner):
            yield row
        else:
            left_out["no_messages"] += 1


def _row(project: AnnotationProject, winner: Winner) -> dict[str, Any] | None:
    """Return the pair's row, or None if the messages of either side cannot be rebuilt."""
    pair = winner.pair
    places = pair.places[::-1] if winner.answer == SECOND else pair.places
    exchanges = [_Exchange.read(*place) for place in places]
    if not all(exchange.completions for exchange in exchanges):
        return None
    chosen, rejected = exchanges
    choices = list(pair.choices.values())
    return {
        "prompt": chosen.prompt,
        "chosen": chosen.completions,
        "rejected": rejected.completions,
        "preference": winner.answer,
        "source": winner.source,
        "same_prompt": chosen.prompt == rejected.prompt,
        "pictures_left_out": chosen.pictures + rejected.pictures,
        "project": project.pk,
        "codebook": project.codebook_id,
        "unit": pair.unit,
        "stratum": pair.stratum,
        "weight": pair.weight,
        **dict(zip(("chosen_episode", "chosen_step"), places[0], strict=True)),
        **dict(zip(("rejected_episode", "rejected_step"), places[1], strict=True)),
        "annotators": len(choices),
        "agreement": winner.agreement,
        "swapped": sum(choice.is_swapped for choice in choices),
        "reasons": sorted({reason for choice in choices for reason in choice.reasons}),
    }


@dataclass(frozen=True, kw_only=True)
class _Exchange:
    """Messages as roles and texts. Pictures are dropped and counted; the text next to them is kept."""

    prompt: list[dict[str, Any]]
    completions: list[dict[str, Any]]
    pictures: int

    @classmethod
    def read(cls, episode: int, step: int) -> _Exchange:
        """Read a step's prompt and completion or, if ``step`` is 0, all completions of the trajectory."""
        sent = conversation_read(episode, step)
        first = len(sent) - 1 if step else _first_completion(sent)
        plain = [_plain(message) for message in sent]
        pictures = sum(_pictures(message) for message in sent)
        return cls(prompt=plain[:first], completions=plain[first:] if sent else [], pictures=pictures)


def _first_completion(sent: Sequence[SentMessage]) -> int:
    """Return the position of the first completion, skipping the assistant messages of solved examples."""
    places = (
        place for place, one in enumerate(sent) if one.step is not None and one.message["role"] == ASSISTANT
    )
    return next(places, len(sent))


def _plain(one: SentMessage) -> dict[str, Any]:
    content = one.message["content"]
    if isinstance(content, list):
        content = "\n\n".join(part["text"] for part in content if part["type"] == "text")
    return {**one.message, "content": content}


def _pictures(one: SentMessage) -> int:
    content = one.message["content"]
    return sum(part["type"] != "text" for part in content) if isinstance(content, list) else 0


PROJECT_KINDS.register(
    "winners",
    ProjectKind(
        id="winners",
        columns=COLUMNS,
        rows=read_winners,
        stems=("preferences",),
        stem=lambda row: "preferences",
        is_of=lambda project: project.level == AnnotationProject.Level.PAIR,
    ),
)
