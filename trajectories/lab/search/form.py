"""Form for the filters of a search."""

from __future__ import annotations

from collections.abc import Mapping
from datetime import date
from typing import Any

from django import forms

from core.database.integers import BIGINT_MAX, is_id
from core.episodes.arms import arm_choices
from palaestra.protocol.end_reasons import END_REASONS
from trajectories.actions.checks import MISMATCHES
from trajectories.actions.types import ACTIONS
from trajectories.models import Episode, Verdict
from trajectories.models.origins import Origin
from trajectories.shell.forms import (
    EPISODES_MAX,
    FilterForm,
    TaskWordsField,
    TextField,
    choice_field,
    name_field,
)
from trajectories.shell.grid.view import PARAMETERS
from trajectories.shell.text.actions import check_label
from trajectories.shell.text.untrusted import visible

QUERY_MAX_CHARS = 500
SECONDS_MAX = 10**9
COUNT_MAX = 10**9
# No episode is older than the first day; the last day leaves room to add another.
FIRST_DAY, LAST_DAY = date(2000, 1, 1), date(9000, 1, 1)

ALWAYS_SHOWN = ("run", "benchmark", "arm", "outcome", "reason", "action_check")
PAIRS = (
    ("steps_min", "steps_max", "steps"),
    ("seconds_min", "seconds_max", "seconds"),
    ("opened_from", "opened_to", "days"),
)


def _count(label: str, *, min_value: int = 0, max_value: int = COUNT_MAX) -> forms.IntegerField:
    return forms.IntegerField(
        required=False,
        min_value=min_value,
        max_value=max_value,
        label=label,
        error_messages=_number_errors("whole number", min_value, max_value),
    )


def _seconds(label: str) -> forms.FloatField:
    return forms.FloatField(
        required=False,
        min_value=0,
        max_value=SECONDS_MAX,
        label=label,
        error_messages=_number_errors("number", 0, SECONDS_MAX),
    )


def _number_errors(kind: str, min_value: int, max_value: int) -> dict[str, str]:
    return {
        "invalid": f"is not a {kind}",
        "min_value": f"is less than {min_value:,}",
        "max_value": f"is more than {max_value:,}",
    }


class DayField(forms.DateField):
    """A day on which an episode can have been opened, written as 2026-02-28."""

    def __init__(self, label: str) -> None:
        errors = {"invalid": "is not a day in the form 2026-02-28"}
        widget = forms.DateInput(format="%Y-%m-%d", attrs={"type": "date"})
        formats = ["%Y-%m-%d"]
        super().__init__(
            required=False, label=label, input_formats=formats, widget=widget, error_messages=errors
        )

    def to_python(self, value: Any) -> date | None:
        day = super().to_python(value)
        if day is not None and not FIRST_DAY <= day < LAST_DAY:
            raise forms.ValidationError(f"is not between {FIRST_DAY} and {LAST_DAY}")
        return day


class EpisodesField(forms.CharField):
    """A list of episode numbers. Each selected box sends one; an address may join several with commas."""

    def __init__(self, label: str) -> None:
        widget = forms.TextInput(attrs={"autocomplete": "off", "placeholder": "12, 15"})
        super().__init__(required=False, label=label, widget=widget)
        self.validators = []

    def to_python(self, value: Any) -> Any:
        words = [word.strip() for word in str(value or "").split(",") if word.strip()]
        if not all(map(is_id, words)):
            raise forms.ValidationError("is not a list of numbers such as 12, 15")
        if len(words) > EPISODES_MAX:
            raise forms.ValidationError(f"has more than {EPISODES_MAX} numbers")
        return sorted({int(word) for word in words}) or None


class SearchForm(FilterForm):
    """The form. ``runs``, ``models`` and ``benchmarks`` are the choices of the filters of the same names."""

    page = "a search"
    other_parameters = frozenset({"after", "golds", *PARAMETERS})
    reported_elsewhere = frozenset({"q"})

    is_instant = False

    q = TextField(
        "Words in thoughts", max_chars=QUERY_MAX_CHARS, placeholder='Words in thoughts, "a phrase", -without'
    )
    policy_version = _count("Policy version")
    episodes = EpisodesField("Episode numbers")
    task = _count("Task number", min_value=1, max_value=BIGINT_MAX)
    problem = TaskWordsField("Task text has")
    arm = choice_field(arm_choices(), "Arm")
    outcome = choice_field(Verdict.Outcome.choices, "Outcome")
    reason = choice_field([(reason.code, reason.label) for reason in END_REASONS.values()], "End reason")
    action_check = choice_field([(kind, check_label(kind)) for kind in MISMATCHES], "Action check")
    action = name_field(list(ACTIONS), "Action")
    origin = choice_field(Origin.choices, "Origin")
    status = choice_field(Episode.Status.choices, "Status")
    steps_min = _count("Steps, at least")
    steps_max = _count("Steps, at most")
    seconds_min = _seconds("Seconds, at least")
    seconds_max = _seconds("Seconds, at most")
    opened_from = DayField("Opened from")
    opened_to = DayField("Opened until")

    def __init__(
        self,
        data: Mapping[str, str],
        *,
        runs: list[tuple[int, str]],
        models: list[str],
        benchmarks: list[str],
    ) -> None:
        super().__init__(data)
        named = [(str(run), visible(f"{run} · {name}")) for run, name in runs]
        self.fields["run"] = choice_field(named, "Run")
        self.fields["model"] = name_field(models, "Model")
        self.fields["benchmark"] = name_field(benchmarks, "Benchmark")
        self.blanks_name(*ALWAYS_SHOWN)
        rest = [name for name in self.fields if name not in ("q", "model", *ALWAYS_SHOWN)]
        self.folded_names = ("model", *rest)
        self.order_fields(["q", *ALWAYS_SHOWN, *self.folded_names])

    def error_messages(self) -> list[str]:
        return [*super().error_messages(), *self._contradictions()]

    def query_error(self) -> str:
        errors = self.errors.get("q")
        return f"The query {errors[0]}." if errors else ""

    def label_of(self, name: str, value: str) -> str:
        """Return a choice's label; empty if the filter lacks this choice or has no choices at all."""
        choices = getattr(self.fields[name], "choices", ())
        return str(dict(choices).get(value, "")) if value else ""

    def _contradictions(self) -> list[str]:
        filters = self.filters()
        return [
            f"No episode has both at least {filters[low]} and at most {filters[high]} {what}."
            if what != "days"
            else f"No day is both from {filters[low]} on and up to {filters[high]}."
            for low, high, what in PAIRS
            if low in filters and high in filters and filters[low] > filters[high]
        ]
