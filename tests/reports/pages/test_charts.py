"""The charts of a report, and of training: where their values lead."""

from __future__ import annotations

import re
import xml.etree.ElementTree as ElementTree
from collections.abc import Callable, Iterator
from typing import Any

import pytest

from tests.conftest import LabClient
from tests.reports.test_computation import LOOKS, correct_if, evaluation, tables_of
from tests.reports.training import scene
from trajectories.models import Episode, Run
from trajectories.reports.registry import TABLES

pytestmark = pytest.mark.django_db
Lab = Callable[[Any], LabClient]
MARKS = {"circle", "rect"}
# A list of episodes, or of items with two episodes each to compare.
EPISODES = r'href="/(episodes/\d+/|reports/\d+/pairs/\d+)'


def charts_of(html: str) -> dict[str, ElementTree.Element]:
    """By what they are called in their page."""
    drawn = [
        ElementTree.fromstring(one) for one in re.findall(r"<svg [^>]*class=\"plot\".*?</svg>", html, re.S)
    ]
    return {chart.findtext("title", ""): chart for chart in drawn}


def links_of(chart: ElementTree.Element) -> dict[str, str]:
    """Where the values of a chart lead, by their tips; empty where they lead nowhere."""
    linked = {id(mark): link.get("href", "") for link in chart.iter("a") for mark in link}
    marks = (mark for mark in chart.iter() if mark.tag in MARKS and mark.find("title") is not None)
    return {mark.findtext("title", ""): linked.get(id(mark), "") for mark in marks}


def leading_nowhere(client: LabClient, html: str) -> Iterator[tuple[str, str]]:
    """Values that open nothing, with their charts; of each chart one link is followed. A share of zero may
    have no episode to open."""
    for title, chart in charts_of(html).items():
        links = links_of(chart)
        yield from (
            (title, tip) for tip, link in links.items() if not link and not tip.endswith(" 0.0 percent")
        )
        opened = client.get(next(filter(None, links.values()), "/nowhere"))
        if opened.status_code != 200 or not re.search(EPISODES, opened.content.decode()):
            yield title, "a link that opens no episode"


def test_every_value_of_a_report_opens_its_episodes(lab: Lab, owner: Any) -> None:
    report, runs, _ = evaluation(
        {
            "text_zero_shot": correct_if(lambda item, sample: (item + sample) % 4 > 0),
            "gym": correct_if(lambda item, sample: (item + sample) % 2 > 0 and item > 4),
        },
        samples=8,
    )
    Run.objects.filter(report=report).update(settings={"planted_accuracy": 0.7})
    for run in runs.values():
        run.episodes.update(policy_version=1)
    for look in range(LOOKS):
        font = {"font": ("sans", "mono")[look % 2]}
        Episode.objects.filter(presentation_hash=f"look-{look}").update(presentation=font)
    for episode in Episode.objects.all():
        scene.facts_add(episode.pk, thought_words=20.0 + episode.pk % 9)
    titles = {
        table["title"]
        for table in tables_of(report).values()
        if TABLES.get(table["id"]).chart and table["rows"]
    }
    client = lab(owner)

    html = client.get(f"/reports/{report.pk}/").content.decode()

    assert charts_of(html).keys() == titles
    assert list(leading_nowhere(client, html)) == []


def test_every_value_of_training_and_transfer_opens_its_episodes(lab: Lab, owner: Any) -> None:
    run = scene.trained_run()
    tasks = [group.task for group in run.groups.all()]
    scene.version_play(run, 2, tasks, lambda *_: "correct")
    client = lab(owner)

    for address in (f"/runs/{run.pk}/training", "/transfer/"):
        html = client.get(address).content.decode()
        assert charts_of(html)
        assert list(leading_nowhere(client, html)) == []


def test_the_transfer_chart_has_each_change_and_how_much_of_it_is_beyond_text(lab: Lab, owner: Any) -> None:
    run = scene.trained_run()

    (chart,) = charts_of(lab(owner).get("/transfer/").content.decode()).values()

    where = f"{run.name} (run {run.pk}): trained on gsm8k, evaluated on math: start, version 2"
    tips = {tip.removeprefix(f"{where}, ").partition(" points")[0] for tip in links_of(chart)}
    assert tips == {
        "Text, zero-shot: 5.0",
        "Page: 37.5 (21.8 to 53.2)",
        "Page, beyond text: 32.5 (15.7 to 49.3)",
    }


@pytest.mark.parametrize(("first", "start"), [(0, 0), (1, 0), (5, 4)])
def test_the_start_of_training_is_drawn_before_the_first_version(
    lab: Lab, owner: Any, first: int, start: int
) -> None:
    """Whichever versions were evaluated: here the last alone."""
    run = scene.training_run()
    tasks = [scene.factories.task() for _ in range(4)]
    for version in (first, first + 8):
        scene.version_play(run, version, tasks, lambda task, _: scene.right_if(task > 0))
    scene.version_add(run, first + 8, checkpoint="step-8")
    for checkpoint in ("base", "step-8"):
        for arm in ("text_zero_shot", "gym"):
            scene.evaluated(checkpoint, arm, tasks, lambda task: task > 1)

    charts = charts_of(lab(owner).get(f"/runs/{run.pk}/training?arm=gym").content.decode())

    (left, right) = (
        float(one.get("cx", "")) for one in charts["Gap on gsm8k by policy version"].iter("circle")
    )
    first_reward = float(next(charts["Reward by policy version"].iter("circle")).get("cx", ""))
    assert (first_reward - left) / (right - left) == pytest.approx(
        (first - start) / (first + 8 - start), abs=0.01
    )
