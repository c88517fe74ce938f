"""The part of a form that takes label fields of a project's own."""

from __future__ import annotations

from typing import Any

from django import forms
from django.core.exceptions import ValidationError

from core.errors import GymError
from trajectories.annotation.codebook.own_fields import FILE_MAX_BYTES, fields_read
from trajectories.annotation.codebook.types import Field

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
            return [one for file in files for one in fields_read(file.name, file.read(FILE_MAX_BYTES + 1))]
        except GymError as error:
            raise ValidationError(error.message) from error
