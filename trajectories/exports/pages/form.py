"""The form that requests an export."""

from __future__ import annotations

from typing import Any

from django import forms
from django.contrib.auth.models import AnonymousUser, User

from core.database.integers import BIGINT_MAX, INT_MAX
from core.errors import GymError
from palaestra.protocol.arms import ARMS
from trajectories.exports.formats import FORMATS
from trajectories.exports.parameters import (
    PAIRS_MAX,
    REVISIONS_MAX_BYTES,
    Labels,
    Parameters,
    Revision,
    revisions_read,
)
from trajectories.exports.records import NAMES_MAX, PAIRS_LIMIT, SEED_MAX
from trajectories.exports.registry import KINDS
from trajectories.models import AnnotationProject, Step, Verdict
from trajectories.models.origins import Origin
from trajectories.rewards.api import REFERENCE_CHARS
from trajectories.shell import access
from trajectories.shell.forms import OF_PROJECT, of_project_offer

TEXT_CHARS = 2_000
FORMAT_NAMES = {"jsonl": "JSON lines", "parquet": "Parquet"}


class NamesField(forms.CharField):
    """A form field for names separated by commas or spaces."""

    def __init__(self, label: str, *, help_text: str = "") -> None:
        super().__init__(required=False, max_length=TEXT_CHARS, label=label, help_text=help_text)

    def clean(self, value: Any) -> list[str]:
        text: str = super().clean(value)
        names = list(dict.fromkeys(text.replace(",", " ").split()))
        if len(names) > NAMES_MAX:
            raise forms.ValidationError(f"At most {NAMES_MAX:,} names.")
        return names


class IdsField(NamesField):
    def clean(self, value: Any) -> list[int]:  # type: ignore[override]
        names = super().clean(value)
        for name in names:
            if not (name.isascii() and name.isdecimal() and 0 < int(name) <= BIGINT_MAX):
                raise forms.ValidationError(f"“{name[:40]}” is not a run number.")
        return [int(name) for name in names]


class WeightsField(forms.CharField):
    """A form field for answers and their weights, such as ``reasoning=1, mixed=0.5``."""

    def clean(self, value: Any) -> dict[str, float]:
        text: str = super().clean(value)
        weights: dict[str, float] = {}
        for part in filter(None, (part.strip() for part in text.split(","))):
            name, _, number = part.partition("=")
            try:
                weights[name.strip()] = float(number or 1)
            except ValueError:
                raise forms.ValidationError(f"Write a number after “{name[:40].strip()}=”.") from None
            if not 0 <= weights[name.strip()] < float("inf"):
                raise forms.ValidationError("A weight must be 0 or more.")
        return weights


def _count(label: str, *, maximum: int = INT_MAX, initial: int | None = None) -> forms.IntegerField:
    return forms.IntegerField(required=False, min_value=0, max_value=maximum, initial=initial, label=label)


def _date(label: str) -> forms.DateTimeField:
    return forms.DateTimeField(
        required=False, label=label, widget=forms.DateInput(attrs={"type": "date"}, format="%Y-%m-%d")
    )


class ExportForm(forms.Form):
    """A form with the kind, filters and options of an export.

    Golds and locked splits are offered only to users who may export them.
    """

    kind = forms.ChoiceField(label="Kind")
    format = forms.ChoiceField(
        choices=[(name, FORMAT_NAMES[name]) for name in FORMATS], label="Format", initial="jsonl"
    )
    runs = IdsField("Runs", help_text="Run numbers; leave empty for all runs.")
    benchmarks = NamesField("Benchmarks")
    splits = NamesField("Splits")
    arms = forms.MultipleChoiceField(
        choices=[(arm.id, arm.label) for arm in ARMS.values()],
        required=False,
        label="Arms",
        widget=forms.CheckboxSelectMultiple,
    )
    outcomes = forms.MultipleChoiceField(
        choices=Verdict.Outcome,
        required=False,
        label="Outcomes",
        widget=forms.CheckboxSelectMultiple,
        help_text="If none is selected, the kind's defaults below apply.",
    )
    origins = forms.MultipleChoiceField(
        choices=Origin,
        required=False,
        label="Origin",
        widget=forms.CheckboxSelectMultiple,
        help_text="If none is selected, the kind's defaults below apply.",
    )
    segments = forms.MultipleChoiceField(
        choices=Step.Segment,
        required=False,
        label="Segments",
        widget=forms.CheckboxSelectMultiple,
        help_text="For “SFT, step by step” with the origin taken over: a person's steps in these segments.",
    )
    policy_version_min = _count("Policy version from")
    policy_version_max = _count("Policy version to")
    opened_from = _date("Opened from")
    opened_before = _date("Opened before")
    project = forms.ModelChoiceField(
        queryset=AnnotationProject.objects.none(),
        required=False,
        label="Labels of project",
        empty_label="none",
        help_text="Only steps whose label has a weight, or whole episodes with such a step.",
    )
    field = forms.CharField(required=False, max_length=64, initial="type", label="Field")
    weights = WeightsField(
        required=False, max_length=TEXT_CHARS, initial="reasoning=1", label="Answers and their weights"
    )
    pairs_max = forms.IntegerField(
        min_value=1, max_value=PAIRS_LIMIT, initial=PAIRS_MAX, label="Pairs per group or task, at most"
    )
    revisions = forms.FileField(
        required=False,
        label="Revision thoughts",
        help_text='For splices: JSON lines, each {"text": …}. "episode" and "step" are optional and give an '
        "episode and its first bad step.",
    )
    reward_profile = forms.CharField(
        required=False,
        max_length=REFERENCE_CHARS,
        label="Reward profile",
        help_text="For “Rewards in parts”: a profile's name; leave empty for the outcome alone.",
    )
    seed = forms.IntegerField(min_value=0, max_value=SEED_MAX, initial=0, label="Seed")
    golds = forms.BooleanField(required=False, label="With golds")
    locked = forms.BooleanField(required=False, label="Include locked (evaluation) splits; this is recorded")

    def __init__(self, *args: Any, user: User | AnonymousUser, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        fields: dict[str, Any] = self.fields
        fields["kind"].choices = [(kind.id, kind.title) for _, kind in KINDS.items()]
        fields["project"].queryset = AnnotationProject.objects.order_by("name", "pk")
        of_project_offer(self)
        if not access.sees_golds(user):
            del self.fields["golds"]
        if not user.is_staff:
            del self.fields["locked"]

    def clean_revisions(self) -> list[Revision]:
        file = self.cleaned_data["revisions"]
        if not file:
            return []
        try:
            return revisions_read(file.read(REVISIONS_MAX_BYTES + 1))
        except GymError as error:
            raise forms.ValidationError(error.message) from error

    def parameters(self) -> Parameters:
        """Return the export parameters of a valid form."""
        given = dict(self.cleaned_data)
        project, field, weights = given.pop("project"), given.pop("field"), given.pop("weights")
        del given["kind"]
        given.pop(OF_PROJECT, None)
        labels = Labels(project=project.pk, field=field, weights=weights) if project else None
        return Parameters(**{name: value for name, value in given.items() if value != ""}, labels=labels)
