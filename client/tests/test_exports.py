"""Exports: waited for, and downloaded with their checksums checked."""

from __future__ import annotations

import hashlib
import json
from pathlib import Path
from typing import Any

import pytest

from fake_server import FakeServer
from palaestra import Client
from palaestra.exports import ExportFailed, prompt_sha256

PICTURE = b"\x89PNG a page"
PICTURE_SHA256 = hashlib.sha256(PICTURE).hexdigest()
IMAGE = f"images/{PICTURE_SHA256}.png"
FILES = {
    "manifest.json": b"{}",
    "chat_00000.jsonl": b'{"episode":1}\n',
    "images_00000.jsonl": json.dumps({"file": IMAGE, "sha256": PICTURE_SHA256}).encode() + b"\n",
}


def export(state: str = "done", **fields: Any) -> dict[str, Any]:
    entries = [
        {"name": name, "sha256": hashlib.sha256(content).hexdigest(), "bytes": len(content)}
        for name, content in FILES.items()
    ]
    return {"id": 1, "kind": "chat", "state": state, "files": entries if state == "done" else [], **fields}


async def test_an_export_is_waited_for_and_downloaded_with_its_pictures(
    fake: FakeServer, tmp_path: Path
) -> None:
    fake.state.exports = [export("waiting"), export("running"), export()]
    fake.state.report_files = dict(FILES)
    fake.state.blobs[PICTURE_SHA256] = PICTURE
    async with Client(fake.lab_url, "key") as client:
        made = await client.exports.create("chat", runs=[7])
        done = await client.exports.wait(made.id, poll_s=0.0)
        paths = await client.exports.download(done.id, tmp_path)
        calls = len(fake.state.calls)
        await client.exports.download(done.id, tmp_path)
    assert [str(path.relative_to(tmp_path)) for path in paths] == [*FILES, IMAGE]
    assert (tmp_path / IMAGE).read_bytes() == PICTURE
    assert len(fake.state.calls) == calls + 1  # what is there is not fetched again


async def test_a_file_with_another_checksum_is_refused(fake: FakeServer, tmp_path: Path) -> None:
    fake.state.exports = [export()]
    fake.state.report_files = {**FILES, "chat_00000.jsonl": b"something else"}
    async with Client(fake.lab_url, "key") as client:
        with pytest.raises(ExportFailed, match=r"chat_00000\.jsonl has the SHA-256"):
            await client.exports.download(1, tmp_path)
    assert [path.name for path in tmp_path.iterdir()] == ["manifest.json"]


async def test_a_name_outside_the_folder_is_refused(fake: FakeServer, tmp_path: Path) -> None:
    entry = {"name": "../escape.jsonl", "sha256": PICTURE_SHA256, "bytes": 1}
    fake.state.exports = [export(files=[entry])]
    async with Client(fake.lab_url, "key") as client:
        with pytest.raises(ExportFailed, match="escape"):
            await client.exports.download(1, tmp_path / "in")


@pytest.mark.parametrize(
    ("answer", "message"),
    [
        (export("failed", problem="The disk is full."), "failed: The disk is full"),
        (export("cancelled"), "cancelled"),
        (export("running", done=3, total=9), "3 of 9"),
    ],
)
async def test_waiting_ends_with_the_reason(fake: FakeServer, answer: dict[str, Any], message: str) -> None:
    fake.state.exports = [answer]
    async with Client(fake.lab_url, "key") as client:
        with pytest.raises(ExportFailed, match=message):
            await client.exports.wait(1, timeout_s=0.0, poll_s=0.0)


def test_the_hash_of_a_prompt_takes_pictures_from_their_files(tmp_path: Path) -> None:
    (tmp_path / "images").mkdir()
    (tmp_path / IMAGE).write_bytes(PICTURE)
    parts = [{"type": "image_url", "image_url": {"url": IMAGE}}]
    row = {
        "messages": [{"role": "user", "content": parts}, {"role": "assistant", "content": "seen"}],
        "prompts": [{"messages": 1}],
        "images": [IMAGE],
    }
    sent = '[{"role":"user","content":[{"type":"image_url","image_url":{"url":"data:image/png;base64,'
    sent += 'iVBORyBhIHBhZ2U="}}]}]'
    assert prompt_sha256(row, 0, tmp_path) == hashlib.sha256(sent.encode()).hexdigest()
