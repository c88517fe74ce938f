"""Serializers of the tasks calls."""

from __future__ import annotations

import math
from typing import Any

from drf_spectacular.utils import extend_schema_field
from rest_framework import serializers

from core.fields import IdField
from core.integers import BIGINT_MAX
from core.paging import PAGE_MAX, Query

NAME_MAX_CHARS = 200
TAGS_MAX = 100
IDS_CHARS = 25_000


@extend_schema_field(
    {"type": "string", "pattern": "^ *[0-9]{1,18} *(, *[0-9]{1,18} *)*$", "maxLength": IDS_CHARS}
)
class IdsField(serializers.CharField):
    """Ids with commas between them."""

    def to_internal_value(self, data: Any) -> Any:
        if len(str(data)) > IDS_CHARS:
            raise serializers.ValidationError(f"At most {IDS_CHARS:,} characters.")
        parts = [part.strip() for part in str(data).split(",") if part.strip()]
        if len(parts) > PAGE_MAX:
            raise serializers.ValidationError(f"At most {PAGE_MAX:,} ids.")
        ids = [
            int(part)
            for part in parts
            if part.isascii() and part.isdigit() and len(part) <= len(str(BIGINT_MAX))
        ]
        if len(ids) < len(parts) or not ids or max(ids) > BIGINT_MAX:
            raise serializers.ValidationError("Ids are whole numbers with commas between them, e.g. 3,14,15.")
        return ids


class FractionField(serializers.FloatField):
    """A number from 0 to 1."""

    def __init__(self, **kwargs: Any) -> None:
        super().__init__(min_value=0.0, max_value=1.0, **kwargs)

    def to_internal_value(self, data: Any) -> float:
        value = super().to_internal_value(data)
        if math.isnan(value):
            raise serializers.ValidationError("A number from 0 to 1 is needed.")
        return value


class TagsField(serializers.ListField):
    """A parameter that may be repeated; blank ones do not count, as with all others."""

    def to_internal_value(self, data: Any) -> Any:
        return super().to_internal_value([tag for tag in data if tag != ""])


class TaskListQuery(Query):
    benchmark = serializers.CharField(required=False, max_length=NAME_MAX_CHARS)
    split = serializers.CharField(required=False, max_length=NAME_MAX_CHARS)
    tag = TagsField(
        child=serializers.CharField(max_length=NAME_MAX_CHARS),
        required=False,
        max_length=TAGS_MAX,
        help_text="May be repeated: tasks that have all of them.",
    )
    ids = IdsField(required=False, help_text=f"At most {PAGE_MAX:,} task ids with commas between them.")
    difficulty_min = FractionField(required=False, help_text="Tasks of unknown difficulty are left out.")
    difficulty_max = FractionField(required=False, help_text="Tasks of unknown difficulty are left out.")
    drawn = serializers.BooleanField(
        default=False,
        help_text="Only tasks whose question has a picture, as `gym_image` and `prompt_image` need.",
    )


class ExportQuery(TaskListQuery):
    """The filters of the list without its pages."""

    limit = None  # type: ignore[assignment]  # how REST framework takes an inherited field away
    cursor = None  # type: ignore[assignment]


class TaskSerializer(serializers.Serializer[Any]):
    """One problem: what to show. Never a gold."""

    id = IdField()
    benchmark = serializers.CharField()
    split = serializers.CharField()
    key = serializers.CharField(help_text="Names the task in its source; unique in its benchmark and split.")
    kind = serializers.CharField(help_text="The question kind, e.g. `free_answer`.")
    prompt = serializers.CharField(help_text="The question as text, for arms without a page; LaTeX as LaTeX.")
    payload = serializers.DictField(
        help_text="What the question kind shows, e.g. `{text, format: plain|latex}`."
    )
    difficulty = serializers.FloatField(allow_null=True, help_text="0 (easy) to 1, or null when unknown.")
    tags = serializers.ListField(child=serializers.CharField())
    max_steps = serializers.IntegerField(help_text="ceil(1.5 * oracle_steps) + 5.")
    guess_rate = serializers.FloatField(help_text="Chance of being right without the question.")
    oracle_steps = serializers.IntegerField(help_text="Actions of the scripted solution on a page.")
    gap_eligible = serializers.BooleanField(help_text="Whether the item may count in a modality gap.")


class TaskPageSerializer(serializers.Serializer[Any]):
    results = TaskSerializer(many=True)
    next = serializers.CharField(allow_null=True, help_text="The cursor of the next page; null on the last.")


class GoldSerializer(serializers.Serializer[Any]):
    """The current reference answer of one task."""

    task = IdField()
    benchmark = serializers.CharField()
    split = serializers.CharField()
    key = serializers.CharField()
    answer = serializers.CharField()
    accepted = serializers.ListField(
        child=serializers.CharField(), help_text="Further answers that are right."
    )
    solution = serializers.CharField(allow_blank=True)
    version = serializers.IntegerField(help_text="From 1; a changed gold is a new version.")
    status = serializers.ChoiceField(choices=["valid", "disputed", "corrected"])


class VerifiersSerializer(serializers.Serializer[Any]):
    official = serializers.CharField(help_text="Judges evaluation runs.")
    training = serializers.CharField(help_text="Judges runs of kind train; at least as strict.")


class BenchmarkSerializer(serializers.Serializer[Any]):
    id = serializers.CharField()
    title = serializers.CharField()
    kind = serializers.CharField()
    license = serializers.CharField()
    source = serializers.CharField()  # type: ignore[assignment]  # the contract's name; DRF's own is a property
    splits = serializers.DictField(
        child=serializers.IntegerField(), help_text="Number of tasks by split, of those that the key may see."
    )
    impossible_share = serializers.DictField(
        child=serializers.FloatField(),
        help_text="Share of tasks that cannot be done, by split that has any; each has a twin that can.",
    )
    verifiers = VerifiersSerializer()
