"""The page of a run's training, and the transfer matrix."""

from __future__ import annotations

import csv
import io
import json
import re
import xml.etree.ElementTree as ElementTree
from collections.abc import Callable
from html import unescape
from typing import Any

import pyarrow.parquet
import pytest

from tests import factories
from tests.conftest import LabClient
from tests.reports.test_computation import correct_if, evaluation
from tests.reports.training import scene
from tests.reports.training.scene import right_if
from tests.reports.training.test_component_alarms import played
from trajectories.models import PolicyVersion, Run

pytestmark = pytest.mark.django_db
TABLES = ("csv", "parquet", "json", "tex")
Lab = Callable[[Any], LabClient]


@pytest.fixture
def run() -> Run:
    made, tasks = scene.training_run(), [factories.task() for _ in range(5)]
    for version in range(4):
        scene.version_play(
            made, version, tasks, lambda task, sample, learnt=version: right_if((task + sample) % 4 <= learnt)
        )
    return made


def test_the_page_draws_reward_by_version_with_links_to_its_episodes(lab: Lab, owner: Any, run: Run) -> None:
    page = lab(owner).get(f"/runs/{run.pk}/training").content.decode()

    assert "trained on gsm8k" in page
    assert f"/search?run={run.pk}&amp;arm=gym&amp;policy_version=2&amp;outcome=correct" in page
    assert "Reward at version 2: 75 %" in page
    assert "Rising narration" in page
    assert "not raised" in page


def read(client: LabClient, address: str) -> bytes:
    response = client.get(address)
    assert response.status_code == 200, address
    assert response["Content-Disposition"].startswith("attachment")
    return bytes(b"".join(response.streaming_content))


def linked_files(page: str) -> list[str]:
    """The addresses of the files that a page offers."""
    return [
        unescape(address) for address in re.findall(r'href="(/[^"]+\.(?:\w+)\?[^"]*)">[A-Z]\w+</a>', page)
    ]


def test_charts_and_tables_of_training_are_files_in_every_format(lab: Lab, owner: Any, run: Run) -> None:
    client = lab(owner)
    page = client.get(f"/runs/{run.pk}/training").content.decode()

    files = {address: read(client, address) for address in linked_files(page)}

    of_reward = {
        kind: files[f"/runs/{run.pk}/training/reward.{kind}?arm=gym"] for kind in ("svg", "pdf", "png")
    }
    assert (of_reward["pdf"][:4], of_reward["png"][:4]) == (b"%PDF", b"\x89PNG")
    drawn = ElementTree.fromstring(of_reward["svg"])
    assert len(drawn.findall(".//{*}circle")) == 4
    assert not [shape for shape in drawn.iter() if "class" in shape.attrib or shape.tag.endswith("}a")]
    versions = {kind: files[f"/runs/{run.pk}/training/versions.{kind}?arm=gym"] for kind in TABLES}
    rewards = ["25.0", "50.0", "75.0", "100.0"]
    assert [row["reward"] for row in csv.DictReader(io.StringIO(versions["csv"].decode()))] == rewards
    assert [row["reward"] for row in json.loads(versions["json"])["rows"]] == [25.0, 50.0, 75.0, 100.0]
    columns = pyarrow.parquet.read_table(io.BytesIO(versions["parquet"]))
    assert columns.column("reward").to_pylist() == [25.0, 50.0, 75.0, 100.0]
    assert rb"\caption{Reward and behaviour: " in versions["tex"]
    assert client.get(f"/runs/{run.pk}/training/other.svg").status_code == 404


def test_the_transfer_matrix_has_a_chart_and_files_in_every_format(lab: Lab, owner: Any) -> None:
    scene.trained_run()
    client = lab(owner)
    page = client.get("/transfer/").content.decode()

    files = [address for address in linked_files(page) if read(client, address)]

    assert files == [f"/transfer/transfer.{kind}?" for kind in ("svg", "pdf", "png", *TABLES)]
    assert "trained on gsm8k, evaluated on math: start, version 2" in page
    assert client.get("/transfer/transfer.html").status_code == 404
    assert client.get("/transfer/other.csv").status_code == 404


