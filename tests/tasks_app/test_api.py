from __future__ import annotations

import gzip
import json
from collections.abc import Callable
from typing import Any

import pytest

from tasks_app import question_pictures, selectors
from tasks_app.models import Gold, QuestionPicture, Task
from tasks_app.registry import benchmarks
from tests import factories
from tests.conftest import ApiClient

Make = Callable[..., ApiClient]
FIELDS = [
    "id",
    "benchmark",
    "split",
    "key",
    "kind",
    "prompt",
    "payload",
    "difficulty",
    "tags",
    "max_steps",
    "guess_rate",
    "oracle_steps",
    "gap_eligible",
]


def lines(client: ApiClient, path: str, **headers: str) -> list[dict[str, Any]]:
    response = client.get(f"/api/v1{path}", headers=headers)
    assert response.status_code == 200
    assert response["Content-Type"] == "application/x-ndjson"
    return [json.loads(line) for line in response.getvalue().splitlines()]


def refusal(client: ApiClient, path: str) -> tuple[int, str, dict[str, list[str]]]:
    status, body = client.json("GET", path)
    return status, body["error"]["code"], body["error"]["fields"]


@pytest.fixture
def math(db: None) -> list[Task]:
    benchmark = factories.benchmark(id="math", verifier_official="math-v1", verifier_training="math-v1")
    shape = [
        ("train", "algebra", 0.0),
        ("train", "geometry", 0.5),
        ("test", "algebra", 1.0),
        ("test", "algebra", None),
    ]
    return [
        factories.task(benchmark=benchmark, split=split, tags=[tag, "level"], difficulty=difficulty)
        for split, tag, difficulty in shape
    ]


def test_benchmarks_are_listed_with_their_splits_and_verifiers(api: Make, math: list[Task]) -> None:
    status, listed = api("read").json("GET", "/benchmarks")
    assert status == 200
    assert [row["id"] for row in listed] == list(benchmarks)
    rows = {row["id"]: row for row in listed}
    assert rows["math"]["splits"] == {"test": 2, "train": 2}
    assert rows["math"]["verifiers"] == {"official": "math-v1", "training": "math_strict-v1"}
    named = {"id", "title", "kind", "license", "source", "splits", "impossible_share", "verifiers"}
    assert set(rows["math"]) == named
    assert rows["math500"]["splits"] == {}


def test_a_task_has_the_fields_of_the_contract_and_no_gold(api: Make) -> None:
    text = 'Back\\slash, "quotes", \n\t lines, \x01\x02 signs, ünïcode, \\frac{1}{2}'
    made = factories.task(
        answer="98765", prompt=text, payload={"text": text}, tags=["a,b", 'c"d'], difficulty=0.25
    )
    status, body = api("read").json("GET", "/tasks")
    assert status == 200
    assert body == {
        "results": [
            {
                "id": made.pk,
                "benchmark": "gsm8k",
                "split": "train",
                "key": made.key,
                "kind": "free_answer",
                "prompt": text,
                "payload": {"text": text},
                "difficulty": 0.25,
                "tags": ["a,b", 'c"d'],
                "max_steps": made.max_steps,
                "guess_rate": 0.0,
                "oracle_steps": 2,
                "gap_eligible": True,
            }
        ],
        "next": None,
    }
    assert lines(api("read"), "/tasks/export") == body["results"]
    assert list(body["results"][0]) == FIELDS


@pytest.mark.parametrize("oracle_steps", [0, 1, 2, 3, 4, 7, 30])
def test_max_steps_equals_the_value_of_the_model(api: Make, oracle_steps: int) -> None:
    made = factories.task(oracle_steps=oracle_steps)
    assert lines(api("read"), "/tasks/export")[0]["max_steps"] == made.max_steps


@pytest.mark.parametrize(
    ("query", "places"),
    [
        ("benchmark=math", [0, 1, 2, 3]),
        ("split=test", [2, 3]),
        ("benchmark=math&split=train&tag=geometry", [1]),
        ("tag=algebra&tag=level", [0, 2, 3]),
        ("tag=nothing", []),
        ("difficulty_min=0.5", [1, 2]),
        ("difficulty_max=0.5", [0, 1]),
        ("difficulty_min=0.4&difficulty_max=0.6", [1]),
        ("benchmark=math500", []),
        ("benchmark=math&split=&tag=&ids=&difficulty_min=&difficulty_max=", [0, 1, 2, 3]),
    ],
)
def test_lists_and_exports_take_the_same_filters(
    api: Make, math: list[Task], query: str, places: list[int]
) -> None:
    client, ids = api("read"), [math[place].pk for place in places]
    assert [row["id"] for row in client.json("GET", f"/tasks?{query}")[1]["results"]] == ids
    assert [row["id"] for row in lines(client, f"/tasks/export?{query}")] == ids


