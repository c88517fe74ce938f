"""The chore that deletes what killed uploads left behind."""

from __future__ import annotations

import logging

from django.core.files.storage import storages

from core import durable_files
from core.blobs import STORAGES

logger = logging.getLogger(__name__)


def parts_sweep() -> int:
    """Delete old parts in every blob storage; return how many. Refusing storages are only logged."""
    swept = 0
    for name in STORAGES:
        try:
            swept += durable_files.parts_sweep(storages[name])
        except OSError as error:
            logger.warning("parts of killed uploads in the storage %s stay: %s", name, error)
    return swept
