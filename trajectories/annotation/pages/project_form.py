"""The form that creates an annotation project."""

from __future__ import annotations

from typing import Any

from django import forms
from django.contrib.auth.models import User
from django.core.exceptions import ValidationError

from core.database.integers import INT_MAX
from core.errors import GymError
from trajectories.annotation.codebook.own_fields import FILE_MAX_BYTES, fields_read
from trajectories.annotation.codebook.types import Field
from trajectories.annotation.projects.sample import KINDS, PARTS
from trajectories.annotation.projects.services import STEPS_MAX
from trajectories.models.annotation import View, views_default
from trajectories.shell.forms import of_project_offer

FILES_MAX = 10


class _Files(forms.ClearableFileInput):
    allow_multiple_selected = True


class OwnFieldsField(forms.FileField):
    """A form field for files of label fields; its value is the list of the label fields in all files."""

    widget = _Files

    def clean(self, data: Any, initial: Any = None) -> list[Field]:
        files = data if isinstance(data, list | tuple) else [data] if data else []
        if len(files) > FILES_MAX:
            raise ValidationError(f"You sent {len(files)} files; send at most {FILES_MAX}.")
        try:
            return [
                field for file in files for field in fields_read(file.name, file.read(FILE_MAX_BYTES + 1))
            ]
        except GymError as error:
            raise ValidationError(error.message) from error


NAME_CHARS = 200
PEOPLE_MAX = 20
MINUTES_MAX = 7 * 24 * 60


class ProjectForm(forms.Form):
    """The choice of what to draw from a search's episodes, and of who labels it."""

    name = forms.CharField(max_length=NAME_CHARS, label="Name")
    kind = forms.ChoiceField(
        choices=[(name, kind.title) for name, kind in KINDS.items()],
        initial="step",
        required=False,
        label="What is labelled",
        help_text="Pairs are drawn at random from attempts at the same task.",
    )
    steps = forms.IntegerField(min_value=1, max_value=STEPS_MAX, initial=200, label="How many")
    by = forms.MultipleChoiceField(
        choices=[(part, part.capitalize()) for part in PARTS],
        initial=list(PARTS),
        required=False,
        label="Strata",
        widget=forms.CheckboxSelectMultiple,
        help_text=(
            "Each combination is a stratum. Each unit is stored with the number of candidates that it "
            "represents. Pairs are always stratified by task."
        ),
    )
    is_equal = forms.TypedChoiceField(
        choices=[("1", "the same number from each stratum"), ("0", "in proportion to each stratum's size")],
        coerce=lambda value: value == "1",
        initial="1",
        label="Draw",
    )
    seed = forms.IntegerField(
        min_value=0,
        max_value=INT_MAX,
        initial=1,
        label="Seed",
        help_text="The same seed draws the same units.",
    )
    people = forms.ModelMultipleChoiceField(
        queryset=User.objects.none(),
        label="Annotators",
        widget=forms.CheckboxSelectMultiple,
        help_text="manage.py create_login --annotator --name NAME creates a login for another person.",
    )
    overlap = forms.IntegerField(
        min_value=0,
        max_value=100,
        initial=100,
        label="Overlap, in %",
        help_text="The share of units that several people label, to measure agreement.",
    )
    overlap_people = forms.IntegerField(
        min_value=1, max_value=PEOPLE_MAX, initial=2, label="People for each of these units"
    )
    views = forms.MultipleChoiceField(
        choices=View,
        initial=views_default,
        label="Views",
        widget=forms.CheckboxSelectMultiple,
        help_text="What annotators see of a step; trajectories and pairs are always shown in full. "
        "Each view needs different people, because nobody sees the same unit in two views.",
    )
    repeats = forms.IntegerField(
        min_value=0,
        max_value=100,
        initial=0,
        label="Hidden repeats, in %",
        help_text="The share of a person's units that come back to them later, unannounced.",
    )
    reservation_minutes = forms.IntegerField(
        min_value=1,
        max_value=MINUTES_MAX,
        initial=60,
        label="Reservation, in minutes",
        help_text="A unit that someone opened but did not finish goes to the next person after this time.",
    )
    shows_setup = forms.BooleanField(
        required=False, label="Show arm and model", help_text="If not checked, annotators do not see them."
    )
    own_fields = OwnFieldsField(
        required=False,
        label="Additional label fields",
        help_text="Files (.toml or .json) with fields in addition to those of this installation's codebook.",
    )

    def __init__(self, *args: object, **kwargs: object) -> None:
        super().__init__(*args, **kwargs)  # type: ignore[arg-type]
        of_project_offer(self)
        people: Any = self.fields["people"]
        people.queryset = User.objects.filter(is_active=True).order_by("username", "pk")
