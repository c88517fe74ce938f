"""The pages of reports."""

from __future__ import annotations

import csv
import io
import re
from collections.abc import Callable
from typing import Any

import pytest
from django.utils.html import strip_tags

from tests import factories
from tests.conftest import LabClient
from tests.reports.test_computation import correct_if, evaluation, tables_of
from trajectories.models import Report
from trajectories.reports.pages.pages import ReportPage, Section
from trajectories.reports.registry import TABLES

pytestmark = pytest.mark.django_db


@pytest.fixture
def report() -> Report:
    made, _, _ = evaluation(
        {
            "text_zero_shot": correct_if(lambda item, _: item % 4 > 0),
            "gym": correct_if(lambda item, _: item % 2 > 0),
        }
    )
    tables_of(made)
    return made


def test_the_page_shows_gaps_with_intervals_and_links_to_the_items_behind_them(
    lab: Callable[[Any], LabClient], owner: Any, report: Report
) -> None:
    page = lab(owner).get(f"/reports/{report.pk}/").content.decode()

    assert "Text, zero-shot − Page" in page
    assert "25.0" in page
    assert f"/reports/{report.pk}/items?benchmark=gsm8k&amp;a=text_zero_shot&amp;b=gym" in page
    assert "The runs are as planned." in page


def test_the_page_names_model_and_setup_and_says_how_to_read_it(
    lab: Callable[[Any], LabClient], owner: Any, report: Report
) -> None:
    report.plan |= {"observation": "axtree-v2", "history": "full", "samples": 1, "margin": 3.0}
    report.plan["model"] = {"name": "a-model", "checkpoint": "step-9"}
    report.save()

    page = lab(owner).get(f"/reports/{report.pk}/").content.decode()

    words = " ".join(strip_tags(page).split())
    assert "a-model, step-9 axtree-v2" in words
    assert "history full · 1 sample" in words
    assert "How to read this report" in words
    assert "the plan’s margin (±3 points)" in words


@pytest.mark.parametrize(("looks", "setup"), [(None, "axtree-v2"), ({"count": 4}, "axtree-v2 · 4 looks")])
def test_a_plan_may_have_null_for_its_looks(report: Report, looks: Any, setup: str) -> None:
    report.plan = {"observation": "axtree-v2", "looks": looks}
    report.save()

    assert ReportPage(report.pk).setup == setup


def test_an_arm_without_a_page_has_no_number_of_looks(report: Report) -> None:
    tables = {table["id"]: table for table in report.result["tables"]}

    looks = {row["arm"].partition("+")[0]: row["looks"] for row in tables["accuracy"]["rows"]}

    assert looks["text_zero_shot"] is None
    assert looks["gym"] >= 1


def test_what_is_longer_than_a_screen_is_folded() -> None:
    rows = [{"benchmark": "gsm8k", "rung": f"rung {place}", "gap": 1.0} for place in range(50)]
    table = {"id": "rungs", "title": "Rungs", "columns": [], "notes": []}

    chart = TABLES.get("rungs").chart

    short = Section({**table, "rows": rows[:3]}, chart=chart)
    long = Section({**table, "rows": rows}, chart=chart)

    assert (short.is_long, short.is_tall) == (False, False)
    assert (long.is_long, long.is_tall) == (True, True)


@pytest.mark.parametrize(
    ("address", "begin", "end"),
    [
        ("/", 'aria-labelledby="newest-reports"', "</section>"),
        ("/reports/", "Reports, newest first", "</table>"),
    ],
)
def test_reports_of_simulated_runs_are_marked(
    lab: Callable[[Any], LabClient], owner: Any, address: str, begin: str, end: str
) -> None:
    factories.run(report=factories.report(), simulated=True)
    factories.run(report=factories.report(), simulated=False)

    page = lab(owner).get(address).content.decode()

    reports = page.partition(begin)[2].partition(end)[0]
    assert reports.count("tag-simulated") == 1


def test_items_right_as_text_and_wrong_as_page_open_in_compare(
    lab: Callable[[Any], LabClient], owner: Any, report: Report
) -> None:
    address = f"/reports/{report.pk}/items?benchmark=gsm8k&a=text_zero_shot&b=gym"

    page = lab(owner).get(address).content.decode()
    reverse = lab(owner).get(f"{address}&better=b").content.decode()

    assert "10 items of gsm8k" in page
    assert page.count(f"/reports/{report.pk}/pairs/") == 11
    assert "No item is better as Page; 10 are better as Text, zero-shot." in " ".join(reverse.split())


