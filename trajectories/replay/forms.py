"""What the lists may be filtered by. A filter that makes no sense is dropped, and the form says so."""

from __future__ import annotations

from typing import Any

from django import forms

from tasks_app.questions import questions
from trajectories.models import Episode, Verdict
from trajectories.models.episode import Arm
from trajectories.replay.text import visible

BIGINT_MAX = 2**63 - 1
QUERY_MAX_CHARS = 200
ANY = ("", "any")
COUNTED = "counted"
LEFT_OUT = "left_out"

# The reasons of the API's records: asking the verdicts themselves would read the whole table.
REASONS = (
    "answer",
    "unparsable_answer",
    "no_submission",
    "agent_stopped",
    "invalid_actions",
    "step_budget",
    "token_budget",
    "context_length",
    "time_budget",
    "harness_error",
    "model_error",
    "lease_lost",
    "verifier_error",
    "verifier_timeout",
    "sandbox_missing",
    "cancelled",
    "expired_unused",
)


def _ids() -> forms.IntegerField:
    return forms.IntegerField(required=False, min_value=1, max_value=BIGINT_MAX, widget=forms.HiddenInput)


def _words() -> forms.CharField:
    widget = forms.TextInput(attrs={"type": "search", "autocomplete": "off"})
    return forms.CharField(required=False, max_length=QUERY_MAX_CHARS, label="Search", widget=widget)


def _choice(names: list[str]) -> forms.ChoiceField:
    return forms.ChoiceField(required=False, choices=[ANY, *((name, name) for name in names)])


class FilterForm(forms.Form):
    """A form of GET parameters; ``filters`` holds those that are valid and set."""

    use_required_attribute = False

    def filters(self) -> dict[str, Any]:
        self.is_valid()
        return {name: value for name, value in self.cleaned_data.items() if value not in ("", None)}


class CursorForm(FilterForm):
    cursor = _ids()


class EpisodeFilter(CursorForm):
    """``runs`` are the choices of the run filter; without them the run is fixed by the page."""

    task = _ids()

    def __init__(self, data: Any, *, benchmarks: list[str], runs: list[tuple[int, str]] | None) -> None:
        super().__init__(data)
        if runs is not None:
            choices = [(str(run_id), visible(f"{run_id} · {name}")) for run_id, name in runs]
            self.fields["run"] = forms.ChoiceField(required=False, choices=[ANY, *choices])
        self.fields["benchmark"] = _choice(benchmarks)
        self.fields["arm"] = _choice(Arm.values)
        self.fields["outcome"] = _choice(Verdict.Outcome.values)
        self.fields["reason"] = _choice(list(REASONS))
        self.fields["status"] = _choice(Episode.Status.values)
        self.fields["q"] = _words()


class TaskFilter(CursorForm):
    def __init__(self, data: Any, *, benchmarks: list[str], splits: list[str]) -> None:
        super().__init__(data)
        self.fields["benchmark"] = _choice(benchmarks)
        self.fields["split"] = _choice(splits)
        self.fields["kind"] = _choice(list(questions))
        self.fields["gap"] = forms.TypedChoiceField(
            required=False,
            choices=[ANY, (COUNTED, "counted"), (LEFT_OUT, "left out")],
            coerce=lambda value: value == COUNTED,
            empty_value=None,
            label="In the gap",
        )
        self.fields["q"] = _words()


class StepsForm(FilterForm):
    """From which step number on an episode's steps are listed."""

    first = _ids()
