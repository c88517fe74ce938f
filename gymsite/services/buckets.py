"""Checks of the operator's own buckets (``BLOB_BUCKET``, ``RECORDING_BUCKET``, ``PRIVATE_BUCKET``)."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from django.conf import settings
from django.core.files.base import ContentFile
from django.core.files.storage import Storage
from django.utils.module_loading import import_string

from core.errors import GymError
from core.storage.blobs import BLOBS, PRIVATE, RECORDINGS
from gymsite.services.processes import ARENA_S3_KEYS, S3_KEYS

SETTINGS = {BLOBS: "BLOB_BUCKET", RECORDINGS: "RECORDING_BUCKET", PRIVATE: "PRIVATE_BUCKET"}
PROBE = "probes/start"
RIGHTS = (
    "allow this key s3:ListBucket on the bucket, and s3:GetObject, s3:PutObject and s3:DeleteObject in it"
)
# Advice by the service's error code, or by the status of a response without a body.
ADVICE = {
    "NoSuchBucket": "create the bucket, or correct {setting}",
    "InvalidAccessKeyId": "correct S3_ACCESS_KEY",
    "SignatureDoesNotMatch": "correct S3_SECRET_KEY",
    "AccessDenied": RIGHTS,
    "403": RIGHTS,
}


def buckets_check(keys: Mapping[str, str]) -> None:
    """Try each bucket with the lab's keys, and the bucket of recordings with the arena's, if there are any.

    ``keys`` maps settings to values. Errors: ``bucket_refused``, ``bucket_unreachable``.
    """
    for name, setting in SETTINGS.items():
        options = settings.STORAGES[name]["OPTIONS"]
        if "bucket_name" not in options:
            continue
        for key_names in (S3_KEYS, ARENA_S3_KEYS) if name == RECORDINGS else (S3_KEYS,):
            access_key, secret_key = (keys.get(key_name, "") for key_name in key_names)
            if access_key or key_names is S3_KEYS:
                own = {"access_key": access_key or None, "secret_key": secret_key or None}
                _check(settings.STORAGES[name]["BACKEND"], options | own, setting)


def _check(backend: str, options: dict[str, Any], setting: str) -> None:
    storage: Storage = import_string(backend)(**options)
    try:
        storage.save(PROBE, ContentFile(b"palaestra"))
        storage.size(PROBE)
        storage.open(PROBE).close()
        storage.delete(PROBE)
        # Without the right s3:ListBucket, the service answers "refused" instead of "no such object".
        storage.exists(PROBE)
    except OSError as error:
        raise _explained(error, f"The bucket {options['bucket_name']!r} of {setting}", setting) from None


def _explained(error: OSError, bucket: str, setting: str) -> GymError:
    answer = getattr(error.__cause__, "response", None)
    if answer is None:
        message = f"{bucket} does not answer ({error}): correct S3_ENDPOINT_URL and S3_REGION, or the keys."
        return GymError("bucket_unreachable", message)
    code = answer["Error"]["Code"]
    advice = ADVICE.get(code, "see the service's documentation").format(setting=setting)
    return GymError("bucket_refused", f"{bucket} cannot be used ({code}): {advice}.")
