from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest

from tests import factories
from trajectories.models import Episode, PolicyVersion, Run, RunMetrics, Verdict, VerdictCounter

RUN = {
    "name": "first",
    "kind": "train",
    "model": "some-model",
    "checkpoint": "step-0",
    "observation": "axtree-v2",
    "grammar": "browsergym",
    "history": "last_k:3",
    "actions_per_turn": 4,
    "affordances": {"zoom": True},
    "settings": {"temperature": 1.0, "nested": {"deep": [1, 2, {"x": None}]}},
    "tags": ["pilot"],
    "simulated": True,
}


def test_a_run_is_stored_and_read_back_whole(api: Callable[..., Any]) -> None:
    client = api("trainer", "read")

    status, made = client.json("POST", "/runs", RUN)

    assert status == 201
    assert {name: made[name] for name in RUN} == RUN
    assert client.json("GET", f"/runs/{made['id']}") == (
        200,
        {**made, "episodes": {"open": 0, "submitted": 0, "finished": 0}, "verdicts": 0},
    )
    assert VerdictCounter.objects.get(run=made["id"]).count == 0


@pytest.mark.parametrize(
    ("change", "field", "message"),
    [
        ({"kind": "trian"}, "kind", "Did you mean train"),
        ({"kind": 3}, "kind", "not a number"),
        ({"kind": None}, "kind", "null"),
        ({"observation": "axtree"}, "observation", "Did you mean axtree-v2"),
        ({"grammar": "browser_gym"}, "grammar", "Did you mean browsergym"),
        ({"grammar": "computer_openai"}, "grammar", "axtree-v2 has no picture"),
        ({"history": "last_k"}, "history", "for example last_k:3"),
        ({"history": "lask_k:3"}, "history", "Did you mean last_k:3"),
        ({"observation": "screenshot-v2", "history": "diff"}, "history", "screenshot-v2 has none"),
        ({"actions_per_turn": 0}, "actions_per_turn", "1"),
        ({"name": ""}, "name", "blank"),
        ({"name": "x" * 201}, "name", "200"),
        ({"name": ["x"]}, "name", "string"),
        ({"name": 3}, "name", "string"),
        ({"tags": [0]}, "tags.0", "string"),
        ({"tags": "pilot"}, "tags", "list"),
        ({"tags": [{}]}, "tags.0", "string"),
        ({"settings": []}, "settings", "object"),
        ({"settings": {"x": "y" * 70_000}}, "settings", "65,536"),
        ({"simulated": "perhaps"}, "simulated", "true or false"),
        ({"simulated": 0}, "simulated", "true or false"),
        ({"nmae": "x"}, "nmae", "Did you mean name"),
        ({"observation_settings": {"scope": "viewprt"}}, "observation_settings.scope", "viewport"),
        ({"observation_settings": {"max_char": 9}}, "observation_settings.max_char", "max_chars"),
        ({"observation_settings": {"max_chars": 3}}, "observation_settings.max_chars", "1000"),
        (
            {"observation": "axtree-v2", "observation_settings": {"picture_max": 640}},
            "observation_settings.picture_max",
            "no picture",
        ),
        (
            {"observation": "screenshot-v2", "observation_settings": {"scope": "viewport"}},
            "observation_settings.scope",
            "no outline",
        ),
    ],
)
def test_a_bad_run_is_refused_by_field_and_not_stored(
    api: Callable[..., Any], change: dict[str, Any], field: str, message: str
) -> None:
    status, answer = api("trainer").json("POST", "/runs", {**RUN, **change})

    assert status == 400
    assert answer["error"]["code"] == "invalid"
    assert message in " ".join(answer["error"]["fields"][field])
    assert not Run.objects.exists()


def test_a_run_that_says_nothing_of_its_set_up_has_the_default(api: Callable[..., Any]) -> None:
    _, made = api("trainer").json("POST", "/runs", {"name": "x", "kind": "eval"})

    assert (made["grammar"], made["history"], made["actions_per_turn"]) == ("json", "full", 1)


