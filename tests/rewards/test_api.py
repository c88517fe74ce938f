"""The calls about rewards."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import msgspec
import pytest

from palaestra.records.curation import GroupState
from palaestra.records.rewards import RewardComponent
from tests import factories
from tests.conftest import ApiClient
from tests.rewards.test_components import acted, over
from trajectories.models import Episode, RewardProfile, Run
from trajectories.rewards.profiles.store import builtin
from trajectories.rewards.registry import COMPONENTS

pytestmark = pytest.mark.django_db
Api = Callable[..., ApiClient]

SHAPED = {
    "name": "shaped",
    "shape": "per_step",
    "terms": [{"component": "outcome"}, {"component": "syntax", "weight": 0.2}],
}


@pytest.fixture
def run() -> Run:
    return factories.run(kind="train")


def played(run: Run, *outcomes: str) -> list[Episode]:
    """A group with a sample of each outcome, of one step each."""
    group = factories.group(run=run)
    samples = [factories.episode(group=group) for _ in outcomes]
    for sample, outcome in zip(samples, outcomes, strict=True):
        acted(sample, 1)
        over(sample, outcome)
    return samples


def test_every_component_is_listed(api: Api) -> None:
    status, answer = api("read").json("GET", "/rewards/components")
    assert status == 200
    listed = {one["id"]: one for one in answer["results"]}
    assert list(listed) == list(COMPONENTS)
    assert (listed["length"]["high"], listed["syntax"]["high"]) == (None, 1.0)
    assert listed["milestone"]["is_family"]


def test_a_profile_is_stored_once_and_listed(api: Api) -> None:
    client = api("trainer")
    status, stored = client.json("POST", "/rewards/profiles", SHAPED)
    assert status == 201
    assert stored["reference"] == f"shaped@{stored['sha256'][:12]}"
    assert client.json("POST", "/rewards/profiles", SHAPED) == (200, stored)
    listed = client.json("GET", "/rewards/profiles")[1]["results"]
    assert [one["reference"].partition("@")[0] for one in listed] == ["outcome-v1", "shaped"]
    assert RewardProfile.objects.count() == 1


def test_a_profile_of_the_gym_s_keeps_its_name(api: Api) -> None:
    body = {"name": "outcome-v1", "terms": [{"component": "outcome", "weight": 2}]}
    status, answer = api("trainer").json("POST", "/rewards/profiles", body)
    assert (status, answer["error"]["code"]) == (409, "profile_name_taken")
    plain = {"name": "outcome-v1", "terms": [{"component": "outcome"}]}
    assert api("trainer").json("POST", "/rewards/profiles", plain)[0] == 200
    assert not RewardProfile.objects.exists()


@pytest.mark.parametrize(
    "body", [[], "x", {}, {"name": "a"}, {**SHAPED, "terms": [{"component": "x"}]}, {**SHAPED, "more": 1}]
)
def test_what_is_no_profile_is_refused_and_stored_nowhere(api: Api, body: Any) -> None:
    status, answer = api("trainer").json("POST", "/rewards/profiles", body)
    assert status in (400, 422), answer
    assert answer["error"]["message"]
    assert not RewardProfile.objects.exists()


def test_reading_keys_store_no_profile(api: Api) -> None:
    assert api("read").json("POST", "/rewards/profiles", SHAPED)[0] == 403


def test_a_run_pins_what_its_profile_s_name_means_today(api: Api) -> None:
    client = api("trainer")
    stored = client.json("POST", "/rewards/profiles", SHAPED)[1]["reference"]
    settings = {"reward_profile": "shaped"}
    status, run = client.json("POST", "/runs", {"name": "r", "kind": "train", "settings": settings})
    assert (status, run["settings"]) == (201, {"reward_profile": stored})
    changed = {**SHAPED, "clip": [0, 1.1]}
    assert client.json("POST", "/rewards/profiles", changed)[1]["reference"] != stored
    samples = played(Run.objects.get(pk=run["id"]), "correct")
    paid = api("read").json("GET", f"/episodes/{samples[0].pk}/rewards")[1]
    assert (paid["profile"], paid["total"]) == (stored, 1.2)
    newest = api("read").json("GET", f"/episodes/{samples[0].pk}/rewards?profile=shaped")[1]
    assert newest["total"] == 1.1


@pytest.mark.parametrize(
    ("value", "code"), [("none", "unknown_profile"), (7, "invalid"), ("a@x", "unknown_profile")]
)
def test_a_run_with_a_profile_that_there_is_not_is_refused(api: Api, value: Any, code: str) -> None:
    body = {"name": "r", "kind": "train", "settings": {"reward_profile": value}}
    status, answer = api("trainer").json("POST", "/runs", body)
    assert status in (400, 422)
    assert answer["error"]["code"] == code or code == "invalid"
    assert not Run.objects.exists()


def test_groups_say_what_is_paid_where_a_profile_is_named(api: Api, run: Run) -> None:
    client = api("trainer")
    client.json("POST", "/rewards/profiles", SHAPED)
    samples = played(run, "correct", "incorrect", "void")
    (plain,) = client.json("GET", f"/runs/{run.pk}/groups")[1]["results"]
    (group,) = client.json("GET", f"/runs/{run.pk}/groups?profile=shaped")[1]["results"]
    assert plain["paid"] is None
    assert plain == {**group, "paid": None}
    assert group["rewards"] == [1.0, 0.0, None]
    assert [one["total"] for one in group["paid"]] == [1.2, 0.2, None]
    assert [one["episode"] for one in group["paid"]] == [sample.pk for sample in samples]
    assert group["paid"][0]["steps"] == [
        {"step": 1, "paid": 1.2, "components": {"executed": 1.0, "repeated": 0.0, "syntax": 1.0}}
    ]


def test_trajectories_say_what_is_paid_where_a_profile_is_named(api: Api, run: Run) -> None:
    client = api("trainer")
    client.json("POST", "/rewards/profiles", SHAPED)
    right, void, going = *played(run, "correct", "void"), factories.episode(run=run)
    factories.step(right, 2, thought='"rewards" : null', more={"rewards": None})

    def read(episode: Episode, query: str = "") -> Any:
        return client.json("GET", f"/episodes/{episode.pk}/trajectory{query}")[1]["rewards"]

    assert read(right) is None
    named = "?profile=shaped"
    assert read(right, named) == client.json("GET", f"/episodes/{right.pk}/rewards{named}")[1]
    assert (read(void, named)["total"], read(going, named)) == (None, None)
    Run.objects.filter(pk=run.pk).update(settings={"reward_profile": "shaped"})
    assert read(right) == read(right, named)
    lines = b"".join(client.get(f"/api/v1/runs/{run.pk}/trajectories")).splitlines()
    assert [msgspec.json.decode(line)["rewards"] for line in lines] == [
        read(one) for one in (right, void, going)
    ]
    assert client.json("GET", f"/episodes/{right.pk}/trajectory?profile=none")[0] == 422


def test_the_client_reads_what_is_paid(api: Api, run: Run) -> None:
    api("trainer").json("POST", "/rewards/profiles", SHAPED)
    right, void = played(run, "correct", "void")
    (group,) = api("read").json("GET", f"/runs/{run.pk}/groups?profile=shaped")[1]["results"]
    read = msgspec.convert(group, GroupState).paid
    assert read is not None
    assert [(one.episode, one.total, one.paid_at(1), one.paid_at(2)) for one in read] == [
        (right.pk, 1.2, 1.2, 0.0),
        (void.pk, None, None, None),
    ]
    assert read[0].components == {"outcome": 1.0, "syntax": 1.0, "executed": 1.0, "repeated": 0.0}
    listed = api("read").json("GET", "/rewards/components")[1]["results"]
    assert {one.id for one in msgspec.convert(listed, list[RewardComponent])} == set(COMPONENTS)


def test_the_rewards_of_a_run_are_read_in_pages(api: Api, run: Run) -> None:
    samples = played(run, "correct", "void", "incorrect")
    factories.episode(run=run)
    client, read, query = api("read"), [], ""
    while True:
        status, page = client.json("GET", f"/runs/{run.pk}/rewards?limit=2{query}")
        assert status == 200
        read += [(one["episode"], one["total"]) for one in page["results"]]
        if page["next"] is None:
            break
        query = f"&cursor={page['next']}"
    assert read == [(samples[0].pk, 1.0), (samples[1].pk, None), (samples[2].pk, 0.0)]


def test_an_episode_that_goes_on_is_not_paid_yet(api: Api, run: Run) -> None:
    episode = factories.episode(run=run)
    status, answer = api("read").json("GET", f"/episodes/{episode.pk}/rewards")
    assert (status, answer["error"]["code"]) == (409, "not_ended")


def test_what_comes_with_the_gym_is_sound() -> None:
    assert "outcome-v1" in builtin()
