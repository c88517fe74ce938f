"""Exporting and importing labels in a real browser: the list of jobs follows the work by itself."""

from __future__ import annotations

import re
from collections.abc import Callable
from pathlib import Path

import pytest
from django.contrib.auth.models import User
from playwright.sync_api import Page, expect

from tests.annotation import scene
from tests.e2e import axe
from tests.e2e.test_lab_pages import settled
from trajectories.annotation.jobs import LABEL_WORK
from trajectories.annotation.queues import services
from trajectories.models import AnnotationJob

pytestmark = [pytest.mark.e2e, pytest.mark.django_db(transaction=True)]


def test_labels_are_exported_and_sent_back(lab_page: Callable[..., Page], tmp_path: Path) -> None:
    owner = User.objects.create_user("owner", is_staff=True)
    project = scene.project(owner)
    scene.label(services.slot_next(scene.annotator(project, owner).pk))
    page = lab_page(viewport={"width": 1440, "height": 900})
    page.goto(f"/annotation/{project.pk}/")
    settled(page)
    page.get_by_role("checkbox", name="with annotators’ names").check()
    page.get_by_role("button", name="Export labels").click()
    jobs = page.locator("#jobs")
    expect(jobs).to_contain_text("waiting")
    assert axe.violations(page) == []
    LABEL_WORK.run(AnnotationJob.objects.get().pk)
    with page.expect_download() as download:
        jobs.get_by_role("link", name=re.compile(r"labels-\d+-\d+\.zip")).click()
    file = tmp_path / "labels.zip"
    download.value.save_as(file)

    page.get_by_role("link", name="Import labels").click()
    settled(page)
    assert axe.violations(page) == []
    page.get_by_label("Labels", exact=True).set_input_files(file)
    page.get_by_role("button", name="Import").click()
    expect(jobs).to_contain_text("waiting")
    LABEL_WORK.run(AnnotationJob.objects.latest("pk").pk)
    expect(jobs).to_contain_text("0 of 1 label added")
    expect(jobs).to_contain_text("All were already in the project.")
