"""Fidelity of DOM replays to their screenshots, with labels for pages."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from pathlib import Path

from core.text.toml import toml_load
from trajectories.models import Episode, Fidelity
from trajectories.shell.queries import replays

Reason = Fidelity.Reason
State = Fidelity.State
# The share alone cannot distinguish a hovered button from a lost word. Above this share, the page is
# different.
MUCH_SHARE = 0.01
SMALLEST_SHARE = 0.0001
LABELS = {
    State.FAITHFUL: "Faithful",
    State.UNFAITHFUL: "Not faithful",
    State.NOT_CHECKED: "Not checked",
    State.FAILED: "Check failed",
}
SIGNS = {State.FAITHFUL: "✓", State.UNFAITHFUL: "≠", State.FAILED: "!"}
NOT_REQUESTED = "This replay has not been compared with the screenshot yet."
TOO_EARLY = "It will be compared with the screenshot after the episode has ended."
REASONS = toml_load(Path(__file__).with_name("fidelity_reasons.toml"), dict[str, str])


@dataclass(frozen=True, kw_only=True)
class FidelityLabel:
    """A check's label. ``tone`` is a tag colour; ``can_request`` if a new check might find out more."""

    word: str
    tone: str
    why: str
    sign: str = ""
    is_waiting: bool = False
    can_request: bool = False


@dataclass(frozen=True, kw_only=True)
class EpisodeFidelity:
    """Results of the checks of an episode's steps; ``others`` counts those that failed or are impossible."""

    faithful: int
    unfaithful: Sequence[int]
    waiting: int
    others: int

    @property
    def checked(self) -> int:
        return self.faithful + len(self.unfaithful)


def step_fidelity(episode: Episode, *, index: int) -> tuple[Fidelity | None, FidelityLabel]:
    """Return the check of a step's replay (None before one is requested), and its label for pages."""
    row = Fidelity.objects.filter(episode_id=episode.pk, index=index).first()
    if row and row.reason == Reason.NO_SCREENSHOT:
        row.replay = ""  # the replay is of a page action, from before steps were posted
    label = fidelity_label(row, has_ended=episode.finished_at is not None)
    if replays.read_pruning(episode.pk):
        # The result stays, but its pictures are gone and it cannot be computed again.
        label = replace(label, can_request=False)
        if row:
            row.replay = row.difference = ""
    return row, label


def episode_fidelity(*, episode_id: int) -> EpisodeFidelity | None:
    """Return an episode's fidelity, or None if none of its steps was ever to be checked."""
    rows = list(
        Fidelity.objects.filter(episode_id=episode_id)
        .order_by("index")
        .values_list("index", "state", "reason")
    )
    if not rows:
        return None
    states = [state for _, state, _ in rows]
    waiting = sum(reason == Reason.WAITING for *_, reason in rows)
    return EpisodeFidelity(
        faithful=states.count(State.FAITHFUL),
        unfaithful=[index for index, state, _ in rows if state == State.UNFAITHFUL],
        waiting=waiting,
        others=states.count(State.FAILED) + states.count(State.NOT_CHECKED) - waiting,
    )


def fidelity_label(row: Fidelity | None, *, has_ended: bool) -> FidelityLabel:
    """Return a check's label; a new check can be requested once the episode ``has_ended``."""
    if row is None:
        why = NOT_REQUESTED if has_ended else TOO_EARLY
        return FidelityLabel(word=LABELS[State.NOT_CHECKED], tone="plain", why=why, can_request=has_ended)
    state = State(row.state)
    return FidelityLabel(
        word=LABELS[state],
        tone=_tone(row),
        why=REASONS.get(row.reason, "") or _difference(row),
        sign=SIGNS.get(state, ""),
        is_waiting=row.is_waiting,
        can_request=has_ended and not row.is_waiting,
    )


def share_format(share: float) -> str:
    """Format a share of pixels; small shares get more digits, since a few pixels can be a word."""
    if 0 < share < SMALLEST_SHARE:
        return f"less than {SMALLEST_SHARE:.2%}"
    return f"{share:.1%}" if share >= MUCH_SHARE else f"{share:.2%}"


def _tone(row: Fidelity) -> str:
    if row.state == State.UNFAITHFUL:
        return "bad" if (row.changed_share or 0) >= MUCH_SHARE else "warn"
    return {State.FAITHFUL: "good", State.FAILED: "warn"}.get(State(row.state), "plain")


def _difference(row: Fidelity) -> str:
    share = row.changed_share or 0
    if not share:
        return "No pixel differs from the screenshot."
    sentence = f"{share_format(share).capitalize()} of the replay differs from the screenshot."
    if row.state == State.FAITHFUL:
        return sentence
    # A lost word in a highlighted field changes as many pixels in the same place as the highlight does.
    hint = (
        ""
        if share >= MUCH_SHARE
        else " This may be a focus ring, a hover effect or a lost word: look at both."
    )
    return f"{sentence}{hint} Trust the screenshot."