def test_a_run_keeps_the_settings_of_its_observations(api: Callable[..., Any]) -> None:
    settings = {"scope": "viewport", "picture_max": 640}
    fields = {"name": "x", "kind": "eval", "observation": "both-v2", "observation_settings": settings}
    _, made = api("trainer").json("POST", "/runs", fields)

    assert made["observation_settings"] == settings
    assert api("trainer").json("GET", f"/runs/{made['id']}")[1]["observation_settings"] == settings


def test_settings_nested_too_deep_are_refused(api: Callable[..., Any]) -> None:
    deep: Any = {}
    for _ in range(40):
        deep = {"x": deep}

    status, answer = api("trainer").json("POST", "/runs", {**RUN, "settings": deep})

    assert (status, list(answer["error"]["fields"])) == (400, ["settings"])


@pytest.mark.parametrize(
    ("body", "code"),
    [
        (b"", "invalid"),
        (b"{", "malformed_json"),
        (b"[1]", "invalid"),
        (b'"text"', "invalid"),
        (b"NaN", "malformed_json"),
        (b'{"name": "a\\ud800"}', "malformed_json"),
        (b'{"name": "\xff"}', "malformed_json"),
        (b'{"name": "a\\u0000b", "kind": "eval"}', "nul_byte"),
        (b'{"name": "ab", "kind": "eval", "settings": {"\\u0000": 1}}', "nul_byte"),
        (b'{"name": "ab", "kind": "eval", "settings": {"x": 1e999}}', "malformed_json"),
        (b"[" * 100_000, "malformed_json"),
        (b'{"name": ' + b'["\\u0000",' * 900 + b"1" + b"]" * 900 + b"}", "malformed_json"),
    ],
)
def test_a_body_that_is_not_a_run_is_refused(api: Callable[..., Any], body: bytes, code: str) -> None:
    client = api("trainer")

    response = client.post("/api/v1/runs", body, content_type="application/json")

    assert response.status_code == 400
    assert response.json()["error"]["code"] in {code, "nul_byte"}
    assert not Run.objects.exists()


def test_a_body_over_the_limit_is_refused_and_names_the_setting(
    api: Callable[..., Any], settings: Any
) -> None:
    settings.API_BODY_MAX_BYTES = settings.DATA_UPLOAD_MAX_MEMORY_SIZE = 1_000

    status, answer = api("trainer").json("POST", "/runs", {**RUN, "name": "x" * 2_000})

    assert status == 413
    assert "API_BODY_MAX_BYTES" in answer["error"]["message"]


def test_a_body_of_too_many_values_is_refused_before_it_is_read(api: Callable[..., Any]) -> None:
    body = b'{"settings": [' + b"[]," * 1_100_000 + b"1]}"

    response = api("trainer").post("/api/v1/runs", body, content_type="application/json")

    assert response.status_code == 413
    assert "2,000,000 values" in response.json()["error"]["message"]


def test_a_body_of_another_type_is_refused(api: Callable[..., Any]) -> None:
    response = api("trainer").post("/api/v1/runs", {"name": "x"})

    assert response.status_code == 415
    error = response.json()["error"]
    assert error["code"] == "unsupported_media_type"
    assert "Content-Type: application/json" in error["message"]


def test_runs_are_listed_newest_first_page_by_page(
    api: Callable[..., Any], django_assert_num_queries: Any
) -> None:
    made = [factories.run(kind=kind, tags=["a"]).pk for kind in ("train", "eval", "train", "train")]
    client = api("read")

    with django_assert_num_queries(2):  # the key and the page
        _, first = client.json("GET", "/runs?kind=train&tag=a&limit=2")
    _, second = client.json("GET", f"/runs?kind=train&tag=a&limit=2&cursor={first['next']}")

    assert [run["id"] for run in first["results"]] == [made[3], made[2]]
    assert [run["id"] for run in second["results"]] == [made[0]]
    assert second["next"] is None


@pytest.mark.parametrize(
    ("query", "field"),
    [
        ("kind=trian", "kind"),
        ("limit=0", "limit"),
        ("limit=1001", "limit"),
        ("limit=many", "limit"),
        ("cursor=xx", "cursor"),
        ("cursor=%00", "cursor"),
        ("cursor=YWZ0ZXI6OTk5OTk5OTk5OTk5OTk5OTk5OQ", "cursor"),
        ("tag=%00", "tag"),
        ("knid=train", "knid"),
    ],
)
def test_a_bad_parameter_is_named(api: Callable[..., Any], query: str, field: str) -> None:
    status, answer = api("read").json("GET", f"/runs?{query}")

    assert status == 400
    assert list(answer["error"]["fields"]) == [field]


