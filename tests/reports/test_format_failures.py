"""Episodes that failed by the form of what was written are counted apart from wrong answers."""

from __future__ import annotations

from typing import Any

import pytest
from django.contrib.auth.models import User

from tests import factories
from trajectories.models import Report, Run
from trajectories.reports.episode_rows import episode_rows
from trajectories.reports.jobs import REPORTS
from trajectories.reports.run_tallies import FormatTally, format_tallies
from trajectories.reports.services import report_request

pytestmark = pytest.mark.django_db
SLIP = {"parse_error": "There is no line.", "action_result": "invalid"}
# What was written turn by turn (0: it could not be read), how it ended, and what that is.
ENDINGS = [
    ((1,), "correct", "answer", ""),
    ((1,), "incorrect", "answer", ""),
    ((0, 1), "correct", "answer", "repaired"),
    ((0, 1), "incorrect", "answer", "repaired"),
    ((0, 0), "incorrect", "step_budget", "failed"),
    ((0,), "incorrect", "no_submission", "failed"),
    ((0, 0), "incorrect", "invalid_actions", "failed"),
    ((1,), "incorrect", "unparsable_answer", "failed"),
    ((1, 0), "incorrect", "step_budget", "repaired"),
    ((1, 1), "incorrect", "step_budget", ""),
    ((), "incorrect", "no_submission", ""),
    ((0,), "incorrect", "token_budget", "repaired"),
    ((0,), "void", "model_error", ""),
]
KINDS = [kind for *_, kind in ENDINGS]


def episodes_end(run: Run, *, arm: str = "text_zero_shot") -> None:
    for turns, outcome, reason, _ in ENDINGS:
        episode = factories.episode(run=run, arm=arm)
        for index, is_read in enumerate(turns, start=1):
            factories.step(episode, index, **({} if is_read else SLIP))
        factories.verdict(episode, outcome, reason)


def test_each_ending_is_a_failure_repaired_or_neither() -> None:
    run = factories.run()
    episodes_end(run)
    named = {(True, False): "failed", (False, True): "repaired", (False, False): ""}
    read = [named[bool(row.is_format_failure), bool(row.is_repaired)] for row in episode_rows([run.pk])]
    assert read == KINDS


def test_a_run_counts_them_by_arm_without_guided_and_void_episodes() -> None:
    run = factories.run()
    for arm in ("text_zero_shot", "gym"):
        episodes_end(run, arm=arm)
    guided = factories.episode(run=run, arm="gym", guidance={"hint": "x"})
    factories.verdict(guided, "incorrect", "unparsable_answer")
    tally = FormatTally(judged=12, failed=KINDS.count("failed"), repaired=KINDS.count("repaired"))
    assert format_tallies(run_id=run.pk) == {"text_zero_shot": tally, "gym": tally}


def test_the_page_of_a_run_shows_them(lab: Any, owner: User) -> None:
    run = factories.run()
    episodes_end(run)
    page = " ".join(lab(owner).get(f"/runs/{run.pk}/").content.decode().split())
    assert "Format failures" in page
    assert "4 of 12" in page
    assert "4 repaired" in page


def test_a_report_counts_them_beside_the_accuracy() -> None:
    report = factories.report()
    run = factories.run(report=report)
    task = factories.task()
    for outcome, reason in (("correct", "answer"), ("incorrect", "unparsable_answer")):
        group = factories.group(run=run, task=task, arm="text_zero_shot")
        episode = factories.episode(group=group)
        factories.step(episode, **({} if reason == "unparsable_answer" else SLIP))
        factories.verdict(episode, outcome, reason)
    report_request(report.pk)
    REPORTS.run(report.pk)
    tables = (Report.objects.get(pk=report.pk).result or {})["tables"]
    (row,) = next(table for table in tables if table["id"] == "accuracy")["rows"]
    assert (row["format_failures"], row["repaired"]) == (1, 1)
    assert set(row["links"]) >= {"format_failures", "repaired"}
