"""The analysis plan of an evaluation: its shape, and the hash that both sides compute alike."""

from __future__ import annotations

from typing import Any

from rest_framework import serializers

from core import answer_check
from core.fields import (
    CountField,
    HistoryField,
    IdListField,
    JsonObjectField,
    StrictSerializer,
    SuggestingChoiceField,
    TextField,
    TruthField,
    body_read,
)
from core.observation_settings import ObservationSettings
from palaestra.protocol import grammars, histories
from palaestra.protocol.arms import ARMS
from palaestra.protocol.observations import OBSERVATION_FORMATS, settings_of

VERSION = 1
ALPHA = 0.05
BENCHMARKS_MAX = 50
TASKS_MAX = 100_000
TEXTS_MAX = 100
ARM_MAX_CHARS = 64
TEXT_MAX_CHARS = 2_000
PICTURED = next(form.id for form in OBSERVATION_FORMATS.values() if form.has_marks)
# An arm with a page may be shown in another observation than the plan's, as ``gym:som-v1``.
PLANNED_ARMS = [
    *ARMS,
    *(f"{arm.id}:{form}" for arm in ARMS.values() if arm.has_page for form in OBSERVATION_FORMATS),
]


def plan_read(stored: Any) -> dict[str, Any]:
    """Complete a stored plan with the defaults of what it leaves out."""
    return body_read(PlanIn, stored)


class ModelIn(StrictSerializer):
    name = TextField(max_length=200)
    base_url = TextField(max_length=500, default="", allow_blank=True, allow_null=True)
    checkpoint = TextField(max_length=500, default="", allow_blank=True, allow_null=True)
    sampling = JsonObjectField(default=dict, help_text="Fields of every call of the model.")


class BenchmarkIn(StrictSerializer):
    slug = TextField(max_length=64)
    split = TextField(max_length=64, default=None, allow_null=True)
    limit = CountField(min_value=1, default=None, allow_null=True)
    task_ids = IdListField(
        max_length=TASKS_MAX,
        default=None,
        allow_null=True,
        help_text=f"At most {TASKS_MAX:,} in all benchmarks together.",
    )


class LooksIn(StrictSerializer):
    design = TextField(max_length=100)
    count = CountField(default=None, allow_null=True)
    factors = JsonObjectField(default=None, allow_null=True)


class SmallestGapIn(StrictSerializer):
    points = serializers.FloatField(allow_null=True, default=None)
    power = serializers.FloatField(min_value=0, max_value=1, allow_null=True, default=None)
    assumptions = JsonObjectField(allow_null=True, default=None)


