"""What a unit shows in each view, and the pages that compare views."""

from __future__ import annotations

import pytest
from django.contrib.auth.models import User

from tests.annotation import scene
from tests.annotation.pages.test_annotation_pages import Lab, queue, save
from trajectories.models import AnnotationSlot, Label
from trajectories.models.annotation import View


@pytest.fixture
def person(db: None) -> User:
    return scene.labeller("person")


def test_a_unit_shows_what_its_view_says(lab: Lab, person: User) -> None:
    (episode,) = scene.episodes(1, steps=2, thought="I click [e12] at https://a.test now. It counts.")
    client = lab(person)

    def of(view: str) -> str:
        project = scene.project(person, of=[episode], views=[view], name=view)
        AnnotationSlot.objects.filter(project=project, unit__step=1).delete()
        return queue(client, project)

    marks = {
        "thought": "It counts.",
        "id": "[e12]",
        "address": "https://a.test",
        "action": "action-line",
        "task": "question-whole",
        "before": "unit-before",
    }
    seen = {view: {name for name, text in marks.items() if text in of(view)} for view in View.values}
    assert seen == {"full": set(marks), "thought": {"thought"}, "page": {"action", "task", "before"}}


def test_a_label_says_in_which_view_it_was_made(lab: Lab, person: User) -> None:
    project = scene.project(person, views=["page"])
    client = lab(person)
    # Without the thought nobody can mark a part of it.
    save(client, project, queue(client, project), type="mixed")
    label = Label.objects.get()
    assert (label.view, label.values["type"], label.spans) == ("page", "mixed", [])


def test_views_are_compared_and_each_cell_opens_its_steps(lab: Lab, owner: User, person: User) -> None:
    project = scene.project(person, owner, of=scene.episodes(1, steps=1), views=["full", "page"])
    for user in (person, owner):
        view = AnnotationSlot.objects.filter(project=project, done_at=None).order_by("pk")[0].view
        client = lab(user)
        save(client, project, queue(client, project), type="narration" if view == "page" else "reasoning")
    client = lab(owner)
    assert f"/annotation/{project.pk}/views" in client.get(f"/annotation/{project.pk}/").content.decode()
    page = client.get(f"/annotation/{project.pk}/views").content.decode()
    cell = (
        f"/annotation/{project.pk}/views/units?view=page&amp;field=type&amp;one=reasoning&amp;other=narration"
    )
    assert cell in page
    step = f"/episodes/{project.units.get().episode_id}/steps/1"
    assert step in client.get(cell.replace("&amp;", "&")).content.decode()
    assert (
        step
        not in client.get(cell.replace("&amp;", "&").replace("one=reasoning", "one=mixed")).content.decode()
    )
    for wrong in ("view=full", "view=thought", "view=page&field=x"):
        assert client.get(f"/annotation/{project.pk}/views/units?{wrong}").status_code == 404
    assert client.get(f"/annotation/{project.pk}/agreement?view=thought").status_code == 404
    assert "1 labelled units" in client.get(f"/annotation/{project.pk}/agreement?view=page").content.decode()
