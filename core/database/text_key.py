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
    """Text column without the extra prefix-search index that Django gives each ``varchar`` key and reference.

    Nobody searches keys by prefix. Django does not recognise the type under its long name.
    """

    def db_type(self, connection: BaseDatabaseWrapper) -> str:
        return f"character varying({self.max_length})"
