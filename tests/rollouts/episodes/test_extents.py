from __future__ import annotations

from collections import Counter
from typing import Any

import pytest

from tests import factories
from tests.conftest import ApiClient
from trajectories.models import Episode, Run

pytestmark = pytest.mark.django_db


def _open(client: ApiClient, run: Run, **fields: Any) -> list[str]:
    """Open episodes; returns the recording extent of each."""
    body = {"run": run.pk, "tasks": [factories.task().pk], "samples_per_task": 40, "seed": 5, **fields}
    status, answer = client.json("POST", "/episodes", body)
    assert status == 201, answer
    return _recordings([episode["id"] for episode in answer["episodes"]])


def _recordings(ids: list[int]) -> list[str]:
    rows = Episode.objects.filter(pk__in=ids).order_by("sample_index")
    return list(rows.values_list("recording", flat=True))


@pytest.mark.parametrize(
    ("requested", "stored"), [(None, "events"), ("off", "off"), ("events", "events"), ("full", "full")]
)
def test_without_a_recording_share_the_call_decides(
    requested: str | None, stored: str, trainer: ApiClient
) -> None:
    fields = {"recording": requested} if requested else {}
    assert set(_open(trainer, factories.run(), **fields)) == {stored}


@pytest.mark.parametrize("requested", [None, "full"])
def test_a_recording_share_records_some_samples_in_full(requested: str | None, trainer: ApiClient) -> None:
    recordings = _open(trainer, factories.run(settings={"recording_full_share": 0.25}), recording=requested)
    counts = Counter(recordings)
    assert set(counts) == {"events", "full"}
    assert 3 <= counts["full"] <= 20


@pytest.mark.parametrize("requested", ["off", "events"])
def test_a_call_may_record_less_than_the_share_of_its_run(requested: str, trainer: ApiClient) -> None:
    assert set(_open(trainer, factories.run(settings={"recording_full_share": 1}), recording=requested)) == {
        requested
    }


@pytest.mark.parametrize(("share", "stored"), [(0, "events"), (1, "full"), (1.0, "full")])
def test_zero_and_one_are_valid_shares(share: float, stored: str, trainer: ApiClient) -> None:
    assert set(_open(trainer, factories.run(settings={"recording_full_share": share}))) == {stored}


def test_a_seed_fixes_the_recorded_samples_and_a_smaller_share_is_a_subset(trainer: ApiClient) -> None:
    task = factories.task().pk
    run, fewer = (factories.run(settings={"recording_full_share": share}) for share in (0.6, 0.2))
    first, again, sample = (_open(trainer, one, tasks=[task]) for one in (run, run, fewer))
    assert first == again
    assert {n for n, one in enumerate(sample) if one == "full"} < {
        n for n, one in enumerate(first) if one == "full"
    }


def test_a_refill_also_records_a_share_in_full(trainer: ApiClient) -> None:
    run = factories.run(settings={"recording_full_share": 0.5})
    body = {"run": run.pk, "tasks": [factories.task().pk], "samples_per_task": 1}
    _, opened = trainer.json("POST", "/episodes", body)
    group = opened["episodes"][0]["group"]
    status, answer = trainer.json("POST", f"/groups/{group}/refill", {"count": 40})
    assert status == 201
    assert set(_recordings([episode["id"] for episode in answer["episodes"]])) == {"events", "full"}


@pytest.mark.parametrize("share", [-0.1, 1.1, "0.5", True, None, [], 2])
def test_an_invalid_share_is_refused(share: Any, trainer: ApiClient) -> None:
    body = {"name": "n", "kind": "eval", "settings": {"recording_full_share": share}}
    status, answer = trainer.json("POST", "/runs", body)
    assert status == 400
    assert "0 to 1" in str(answer["error"]["fields"]["settings"])


@pytest.mark.parametrize("share", ["half", None, {"a": 1}])
def test_an_invalid_stored_share_is_ignored(share: Any, trainer: ApiClient) -> None:
    assert set(_open(trainer, factories.run(settings={"recording_full_share": share}))) == {"events"}
