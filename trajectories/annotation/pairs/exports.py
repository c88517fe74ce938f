"""Preferences for training, in the conversational form of TRL: ``prompt``, ``chosen``, ``rejected``."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Any

import msgspec

from trajectories.annotation.pairs.bias import DECIDED, SECOND
from trajectories.annotation.pairs.selectors import Choice, PairChoices, pairs_labelled
from trajectories.models import AnnotationProject
from trajectories.record.prompts.sent import SentMessage
from trajectories.rollouts.episodes.conversations import conversation_read

MAJORITY, ADJUDICATED = "majority", "adjudicated"
DISPUTED = "disputed"
ASSISTANT = "assistant"


@dataclass(frozen=True, kw_only=True)
class Preference:
    """Preferred one of a pair: ``answer`` is an option, or ``disputed`` if none has a majority."""

    pair: PairChoices
    answer: str
    source: str

    @property
    def agreement(self) -> float | None:
        """The share of people who chose so before discussion."""
        given = [choice.answer for choice in self.pair.choices.values()]
        return given.count(self.answer) / len(given) if given else None


def preferences(project: AnnotationProject) -> list[Preference]:
    """The adjudicated choice of each pair, or that of more than half of the people."""
    return [_preference(pair) for pair in pairs_labelled(project)]


def preferences_jsonl(project: AnnotationProject, *, left_out: Counter[str]) -> Iterator[bytes]:
    """One object for each pair with a winner. ``prompt`` are the messages before the first completion that is
    compared. Counted in ``left_out`` are labelled pairs without a winner, those of which messages or
    completions are not recorded, and those for training.
    """
    if golds := project.units.filter(gold__isnull=False, labels__isnull=False).distinct().count():
        left_out["gold"] = golds
    for preference in preferences(project):
        if preference.answer not in DECIDED:
            left_out[DISPUTED if preference.answer == DISPUTED else "no_winner"] += 1
        elif row := _row(project, preference):
            yield msgspec.json.encode(row) + b"\n"
        else:
            left_out["no_messages"] += 1


def _preference(pair: PairChoices) -> Preference:
    if pair.settled:
        return Preference(pair=pair, answer=pair.settled.answer, source=ADJUDICATED)
    return Preference(pair=pair, answer=_majority(list(pair.choices.values())), source=MAJORITY)


def _majority(choices: Sequence[Choice]) -> str:
    ((answer, votes),) = Counter(choice.answer for choice in choices).most_common(1)
    return answer if votes > len(choices) / 2 else DISPUTED


def _row(project: AnnotationProject, preference: Preference) -> dict[str, Any] | None:
    """None if the messages of either cannot be made again."""
    pair = preference.pair
    places = pair.places[::-1] if preference.answer == SECOND else pair.places
    talks = [_Talk.read(*place) for place in places]
    if not all(talk.completions for talk in talks):
        return None
    chosen, rejected = talks
    choices = list(pair.choices.values())
    return {
        "prompt": chosen.prompt,
        "chosen": chosen.completions,
        "rejected": rejected.completions,
        "preference": preference.answer,
        "source": preference.source,
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
        "agreement": preference.agreement,
        "swapped": sum(choice.is_swapped for choice in choices),
        "reasons": sorted({reason for choice in choices for reason in choice.reasons}),
    }


@dataclass(frozen=True, kw_only=True)
class _Talk:
    """Messages as roles and texts. Pictures are counted: the text beside them stays."""

    prompt: list[dict[str, Any]]
    completions: list[dict[str, Any]]
    pictures: int

    @classmethod
    def read(cls, episode: int, step: int) -> _Talk:
        """Read a step's prompt and completion; for a trajectory, all completions from the first on."""
        sent = conversation_read(episode, step)
        first = len(sent) - 1 if step else _first_completion(sent)
        plain = [_plain(one) for one in sent]
        pictures = sum(_pictures(one) for one in sent)
        return cls(prompt=plain[:first], completions=plain[first:] if sent else [], pictures=pictures)


def _first_completion(sent: Sequence[SentMessage]) -> int:
    """Messages of the opening may be the assistant's too: solved examples."""
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
