"""The body of the call that opens episodes."""

from __future__ import annotations

from typing import Annotated, Any, Literal

from msgspec import Meta, Struct

from core.database.integers import BIGINT_MAX, INT_MAX
from core.structs.fields import Id, Positive
from core.structs.schema import limit
from palaestra.protocol.arms import ARMS
from trajectories.models import Episode

RECORDING = (
    "What the pages report: nothing, page events (the default), or the DOM as well. In a run with the "
    "setting `recording_full_share`, the episodes recorded in full are drawn at random; `off` and "
    "`events` override it."
)

AXES_MAX, ARM_CHARS = 100, 64
GUIDANCE_CHARS, INSTRUCTION_CHARS = 10_000, 2_000


class Guidance(Struct, forbid_unknown_fields=True, kw_only=True):
    """Help that is inserted at the end of the opening messages, after ``instruction``.

    It needs the scope `guidance`. ``prefix`` inserts the first steps of the reference solution, by
    ``fraction`` (rounded up) or ``steps``; ``hint`` inserts ``text``; ``abstraction`` inserts a stored
    abstraction, by its id. Text that contains the answer is refused. ``start_state`` inserts nothing: its
    episodes are forks of the task's scripted solution, an episode played by the oracle or a person, after its
    first acts by ``fraction`` or ``steps``.

    With ``hash`` nothing is inserted either: the caller delivers the guidance, and the gym only notes it.
    Guided episodes are left out of rates, gaps and samplers.
    """

    kind: Annotated[str, Meta(max_length=64)]
    fraction: Annotated[float, Meta(ge=0, le=1)] | None = None
    steps: Annotated[int, Meta(ge=1, le=INT_MAX)] | None = None
    text: Annotated[str, Meta(min_length=1, max_length=GUIDANCE_CHARS)] | None = None
    abstraction: Id | None = None
    instruction: Annotated[str, Meta(max_length=INSTRUCTION_CHARS)] | None = None
    hash: Annotated[str, Meta(max_length=128)] = ""


class GroupSettings(Struct, forbid_unknown_fields=True, kw_only=True):
    """The settings of an opening call that its groups store, so that a refill uses the same ones."""

    seed: Annotated[int, Meta(ge=0, le=BIGINT_MAX)] | None = None
    max_steps: Positive | None = None
    token_budget: Positive | None = None
    recording: Annotated[Episode.Recording | None, Meta(description=RECORDING)] = None
    presentation: Annotated[dict[str, Any], Meta(max_length=AXES_MAX)] = {}
    looks: Literal["per_group", "per_episode", "rotation"] = "per_group"
    answer_channel: Episode.Channel | None = None
    guidance: Guidance | None = None


class Opening(GroupSettings, forbid_unknown_fields=True, kw_only=True):
    """A call that opens episodes.

    ``shots`` is the number of solved examples in the prompts of ``text_few_shot``, 4 by default.
    ``presentation`` fixes axes of the look. With ``task_bar`` false and ``answer_channel`` ``api``, the pages
    of mock sites have no task bar: they neither state the task, which the messages do instead, nor take its
    answer. The answer is then one value for each of the task's ``fields``, in order.
    """

    run: Id
    tasks: Annotated[list[Id], Meta(min_length=1), limit("EPISODES_PER_CALL_MAX")]
    arm: Annotated[str, Meta(max_length=ARM_CHARS)] = "gym"
    samples_per_task: Annotated[int, Meta(ge=1, le=10_000)] = 1
    policy_version: Annotated[int, Meta(ge=0, le=INT_MAX)] | None = None
    shots: Annotated[int, Meta(ge=1, le=16)] | None = None

    @property
    def channel(self) -> Episode.Channel:
        """The answer channel: the page if it has a form, unless the call states a channel."""
        usual = Episode.Channel.PAGE if ARMS[self.arm].has_form else Episode.Channel.API
        return self.answer_channel or usual

    @property
    def settings(self) -> dict[str, Any]:
        """The settings without the guidance, which a refill copies from the group's first episode."""
        names = (name for name in GroupSettings.__struct_fields__ if name != "guidance")
        return {name: getattr(self, name) for name in names}