@pytest.mark.parametrize(
    "address", ["/runs/0", "/runs/999", "/runs/9223372036854775808", "/runs/x", "/runs/1/2/3"]
)
def test_a_missing_run_is_404(api: Callable[..., Any], address: str) -> None:
    status, answer = api("read").json("GET", address)

    assert status == 404
    assert set(answer["error"]) == {"code", "message", "fields"}


def test_policy_versions_only_grow_and_repeating_one_changes_nothing(api: Callable[..., Any]) -> None:
    client, run = api("trainer", "read"), factories.run()
    first = {"version": 3, "checkpoint": "c3", "trainer_step": 2**40}

    assert client.json("POST", f"/runs/{run.pk}/policy", first)[0] == 201
    assert client.json("POST", f"/runs/{run.pk}/policy", first)[0] == 200
    status, answer = client.json("POST", f"/runs/{run.pk}/policy", {**first, "checkpoint": "other"})
    assert (status, answer["error"]["code"]) == (409, "policy_version_exists")
    status, answer = client.json("POST", f"/runs/{run.pk}/policy", {"version": 2})
    assert (status, answer["error"]["code"]) == (409, "policy_version_not_growing")
    assert client.json("POST", f"/runs/{run.pk}/policy", {"version": 4})[0] == 201

    assert list(PolicyVersion.objects.order_by("version").values_list("version", flat=True)) == [3, 4]
    assert client.json("GET", f"/runs/{run.pk}")[1]["policy_version"] == 4


@pytest.mark.parametrize("version", [-1, 2**31, 2**70, 1.5, "x", None, True])
def test_an_invalid_policy_version_is_refused(api: Callable[..., Any], version: Any) -> None:
    run = factories.run()

    status, answer = api("trainer").json("POST", f"/runs/{run.pk}/policy", {"version": version})

    assert (status, list(answer["error"]["fields"])) == (400, ["version"])
    assert not PolicyVersion.objects.exists()


def test_metrics_are_stored(api: Callable[..., Any]) -> None:
    run = factories.run()

    status, answer = api("trainer").json(
        "POST", f"/runs/{run.pk}/metrics", {"policy_version": 1, "values": {"entropy": 0.5, "kl": 0}}
    )

    assert status == 201
    assert RunMetrics.objects.get(pk=answer["id"]).values == {"entropy": 0.5, "kl": 0.0}


@pytest.mark.parametrize(
    "values",
    [{}, [], {"a": "1"}, {"a": True}, {"a": None}, {"": 1}, {"x" * 201: 1}, {str(i): i for i in range(1001)}],
)
def test_metrics_that_are_not_numbers_are_refused(api: Callable[..., Any], values: Any) -> None:
    run = factories.run()

    status, _ = api("trainer").json("POST", f"/runs/{run.pk}/metrics", {"values": values})

    assert status == 400
    assert not RunMetrics.objects.exists()


def test_cancelling_groups_voids_their_unfinished_episodes_only(api: Callable[..., Any]) -> None:
    run = factories.run()
    group, other = factories.group(run=run), factories.group(run=run)
    waiting, finished, elsewhere = (factories.episode(group=owner) for owner in (group, group, other))
    factories.submission(waiting)
    factories.verdict(finished, "correct")

    status, answer = api("trainer").json(
        "POST", f"/runs/{run.pk}/cancel", {"groups": [group.pk], "reason": "stale"}
    )

    assert (status, answer) == (200, {"cancelled": 1, "episodes": [waiting.pk]})
    verdict = Verdict.objects.get(episode=waiting)
    assert (verdict.outcome, verdict.reward, verdict.reason) == ("void", None, "cancelled")
    assert Episode.objects.get(pk=waiting.pk).close_detail == "stale"
    assert Verdict.objects.get(episode=finished).outcome == "correct"
    assert Episode.objects.get(pk=elsewhere.pk).status == "open"


