"""What an annotator is told when a label cannot be saved as it is, and how labels and skips are counted."""

from __future__ import annotations

import re
import uuid

import pytest
from django.contrib.auth.models import User

from tests.annotation import scene
from tests.annotation.pages.test_annotation_pages import Lab, form_of, queue, save
from trajectories.models import AnnotationProject, AnnotationSlot, Label


@pytest.fixture
def person(db: None) -> User:
    return scene.labeller("person")


@pytest.fixture
def project(person: User) -> AnnotationProject:
    return scene.project(person)


def test_without_scripts_a_newer_label_is_shown_beside_the_answers_that_were_not_saved(
    lab: Lab, person: User, project: AnnotationProject
) -> None:
    client = lab(person)
    html = queue(client, project)
    save(client, project, html, note="<b>theirs</b>")
    response = save(client, project, html, key=str(uuid.uuid4()), type="narration")
    again = response.content.decode()
    assert response.status_code == 409
    assert re.search(r"Saved:</strong>\s*Reasoning, The problem, Plan, None", again)
    assert "&lt;b&gt;theirs&lt;/b&gt;" in again
    slot = AnnotationSlot.objects.exclude(done_at=None).get()
    assert re.search(rf'href="[^"]*\?slot={slot.public_id}&amp;"[^>]*>keep the saved label', again)
    assert re.search(r'value="narration"[^>]*checked', again)
    assert save(client, project, again, key=str(uuid.uuid4()), type="narration").status_code == 302
    assert Label.objects.get(version=2).values["type"] == "narration"


def test_answers_come_back_also_if_the_unit_is_someone_elses_by_now(
    lab: Lab, person: User, project: AnnotationProject
) -> None:
    client = lab(person)
    html = queue(client, project)
    AnnotationSlot.objects.filter(annotator__user=person).update(annotator=None, reserved_until=None)
    response = save(client, project, html, target="", note="kept")
    assert response.status_code == 422
    again = response.content.decode()
    assert ">kept</textarea>" in again
    assert form_of(again)["ticket"] == form_of(html)["ticket"]


def test_skipped_units_are_not_counted_as_labelled(
    lab: Lab, person: User, project: AnnotationProject
) -> None:
    client = lab(person)
    save(client, project, queue(client, project), skip="1")
    html = queue(client, project)
    assert "<span data-done>0</span> labelled" in html
    assert "<span data-skipped>1</span> skipped" in html
    slot = AnnotationSlot.objects.exclude(done_at=None).get().public_id
    assert 'data-state="skipped"' in queue(client, project, f"?slot={slot}")
    assert "0 labelled, 1 skipped" in client.get("/annotation/").content.decode()
