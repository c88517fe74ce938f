"""The calls about exports, and whom they serve."""

from __future__ import annotations

import hashlib
from collections.abc import Callable
from typing import Any

import pytest

from tests import factories
from tests.exports import scene
from trajectories.exports import services
from trajectories.exports.jobs import EXPORTS
from trajectories.models import Export

pytestmark = [pytest.mark.django_db, pytest.mark.usefixtures("own_storages")]
Api = Callable[..., Any]


def ask(client: Any, **body: Any) -> tuple[int, Any]:
    return client.json("POST", "/exports", {"kind": "chat", **body})


def test_a_trainer_asks_for_an_export_and_reads_its_files(api: Api) -> None:
    episode = scene.played(scene.gym_group())
    client = api("trainer")
    status, made = ask(client, runs=[episode.run_id], outcomes=["correct"])
    assert (status, made["state"], made["files"]) == (201, "waiting", [])
    assert EXPORTS.run(made["id"])
    _, export = client.json("GET", f"/exports/{made['id']}")
    assert (export["state"], export["rows"], export["done"], export["total"]) == ("done", 1, 1, 1)
    assert [one["name"] for one in export["files"]] == ["manifest.json", "chat_00000.jsonl"]
    for entry in export["files"]:
        response = client.get(f"/api/v1/exports/{made['id']}/files/{entry['name']}")
        assert hashlib.sha256(response.getvalue()).hexdigest() == entry["sha256"]
        assert response.headers["X-Sha256"] == entry["sha256"]
    _, listed = client.json("GET", "/exports")
    assert [one["id"] for one in listed["results"]] == [made["id"]]
    assert listed["results"][0]["author"]


@pytest.mark.parametrize(
    ("body", "status", "code"),
    [
        ({"kind": "songs"}, 422, "unknown_export_kind"),
        ({"runs": [999]}, 422, "unknown_run"),
        ({"benchmarks": ["gsm9k"]}, 422, "unknown_benchmark"),
        ({"run": [1]}, 400, "invalid"),
        ({"format": "csv"}, 400, "invalid"),
        ({"arms": ["gim"]}, 400, "invalid"),
        ({"golds": True}, 403, "missing_scope"),
        ({"locked": True}, 403, "missing_scope"),
        ({"splits": ["test"]}, 403, "locked_split"),
        ({"labels": {"project": 9, "field": "type", "weights": {"reasoning": 1}}}, 422, "unknown_project"),
        ({"labels": {"project": 9, "field": "type", "weights": {"reasoning": -1}}}, 400, "invalid"),
    ],
)
def test_what_cannot_be_meant_is_refused(api: Api, body: dict[str, Any], status: int, code: str) -> None:
    answer = ask(api("trainer"), **body)
    assert (answer[0], answer[1]["error"]["code"]) == (status, code)
    assert not Export.objects.exists()


def test_locked_splits_stay_out_and_leave_only_on_record(api: Api) -> None:
    train = scene.played(scene.gym_group())
    test = scene.played(scene.gym_group(train.run, task=factories.task(split="test")))
    _, made = ask(api("trainer"))
    EXPORTS.run(made["id"])
    _, export = api("trainer").json("GET", f"/exports/{made['id']}")
    assert export["left_out"] == {"locked_split": 1}
    assert [row["episode"] for row in scene.rows_of(Export.objects.get(pk=made["id"]))] == [train.pk]
    _, made = ask(api("admin"), locked=True)
    assert made["has_locked"]
    EXPORTS.run(made["id"])
    rows = scene.rows_of(Export.objects.get(pk=made["id"]))
    assert [row["episode"] for row in rows] == [train.pk, test.pk]
    assert api("trainer").json("GET", f"/exports/{made['id']}")[0] == 404


def test_no_file_of_an_export_is_read_by_its_hash(api: Api) -> None:
    scene.played(scene.gym_group(), picture=True)
    _, made = ask(api("trainer", "golds"), kind="transitions", golds=True)
    EXPORTS.run(made["id"])
    owner = api("trainer", "golds")
    _, export = owner.json("GET", f"/exports/{made['id']}")
    hashes = [one["sha256"] for one in export["files"]]
    assert len(hashes) > 1
    for client in (api("read"), api("trainer"), api("read", "trainer", "golds", "admin")):
        assert {client.get(f"/api/v1/blobs/{sha256}").status_code for sha256 in hashes} <= {403, 404}
    assert owner.json("POST", "/blobs/missing", {"sha256": hashes})[1]["missing"] == hashes
    for name in (one["name"] for one in export["files"]):
        assert api("trainer").get(f"/api/v1/exports/{made['id']}/files/{name}").status_code == 404
        response = owner.get(f"/api/v1/exports/{made['id']}/files/{name}")
        assert hashlib.sha256(response.getvalue()).hexdigest() in hashes


def test_a_key_of_some_splits_exports_and_sees_those_alone(api: Api) -> None:
    train = scene.played(scene.gym_group())
    scene.played(scene.gym_group(train.run, task=factories.task(split="extra_train")))
    limited = api("trainer", splits=["train"])
    assert ask(limited, splits=["extra_train"])[1]["error"]["code"] == "hidden_split"
    _, made = ask(limited)
    EXPORTS.run(made["id"])
    assert [row["split"] for row in scene.rows_of(Export.objects.get(pk=made["id"]))] == ["train"]
    _, other = ask(api("trainer"))
    assert limited.json("GET", f"/exports/{other['id']}")[0] == 404
    assert limited.json("GET", f"/exports/{made['id']}")[0] == 200


def test_golds_are_a_column_for_keys_that_may_see_them(api: Api) -> None:
    scene.played(scene.gym_group(task=factories.task(answer="4711")))
    _, made = ask(api("trainer", "golds"), golds=True)
    EXPORTS.run(made["id"])
    (row,) = scene.rows_of(Export.objects.get(pk=made["id"]))
    assert row["gold"] == "4711"
    assert api("trainer").json("GET", f"/exports/{made['id']}")[0] == 404
    _, made = ask(api("trainer"))
    EXPORTS.run(made["id"])
    assert b"4711" not in scene.content_of(Export.objects.get(pk=made["id"]), "chat_00000.jsonl")


def test_an_export_is_cancelled_once_and_run_again_once(api: Api) -> None:
    scene.played(scene.gym_group())
    client = api("trainer")
    _, made = ask(client)
    path = f"/exports/{made['id']}"
    assert client.json("POST", f"{path}/again", {})[1]["error"]["code"] == "export_open"
    assert client.json("POST", f"{path}/cancel", {})[1]["state"] == "cancelled"
    assert client.json("POST", f"{path}/cancel", {})[1]["error"]["code"] == "export_ended"
    assert client.json("POST", f"{path}/again", {})[1]["state"] == "waiting"


def test_files_that_have_expired_are_gone(api: Api) -> None:
    scene.played(scene.gym_group())
    export = scene.exported("chat", author=services.Author(name="trainer"))
    path = f"/api/v1/exports/{export.pk}/files/manifest.json"
    assert api("trainer").get(path).getvalue()
    scene.expire(export)
    assert api("trainer").get(path).status_code == 410