def test_cancelling_by_policy_version_leaves_newer_and_unnumbered_episodes(api: Callable[..., Any]) -> None:
    run = factories.run()
    old, new, none = (
        factories.episode(group=factories.group(run=run), policy_version=version) for version in (1, 2, None)
    )

    _, answer = api("trainer").json(
        "POST", f"/runs/{run.pk}/cancel", {"policy_version_before": 2, "reason": "overload"}
    )

    assert answer["episodes"] == [old.pk]
    assert set(Episode.objects.filter(status="open")) == {new, none}


@pytest.mark.parametrize(
    "body",
    [
        {"reason": "stale"},
        {"groups": [1], "policy_version_before": 2, "reason": "stale"},
        {"groups": [], "reason": "stale"},
        {"groups": [2**64], "reason": "stale"},
        {"groups": [1]},
        {"groups": [1], "reason": "bored"},
    ],
)
def test_cancelling_without_a_selection_and_a_reason_is_refused(api: Callable[..., Any], body: Any) -> None:
    run = factories.run()

    assert api("trainer").json("POST", f"/runs/{run.pk}/cancel", body)[0] == 400


def test_cancelling_a_group_of_another_run_is_refused(api: Callable[..., Any]) -> None:
    run, episode = factories.run(), factories.episode()

    status, answer = api("trainer").json(
        "POST", f"/runs/{run.pk}/cancel", {"groups": [episode.group_id], "reason": "stale"}
    )

    assert (status, answer["error"]["code"]) == (422, "unknown_group")
    assert Episode.objects.get().status == "open"


def test_a_key_limited_to_splits_cancels_only_those(api: Callable[..., Any]) -> None:
    run = factories.run()
    mine = factories.episode(
        group=factories.group(run=run, task=factories.task(split="train")), policy_version=0
    )
    factories.episode(group=factories.group(run=run, task=factories.task(split="test")), policy_version=0)

    _, answer = api("trainer", splits=["train"]).json(
        "POST", f"/runs/{run.pk}/cancel", {"policy_version_before": 9, "reason": "stale"}
    )

    assert answer["episodes"] == [mine.pk]


CALLS = [
    ("GET", "/runs", "read"),
    ("POST", "/runs", "trainer"),
    ("GET", "/runs/{run}", "read"),
    ("POST", "/runs/{run}/policy", "trainer"),
    ("POST", "/runs/{run}/metrics", "trainer"),
    ("POST", "/runs/{run}/cancel", "trainer"),
    ("GET", "/runs/{run}/groups", "read"),
    ("GET", "/runs/{run}/trajectories", "read"),
    ("GET", "/capacity", "read"),
    ("POST", "/heartbeat", "trainer"),
    ("POST", "/blobs/missing", "trainer"),
    ("PUT", f"/blobs/{'0' * 64}", "trainer"),
    ("GET", f"/blobs/{'0' * 64}", "read"),
    ("GET", "/episodes", "read"),
    ("GET", "/episodes/{episode}", "read"),
    ("GET", "/episodes/{episode}/trajectory", "read"),
    ("GET", "/tasks/stats?run={run}", "read"),
]


@pytest.mark.parametrize(("method", "path", "scope"), CALLS)
def test_every_call_is_refused_without_the_right_scope(
    api: Callable[..., Any], method: str, path: str, scope: str
) -> None:
    episode = factories.episode()
    address = path.format(run=episode.run_id, episode=episode.pk)

    assert api().json(method, address, {})[0] == 401
    may = {"read": {"read", "trainer"}}.get(scope, {scope})
    for other in {"read", "trainer", "golds"} - may:
        status, answer = api(other).json(method, address, {})
        assert (status, answer["error"]["code"]) == (403, "missing_scope")


def test_an_unsupported_method_is_405(api: Callable[..., Any]) -> None:
    status, answer = api("admin").json("DELETE", "/runs")

    assert (status, answer["error"]["code"]) == (405, "method_not_allowed")


def test_runs_are_listed_by_their_whole_name(api: Callable[..., Any]) -> None:
    for name in ("one", "one more", "one"):
        factories.run(name=name)
    listed = api("read").json("GET", "/runs?name=one")[1]["results"]
    assert [run["name"] for run in listed] == ["one", "one"]
