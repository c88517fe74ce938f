"""A run's observation settings other than the observation format."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Annotated, Any

from msgspec import UNSET, Meta, UnsetType

from core.structs.bodies import Body
from core.structs.fields import FieldError, choice
from palaestra.protocol.observations import SCOPES, ObservationFormat, settings_of

MAX_CHARS_LEAST, MAX_CHARS_MOST = 1_000, 1_000_000
PICTURE_LEAST_PX, PICTURE_MOST_PX = 320, 4_096


class ObservationSettings(Body, kw_only=True):
    """Observation settings that a run fixes besides the format; omitted ones have the client's defaults."""

    scope: Annotated[
        Annotated[str, choice(SCOPES)] | UnsetType,
        Meta(description="What an outline covers: the whole `page` (default) or only the `viewport`."),
    ] = UNSET
    max_chars: Annotated[
        Annotated[int, Meta(ge=MAX_CHARS_LEAST, le=MAX_CHARS_MOST)] | UnsetType,
        Meta(description="Maximum length of an outline, in characters."),
    ] = UNSET
    picture_max: Annotated[
        Annotated[int, Meta(ge=PICTURE_LEAST_PX, le=PICTURE_MOST_PX)] | UnsetType,
        Meta(description="Longest side of a picture, in pixels; larger pictures are scaled down."),
    ] = UNSET


def settings_check(settings: Mapping[str, Any], observation: ObservationFormat) -> None:
    """Raise ``FieldError`` for a setting that does not apply to the observation format."""
    for name in settings:
        if name not in settings_of(settings, observation):
            lacks = "picture" if observation.has_text else "outline"
            message = f"{observation.id} has no {lacks}, so {name} has no effect."
            raise FieldError(f"observation_settings.{name}", message)
