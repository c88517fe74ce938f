"""What the page of a report says where it cannot say a number."""

from __future__ import annotations

import re
import xml.etree.ElementTree as ElementTree
from collections.abc import Callable, Mapping
from typing import Any

import pytest
from django.utils.html import strip_tags

from tests import factories
from tests.conftest import LabClient
from tests.reports.test_computation import correct_if, episodes, evaluation, tables_of
from trajectories.models import Report

pytestmark = pytest.mark.django_db
Outcomes = Mapping[str, Callable[[int, int], str]]
MARKS = ("plot-dot", "plot-hollow", "plot-heat", "plot-ink")

HALF = correct_if(lambda item, sample: (item + sample) % 2 > 0)
MOST = correct_if(lambda item, sample: (item + sample) % 4 > 0)
RIGHT, WRONG, VOID, OPEN = (
    (lambda outcome: lambda *_: outcome)(name) for name in ("correct", "incorrect", "void", "")
)


@pytest.fixture
def page(lab: Callable[[Any], LabClient], owner: Any) -> Callable[[Report], str]:
    """The text of a report's page, after it was held to what every page of a report keeps."""

    def read(report: Report) -> str:
        tables_of(report)
        html = lab(owner).get(f"/reports/{report.pk}/").content.decode()
        assert not re.search(r"\b(nan|NaN|inf|None)\b", strip_tags(html))
        for chart in charts_of(html):
            assert_drawn(chart)
        return " ".join(strip_tags(html.replace("<td", " <td")).replace("&nbsp;", " ").split())

    return read


def charts_of(html: str) -> list[ElementTree.Element]:
    charts = re.findall(r"<svg [^>]*class=\"plot\".*?</svg>", html, re.DOTALL)
    assert len(charts) == html.count("plot-scroll")
    return [ElementTree.fromstring(chart) for chart in charts]


def assert_drawn(chart: ElementTree.Element) -> None:
    """A chart has something to see, and no interval without width."""
    assert [shape for shape in chart.iter() if shape.get("class", "").startswith(MARKS)]
    for whisker in (shape for shape in chart.iter("line") if shape.get("class") == "plot-whisker"):
        assert (whisker.get("x1"), whisker.get("y1")) != (whisker.get("x2"), whisker.get("y2"))


@pytest.mark.parametrize(
    ("arms", "fields", "texts"),
    [
        ({"text_zero_shot": MOST, "gym": HALF}, {"items": 5}, ["fewer than 10 items"]),
        ({"text_zero_shot": MOST, "gym": HALF}, {"samples": 3}, ["these looks only"]),
        (
            {"text_zero_shot": RIGHT, "gym": RIGHT},
            {"samples": 2},
            ["every judged answer is right", "no item differs"],
        ),
        ({"text_zero_shot": WRONG, "gym": WRONG}, {"samples": 2}, ["every judged answer is wrong"]),
        ({"text_zero_shot": VOID, "gym": VOID}, {}, ["cannot be stated", "share no item", "No chart"]),
        ({"text_zero_shot": OPEN, "gym": OPEN}, {}, ["80 episodes had no verdict", "cannot be stated"]),
        (
            {
                "text_zero_shot": lambda item, _: "correct" if item < 20 else "void",
                "gym": lambda item, _: "correct" if item >= 20 else "void",
            },
            {},
            ["cannot be stated", "share no item"],
        ),
    ],
    ids=["few items", "few looks", "all right", "all wrong", "all void", "all open", "no shared item"],
)
def test_the_page_says_what_it_cannot_say_and_why(
    page: Callable[[Report], str], arms: Outcomes, fields: Mapping[str, Any], texts: list[str]
) -> None:
    report, _, _ = evaluation(arms, **fields)

    text = page(report)

    assert [one for one in texts if one not in text] == []


def test_mixed_prompt_versions_are_named(page: Callable[[Report], str]) -> None:
    report, runs, tasks = evaluation({"text_zero_shot": MOST, "gym": HALF})
    runs["gym"].groups.filter(task__in=tasks[:10]).update(template="prompts-v3a")

    text = page(report)

    assert "a mixture of set-ups: prompt version prompts-v3 and prompts-v5" in text
    assert "the gap between Text, zero-shot and Page cannot be stated: Page is a mixture" in text


def test_several_policy_versions_are_shown_apart(page: Callable[[Report], str]) -> None:
    report, runs, tasks = evaluation({"text_zero_shot": MOST, "gym": HALF})
    for run in runs.values():
        run.episodes.update(policy_version=1)
    episodes(runs["gym"], "gym", tasks, RIGHT, 1)
    runs["gym"].episodes.filter(policy_version=None).update(policy_version=2)

    text = page(report)

    assert "policy version 1 and 2" in text
    assert "Accuracy over policy versions" in text
    assert "gsm8k Page 2 40 100.0%" in text


def test_a_benchmark_without_episodes_is_named_beside_the_others(page: Callable[[Report], str]) -> None:
    factories.benchmark(id="arc")
    benchmarks = [{"slug": "gsm8k", "split": "train"}, {"slug": "arc", "split": "train"}]
    report, _, _ = evaluation({"text_zero_shot": MOST, "gym": HALF}, benchmarks=benchmarks)

    text = page(report)

    assert "gsm8k: 25.0 points" in text
    assert "arc: the gap between Text, zero-shot and Page cannot be stated: no episode of" in text


def test_an_empty_report_has_sentences_and_no_chart(page: Callable[[Report], str]) -> None:
    text = page(factories.report())

    assert "cannot be stated: no episode of Text, zero-shot has begun" in text
    assert text.count("No chart: no row of this table has a number.") >= 2
