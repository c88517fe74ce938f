"""The page of rates, the units behind them, and their file."""

from __future__ import annotations

import csv
from collections.abc import Callable

import pytest
from django.contrib.auth.models import User
from django.db import connection
from django.test.utils import CaptureQueriesContext

from tests import factories
from tests.annotation import scene
from tests.annotation.scene import COMPLETE
from tests.conftest import LabClient
from trajectories.annotation.machines.services import rules_label
from trajectories.annotation.queues import services
from trajectories.models import AnnotationProject, Annotator, Episode

Lab = Callable[[User | None], LabClient]


def episodes(count: int, *, arm: str) -> list[Episode]:
    made = scene.episodes(count, steps=3, group=factories.group(arm=arm))
    for number, one in enumerate(made):
        factories.submission(one)
        factories.verdict(one, outcome="correct" if number % 2 else "incorrect")
    return made


def labelled(user: User, *, of_each: int) -> AnnotationProject:
    """A person calls every third unit reasoning and leaves two of them; the rules label all."""
    of = [*episodes(of_each, arm="gym"), *episodes(of_each, arm="text_zero_shot")]
    project = scene.project(user, of=of, name=f"of {of_each}")
    annotator = scene.annotator(project, user)
    for number in range(of_each * 6 - 2):
        values = {**COMPLETE, "type": "narration" if number % 3 else "reasoning"}
        scene.label(services.slot_next(annotator.pk), values=values)
    rules_label(project, lambda *_: None)
    return project


@pytest.fixture
def project(owner: User) -> AnnotationProject:
    return labelled(owner, of_each=8)


def test_rates_stand_by_arm_and_every_one_opens_its_units(
    lab: Lab, owner: User, project: AnnotationProject
) -> None:
    client = lab(owner)
    page = client.get(f"/annotation/{project.pk}/rates").content.decode()
    assert "Reasoning or Mixed, by arm" in page
    assert "34.8%" in page  # 16 of 46
    assert "fewer than 10 items" in page
    assert 'class="plot"' in page
    address = (
        f"/annotation/{project.pk}/rates/units?answer=type%3Areasoning&answer=type%3Amixed&by=arm&group=all"
    )
    assert address.replace("&", "&amp;") in page
    for sign, count in (("", 46), ("&sign=with", 16), ("&sign=without", 30)):
        assert client.get(f"{address}{sign}").content.decode().count("/steps/") == count
    for wrong in ("&sign=x", "x"):
        assert client.get(f"{address}{wrong}").status_code == 404


def test_other_answers_and_groups_can_be_chosen(lab: Lab, owner: User, project: AnnotationProject) -> None:
    client = lab(owner)
    page = client.get(f"/annotation/{project.pk}/rates?answer=behaviours:plan&by=version").content.decode()
    assert "Plan, by policy version" in page
    assert "no version" in page
    assert "100%" in page
    assert client.get(f"/annotation/{project.pk}/rates?answer=behaviours:dance").status_code == 404


def test_machines_only_give_rates_that_are_corrected(
    lab: Lab, owner: User, project: AnnotationProject
) -> None:
    page = lab(owner).get(f"/annotation/{project.pk}/rates").content.decode()
    assert "With the labels of Rules" in page
    assert page.count("Not shown: these units come from fewer than 10 trajectories.") == 2
    machine = Annotator.objects.get(kind="rules").pk
    client = lab(owner)
    address = f"/annotation/{project.pk}/rates/units?by=arm&group=all&machine={machine}&sign="
    for sign, count in (("both", 46), ("more", 2)):
        assert client.get(f"{address}{sign}").content.decode().count("/steps/") == count
    assert client.get(f"{address}all").status_code == 404
    page = client.get(f"/annotation/{project.pk}/rates?answer=target:problem").content.decode()
    assert "Not shown: people and the machine have both labelled fewer than 20 of its units." in page


def test_without_labels_of_people_there_is_no_rate(lab: Lab, owner: User) -> None:
    project = scene.project(owner)
    rules_label(project, lambda *_: None)
    page = lab(owner).get(f"/annotation/{project.pk}/rates").content.decode()
    assert "Rates by machines alone are not shown" in page


def test_the_file_has_what_the_page_has(lab: Lab, owner: User, project: AnnotationProject) -> None:
    response = lab(owner).get(f"/annotation/{project.pk}/rates.csv?by=arm")
    rows = list(csv.DictReader(response.content.decode().splitlines()))
    assert {row["table"] for row in rows} == {"rate", "corrected", "odds_ratio"}
    assert all(None not in row and None not in row.values() for row in rows)
    whole = rows[0]
    assert (whole["group"], whole["units"], float(whole["estimate"])) == ("All", "46", pytest.approx(16 / 46))


def test_the_page_takes_as_many_queries_for_many_units_as_for_few(lab: Lab, owner: User) -> None:
    counts = []
    for size in (2, 6):
        project = labelled(owner, of_each=size)
        client = lab(owner)
        with CaptureQueriesContext(connection) as queries:
            assert client.get(f"/annotation/{project.pk}/rates").status_code == 200
        counts.append(len(queries))
    assert counts[0] == counts[1]


def test_annotators_see_no_rates(lab: Lab, project: AnnotationProject) -> None:
    client = lab(scene.labeller("person"))
    for page in ("rates", "rates.csv", "rates/units"):
        assert client.get(f"/annotation/{project.pk}/{page}").status_code == 403
