"""A field of an episode is in four places: opening body, model, hot SQL, and trajectory."""

from __future__ import annotations

import pytest

from tests import factories
from tests.conftest import ApiClient
from trajectories.models import Episode
from trajectories.record import hot_sql
from trajectories.rollouts.episodes.creation_body import Opening
from trajectories.rollouts.episodes.retrieval.records import Trajectory


def test_fields_set_at_opening_are_columns_and_appear_in_trajectories() -> None:
    in_body = set(hot_sql.CALL_COLUMNS)
    assert in_body <= set(Opening.__struct_fields__)
    assert in_body <= {field.name for field in Episode._meta.concrete_fields}
    assert in_body <= set(Trajectory.__struct_fields__)


@pytest.mark.django_db
def test_fields_set_at_opening_are_read_back(trainer: ApiClient) -> None:
    sent = {
        "arm": "gym",
        "policy_version": 3,
        "token_budget": 4_000,
        "answer_channel": "api",
        "guidance": {"kind": "prefix", "fraction": 0.5, "hash": "ab"},
    }
    assert set(sent) == {*hot_sql.CALL_COLUMNS, "guidance"}
    body = {"run": factories.run().pk, "tasks": [factories.task().pk], **sent}
    _, opened = trainer.json("POST", "/episodes", body)
    status, trajectory = trainer.json("GET", f"/episodes/{opened['episodes'][0]['id']}/trajectory")
    assert status == 200
    assert {name: trajectory[name] for name in sent} == sent


@pytest.mark.django_db
def test_samples_added_later_have_the_settings_of_their_group(trainer: ApiClient) -> None:
    guidance = {"kind": "prefix", "fraction": 0.5, "hash": "ab"}
    body = {"run": factories.run().pk, "tasks": [factories.task().pk], "recording": "full"}
    _, opened = trainer.json("POST", "/episodes", {**body, "guidance": guidance, "token_budget": 9})
    group = opened["episodes"][0]["group"]
    status, _ = trainer.json("POST", f"/groups/{group}/refill", {"count": 1})
    assert status == 201
    fields = Episode.objects.filter(group=group).values_list("recording", "guidance", "token_budget")
    assert list(fields) == [("full", guidance, 9)] * 2