def test_only_tasks_whose_question_is_drawn_as_it_is_now(api: Make, math: list[Task]) -> None:
    for task, content_hash in ((math[1], math[1].content_hash), (math[2], "0" * 64)):
        QuestionPicture.objects.create(
            task=task, content_hash=content_hash, sha256="0" * 64, width=8, height=8
        )
    client, everything = api("read"), [task.pk for task in math]

    drawn = {
        query: [row["id"] for row in client.json("GET", f"/tasks?{query}")[1]["results"]]
        for query in ("drawn=true", "drawn=false", "drawn=")
    }

    assert drawn == {"drawn=true": [math[1].pk], "drawn=false": everything, "drawn=": everything}
    assert question_pictures.find_pictures(math).keys() == {math[1].pk}


def test_tasks_can_be_selected_by_id(api: Make, math: list[Task]) -> None:
    query = f"/tasks?ids={math[3].pk},{math[1].pk},999999"
    assert [row["id"] for row in api("read").json("GET", query)[1]["results"]] == [math[1].pk, math[3].pk]


def test_pages_follow_by_cursor_and_skip_nothing(api: Make, math: list[Task]) -> None:
    client, seen, cursor = api("read"), [], ""
    for _ in range(2):
        body = client.json("GET", f"/tasks?limit=2{cursor}")[1]
        seen += [row["id"] for row in body["results"]]
        cursor = f"&cursor={body['next']}"
    assert seen == [task.pk for task in math]
    assert body["next"] is None


@pytest.mark.parametrize(
    ("query", "field"),
    [
        ("limit=0", "limit"),
        ("limit=1001", "limit"),
        ("limit=ten", "limit"),
        ("cursor=bogus", "cursor"),
        ("ids=1,x", "ids"),
        ("ids=,", "ids"),
        ("ids=-1", "ids"),
        ("ids=9223372036854775808", "ids"),
        ("ids=" + "1," * 1001, "ids"),
        ("difficulty_min=nan", "difficulty_min"),
        ("difficulty_min=inf", "difficulty_min"),
        ("difficulty_max=2", "difficulty_max"),
        ("split=%00", "split"),
        ("tag=%00", "tag"),
        ("benchmrk=math", "benchmrk"),
    ],
)
def test_a_bad_parameter_is_named(api: Make, query: str, field: str) -> None:
    status, code, fields = refusal(api("read"), f"/tasks?{query}")
    assert (status, code) == (400, "invalid")
    assert [name.partition(".")[0] for name in fields] == [field]


@pytest.mark.parametrize("path", ["/tasks?", "/tasks/export?", "/golds/export?"])
def test_an_unknown_benchmark_or_split_is_refused_with_a_suggestion(
    api: Make, math: list[Task], path: str
) -> None:
    client = api("read", "golds")
    status, body = client.json("GET", f"{path}benchmark=maths")
    assert (status, body["error"]["code"]) == (422, "unknown_benchmark")
    assert "Did you mean math" in body["error"]["message"]
    status, body = client.json("GET", f"{path}benchmark=math&split=tset")
    assert (status, body["error"]["code"]) == (422, "unknown_split")
    assert "Did you mean test" in body["error"]["message"]


@pytest.mark.parametrize("path", ["/tasks", "/tasks/export", "/golds/export", "/benchmarks"])
def test_a_key_limited_to_splits_sees_only_them(api: Make, math: list[Task], path: str) -> None:
    body = api("read", "golds", splits=["train"]).get(f"/api/v1{path}").getvalue().decode()
    assert '"train"' in body
    assert '"test"' not in body


def test_a_hidden_split_gets_the_error_of_an_unknown_one(api: Make, math: list[Task]) -> None:
    client = api("read", splits=["train"])
    assert refusal(client, "/tasks?split=test")[:2] == (422, "unknown_split")
    assert refusal(client, "/tasks/export?split=test")[:2] == (422, "unknown_split")


