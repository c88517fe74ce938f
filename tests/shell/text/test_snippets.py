"""The lines beside each export load it into pandas."""

from __future__ import annotations

import re
from collections.abc import Callable
from html import unescape
from pathlib import Path
from typing import Any

import pytest
from django.contrib.auth.models import User

from tests import factories
from tests.conftest import LabClient
from tests.lab.search.test_search import episode_thought
from tests.reports.simulated import report_fill
from tests.reports.test_computation import tables_of
from tests.reports.training import scene
from tests.reports.training.scene import right_if

pytestmark = pytest.mark.django_db
pytest.importorskip("pandas")

Lab = Callable[[User | None], LabClient]
LINK = r'href="([^"]+\.(?:ndjson|csv|txt|json)(?:\?[^"]*)?)"'
SNIPPET = r'<pre class="boxed" id="snippet-[^"]+" tabindex="0">(.*?)</pre>'


@pytest.fixture
def loaded(
    lab: Lab, annotator: User, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> Callable[[str], list[dict[str, Any]]]:
    """Saves the files that a page links to, as a browser does, and runs each snippet of the page."""
    monkeypatch.chdir(tmp_path)

    def load(page: str) -> list[dict[str, Any]]:
        client = lab(annotator)
        html = client.get(page).content.decode()
        for address in {unescape(link) for link in re.findall(LINK, html)}:
            response: Any = client.get(address)
            (name,) = re.findall('filename="([^"]+)"', response["Content-Disposition"])
            Path(name).write_bytes(response.getvalue())
        results = []
        for code in re.findall(SNIPPET, html, flags=re.DOTALL):
            names: dict[str, Any] = {}
            exec(unescape(code), names)
            results.append(names)
        return results

    return load


@pytest.mark.parametrize("page", ["/search?run={run}", "/runs/{run}/"], ids=["search", "run"])
def test_a_selection_of_episodes_loads_in_all_its_forms(
    loaded: Callable[[str], list[dict[str, Any]]], page: str
) -> None:
    run, task = factories.run(), factories.task()
    group = factories.group(run=run, task=task)
    right = episode_thought("I verify it, with", "verify, and again", group=group)
    wrong = episode_thought("No.", outcome="incorrect", group=factories.group(run=run, task=task))
    ids = [wrong.pk, right.pk]
    trajectories, facts, listed = loaded(page.format(run=run.pk))
    assert list(trajectories["episodes"].index) == ids
    steps = trajectories["steps"]
    assert list(steps.loc[steps["episode_id"] == right.pk, "thought"]) == [
        "I verify it, with",
        "verify, and again",
    ]
    assert trajectories["search"]["search"]["filters"] == {"run": run.pk}
    assert facts["facts"]["outcome"].to_dict() == {right.pk: "correct", wrong.pk: "incorrect"}
    assert facts["facts"]["opened_at"].dt.year.min() > 2000
    assert list(listed["episodes"]) == ids


def test_an_episode_loads_step_by_step(loaded: Callable[[str], list[dict[str, Any]]]) -> None:
    episode = episode_thought("I verify it.", "And again.")
    (names,) = loaded(f"/episodes/{episode.pk}/")
    assert names["episode"]["id"] == episode.pk
    assert names["steps"]["thought"].to_dict() == {1: "I verify it.", 2: "And again."}


def test_every_table_and_the_rows_of_a_report_load(loaded: Callable[[str], list[dict[str, Any]]]) -> None:
    report = report_fill(benchmarks=["gsm8k"], arms=("text_zero_shot", "gym"), items=6, looks=1, name="gap")
    tables_of(report)
    *tables, rows = loaded(f"/reports/{report.pk}/")
    assert len(tables) > 2
    assert all(len(names["table"].columns) > 1 for names in tables)
    assert set(rows["rows"]["arm"]) == {"text_zero_shot", "gym"}


def test_every_table_of_a_training_run_loads(loaded: Callable[[str], list[dict[str, Any]]]) -> None:
    run, tasks = scene.training_run(), [factories.task() for _ in range(3)]
    for version in range(3):
        scene.version_play(run, version, tasks, lambda task, sample: right_if((task + sample) % 2 == 0))
    tables = loaded(f"/runs/{run.pk}/training")
    assert tables
    assert all(len(names["table"]) for names in tables)
