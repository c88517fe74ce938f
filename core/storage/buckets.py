"""Blobs in an S3 bucket, or on a server with the same protocol; named in the setting ``STORAGES``.

Failures of the store are raised as ``OSError``, like a disk's. An object is stored whole or not at all.
"""

from __future__ import annotations

import shutil
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager
from tempfile import SpooledTemporaryFile
from typing import Any

from boto3.exceptions import Boto3Error
from boto3.s3.transfer import TransferConfig
from botocore.config import Config
from botocore.exceptions import BotoCoreError, ClientError
from django.core.files import File
from storages.backends.s3 import S3Storage
from storages.utils import clean_name

from core.storage.durable_files import THREADS

CONNECT_S = 3.0
# Time limit for the next bytes of a response.
READ_S = 20.0
TRIES = 3
# Objects up to this size are read into memory, larger ones into a temporary file.
MEMORY_BYTES = 1024 * 1024
# The service's codes for a missing object; a missing bucket has a different code.
ABSENT = ("NoSuchKey", "404")


class BucketStorage(S3Storage):  # type: ignore[misc]
    """One bucket. It takes the options of django-storages: ``bucket_name``, ``endpoint_url`` and so on."""

    def __init__(self, **options: Any) -> None:
        config = Config(
            connect_timeout=CONNECT_S,
            read_timeout=READ_S,
            retries={"mode": "standard", "total_max_attempts": TRIES},
            max_pool_connections=2 * THREADS,
        )
        # Uploads already run in their callers' threads.
        transfer = TransferConfig(use_threads=False)
        super().__init__(client_config=config, transfer_config=transfer, **options)

    def size(self, name: str) -> int:
        with _os_errors(name):
            return int(super().size(name))

    def exists(self, name: str) -> bool:
        with _os_errors(name):
            return bool(super().exists(name))

    def delete(self, name: str) -> None:
        with _os_errors(name):
            super().delete(name)

    def _save(self, name: str, content: Any) -> str:
        with _os_errors(name):
            return str(super()._save(name, content))

    def _open(self, name: str, mode: str = "rb") -> File[bytes]:
        """Fetch the whole object in one request, where django-storages makes three."""
        key = self._normalize_name(clean_name(name))
        with _os_errors(name), ExitStack() as unless_read:
            source = self.bucket.Object(key).get()["Body"]
            target = unless_read.enter_context(SpooledTemporaryFile(max_size=MEMORY_BYTES))
            shutil.copyfileobj(source, target)
            unless_read.pop_all()
        target.seek(0)
        return File(target, name=name)


@contextmanager
def _os_errors(name: str) -> Iterator[None]:
    try:
        yield
    except ClientError as error:
        if error.response["Error"]["Code"] in ABSENT:
            raise FileNotFoundError(f"The bucket has no object {name}.") from error
        raise OSError(f"The bucket refuses {name}: {error}") from error
    except (BotoCoreError, Boto3Error) as error:
        raise OSError(f"The bucket does not serve {name}: {error}") from error
