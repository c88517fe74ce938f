"""How long thoughts are: by the episode and by the step, and what is left out."""

from __future__ import annotations

import pytest

from tests import factories
from tests.reports.test_computation import correct_if, evaluation, tables_of
from trajectories.behaviour.facts import store
from trajectories.models import Episode

pytestmark = pytest.mark.django_db


def test_thoughts_are_compared_by_the_episode_and_shown_by_the_step_too() -> None:
    """As many words a step in both arms; a page takes three steps."""
    report, runs, _ = evaluation(
        {
            "text_zero_shot": correct_if(lambda item, _: item % 2 > 0),
            "gym": correct_if(lambda item, _: item % 2 > 0),
        },
        items=12,
    )
    for arm, steps in (("text_zero_shot", 1), ("gym", 3)):
        for place, episode in enumerate(Episode.objects.filter(run=runs[arm]).order_by("pk")):
            for index in range(1, steps + 1):
                factories.step(episode, index, thought="word " * (10 + place % 2))

    text, page = tables_of(report)["thoughts"]["rows"]

    assert (text["words"], text["per_step"], text["episodes"]) == (10.5, 10.5, 12)
    assert (page["words"], page["per_step"], page["without_facts"]) == (31.5, 10.5, 0)
    assert text["high"] < page["low"]


def test_what_the_table_of_thoughts_leaves_out_is_counted(monkeypatch: pytest.MonkeyPatch) -> None:
    report, runs, _ = evaluation(
        {
            "text_zero_shot": correct_if(lambda item, _: item % 2 > 0),
            "gym": correct_if(lambda item, _: item % 2 > 0),
        },
        items=12,
    )
    of_text, of_page = (list(Episode.objects.filter(run=run).order_by("pk")) for run in runs.values())
    for episode in (*of_text, *of_page):
        factories.step(episode, 1, thought="one two")
    factories.step(of_page[0], 2, thought="", more={"thought_hidden": True})
    compute = store.facts_compute

    def fails(ids: list[int]) -> int:
        if ids == [of_text[3].pk]:
            raise ValueError
        return compute(ids)

    monkeypatch.setattr(store, "facts_compute", fails)
    table = tables_of(report)["thoughts"]

    text, page = table["rows"]
    assert (text["episodes"], text["hidden"], text["without_facts"]) == (11, 0, 1)
    assert (page["episodes"], page["hidden"], page["without_facts"]) == (11, 1, 0)
    assert table["notes"][1].startswith("1 ended episodes are missing from these means")