def test_the_ladder_is_one_sentence_with_intervals(
    lab: Callable[[Any], LabClient], owner: Any, report: Report
) -> None:
    page = strip_tags(lab(owner).get(f"/reports/{report.pk}/").content.decode()).replace("&nbsp;", " ")
    words = " ".join(page.split())

    assert re.search(
        r"gsm8k: 25\.0 points \(\d+\.\d to \d+\.\d\) between Text, zero-shot and Page[.;]", words
    ), words


def test_pairs_lead_from_one_to_the_next(lab: Callable[[Any], LabClient], owner: Any, report: Report) -> None:
    query = "benchmark=gsm8k&a=text_zero_shot&b=gym"

    moved = lab(owner).get(f"/reports/{report.pk}/pairs/2?{query}")
    page = lab(owner).get(moved["Location"]).content.decode()

    assert moved["Location"].startswith("/compare?episodes=")
    assert "Pair 2 of 10" in page
    assert f"/reports/{report.pk}/pairs/1?benchmark=gsm8k&amp;a=text_zero_shot&amp;b=gym" in page
    assert f"/reports/{report.pk}/pairs/3?" in page
    assert "is not a filter" not in page
    last = lab(owner).get(f"/reports/{report.pk}/pairs/10?{query}", follow=True).content.decode()
    assert "Next pair" not in last
    assert lab(owner).get(f"/reports/{report.pk}/pairs/11?{query}").status_code == 404


def test_long_tables_unfold_on_request(lab: Callable[[Any], LabClient], owner: Any, report: Report) -> None:
    address = f"/reports/{report.pk}/tables/sensitivity"

    page = lab(owner).get(address).content.decode()
    fragment = lab(owner).get(f"{address}?fragment").content.decode()

    assert f'hx-get="{address}?fragment"' in lab(owner).get(f"/reports/{report.pk}/").content.decode()
    assert "without disputed golds" in page
    assert "without disputed golds" in fragment
    assert "<html" not in fragment
    assert lab(owner).get(f"/reports/{report.pk}/tables/nothing").status_code == 404


def test_a_report_without_numbers_has_no_empty_chart(lab: Callable[[Any], LabClient], owner: Any) -> None:
    empty = factories.report()
    tables_of(empty)

    page = lab(owner).get(f"/reports/{empty.pk}/").content.decode()

    assert 'class="plot"' not in page
    assert "No chart: no row of this table has a number." in page
    assert "no episode of Text, zero-shot has begun" in page
    assert lab(owner).get(f"/reports/{empty.pk}/gaps.svg").status_code == 404


def test_the_exported_rows_give_the_accuracy_again(
    lab: Callable[[Any], LabClient], owner: Any, report: Report
) -> None:
    response = lab(owner).get(f"/reports/{report.pk}/rows.csv")
    rows = list(csv.DictReader(io.StringIO(response.getvalue().decode())))

    gym = [row["outcome"] == "correct" for row in rows if row["arm"] == "gym"]
    table = lab(owner).get(f"/reports/{report.pk}/accuracy.csv").getvalue().decode()
    (stated,) = (row for row in csv.DictReader(io.StringIO(table)) if row["arm"] == "gym")
    assert len(gym) == 40
    assert float(stated["accuracy"]) == 100 * sum(gym) / len(gym)


def test_a_reader_can_have_a_report_computed_again(
    lab: Callable[[Any], LabClient], owner: Any, report: Report
) -> None:
    response = lab(owner).post(f"/reports/{report.pk}/compute")

    report.refresh_from_db()
    assert response.status_code == 302
    assert report.requested_at is not None
    assert "Computing" in lab(owner).get(f"/reports/{report.pk}/").content.decode()


def test_new_verdicts_make_a_report_stale(
    lab: Callable[[Any], LabClient], owner: Any, report: Report
) -> None:
    assert "Verdicts have arrived" not in lab(owner).get(f"/reports/{report.pk}/").content.decode()

    late = factories.episode(run=report.runs.order_by("pk")[0], arm="text_zero_shot")
    factories.verdict(late)

    assert "Verdicts have arrived" in lab(owner).get(f"/reports/{report.pk}/").content.decode()


def test_the_newest_reports_stand_first_on_the_home_page(
    lab: Callable[[Any], LabClient], owner: Any, report: Report
) -> None:
    page = lab(owner).get("/").content.decode()

    assert 0 < page.index(f"/reports/{report.pk}/") < page.index("<h1>Runs</h1>")
