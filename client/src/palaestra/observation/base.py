"""Observations, the names of their formats, and the messages that show them to a model."""

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
"""Short names that may be written instead of ids: without the version."""


def observation_id(name: str) -> str:
    """Return the id that a short name stands for, and any other name as it is."""
    return SHORT_NAMES.get(name, name)


def get_format(name: str) -> ObservationFormat:
    """Return the format of an id or a short name, such as ``axtree``.

    Raises ``ValueError`` for an unknown one.
    """
    form = OBSERVATION_FORMATS.get(observation_id(name))
    if form is None:
        known = ", ".join((*SHORT_NAMES, *OBSERVATION_FORMATS))
        raise ValueError(f"There is no observation {name!r}. Known: {known}.")
    return form


@dataclass(frozen=True, kw_only=True)
class Observation:
    """One look at an episode.

    ``text`` is what the model reads of the page (empty in arms without a page), ``screenshot`` PNG bytes or
    None, ``url`` the masked address, ``result`` and ``result_message`` the outcome of the previous action,
    ``messages`` the whole conversation so far, ready for a chat model. ``is_settled``: the page was complete,
    and its picture and what is said of it are of the same moment.
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
    """Raise ``PalaestraError`` where an arm poses a question by a picture and the observation has none."""
    form = get_format(observation)
    if arm_of(arm).has_page and arm_of(arm).is_pictured and not form.has_screenshot:
        pictured = ", ".join(name for name, id in SHORT_NAMES.items() if has_picture(id))
        message = f"The arm {arm} shows the question as a picture, and {form.id} shows none. Observations"
        raise PalaestraError(f"{message} with pictures: {pictured}.")


def extract_shown(observation: Observation) -> Shown:
    """Return the part of an observation that a model sees: no screenshot taken for the record alone."""
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
