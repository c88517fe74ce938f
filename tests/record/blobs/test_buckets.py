"""Blobs and recordings in buckets of a real server of the S3 protocol."""

from __future__ import annotations

import hashlib
import io
import json
from collections.abc import Callable, Iterator
from typing import Any

import httpx
import pytest
from django.core.management import CommandError, call_command
from PIL import Image

from core.errors import GymError
from core.storage import blobs, thumbnails
from gymsite.services import buckets as check
from tests import factories
from tests.buckets import Buckets, buckets_served
from tests.record.capture.factories import chunk_make, event, packed
from trajectories.models import Blob
from trajectories.record.api.health import disk_probe
from trajectories.record.capture import chunks, pictures

DATA = b"\x89PNG\r\n\x1a\n" + bytes(10_000)
NAME = hashlib.sha256(DATA).hexdigest()
KEY = f"{NAME[:2]}/{NAME[2:4]}/{NAME}"


@pytest.fixture(scope="module")
def server() -> Iterator[Buckets]:
    with buckets_served() as buckets:
        yield buckets


@pytest.fixture(autouse=True)
def bucket(server: Buckets, settings: Any) -> Iterator[Buckets]:
    files = {name: server.storage(name) for name in blobs.STORAGES}
    settings.STORAGES = {**settings.STORAGES, **files}
    yield server
    for name in files:
        for key in server.names(name):
            server.client.delete_object(Bucket=name, Key=key)


def put(client: Any, data: bytes = DATA) -> Any:
    url = f"/api/v1/blobs/{hashlib.sha256(data).hexdigest()}"
    return client.put(url, data, content_type="application/octet-stream")


def test_an_upload_is_stored_once_and_served_as_from_a_folder(
    bucket: Buckets, api: Callable[..., Any]
) -> None:
    client = api("trainer", "read")
    assert [put(client).status_code for _ in range(2)] == [201, 200]
    assert bucket.names("blobs") == [KEY]
    answer = client.get(f"/api/v1/blobs/{NAME}")
    assert answer.getvalue() == DATA
    assert answer["Content-Length"] == str(len(DATA))
    assert answer["Content-Security-Policy"] == "default-src 'none'; sandbox"
    same = client.get(f"/api/v1/blobs/{NAME}", headers={"if-none-match": answer["ETag"]})
    assert same.status_code == 304
    with blobs.blob_open(NAME) as file:
        assert file.read() == DATA


def test_what_is_not_there_at_its_size_is_missing_and_replaced_by_the_next_upload(
    bucket: Buckets, api: Callable[..., Any]
) -> None:
    client = api("trainer", "read")
    put(client)
    others = [f"{number:064x}" for number in range(300)]
    hashes = {"sha256": [*others[:150], NAME, *others[150:], NAME]}
    assert client.json("POST", "/blobs/missing", hashes) == (200, {"missing": others})
    bucket.client.put_object(Bucket="blobs", Key=KEY, Body=DATA[:100])
    assert client.json("POST", "/blobs/missing", {"sha256": [NAME]}) == (200, {"missing": [NAME]})
    assert client.get(f"/api/v1/blobs/{NAME}").status_code == 404
    assert put(client).status_code == 201
    assert client.get(f"/api/v1/blobs/{NAME}").getvalue() == DATA


def test_check_blobs_reports_what_is_gone_short_or_changed(
    bucket: Buckets, trainer: Any, capsys: pytest.CaptureFixture[str]
) -> None:
    gone, short, changed, whole = (f"file {number}".encode() * 9 for number in range(4))
    names = {data: hashlib.sha256(data).hexdigest() for data in (gone, short, changed, whole)}
    for data in names:
        put(trainer, data)
    key = {data: f"{name[:2]}/{name[2:4]}/{name}" for data, name in names.items()}
    bucket.client.delete_object(Bucket="blobs", Key=key[gone])
    bucket.client.put_object(Bucket="blobs", Key=key[short], Body=short[:5])
    bucket.client.put_object(Bucket="blobs", Key=key[changed], Body=changed.upper())
    with pytest.raises(CommandError, match="3 files"):
        call_command("check_blobs", contents=True)
    printed = capsys.readouterr().out
    assert all(names[data] in printed for data in (gone, short, changed))
    assert names[whole] not in printed


def test_recordings_are_replayed_from_their_bucket(bucket: Buckets, db: None) -> None:
    chunk = chunk_make(factories.episode(), 1, packed([event()]))
    assert bucket.names("recordings") == [f"{chunk.sha256[:2]}/{chunk.sha256[2:4]}/{chunk.sha256}"]
    (part,) = chunks.parts_read([chunk])
    assert [read.timestamp for read in part] == [1000]


