"""What an observation is, and the formats there are."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field

from palaestra.arms import arm_of
from palaestra.errors import PalaestraError
from palaestra.records import ActionResult, Message


@dataclass(frozen=True, kw_only=True)
class ObservationFormat:
    """One way of showing a page. ``id`` is the server's name for it, with its version.

    ``has_text``: the page's outline is shown; ``has_ids``: elements can be named by their ids; ``has_marks``:
    the ids stand on the picture, beside a list of its interactive elements.
    """

    id: str
    has_text: bool = False
    has_screenshot: bool = False
    has_ids: bool = False
    has_marks: bool = False


FORMATS: Mapping[str, ObservationFormat] = {
    form.id: form
    for form in (
        ObservationFormat(id="axtree-v2", has_text=True, has_ids=True),
        ObservationFormat(id="screenshot-v2", has_screenshot=True),
        ObservationFormat(id="som-v1", has_screenshot=True, has_ids=True, has_marks=True),
        ObservationFormat(id="both-v2", has_text=True, has_screenshot=True, has_ids=True),
    )
}
SHORT_NAMES: Mapping[str, str] = {id.partition("-")[0]: id for id in FORMATS}
"""What may be written instead of an id: the name without its version."""


def observation_id(name: str) -> str:
    """Return the id that a short name stands for, and any other name as it is."""
    return SHORT_NAMES.get(name, name)


def format_of(name: str) -> ObservationFormat:
    """The format of an id or a short name, such as ``axtree``. Raises ``ValueError`` for an unknown one."""
    form = FORMATS.get(observation_id(name))
    if form is None:
        raise ValueError(f"There is no observation {name!r}. Known: {', '.join((*SHORT_NAMES, *FORMATS))}.")
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
    """Raises ``PalaestraError`` where an arm poses a question by a picture and the observation has none."""
    form = format_of(observation)
    if arm_of(arm).has_page and arm_of(arm).is_pictured and not form.has_screenshot:
        pictured = ", ".join(name for name, id in SHORT_NAMES.items() if FORMATS[id].has_screenshot)
        message = f"The arm {arm} shows the question as a picture, and {form.id} shows none. Observations"
        raise PalaestraError(f"{message} with pictures: {pictured}.")


def has_picture(kind: str) -> bool:
    """Whether a model is shown the screenshot of an observation of this kind."""
    return kind in FORMATS and FORMATS[kind].has_screenshot
