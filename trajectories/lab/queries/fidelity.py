"""What was found about the fidelity of replays."""

from __future__ import annotations

from trajectories.lab.text.fidelity import EpisodeSaid
from trajectories.models import Fidelity

State = Fidelity.State
Reason = Fidelity.Reason


def step_fidelity(*, episode_id: int, index: int) -> Fidelity | None:
    return Fidelity.objects.filter(episode_id=episode_id, index=index).first()


def episode_fidelity(*, episode_id: int) -> EpisodeSaid | None:
    """None where no step was ever to be checked."""
    rows = list(
        Fidelity.objects.filter(episode_id=episode_id)
        .order_by("index")
        .values_list("index", "state", "reason")
    )
    if not rows:
        return None
    states = [state for _, state, _ in rows]
    waiting = sum(reason == Reason.WAITING for *_, reason in rows)
    return EpisodeSaid(
        faithful=states.count(State.FAITHFUL),
        unfaithful=[index for index, state, _ in rows if state == State.UNFAITHFUL],
        waiting=waiting,
        others=states.count(State.FAILED) + states.count(State.NOT_CHECKED) - waiting,
    )