def test_thumbnails_are_made_from_screenshots_in_a_bucket(bucket: Buckets, db: None) -> None:
    picture = io.BytesIO()
    Image.new("RGB", (640, 480), "red").save(picture, "PNG")
    sha256 = blobs.blob_store(picture.getvalue()).sha256
    assert thumbnails.picture_size(sha256) == (640, 480)
    pictures.picture_note(sha256)
    pictures.thumbnail_ensure(sha256)
    assert thumbnails.thumbnail_exists(sha256)
    assert f"thumbnails/{sha256[:2]}/{sha256}.webp" in bucket.names("blobs")


def test_a_bucket_that_is_gone_is_a_failure_of_ours_and_shows_in_the_health(
    server: Buckets, api: Callable[..., Any], settings: Any
) -> None:
    assert disk_probe().is_writable
    settings.STORAGES = {**settings.STORAGES, "blobs": server.storage("nowhere")}
    # A missing bucket and a missing object answer HEAD alike; reading and writing tell them apart.
    with pytest.raises(OSError, match="NoSuchBucket"):
        blobs.blob_store(DATA)
    options = {**server.storage("blobs")["OPTIONS"], "endpoint_url": "http://127.0.0.1:9"}
    settings.STORAGES = {**settings.STORAGES, "blobs": {**server.storage("blobs"), "OPTIONS": options}}
    assert not disk_probe().is_writable
    assert thumbnails.picture_read(NAME) is None  # as from a disk that fails


@pytest.mark.parametrize(
    ("changes", "words"),
    [
        ({"bucket_name": "nowhere"}, "'nowhere' of BLOB_BUCKET cannot be used (NoSuchBucket): create"),
        ({"endpoint_url": "http://127.0.0.1:9"}, "does not answer"),
    ],
)
def test_a_start_says_what_is_wrong_with_a_bucket(settings: Any, changes: dict[str, str], words: str) -> None:
    wrong = {**settings.STORAGES["blobs"], "OPTIONS": settings.STORAGES["blobs"]["OPTIONS"] | changes}
    settings.STORAGES = {**settings.STORAGES, "blobs": wrong}
    with pytest.raises(GymError) as refused:
        check.buckets_check({"S3_ACCESS_KEY": "test", "S3_SECRET_KEY": "test"})
    assert words in refused.value.message
    assert "\n" not in refused.value.message


def test_a_start_says_which_key_has_too_few_rights(server: Buckets, settings: Any) -> None:
    """The arena's key may only read the recordings."""
    iam = server.client_make("iam", "test", "test")
    keys = {}
    for user, actions in (("lab", ["s3:*"]), ("arena", ["s3:GetObject", "s3:ListBucket"])):
        iam.create_user(UserName=user)
        rights = {"Statement": [{"Effect": "Allow", "Action": actions, "Resource": "*"}]}
        rights["Version"] = "2012-10-17"
        iam.put_user_policy(UserName=user, PolicyName="own", PolicyDocument=json.dumps(rights))
        keys[user] = iam.create_access_key(UserName=user)["AccessKey"]
    named = {"S3_ACCESS_KEY": keys["lab"]["AccessKeyId"], "S3_SECRET_KEY": keys["lab"]["SecretAccessKey"]}
    own = {
        "ARENA_S3_ACCESS_KEY": keys["arena"]["AccessKeyId"],
        "ARENA_S3_SECRET_KEY": keys["arena"]["SecretAccessKey"],
    }
    _auth_from_now(server, after=0)
    try:
        check.buckets_check(named)
        with pytest.raises(GymError, match=r"RECORDING_BUCKET.*AccessDenied.*s3:PutObject"):
            check.buckets_check(named | own)
        with pytest.raises(GymError, match=r"BLOB_BUCKET.*InvalidAccessKeyId.*S3_ACCESS_KEY"):
            check.buckets_check({"S3_ACCESS_KEY": "AKIAWRONG", "S3_SECRET_KEY": "wrong"})
    finally:
        _auth_from_now(server, after=10**9)


def _auth_from_now(server: Buckets, *, after: int) -> None:
    answer = httpx.post(f"{server.url}/moto-api/reset-auth", content=str(after).encode(), trust_env=False)
    assert answer.is_success


def test_blobs_have_the_rows_that_a_folder_would_give_them(trainer: Any) -> None:
    put(trainer)
    assert list(Blob.objects.values_list("sha256", "size", "content_type")) == [
        (NAME, len(DATA), "image/png")
    ]
