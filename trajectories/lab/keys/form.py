"""The form that creates a key."""

from __future__ import annotations

from typing import Any

from django import forms

from trajectories.models.access import DEFAULT_PROJECT, Scope

NAME_CHARS = 100
SPLITS_CHARS = 1_000
SCOPES = {
    Scope.READ: "read: runs, episodes, reports",
    Scope.TRAINER: "trainer: opens runs and episodes, records steps; includes read",
    Scope.GOLDS: "golds: sees the answers",
    Scope.GUIDANCE: "guidance: opens episodes with a part of the solution, and sees it",
    Scope.ADMIN: "admin: everything",
}


class SplitsField(forms.CharField):
    """Names separated by commas or blanks."""

    def clean(self, value: Any) -> list[str]:
        text: str = super().clean(value)
        return list(dict.fromkeys(text.replace(",", " ").split()))


class KeyForm(forms.Form):
    name = forms.CharField(max_length=NAME_CHARS, label="Name", help_text="The holder, for this list.")
    scopes = forms.MultipleChoiceField(
        choices=list(SCOPES.items()),
        initial=[Scope.TRAINER],
        label="Scopes",
        widget=forms.CheckboxSelectMultiple,
    )
    project = forms.CharField(
        max_length=64,
        initial=DEFAULT_PROJECT,
        label="Project",
        help_text="The key sees and changes only what belongs to it. A new name starts a new project.",
    )
    splits = SplitsField(required=False, max_length=SPLITS_CHARS, label="Splits", help_text="Empty for all.")
