"""The replay of successes: a run's setting under which a stored success replaces a failure.

ARPO keeps 8 successes a task, first in first out, and replaces where a group's standard deviation is
under 0.05 and its mean under 0.2; DART (arXiv 2509.23866) where the whole group fails.
"""

from __future__ import annotations

from dataclasses import asdict, dataclass
from typing import Annotated, Any

from msgspec import Meta

from core.bodies import Body, body_read
from core.errors import GymError
from core.fields import STRICT, Count, FieldError, choice
from trajectories.models import Run

REPLAY = "replay"
SIZE, STD_BELOW, MEAN_BELOW = 8, 0.05, 0.2
RULES = ("recent", "shortest", "random")
SIZE_MAX = 1_000


@dataclass(frozen=True, kw_only=True)
class ReplayPlan:
    """The newest ``size`` successes of a task and arm are stored, none more than ``max_age`` policy versions
    older than the group (None: of any age); ``rule`` says which of them is taken."""

    size: int
    rule: str
    max_age: int | None
    std_below: float
    mean_below: float

    def parameters(self) -> dict[str, Any]:
        """Those of ``replays.sql``."""
        return asdict(self)


_Share = Annotated[float, Meta(ge=0, le=1, extra={STRICT: True})]


class ReplayIn(Body, kw_only=True):
    """``settings.replay`` of a run, stored with its defaults."""

    size: Annotated[int, Meta(ge=1, le=SIZE_MAX)] = SIZE
    rule: Annotated[str, choice(RULES)] = RULES[0]
    max_age: Count | None = None
    std_below: _Share = STD_BELOW
    mean_below: _Share = MEAN_BELOW


def replay_read(setting: Any) -> dict[str, Any] | None:
    """The setting with its defaults; null turns replay off. Raises ``FieldError``."""
    if setting is None:
        return None
    try:
        return body_read(ReplayIn, setting)
    except GymError as error:
        field, [message, *_] = next(iter(error.fields.items()))
        raise FieldError(REPLAY if field == "body" else f"{REPLAY}.{field}", message) from None


def plan_of(run: Run) -> ReplayPlan | None:
    """Return the plan of a run; None without replay.

    Runs of older versions may hold anything of this name: what does not read as a plan is none.
    """
    try:
        return ReplayPlan(**body_read(ReplayIn, run.settings.get(REPLAY)))
    except GymError:
        return None
