"""The form that opens a project."""

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
    """Files of label fields; its value is the fields of all of them."""

    widget = _Files

    def clean(self, data: Any, initial: Any = None) -> list[Field]:
        files = data if isinstance(data, list | tuple) else [data] if data else []
        if len(files) > FILES_MAX:
            raise ValidationError(f"These are {len(files)} files; send at most {FILES_MAX}.")
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
    """Choice of what to draw from the episodes of a search, and of who labels it."""

    name = forms.CharField(max_length=NAME_CHARS, label="Name")
    kind = forms.ChoiceField(
        choices=[(name, kind.title) for name, kind in KINDS.items()],
        initial="step",
        required=False,
        label="What is labelled",
        help_text="Pairs are drawn at random from the attempts at one task.",
    )
    steps = forms.IntegerField(min_value=1, max_value=STEPS_MAX, initial=200, label="How many")
    by = forms.MultipleChoiceField(
        choices=[(part, part.capitalize()) for part in PARTS],
        initial=list(PARTS),
        required=False,
        label="Strata",
        widget=forms.CheckboxSelectMultiple,
        help_text=(
            "Each combination is a stratum. What is drawn is stored with how many it stands for. "
            "Pairs always go by task."
        ),
    )
    is_equal = forms.TypedChoiceField(
        choices=[("1", "the same number from each stratum"), ("0", "in proportion to its size")],
        coerce=lambda value: value == "1",
        initial="1",
        label="Draw",
    )
    seed = forms.IntegerField(
        min_value=0, max_value=INT_MAX, initial=1, label="Seed", help_text="The same seed draws the same."
    )
    people = forms.ModelMultipleChoiceField(
        queryset=User.objects.none(),
        label="Annotators",
        widget=forms.CheckboxSelectMultiple,
        help_text="manage.py create_login --annotator --name NAME makes a login for one more person.",
    )
    overlap = forms.IntegerField(
        min_value=0,
        max_value=100,
        initial=100,
        label="Overlap, in %",
        help_text="Of the units, for agreement.",
    )
    overlap_people = forms.IntegerField(
        min_value=1, max_value=PEOPLE_MAX, initial=2, label="People for each of these"
    )
    views = forms.MultipleChoiceField(
        choices=View,
        initial=views_default,
        label="Views",
        widget=forms.CheckboxSelectMultiple,
        help_text="What annotators see of a step; all else is shown in full. With several views "
        "each needs people of its own: who labels a unit in one never sees it in another.",
    )
    repeats = forms.IntegerField(
        min_value=0,
        max_value=100,
        initial=0,
        label="Hidden repeats, in %",
        help_text="Of the units that a person labels, which come back to them later unannounced.",
    )
    reservation_minutes = forms.IntegerField(
        min_value=1,
        max_value=MINUTES_MAX,
        initial=60,
        label="Reservation, in minutes",
        help_text="A unit that someone opened and left goes to the next person after that.",
    )
    shows_setup = forms.BooleanField(
        required=False, label="Show arm and model", help_text="Otherwise annotators do not see them."
    )
    own_fields = OwnFieldsField(
        required=False,
        label="Label fields of its own",
        help_text="Files (.toml or .json) with fields besides those of this installation's codebook.",
    )

    def __init__(self, *args: object, **kwargs: object) -> None:
        super().__init__(*args, **kwargs)  # type: ignore[arg-type]
        of_project_offer(self)
        people: Any = self.fields["people"]
        people.queryset = User.objects.filter(is_active=True).order_by("username", "pk")
