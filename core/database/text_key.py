"""A field type for primary keys that are text."""

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

    Nobody searches keys by prefix. The type is spelled by its long name, which Django does not recognise as
    ``varchar``, so it adds no such index.
    """

    def db_type(self, connection: BaseDatabaseWrapper) -> str:
        return f"character varying({self.max_length})"