class PlanIn(StrictSerializer):
    """Unknown names are refused: a misspelt ``margin`` must not mean the default."""

    version = serializers.IntegerField(min_value=VERSION, max_value=VERSION)
    name = TextField(max_length=200)
    model = ModelIn()
    benchmarks = serializers.ListField(
        child=BenchmarkIn(), allow_empty=False, min_length=1, max_length=BENCHMARKS_MAX
    )
    arms = serializers.ListField(
        child=SuggestingChoiceField(choices=PLANNED_ARMS),
        allow_empty=False,
        min_length=1,
        max_length=len(PLANNED_ARMS),
        help_text="An arm with a page may name an observation other than the plan's: `gym:som-v1`.",
    )
    observation = SuggestingChoiceField(choices=list(OBSERVATION_FORMATS), default="", allow_blank=True)
    observation_settings = ObservationSettings(
        default=dict, help_text="Each run has those that mean something to what it observes."
    )
    grammar = SuggestingChoiceField(choices=list(grammars.GRAMMARS), default=grammars.DEFAULT)
    history = HistoryField(default=histories.DEFAULT)
    actions_per_turn = CountField(default=1, min_value=1)
    token_budget = CountField(default=None, allow_null=True, min_value=1)
    answer_check = SuggestingChoiceField(choices=answer_check.VALUES, default=None, allow_null=True)
    samples = CountField(default=1, min_value=1)
    looks = LooksIn(default=None, allow_null=True)
    retest = TruthField(default=False, help_text="A text arm is played a second time, with other seeds.")
    exclusions = serializers.ListField(
        child=TextField(max_length=TEXT_MAX_CHARS), default=list, max_length=TEXTS_MAX
    )
    alpha = serializers.FloatField(default=ALPHA, min_value=0.001, max_value=0.5)
    margin = serializers.FloatField(
        default=None,
        allow_null=True,
        min_value=0.01,
        max_value=100,
        help_text="Points of accuracy: a gap proven to be smaller counts as closed.",
    )
    contrasts = serializers.ListField(
        child=serializers.ListField(child=TextField(max_length=ARM_MAX_CHARS), min_length=2, max_length=2),
        default=list,
        max_length=TEXTS_MAX,
    )
    smallest_gap = SmallestGapIn(default=None, allow_null=True)
    seed = serializers.IntegerField(min_value=0, max_value=2**63 - 1, default=0)
    created_at = TextField(max_length=64, default="", allow_blank=True)

    def validate_arms(self, value: list[str]) -> list[str]:
        if len(set(value)) < len(value):
            raise serializers.ValidationError("An arm is named twice.")
        return value

    def validate_benchmarks(self, value: list[dict[str, Any]]) -> list[dict[str, Any]]:
        slugs = [benchmark["slug"] for benchmark in value]
        if len(set(slugs)) < len(slugs):
            raise serializers.ValidationError(
                "A benchmark is named twice: give each one split and one limit."
            )
        tasks = sum(len(benchmark["task_ids"] or ()) for benchmark in value)
        if tasks > TASKS_MAX:
            message = f"{tasks:,} tasks in all; the limit is {TASKS_MAX:,}. Split the plan by benchmarks."
            raise serializers.ValidationError(message)
        return value

    def validate(self, attrs: dict[str, Any]) -> dict[str, Any]:
        _contrasts_check(attrs)
        _arms_check(attrs)
        return attrs


def _contrasts_check(plan: dict[str, Any]) -> None:
    """Refuse contrasts of arms that are not the plan's or are not scored, and repeated ones."""
    seen: set[frozenset[str]] = set()
    for pair in plan["contrasts"]:
        for arm in pair:
            if arm not in plan["arms"]:
                raise _contrast_error(f"The arm {arm[:100]!r} is not among the plan's arms.")
            if ARMS[arm.partition(":")[0]].is_probe:
                raise _contrast_error(f"{arm} is a probe: it has no accuracy to compare.")
        if pair[0] == pair[1]:
            raise _contrast_error(f"{pair[0]} is compared with itself.")
        if frozenset(pair) in seen:
            raise _contrast_error(f"{pair[0]} and {pair[1]} are compared twice, in either order.")
        seen.add(frozenset(pair))


def _contrast_error(message: str) -> serializers.ValidationError:
    return serializers.ValidationError({"contrasts": [message]})


def _arms_check(plan: dict[str, Any]) -> None:
    """Refuse an arm that its observation cannot show, and settings that mean nothing to any observation."""
    forms = []
    for planned in plan["arms"]:
        arm_id, _, own = planned.partition(":")
        arm, form = ARMS[arm_id], OBSERVATION_FORMATS.get(own or plan["observation"])
        if own and own == plan["observation"]:
            message = f"{planned} names the plan's own observation: write {arm_id}."
            raise serializers.ValidationError({"arms": [message]})
        if arm.has_page and arm.is_pictured and not (form and form.has_screenshot):
            message = (
                f"The arm {arm_id} shows each question as a picture, and {form.id if form else 'an outline'} "
                f"shows none: name an observation that does, as {arm_id}:{PICTURED}."
            )
            raise serializers.ValidationError({"arms": [message]})
        forms += [form] if form else []
    known = {name for form in forms for name in select_settings(plan["observation_settings"], form)}
    if forms and (unused := sorted(plan["observation_settings"].keys() - known)):
        message = f"No observation of the plan shows what {unused[0]} bounds."
        raise serializers.ValidationError({"observation_settings": [message]})
