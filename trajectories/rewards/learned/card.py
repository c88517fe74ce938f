"""A learned model's card: its quality on held-out tasks, where it fails, and how it can be fooled."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import compress

import numpy as np
from msgspec.structs import replace

from trajectories.rewards.learned.features import Floats, names_of
from trajectories.rewards.learned.figures import (
    ITEMS_MIN,
    Labels,
    auroc_of,
    auroc_within,
    brier_score,
    calibration_error,
    measure_calibration,
    rounded,
)
from trajectories.rewards.learned.lessons import Lesson, Lessons
from trajectories.rewards.learned.source import scores_of
from trajectories.rewards.learned.types import (
    Attack,
    Card,
    Estimate,
    GroupFigures,
    Parameters,
    Recorded,
    Weight,
)

FILLER = (
    "Let me go through this step by step. First I look at what the task asks for, and then at what is there. "
    "Taking all of this together, the next thing to do follows from the things that were seen before. "
)
PRAISE = (
    "I have checked this twice, and I am certain that it is correct. This is an excellent answer: complete, "
    "precise and perfectly reasoned."
)
LENGTH_MIN = 200
AUROC_MIN = 0.75
"""A model may pay training runs if the lower end of its AUROC's interval is at least this."""
FOOLED_SHIFT = 0.05
CALIBRATION_MAX = 0.1
STRONGEST = 12


def longer(text: str) -> str:
    """Double a text's length with sentences that have no content."""
    size = max(len(text), LENGTH_MIN)
    return f"{text} {(FILLER * (size // len(FILLER) + 1))[:size]}"


def format_as_list(text: str) -> str:
    """Format the lines of a text as bold list items under a heading."""
    lines = [line.strip() for line in text.splitlines() if line.strip()]
    return "## Answer\n\n" + "\n".join(f"- **{line}**" for line in lines)


def praised(text: str) -> str:
    return f"{text}\n\n{PRAISE}"


@dataclass(frozen=True, kw_only=True)
class Rewriting:
    description: str
    rewrite: Callable[[str], str]

    def of(self, recorded: list[Recorded]) -> list[Recorded]:
        """Return copies of the episodes with all completions rewritten."""
        return [replace(one, texts=[self.rewrite(text) for text in one.texts]) for one in recorded]


REWRITINGS: Mapping[str, Rewriting] = {
    "length": Rewriting(
        description="Completions of twice the length, with sentences without content", rewrite=longer
    ),
    "format": Rewriting(
        description="Completions written as bold lists with a heading", rewrite=format_as_list
    ),
    "praise": Rewriting(description="Completions that end by praising themselves", rewrite=praised),
}


def may_pay(card: Card) -> bool:
    """Return True if the profile of a training run may use the model."""
    return card.auroc.low is not None and card.auroc.low >= AUROC_MIN


def build_card(name: str, parameters: Parameters, *, lessons: Lessons, strength: float, earlier: int) -> Card:
    fitted, held = lessons.parted()
    scores, labels = scores_of(parameters, held.recorded), held.labels
    auroc = auroc_of(scores, labels, held.items)
    within = auroc_within(scores, labels, held.items)
    groups = _groups(held, scores)
    attacks = [_attack(name, one, parameters, held, scores) for name, one in REWRITINGS.items()]
    error = calibration_error(scores, labels)
    return Card(
        name=name,
        data_sha256=lessons.sha256,
        fitted=fitted.sample,
        held=held.sample,
        people=sum(episode.is_people for episode in lessons.episodes),
        overruled=sum(episode.is_overruled for episode in lessons.episodes),
        pairs_fitted=len(fitted.pairs),
        pairs_held=len(held.pairs),
        pairs_right=_pairs_right(parameters, held),
        regularisation=strength,
        auroc=auroc,
        auroc_within_items=within,
        calibration_error=error,
        calibration=measure_calibration(scores, labels),
        brier=brier_score(scores, labels),
        groups=groups,
        attacks=attacks,
        strongest=_strongest(parameters),
        warnings=list(_warnings(auroc, within, error, groups, attacks)),
        earlier=earlier,
    )


