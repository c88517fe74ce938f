"""Primary keys that are text."""

from __future__ import annotations

from typing import TYPE_CHECKING

from django.db import models
from django.db.backends.base.base import BaseDatabaseWrapper

if TYPE_CHECKING:
    TextField = models.CharField[str, str]
else:
    TextField = models.CharField


class TextKey(TextField):
    """Django gives each ``varchar`` key, and each reference to it, a second index for searches by prefix.

    Nobody searches keys so. Under its long name the type is not recognised.
    """

    def db_type(self, connection: BaseDatabaseWrapper) -> str:
        return f"character varying({self.max_length})"
