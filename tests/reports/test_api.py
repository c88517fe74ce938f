from __future__ import annotations

import hashlib
import json
from collections.abc import Callable
from typing import Any

import pytest

from tests import factories
from tests.reports.plans import plan
from trajectories.models import Report, Run
from trajectories.reports.episode_rows import episode_rows


def test_a_plan_is_stored_as_sent_with_the_hash_of_its_canonical_json(api: Callable[..., Any]) -> None:
    client = api("trainer", "read")
    sent = plan(name="Übung", margin=3)

    status, made = client.json("POST", "/reports", {"name": "first", "plan": sent})

    canonical = json.dumps(sent, sort_keys=True, separators=(",", ":"), ensure_ascii=False)
    assert status == 201
    assert made["plan_sha256"] == hashlib.sha256(canonical.encode()).hexdigest()
    status, report = client.json("GET", f"/reports/{made['id']}")
    assert status == 200
    assert report["plan"] == sent
    assert report["url"] == made["url"]
    assert made["url"].endswith(f"/reports/{made['id']}/")
    assert (report["state"], report["result"], report["stale"]) == ("waiting", None, False)


@pytest.mark.parametrize(
    ("change", "field", "message"),
    [
        ({"marjin": 3}, "plan.marjin", "Did you mean margin"),
        ({"version": 2}, "plan.version", "1"),
        ({"arms": ["text_zero"]}, "plan.arms.0", "Did you mean text_zero_shot"),
        ({"arms": ["gym", "gym"], "contrasts": []}, "plan.arms", "twice"),
        ({"arms": []}, "plan.arms", "empty"),
        ({"benchmarks": [{"slug": "a"}, {"slug": "a"}]}, "plan.benchmarks", "twice"),
        ({"benchmarks": [{"slug": "a", "splt": "b"}]}, "plan.benchmarks.0.splt", "Did you mean split"),
        ({"contrasts": [["gym", "gym_image"]]}, "plan.contrasts", "gym_image"),
        ({"contrasts": [["gym", "gym"]]}, "plan.contrasts", "itself"),
        (
            {"arms": ["gym", "probe_read"], "contrasts": [["gym", "probe_read"]]},
            "plan.contrasts",
            "no accuracy to compare",
        ),
        ({"history": "lask_k:3"}, "plan.history", "Did you mean last_k:3"),
        ({"alpha": 0}, "plan.alpha", "0.001"),
        ({"margin": -1}, "plan.margin", "0.01"),
    ],
)
def test_a_plan_that_cannot_be_meant_is_refused_with_a_suggestion(
    api: Callable[..., Any], change: dict[str, Any], field: str, message: str
) -> None:
    status, answer = api("trainer").json("POST", "/reports", {"name": "x", "plan": plan(**change)})

    assert status == 400
    assert message in " ".join(answer["error"]["fields"][field])
    assert not Report.objects.exists()


def test_a_report_is_created_once_per_idempotency_key(api: Callable[..., Any]) -> None:
    client = api("trainer")
    body = {"name": "once", "plan": plan()}

    answers = [client.json("POST", "/reports", body, HTTP_IDEMPOTENCY_KEY="a key") for _ in range(2)]

    assert answers[0] == answers[1]
    assert Report.objects.count() == 1


def test_runs_name_the_report_that_they_belong_to(api: Callable[..., Any]) -> None:
    client = api("trainer", "read")
    report = client.json("POST", "/reports", {"name": "r", "plan": plan()})[1]["id"]
    run = {"name": "again", "kind": "eval", "report": report, "settings": {"retest": True}}

    status, made = client.json("POST", "/runs", run)

    assert (status, made["report"]) == (201, report)
    assert client.json("GET", f"/reports/{report}")[1]["runs"] == [
        {"id": made["id"], "name": "again", "model": "", "retest": True}
    ]


def test_a_run_of_an_unknown_report_is_refused(trainer: Any) -> None:
    status, answer = trainer.json("POST", "/runs", {"name": "x", "kind": "eval", "report": 999})

    assert (status, answer["error"]["code"]) == (422, "unknown_report")
    assert not Run.objects.exists()


def test_a_key_for_one_split_sees_reports_on_that_split_alone(api: Callable[..., Any]) -> None:
    made = api("trainer").json("POST", "/reports", {"name": "r", "plan": plan()})[1]["id"]
    limited, other = api("read", splits=["test"]), api("read", splits=["train"])

    assert [one["id"] for one in limited.json("GET", "/reports")[1]["results"]] == [made]
    assert other.json("GET", "/reports")[1]["results"] == []
    assert other.json("GET", f"/reports/{made}")[0] == 404


def test_asking_for_a_computation_answers_at_once(api: Callable[..., Any]) -> None:
    client = api("trainer")
    made = client.json("POST", "/reports", {"name": "r", "plan": plan()})[1]["id"]

    status, report = client.json("POST", f"/reports/{made}/compute")

    assert (status, report["state"], report["progress"]) == (202, "waiting", 0.0)
    assert Report.objects.get(pk=made).requested_at is not None


@pytest.mark.django_db
def test_every_episode_is_a_row_once_wherever_a_statement_ends(monkeypatch: pytest.MonkeyPatch) -> None:
    runs = [factories.run(), factories.run()]
    episodes = [factories.episode(run=runs[number % 2]).pk for number in range(7)]
    monkeypatch.setattr("trajectories.reports.episode_rows.CHUNK", 2)
    rows = [row.episode for row in episode_rows([run.pk for run in runs])]
    assert rows == episodes[::2] + episodes[1::2]


def test_the_rows_of_a_report_are_streamed_as_lines_and_as_csv(api: Callable[..., Any]) -> None:
    run = factories.run(report=factories.report())
    judged = factories.episode(run=run)
    factories.verdict(judged, "incorrect")
    factories.verdict(factories.episode(run=run), "void", "cancelled")
    client, address = api("read"), f"/api/v1/reports/{run.report_id}/rows"

    (line,) = client.get(address).getvalue().splitlines()
    head, row = client.get(f"{address}?format=csv").getvalue().decode().splitlines()

    assert json.loads(line)["episode"] == judged.pk
    assert json.loads(line)["outcome"] == "incorrect"
    assert head.split(",") == list(json.loads(line))
    assert row.startswith(f"{judged.pk},{run.pk},gsm8k,train,")
    status, answer = client.json("GET", f"/reports/{run.report_id}/rows?format=cvs")
    assert status == 400
    assert "Did you mean csv" in answer["error"]["fields"]["format"][0]
    assert api("read", splits=["test"]).get(address).status_code == 404
