"""Observations, the names of observation formats, and the messages that show observations to a model."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field

from palaestra.errors import PalaestraError
from palaestra.protocol import conversation
from palaestra.protocol.action_results import ActionResult
from palaestra.protocol.arms import arm_of
from palaestra.protocol.conversation import Shown
from palaestra.protocol.observations import OBSERVATION_FORMATS, ObservationFormat, has_picture
from palaestra.records import Message

SHORT_NAMES: Mapping[str, str] = {id.partition("-")[0]: id for id in OBSERVATION_FORMATS}
"""Short names, without the version, that may be written instead of ids."""


def observation_id(name: str) -> str:
    """Return the id that a short name stands for; return any other name unchanged."""
    return SHORT_NAMES.get(name, name)


def get_format(name: str) -> ObservationFormat:
    """Return the observation format with this id or short name, such as ``axtree``.

    Raises ``ValueError`` for an unknown name.
    """
    form = OBSERVATION_FORMATS.get(observation_id(name))
    if form is None:
        known = ", ".join((*SHORT_NAMES, *OBSERVATION_FORMATS))
        raise ValueError(f"There is no observation format {name!r}. Known: {known}.")
    return form


@dataclass(frozen=True, kw_only=True)
class Observation:
    """One look at an episode.

    ``text`` is what the model reads of the page (empty in arms without a page), ``screenshot`` is a PNG or
    None, ``url`` is the masked URL, ``result`` and ``result_message`` are the outcome of the previous action,
    and ``messages`` is the whole conversation so far, ready for a chat model. ``is_settled``: the page had
    finished loading, and its text and picture are from the same moment.
    """

    kind: str
    text: str = ""
    url: str = ""
    screenshot: bytes | None = None
    result: ActionResult | None = None
    result_message: str = ""
    is_settled: bool = True
    messages: list[Message] = field(default_factory=list)


def perceivable_check(arm: str, observation: str) -> None:
    """Raise ``PalaestraError`` if an arm's question is a picture and the observation format has none."""
    form = get_format(observation)
    if arm_of(arm).has_page and arm_of(arm).is_pictured and not form.has_screenshot:
        pictured = ", ".join(name for name, id in SHORT_NAMES.items() if has_picture(id))
        message = (
            f"The arm {arm} shows the question as a picture, and {form.id} has none. Observation formats"
        )
        raise PalaestraError(f"{message} with pictures: {pictured}.")


def extract_shown(observation: Observation) -> Shown:
    """Return what a model sees of an observation, without a screenshot that was taken only for the record."""
    return Shown(
        kind=observation.kind,
        text=observation.text,
        picture=(observation.screenshot or b"") if has_picture(observation.kind) else b"",
        result=observation.result or "",
        result_message=observation.result_message,
    )


def observation_message(observation: Observation) -> Message:
    """Return the chat message that shows a model an observation."""
    return conversation.observation_message(extract_shown(observation))
