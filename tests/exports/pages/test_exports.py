"""The pages of exports: who exported what, and the form for another one."""

from __future__ import annotations

from collections.abc import Callable

import pytest
from django.contrib.auth.models import User
from django.core.files.uploadedfile import SimpleUploadedFile
from django.db import connection
from django.test.utils import CaptureQueriesContext

from tests.conftest import LabClient
from tests.exports import scene
from trajectories.exports.jobs import EXPORTS
from trajectories.exports.work import ExportWork
from trajectories.models import Export

pytestmark = [pytest.mark.django_db, pytest.mark.usefixtures("own_storages")]
Lab = Callable[[User | None], LabClient]
FORM = {"kind": "chat", "format": "jsonl", "pairs_max": "4", "seed": "0"}


def test_a_researcher_exports_a_run_and_downloads_the_files(lab: Lab, annotator: User) -> None:
    episode = scene.played(scene.gym_group())
    client = lab(annotator)
    html = client.get(f"/exports/?runs={episode.run_id}").content.decode()
    assert f'value="{episode.run_id}"' in html
    assert "is not a filter" not in html
    response = client.post("/exports/create", {**FORM, "runs": str(episode.run_id)})
    export = Export.objects.get()
    assert response.headers["Location"] == f"/exports/{export.pk}/"
    assert "hx-trigger" in client.get(f"/exports/{export.pk}/").content.decode()
    EXPORTS.run(export.pk)
    export.refresh_from_db()
    html = client.get(f"/exports/{export.pk}/").content.decode()
    assert "hx-trigger" not in html
    assert f'href="/exports/{export.pk}/chat_00000.jsonl"' in html
    content = b"".join(client.get(f"/exports/{export.pk}/chat_00000.jsonl").streaming_content)
    assert content == scene.content_of(export, "chat_00000.jsonl")
    audit = client.get("/exports/").content.decode()
    assert f"by {annotator.username}" in audit
    assert str(episode.run_id) in audit


@pytest.mark.parametrize(
    ("field", "value", "message"),
    [
        ("runs", "twelve", "is not a run number"),
        ("runs", "999999", "There is no run 999999."),
        ("benchmarks", "gsm9k", "Did you mean gsm8k?"),
        ("splits", "test", "is locked"),
        ("weights", "reasoning=much", "Write a number"),
        ("pairs_max", "0", "greater than or equal to 1"),
        ("kind", "songs", "Select a valid choice"),
    ],
)
def test_what_is_wrong_in_the_form_stands_beside_it(
    lab: Lab, annotator: User, field: str, value: str, message: str
) -> None:
    response = lab(annotator).post("/exports/create", {**FORM, field: value})
    assert response.status_code == 422
    assert message in response.content.decode()
    assert not Export.objects.exists()


def test_golds_and_locked_splits_are_for_those_who_may(lab: Lab, annotator: User, owner: User) -> None:
    html = lab(annotator).get("/exports/").content.decode()
    assert 'name="golds"' not in html
    assert 'name="locked"' not in html
    html = lab(owner).get("/exports/").content.decode()
    assert 'name="golds"' in html
    lab(annotator).post("/exports/create", {**FORM, "golds": "on", "locked": "on"})
    export = Export.objects.get()
    assert not export.has_golds
    assert not export.has_locked


def test_splices_take_a_file_of_thoughts(lab: Lab, annotator: User) -> None:
    scene.forked(
        scene.played(scene.gym_group(), outcome="incorrect", steps=4), after=1, outcome="correct", steps=2
    )
    form = {**FORM, "kind": "splices", "origins": ["plain", "forked"]}
    wrong = lab(annotator).post("/exports/create", {**form, "revisions": _file(b'{"txt": "no"}')})
    assert wrong.status_code == 422
    assert "Line 1" in wrong.content.decode()
    assert "revision thoughts" in lab(annotator).post("/exports/create", form).content.decode()
    lab(annotator).post("/exports/create", {**form, "revisions": _file(b'{"text": "I go back."}\n')})
    export = Export.objects.get()
    EXPORTS.run(export.pk)
    export.refresh_from_db()
    (row,) = scene.rows_of(export)
    assert row["completion"][0]["content"] == "I go back."
    page = lab(annotator).get(f"/exports/{export.pk}/").content.decode()
    assert "I go back." not in page


def _file(data: bytes) -> SimpleUploadedFile:
    return SimpleUploadedFile("thoughts.jsonl", data)


def test_an_export_that_an_error_ended_says_so_in_words(
    lab: Lab, annotator: User, monkeypatch: pytest.MonkeyPatch
) -> None:
    episode = scene.played(scene.gym_group())
    client = lab(annotator)
    client.post("/exports/create", {**FORM, "runs": str(episode.run_id)})
    export = Export.objects.get()

    def broken(*_: object) -> None:
        raise KeyError("<token>")

    monkeypatch.setattr(ExportWork, "do", broken)
    with pytest.raises(KeyError):
        EXPORTS.run(export.pk)
    html = client.get(f"/exports/{export.pk}/").content.decode()
    words, _, folded = html.partition("<summary>Detail</summary>")
    assert "An error in this program ended it." in words
    assert "KeyError" not in words
    assert "KeyError: &#x27;&lt;token&gt;&#x27;" in folded.partition("</details>")[0]


def test_an_export_is_cancelled_and_run_again(lab: Lab, annotator: User) -> None:
    scene.played(scene.gym_group())
    client = lab(annotator)
    client.post("/exports/create", FORM)
    export = Export.objects.get()
    client.post(f"/exports/{export.pk}/cancel")
    assert not EXPORTS.run(export.pk)
    assert ">cancelled<" in client.get(f"/exports/{export.pk}/").content.decode()
    client.post(f"/exports/{export.pk}/again")
    assert EXPORTS.run(export.pk)
    export.refresh_from_db()
    assert export.state == "done"


def test_the_list_takes_the_same_queries_however_long_it_is(lab: Lab, annotator: User) -> None:
    scene.played(scene.gym_group())
    client = lab(annotator)
    counts = []
    for number in (1, 4):
        for _ in range(number):
            scene.exported("chat")
        with CaptureQueriesContext(connection) as queries:
            client.get("/exports/")
        counts.append(len(queries))
    assert counts[0] == counts[1]
