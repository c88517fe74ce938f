"""An S3 server for tests, and file storages in its buckets."""

from __future__ import annotations

import contextlib
import logging
from collections.abc import Iterator
from typing import Any

from core.storage import blobs

KEYS = {"S3_ACCESS_KEY": "test", "S3_SECRET_KEY": "test"}


class Buckets:
    """A running S3 server.

    ``settings`` are those of an installation that keeps its files in the server's buckets.
    """

    def __init__(self, host: str, port: int) -> None:
        self.url = f"http://{host}:{port}"
        self.settings = {
            "BLOB_BUCKET": "blobs",
            "RECORDING_BUCKET": "recordings",
            "PRIVATE_BUCKET": "private",
            "S3_ENDPOINT_URL": self.url,
            "S3_REGION": "us-east-1",
            **KEYS,
        }
        self.client = self.client_make("s3", "test", "test")

    def client_make(self, service: str, key: str, secret: str) -> Any:
        import boto3

        return boto3.client(
            service,
            endpoint_url=self.url,
            region_name="us-east-1",
            aws_access_key_id=key,
            aws_secret_access_key=secret,
        )

    def storage(self, bucket: str) -> dict[str, Any]:
        options = {
            "bucket_name": bucket,
            "endpoint_url": self.url,
            "region_name": "us-east-1",
            "access_key": "test",
            "secret_key": "test",
        }
        return {"BACKEND": "core.storage.buckets.BucketStorage", "OPTIONS": options}

    def names(self, bucket: str) -> list[str]:
        listed = self.client.list_objects_v2(Bucket=bucket)
        return [entry["Key"] for entry in listed.get("Contents", [])]


@contextlib.contextmanager
def buckets_served(host: str = "127.0.0.1") -> Iterator[Buckets]:
    """Yield a server with the empty buckets ``blobs``, ``recordings`` and ``private``."""
    from moto.server import ThreadedMotoServer  # slow to import, as boto3 is

    logging.getLogger("werkzeug").setLevel(logging.WARNING)  # it logs each request
    server = ThreadedMotoServer(ip_address=host, port=0, verbose=False)
    server.start()
    try:
        buckets = Buckets(*server.get_host_and_port())
        for name in blobs.STORAGES:
            buckets.client.create_bucket(Bucket=name)
        yield buckets
    finally:
        server.stop()
