from __future__ import annotations

import hashlib
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from celery import Task
from django.core.files.storage import storages

from core.storage import blobs
from trajectories.models import Blob

PNG = b"\x89PNG\r\n\x1a\n" + bytes(100)
TYPES = [
    (PNG, "image/png"),
    (b"\xff\xd8\xff\xe0" + bytes(50), "image/jpeg"),
    (b"GIF89a" + bytes(50), "image/gif"),
    (b"RIFF\x10\x00\x00\x00WEBPVP8 ", "image/webp"),
    (b'{"a": 1}', "application/json"),
    (b" [1]", "application/json"),
    ("h\u00e9llo\n".encode(), "text/plain; charset=utf-8"),
    (b"", "text/plain; charset=utf-8"),
    ("é".encode() * 5000, "text/plain; charset=utf-8"),
    (("x" + "é" * 5000).encode(), "text/plain; charset=utf-8"),
    (b"<svg xmlns='http://www.w3.org/2000/svg'><script>alert(1)</script></svg>", "text/plain; charset=utf-8"),
    (b"<!doctype html><script>alert(1)</script>", "text/plain; charset=utf-8"),
    (b"\x1f\x8b\x08\x00" + bytes(20), "application/octet-stream"),
    (b"%PDF-1.7\x00", "application/octet-stream"),
    (b"caf\xe9", "application/octet-stream"),
]


@pytest.fixture(autouse=True)
def _blob_folder(tmp_path: Path, settings: Any) -> None:
    settings.STORAGES = {
        **settings.STORAGES,
        "blobs": {
            "BACKEND": "django.core.files.storage.FileSystemStorage",
            "OPTIONS": {"location": str(tmp_path)},
        },
    }


def sha256(data: bytes) -> str:
    return hashlib.sha256(data).hexdigest()


def put(client: Any, data: bytes, *, name: str | None = None) -> Any:
    return client.put(f"/api/v1/blobs/{name or sha256(data)}", data, content_type="application/octet-stream")


def files(folder: Path) -> list[str]:
    return sorted(path.name for path in folder.rglob("*") if path.is_file())


@pytest.mark.parametrize(("data", "content_type"), TYPES)
def test_a_blob_is_returned_unchanged_with_a_content_type_of_ours(
    api: Callable[..., Any], data: bytes, content_type: str
) -> None:
    client = api("trainer", "read")

    assert put(client, data).status_code == 201
    answer = client.get(f"/api/v1/blobs/{sha256(data)}")

    assert answer.getvalue() == data
    assert answer["Content-Type"] == content_type
    assert answer["Content-Security-Policy"] == "default-src 'none'; sandbox"
    assert answer["X-Content-Type-Options"] == "nosniff"
    assert "immutable" in answer["Cache-Control"]
    is_attachment = answer.get("Content-Disposition", "").startswith("attachment")
    assert is_attachment is (content_type == "application/octet-stream")


def test_putting_a_blob_again_reports_that_it_exists(api: Callable[..., Any], tmp_path: Path) -> None:
    client = api("trainer")

    first, second = put(client, PNG), put(client, PNG)

    assert (first.status_code, second.status_code) == (201, 200)
    assert second.json() == {"sha256": sha256(PNG), "size": len(PNG), "content_type": "image/png"}
    assert files(tmp_path) == [sha256(PNG)]
    assert Blob.objects.count() == 1


def test_bytes_of_another_hash_are_refused_and_leave_nothing(api: Callable[..., Any], tmp_path: Path) -> None:
    response = put(api("trainer"), b"these", name=sha256(b"those"))

    assert (response.status_code, response.json()["error"]["code"]) == (400, "hash_mismatch")
    assert files(tmp_path) == []
    assert not Blob.objects.exists()


