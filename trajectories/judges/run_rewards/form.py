"""The choice of profiles, and of the episodes that they are read for."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from django import forms
from django.http import QueryDict

from trajectories.rewards.profiles.store import REFERENCE, Named
from trajectories.shell.forms import FilterForm, Select, name_field

CHOICES_MAX = 200


class ProfileField(forms.Field):
    """One of the ``offered`` profiles, as ``name@hash`` or as a name alone, which means its newest."""

    def __init__(self, label: str, *, offered: Sequence[Named], blank: str) -> None:
        choices = [("", blank), *((one.reference, one.reference) for one in offered[:CHOICES_MAX])]
        super().__init__(required=False, label=label, widget=Select(choices=choices))
        self._offered = offered

    def to_python(self, value: Any) -> Named | None:
        if not value:
            return None
        named = self._named(value)
        if named is None:
            raise forms.ValidationError("is no reward profile that this run's project may name")
        return named

    def prepare_value(self, value: Any) -> Any:
        """Return the list's choice for a profile given by its name alone."""
        named = self._named(value) if isinstance(value, str) else None
        return named.reference if named else value

    def _named(self, reference: str) -> Named | None:
        match = REFERENCE.fullmatch(reference)
        name, sha256 = match.groups() if match else ("", None)
        alike = (one for one in self._offered if one.profile.name == name)
        return next((one for one in alike if one.sha256.startswith(sha256 or "")), None)


class RewardsForm(FilterForm):
    page = "this page"

    def __init__(
        self, data: QueryDict, *, own: Named, offered: Sequence[Named], benchmarks: Sequence[str]
    ) -> None:
        super().__init__(data)
        self._own = own
        blank = f"the run's: {own.reference}"
        self.fields["profile"] = ProfileField("Profile", offered=offered, blank=blank)
        self.fields["beside"] = ProfileField("Compare with", offered=offered, blank="nothing")
        self.fields["benchmark"] = name_field(benchmarks, "Benchmark")

    def clean_beside(self) -> Named | None:
        beside: Named | None = self.cleaned_data["beside"]
        if beside is not None and beside == (self.cleaned_data.get("profile") or self._own):
            raise forms.ValidationError("is the profile that it would be compared with")
        return beside