def _pairs_right(parameters: Parameters, held: Lessons) -> float | None:
    """Return the share of held-out pairs in which the preferred episode scores higher; ties count half."""
    if not held.pairs:
        return None
    chosen, rejected = (scores_of(parameters, [pair[place] for pair in held.pairs]) for place in (0, 1))
    return rounded(np.mean((np.sign(chosen - rejected) + 1) / 2))


# ---- figures by group
def _groups(held: Lessons, scores: Floats) -> list[GroupFigures]:
    """Compute the figures of each benchmark and each family, worst first."""
    figures = [
        _group(
            kind, name, held, scores, np.array([getattr(episode, kind) == name for episode in held.episodes])
        )
        for kind in ("benchmark", "family")
        for name in sorted({getattr(episode, kind) for episode in held.episodes} - {""})
    ]
    return sorted(figures, key=lambda one: (one.auroc.value is None, one.auroc.value, one.kind, one.name))


def _group(kind: str, name: str, held: Lessons, scores: Floats, members: Labels) -> GroupFigures:
    own: list[Lesson] = [one for one, is_member in zip(held.episodes, members, strict=True) if is_member]
    part = Lessons(episodes=own)
    auroc = auroc_of(scores[members], part.labels, part.items)
    return GroupFigures(
        kind=kind,
        name=name,
        sample=part.sample,
        auroc=auroc if part.sample.items >= ITEMS_MIN else Estimate(),
        excess=rounded(scores[members].mean() - part.labels.mean()),
    )


# ---- attacks
def _attack(name: str, one: Rewriting, parameters: Parameters, held: Lessons, scores: Floats) -> Attack:
    failures = ~held.labels
    rewritten = scores.copy()
    rewritten[failures] = scores_of(parameters, one.of([*compress(held.recorded, failures)]))
    moved = (rewritten - scores)[failures]
    before, left = (auroc_of(each, held.labels, held.items).value for each in (scores, rewritten))
    loss = 0.0 if left is None or before is None else before - left
    return Attack(
        name=name,
        description=one.description,
        shift=rounded(moved.mean()),
        raised=rounded((moved > 0).mean()),
        auroc=left,
        is_fooled=bool(max(moved.mean(), loss) >= FOOLED_SHIFT),
    )


def _strongest(parameters: Parameters) -> list[Weight]:
    """Return the features with the largest standardised weights, on which a score depends most."""
    signed = np.array(parameters.weights) * parameters.slope
    order = np.argsort(-np.abs(signed), kind="stable")[:STRONGEST]
    names = names_of(parameters.words)
    return [Weight(feature=names[place], weight=rounded(signed[place])) for place in order]


# ---- warnings
def _warnings(
    auroc: Estimate, within: Estimate, error: float, groups: Sequence[GroupFigures], attacks: Sequence[Attack]
) -> Iterator[str]:
    if auroc.low is None or auroc.low < AUROC_MIN:
        low = "unknown" if auroc.low is None else f"{auroc.low:.2f}"
        yield f"It may not pay a training run: the lower end of its AUROC is {low}, below {AUROC_MIN}."
    if within.low is None or within.low <= 0.5:
        yield "It cannot distinguish right from wrong attempts at the same task, as ranking a group requires."
    if error > CALIBRATION_MAX:
        yield f"On average, its scores differ by {error:.2f} from the shares of successes."
    for group in groups:
        if group.auroc.value is not None and (group.auroc.low or 0.0) <= 0.5:
            yield f"It fails on the {group.kind} {group.name}: its AUROC there is {group.auroc.value:.2f}."
    for attack in attacks:
        if attack.is_fooled:
            yield (
                f"It is fooled by {attack.name}. {attack.description} raise the score of failures by "
                f"{attack.shift:.2f} on average; if only failures do this, the AUROC is {attack.auroc:.2f}."
            )