@pytest.mark.parametrize("is_announced", [True, False])
def test_a_blob_over_the_limit_is_refused_and_names_the_setting(
    api: Callable[..., Any], settings: Any, tmp_path: Path, is_announced: bool
) -> None:
    settings.BLOB_MAX_BYTES = 10
    if is_announced:
        response = put(api("trainer"), b"x" * 11)
        assert response.status_code == 413
        assert "BLOB_MAX_BYTES" in response.json()["error"]["message"]
    else:
        pieces = iter([b"x" * 6, b"x" * 6, b""])
        with pytest.raises(blobs.GymError, match="BLOB_MAX_BYTES"):
            blobs.blob_receive(read=lambda _size: next(pieces), sha256=sha256(b"x" * 12), limit=10)

    assert files(tmp_path) == []


@pytest.mark.parametrize("name", ["x", "A" * 64, "0" * 63, "0" * 65, "../" * 21 + "0", "%00" * 64])
def test_a_name_that_is_not_a_hash_is_404(api: Callable[..., Any], name: str) -> None:
    client = api("trainer", "read")

    assert put(client, b"x", name=name).status_code == 404
    assert client.get(f"/api/v1/blobs/{name}").status_code == 404


def test_a_missing_blob_is_404(api: Callable[..., Any]) -> None:
    response = api("read").get(f"/api/v1/blobs/{'0' * 64}")

    assert (response.status_code, response.json()["error"]["code"]) == (404, "not_found")


def test_a_known_blob_is_not_sent_again(api: Callable[..., Any]) -> None:
    client = api("trainer", "read")
    put(client, PNG)

    response = client.get(f"/api/v1/blobs/{sha256(PNG)}", headers={"If-None-Match": f'"{sha256(PNG)}"'})

    assert (response.status_code, response.content) == (304, b"")


def test_missing_blobs_are_listed_once_in_the_given_order(api: Callable[..., Any]) -> None:
    client = api("trainer")
    put(client, PNG)
    of_a_task = blobs.blob_store(b"picture of a task")
    absent = [sha256(b"b"), sha256(b"a")]

    status, answer = client.json(
        "POST", "/blobs/missing", {"sha256": [absent[0], sha256(PNG), of_a_task.sha256, *absent]}
    )

    assert (status, answer) == (200, {"missing": absent})


@pytest.mark.parametrize("hashes", [["x"], ["0" * 64 + "\n"], [1], "0", None, ["0" * 64] * 5001])
def test_an_invalid_hash_is_refused(api: Callable[..., Any], hashes: Any) -> None:
    status, answer = api("trainer").json("POST", "/blobs/missing", {"sha256": hashes})

    assert (status, answer["error"]["code"]) == (400, "invalid")


def test_putting_a_blob_again_restores_a_missing_file(api: Callable[..., Any], tmp_path: Path) -> None:
    client = api("trainer", "read")
    put(client, PNG)
    storages["blobs"].delete(f"{sha256(PNG)[:2]}/{sha256(PNG)[2:4]}/{sha256(PNG)}")

    assert client.get(f"/api/v1/blobs/{sha256(PNG)}").status_code == 404
    assert put(client, PNG).status_code == 201
    assert client.get(f"/api/v1/blobs/{sha256(PNG)}").getvalue() == PNG


def test_blobs_can_be_stored_outside_a_folder(settings: Any) -> None:
    settings.STORAGES = {
        **settings.STORAGES,
        "blobs": {"BACKEND": "django.core.files.storage.InMemoryStorage"},
    }

    first, second = blobs.blob_store(PNG), blobs.blob_store(PNG)

    assert (first.is_new, second.is_new) == (True, False)
    with blobs.blob_open(first.sha256) as file:
        assert file.read() == PNG


@pytest.mark.django_db
def test_an_upload_calls_no_broker(api: Callable[..., Any], monkeypatch: pytest.MonkeyPatch) -> None:
    def called(*_args: Any, **_options: Any) -> None:
        raise AssertionError("a request called the broker")

    monkeypatch.setattr(Task, "apply_async", called)
    assert put(api("trainer"), PNG).status_code == 201
