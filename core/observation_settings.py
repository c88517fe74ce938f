"""A run's observation settings beside its format."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from rest_framework import serializers

from core.fields import CountField, StrictSerializer, SuggestingChoiceField
from palaestra.protocol.observations import SCOPES, ObservationFormat, settings_of

MAX_CHARS_LEAST, MAX_CHARS_MOST = 1_000, 1_000_000
PICTURE_LEAST_PX, PICTURE_MOST_PX = 320, 4_096


class ObservationSettings(StrictSerializer):
    """What a run fixes of its observations beside their format; what is left out is the client's default."""

    scope = SuggestingChoiceField(
        choices=SCOPES,
        required=False,
        help_text="What an outline shows: all of the `page` (default), or what the `viewport` shows.",
    )
    max_chars = CountField(
        min_value=MAX_CHARS_LEAST,
        max_value=MAX_CHARS_MOST,
        required=False,
        help_text="Characters of an outline.",
    )
    picture_max = CountField(
        min_value=PICTURE_LEAST_PX,
        max_value=PICTURE_MOST_PX,
        required=False,
        help_text="The larger side of a picture, in pixels; larger pictures are scaled down.",
    )


def settings_check(settings: Mapping[str, Any], observation: ObservationFormat) -> None:
    """Raise ``ValidationError`` for a setting of something that the observation does not show."""
    for name in settings:
        if name not in select_settings(settings, observation):
            lacks = "picture" if observation.has_text else "outline"
            message = f"{observation.id} has no {lacks}, so {name} means nothing."
            raise serializers.ValidationError({"observation_settings": {name: [message]}})
