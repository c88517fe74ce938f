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
        return sound_text(lab(owner).get(f"/reports/{report.pk}/").content.decode())

    return read


def sound_text(html: str) -> str:
    """The text of a page with charts, each of which shows something."""
    assert not re.search(r"\b(nan|NaN|inf|None)\b", strip_tags(html))
    assert not re.search(r"<a [^>]*>–?</a>", html)
    charts = re.findall(r"<svg [^>]*class=\"plot\".*?</svg>", html, re.DOTALL)
    assert len(charts) == html.count("<figure")
    for chart in charts:
        assert_drawn(ElementTree.fromstring(chart))
    return " ".join(strip_tags(html.replace("<td", " <td")).replace("&nbsp;", " ").split())


def assert_drawn(chart: ElementTree.Element) -> None:
    """A chart has something to see, and no interval without width."""
    assert [shape for shape in chart.iter() if shape.get("class", "").startswith(MARKS)]
    for line in chart.iter("line"):
        assert (line.get("x1"), line.get("y1")) != (line.get("x2"), line.get("y2"))
    if any(text.startswith(("%", "percent")) for text in texts_of(chart)):
        assert max(float(text) for text in texts_of(chart) if re.fullmatch(r"\d+(\.\d+)?", text)) <= 100


def texts_of(chart: ElementTree.Element) -> list[str]:
    return [shape.text or "" for shape in chart.iter("text")]


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


def test_bounds_with_void_stand_in_a_column_of_their_own(page: Callable[[Report], str]) -> None:
    half_void = {"gym": lambda item, _: "void" if item % 2 else "correct", "text_zero_shot": MOST}
    report, _, _ = evaluation(half_void)

    text = page(report)

    assert "Beyond chance With void" in text
    assert "gsm8k Page 20 20 20 1 0 0 100.0% 83.9% to 100.0% 100.0% 83.9% to 100.0% 50.0% to 100.0%" in text
    assert "gsm8k Text, zero-shot 40 40 0 – 0 0 75.0% 59.8% to 85.8% 75.0% 59.8% to 85.8% 75.0%" in text
    assert "75.0% to 75.0%" not in text


def test_mixed_prompt_versions_are_named(page: Callable[[Report], str]) -> None:
    report, runs, tasks = evaluation({"text_zero_shot": MOST, "gym": HALF})
    runs["gym"].groups.filter(task__in=tasks[:10]).update(template="prompts-v3a")

    text = page(report)

    assert "a mixture of set-ups: prompt version prompts-v3 and prompts-v7" in text
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
