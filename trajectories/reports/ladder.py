"""The ladder of arms, on which each rung changes one thing."""

from __future__ import annotations

from collections.abc import Collection, Mapping
from typing import Any, NamedTuple

from palaestra.protocol.arms import ARMS, PROBE_ARMS
from palaestra.protocol.observations import OBSERVATION_FORMATS

# The arms of the ladder, each with what it adds to the arm before it.
RUNGS = {
    "text_zero_shot": "base",
    "text_agent": "agent format",
    "gym_with_text": "interaction",
    "gym": "finding and reading",
    "gym_image": "pixels without text",
}
PICTURED = "gym_image"
# The rung between an arm and the same arm with its page shown as a picture without an outline.
PIXELS = "pixels"
# Probes are not scored, because they have a distance but no accuracy.
UNSCORED = frozenset(PROBE_ARMS)
RETEST = "retest"


class ArmKey(NamedTuple):
    """An arm of a report.

    ``retest`` is true for the repetition of an arm with other seeds. ``observation`` is the observation that
    the plan names for this arm, as in ``gym:som-v1``, or empty for the plan's own. ``checkpoint`` is set if
    several checkpoints are compared.
    """

    arm: str
    retest: bool = False
    observation: str = ""
    checkpoint: str = ""

    @property
    def planned(self) -> str:
        """The name of the arm in a plan, which does not list retests."""
        return f"{self.arm}:{self.observation}" if self.observation else self.arm

    @property
    def id(self) -> str:
        return f"{self.planned}+{RETEST}" if self.retest else self.planned

    @property
    def label(self) -> str:
        name = ARMS[self.arm].label
        if self.observation:
            name = f"{name}, {OBSERVATION_FORMATS[self.observation].label.lower()}"
        return f"{name} (again)" if self.retest else name

    @property
    def is_pixels(self) -> bool:
        """True if the question's text is neither in the prompt nor in an outline, but only in a picture."""
        form = OBSERVATION_FORMATS.get(self.observation)
        return form is not None and not form.has_text and not ARMS[self.arm].has_text


def probe_of(key: ArmKey) -> ArmKey:
    """Return the reading probe that shows the same pages as an arm."""
    return ArmKey("probe_read", observation=key.observation)


def arm_read(arm_id: str) -> ArmKey:
    """Parse an arm's id. Raises ``ValueError`` if there is no such arm."""
    planned, _, again = arm_id.partition("+")
    arm, _, observation = planned.partition(":")
    key = ArmKey(arm, again == RETEST, observation)
    if arm not in ARMS or (observation and observation not in OBSERVATION_FORMATS) or key.id != arm_id:
        raise ValueError(f"There is no arm {arm_id!r}.")
    return key


def arm_of(planned: Collection[str], *, arm: str, retest: bool, observation: str) -> ArmKey:
    """Return the arm of the plan to which an episode belongs."""
    key = ArmKey(arm, retest, observation)
    return key if key.planned in planned else ArmKey(arm, retest)


def ladder_of(plan: Mapping[str, Any]) -> list[ArmKey]:
    """Return a plan's ladder from the base down.

    Of the arms with an observation of their own, only those with the last arm's observation belong to it.
    """
    own = OBSERVATION_FORMATS.get(plan["observation"])
    has_outlines = own is None or own.has_text
    keys = [key for key in map(arm_read, plan["arms"]) if key.arm in RUNGS]
    rungs = [key for key in keys if not key.observation or (has_outlines and key.is_pixels)]
    rungs.sort(key=lambda key: (list(RUNGS).index(key.arm), bool(key.observation)))
    return [key for key in rungs if key.observation in ("", rungs[-1].observation)]


def rung_added(a: ArmKey, b: ArmKey) -> str:
    """Return what ``b`` adds to ``a``, which is more than one thing if arms between them were not played."""
    arms = list(RUNGS)
    added = [RUNGS[arm] for arm in arms[arms.index(a.arm) + 1 : arms.index(b.arm) + 1]]
    if b.observation and not a.observation:
        added.insert(len(added) - (b.arm == PICTURED and a.arm != PICTURED), PIXELS)
    return " + ".join(added)


def contrasts_of(plan: Mapping[str, Any]) -> list[tuple[ArmKey, ArmKey]]:
    """Return the plan's contrasts, or, if it has none, the ladder's base paired with each other rung."""
    if contrasts := plan["contrasts"]:
        return [(arm_read(a), arm_read(b)) for a, b in contrasts]
    ladder = ladder_of(plan)
    return [(ladder[0], other) for other in ladder[1:]]