def test_a_run_without_episodes_says_so_and_draws_nothing(lab: Lab, owner: Any) -> None:
    page = lab(owner).get(f"/runs/{scene.training_run().pk}/training").content.decode()

    assert "No episode with a policy version has ended" in page
    assert "No evaluation belongs to this run" in page
    assert "<figure" not in page


def test_one_version_is_a_table_and_no_chart(lab: Lab, owner: Any) -> None:
    run = scene.training_run()
    scene.version_play(run, 7, [factories.task()], lambda *_: "correct")

    page = lab(owner).get(f"/runs/{run.pk}/training").content.decode()

    assert "There is only one policy version" in page
    assert "<figure" not in page
    assert "100.0%" in page


def test_the_matrix_shows_training_runs_with_evaluations(lab: Lab, owner: Any) -> None:
    trained = scene.trained_run()
    Run.objects.filter(pk=trained.pk).update(name="first\u202e")

    page = lab(owner).get("/transfer/").content.decode()

    assert f'<a href="/runs/{trained.pk}/training">firstU+202E (run {trained.pk})</a>' in page
    assert "32.5" in page
    assert "\u202e" not in page


def test_two_reports_are_before_and_after(lab: Lab, owner: Any) -> None:
    before, _, tasks = evaluation({"gym": correct_if(lambda item, _: item < 10)})
    run = factories.run(report=factories.report(plan={"model": {"name": "model", "checkpoint": "new"}}))
    for place, task in enumerate(tasks):
        made = factories.episode(
            group=factories.group(run=run, task=task, arm="gym"), presentation_hash="look-0"
        )
        factories.verdict(made, "correct" if place < 30 else "incorrect")
    Run.objects.update(observation="axtree-v2")
    trainer = scene.training_run(model="model")
    scene.version_play(
        trainer, 0, [factories.task(benchmark=factories.benchmark(id="math"))], lambda *_: "correct"
    )
    PolicyVersion.objects.create(run=trainer, version=9, checkpoint="new")

    page = lab(owner).get(f"/transfer/?before={before.pk}&after={run.report_id}").content.decode()

    assert "50.0" in page
    assert f'<a href="/runs/{trainer.pk}/training">{trainer.name} (run {trainer.pk})</a>' in page
    assert "no text arm was evaluated before and after" in page


def test_without_training_the_matrix_says_what_it_needs(lab: Lab, owner: Any) -> None:
    page = lab(owner).get("/transfer/?before=9").content.decode()

    assert "Nothing to compare" in page
    assert "“9” is not among the choices" in page


def test_the_api_answers_the_same_tables(api: Callable[..., Any], run: Run) -> None:
    status, answer = api("read").json("GET", f"/runs/{run.pk}/training")

    assert (status, answer["trained_on"], answer["arm"]) == (200, ["gsm8k"], "gym")
    tables = {table["id"]: table for table in answer["tables"]}
    assert [row["reward"] for row in tables["versions"]["rows"]] == [25.0, 50.0, 75.0, 100.0]


def test_the_api_answers_transfer_and_wants_both_reports_or_none(api: Callable[..., Any]) -> None:
    scene.trained_run()
    report = factories.report()

    status, answer = api("read").json("GET", "/transfer")
    refused, error = api("read").json("GET", f"/transfer?before={report.pk}")

    assert (status, [row["change"] for row in answer["table"]["rows"]]) == (200, [5.0, 37.5])
    assert (refused, list(error["error"]["fields"])) == (400, ["after"])


def test_a_collapse_is_put_into_words_and_drawn(lab: Lab, owner: Any) -> None:
    run, tasks = scene.training_run(), [factories.task(tags=["stage:1"]) for _ in range(8)]
    for version in range(10):
        played(run, version, tasks, {"selection": 0.9 if version < 6 else 0.2})

    page = " ".join(lab(owner).get(f"/runs/{run.pk}/training").content.decode().split())

    assert "1 alarm" in page
    assert "The choice of tools collapses on stage 1: from 90.0% to 20.0% since version 6" in page
    assert "Look at which tools are called in place of others." in page
    assert "Selection in stage 1 by policy version" in page
    assert "The choice of tools collapses, version 8" in page
