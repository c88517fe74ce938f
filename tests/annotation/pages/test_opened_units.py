"""Every number of the tables of agreement opens the units that it follows from."""

from __future__ import annotations

import html
import re
from collections.abc import Callable

import pytest
from django.contrib.auth.models import User

from tests.annotation import scene
from tests.annotation.pages.test_machine_pages import labelled
from tests.annotation.scene import COMPLETE
from tests.conftest import LabClient
from trajectories.annotation.queues import services
from trajectories.models import AnnotationProject, AnnotationSlot, Annotator, Label

Lab = Callable[[User | None], LabClient]
NARRATION = {**COMPLETE, "type": "narration", "behaviours": []}


def text_of(cell: str) -> str:
    return " ".join(re.sub(r"<[^>]*>", " ", cell).split())


def numbers(page: str) -> list[tuple[str, str]]:
    """Each number of the tables but 0 with the address that it opens, if it does."""
    cells = re.findall(r'<td class="number[^"]*">(.*?)</td>', page, re.DOTALL)
    targets = [(text_of(cell), re.search(r'href="([^"]*)"', cell)) for cell in cells]
    return [
        (text, html.unescape(link[1]) if link else "")
        for text, link in targets
        if re.match(r"-?[1-9]|-?0\.", text)
    ]


def opened(client: LabClient, address: str) -> str:
    """What the heading of the units says their number is."""
    response = client.get(address)
    assert response.status_code == 200, address
    heading = re.search(r"<h1>(.*?)</h1>", response.content.decode(), re.DOTALL)
    assert heading is not None
    return text_of(heading[1]).split()[-1]


def check(client: LabClient, address: str, *, at_least: int) -> None:
    page = client.get(address).content.decode()
    links = numbers(page.partition("and people</h2>")[2] or page)
    assert len(links) >= at_least
    assert [text for text, link in links if not link] == []
    for text, link in links:
        count = opened(client, link)
        if not text.isdigit():
            assert count != "0", link
        # Pairs of answers, and repeats of all people together, may be of one unit.
        elif "&one=" in link or "annotator=&" in f"{link}&":
            assert 0 < int(count) <= int(text), link
        else:
            assert count == text, link


@pytest.fixture
def people(owner: User) -> list[User]:
    return [owner, scene.labeller("two")]


def test_on_the_page_of_agreement(lab: Lab, owner: User, people: list[User]) -> None:
    project = scene.project(*people, of=scene.episodes(2, steps=12), repeat_share=1.0)
    for place, user in enumerate(people):
        annotator = scene.annotator(project, user)
        for number in range(48 - 6 * place):  # repeats among them
            scene.label(
                services.slot_next(annotator.pk), values=NARRATION if number % 5 == place else COMPLETE
            )
    check(lab(owner), f"/annotation/{project.pk}/agreement", at_least=60)
    page = lab(owner).get(f"/annotation/{project.pk}/agreement/units?field=type&apart=1").content.decode()
    counts = re.search(r"All (\d+).*?differ (\d+).*?agree (\d+)", page, re.DOTALL)
    assert counts is not None
    every, differ, same = map(int, counts.groups())
    assert (every, page.count("/steps/")) == (differ + same, differ)
    for wrong in ("field=x", "field=type&option=x", "field=type&source=with", "field=type&source=x"):
        assert lab(owner).get(f"/annotation/{project.pk}/agreement/units?{wrong}").status_code == 404


def test_on_the_page_of_views(lab: Lab, owner: User, people: list[User]) -> None:
    more = [scene.labeller(name) for name in ("three", "four")]
    project = scene.project(*people, *more, of=scene.episodes(2, steps=3), views=["full", "page"])
    for user in (*people, *more):
        annotator = scene.annotator(project, user)
        while (slot := services.slot_next(annotator.pk)) is not None:
            view = AnnotationSlot.objects.get(pk=slot).view
            is_other = (slot + annotator.pk) % 3 == 0 or view == "page"
            scene.label(slot, values=NARRATION if is_other else COMPLETE)
    check(lab(owner), f"/annotation/{project.pk}/views", at_least=40)
    address = f"/annotation/{project.pk}/views/units?view=page&field=type"
    assert lab(owner).get(f"{address}&source=x").status_code == 404


def test_on_the_page_of_machines(lab: Lab, owner: User) -> None:
    project = labelled(owner, units=24)
    other = Annotator.objects.create(project=project, name="imported")
    judge = Annotator.objects.create(project=project, kind="model", name="Judge")
    copied = ("unit", "codebook", "version", "state", "values")
    for label in Label.objects.filter(annotator__kind="person"):
        for annotator in (other, judge):
            values = {name: getattr(label, name) for name in copied}
            Label.objects.create(annotator=annotator, key=scene.saving().key, **values)
    Label.objects.filter(annotator=judge, unit__step__lte=10).update(values=NARRATION)
    check(lab(owner), f"/annotation/{project.pk}/machines", at_least=60)
    wrong = f"/annotation/{project.pk}/machines/units?group=x&field=type"
    assert lab(owner).get(wrong).status_code == 404


def test_a_pair_leads_to_both(lab: Lab, owner: User, people: list[User]) -> None:
    project: AnnotationProject = scene.project(*people, of=scene.attempts(2), kind="trajectory_pair")
    for user in people:
        slot = services.slot_next(scene.annotator(project, user).pk)
        scene.label(slot, values={"better": "first", "why": ["goal"]})
    unit = project.units.get()
    page = lab(owner).get(f"/annotation/{project.pk}/agreement/units?field=better").content.decode()
    for episode in (unit.episode_id, unit.other_episode_id):
        assert f'href="/episodes/{episode}/"' in page