@pytest.mark.parametrize("path", ["/benchmarks", "/tasks", "/tasks/export", "/golds/export"])
def test_every_call_is_refused_without_a_key_and_without_its_scope(api: Make, path: str) -> None:
    assert refusal(api(), path)[:2] == (401, "no_key")
    scope = "read" if path == "/golds/export" else "golds"
    assert refusal(api(scope), path)[:2] == (403, "missing_scope")


def test_only_current_golds_are_exported_and_only_with_the_scope_golds(api: Make) -> None:
    made = factories.task(answer="41", solution="as \\boxed{41}")
    Gold.objects.filter(task=made).update(is_current=False)
    Gold.objects.create(
        task=made, version=2, answer="42", accepted=["42.0", "a,b"], solution="s", status="corrected"
    )
    assert lines(api("golds"), f"/golds/export?ids={made.pk}") == [
        {
            "task": made.pk,
            "benchmark": "gsm8k",
            "split": "train",
            "key": made.key,
            "answer": "42",
            "accepted": ["42.0", "a,b"],
            "solution": "s",
            "version": 2,
            "status": "corrected",
        }
    ]


def test_no_response_about_tasks_contains_a_gold(api: Make) -> None:
    factories.task(answer="8675309")
    client = api("read", "trainer")
    for path in ("/benchmarks", "/tasks", "/tasks/export"):
        body = client.get(f"/api/v1{path}").getvalue()
        assert b"8675309" not in body
        assert factories.GOLD_CANARY.encode() not in body


def test_an_export_larger_than_a_block_is_complete_and_sent_in_blocks(api: Make) -> None:
    ids = [factories.task(prompt="x" * 30_000).pk for _ in range(10)]
    response = api("read").get("/api/v1/tasks/export")
    blocks = list(response.streaming_content)
    assert len(blocks) >= 3
    assert max(len(block) for block in blocks) < 2 * selectors.EXPORT_BLOCK_BYTES
    assert [json.loads(line)["id"] for line in b"".join(blocks).splitlines()] == ids


@pytest.mark.parametrize(
    ("accept", "zipped"),
    [("gzip", True), ("br, gzip;q=0.5", True), ("gzip;q=0", False), ("identity", False), ("*", False)],
)
def test_an_export_is_compressed_on_request(api: Make, math: list[Task], accept: str, zipped: bool) -> None:
    response = api("read").get("/api/v1/tasks/export", headers={"accept-encoding": accept})
    assert (response.get("Content-Encoding") == "gzip") == zipped
    assert "Accept-Encoding" in response["Vary"]
    body = gzip.decompress(response.getvalue()) if zipped else response.getvalue()
    assert len(body.splitlines()) == len(math)


def test_an_export_that_has_not_changed_is_304(api: Make, math: list[Task]) -> None:
    client = api("read")
    first = client.get("/api/v1/tasks/export?split=train")
    again = client.get("/api/v1/tasks/export?split=train", headers={"if-none-match": first["ETag"]})
    assert (again.status_code, again.getvalue(), again["ETag"]) == (304, b"", first["ETag"])


def test_the_etag_differs_by_filter_by_key_and_by_any_change(api: Make, math: list[Task]) -> None:
    def etag(client: ApiClient, query: str = "") -> str:
        return str(client.get(f"/api/v1/tasks/export{query}")["ETag"])

    client = api("read")
    seen = {etag(client), etag(client, "?split=train"), etag(api("read", splits=["train"]))}
    Task.objects.filter(pk=math[0].pk).update(content_hash="other")
    seen.add(etag(client))
    factories.task()
    seen.add(etag(client))
    assert len(seen) == 5


def test_an_export_accepts_ndjson_and_still_sends_errors_as_json(api: Make, math: list[Task]) -> None:
    client = api("read")
    assert len(lines(client, "/tasks/export", accept="application/x-ndjson")) == 4
    response = client.get("/api/v1/tasks/export?benchmark=x", headers={"accept": "application/x-ndjson"})
    assert (response.status_code, json.loads(response.content)["error"]["code"]) == (422, "unknown_benchmark")


def test_an_export_aborted_midway_leaves_the_connection_usable(db: None) -> None:
    for _ in range(5):
        factories.task(prompt="x" * 40_000)
    blocks = selectors.tasks_export(selectors.TaskFilter())
    assert next(blocks)
    blocks.close()
    assert Task.objects.count() == 5


def test_a_list_takes_at_most_two_queries(
    api: Make, math: list[Task], django_assert_max_num_queries: Any
) -> None:
    client = api("read")
    with django_assert_max_num_queries(2):
        client.json("GET", "/tasks?benchmark=math&split=train")
