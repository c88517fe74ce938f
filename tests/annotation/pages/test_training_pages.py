"""Gold units, what is said after one, and quotas."""

from __future__ import annotations

import json
import re
import uuid
from html import unescape
from typing import Any
from unittest.mock import patch

import pytest
from django.contrib.auth.models import User
from django.core.files.uploadedfile import SimpleUploadedFile
from django.db import connection
from django.test.utils import CaptureQueriesContext

from tests.annotation import scene
from tests.annotation.pages.test_annotation_pages import JSON, Lab, form_of, queue, save
from tests.annotation.scene import COMPLETE
from trajectories.annotation.queues import golds
from trajectories.models import AnnotationProject, Annotator, Label


@pytest.fixture
def person(db: None) -> User:
    return scene.labeller("person")


@pytest.fixture
def project(person: User) -> AnnotationProject:
    return scene.project(person)


def test_a_gold_unit_is_answered_with_what_is_right(
    lab: Lab, person: User, project: AnnotationProject
) -> None:
    unit = project.units.order_by("position")[4]
    golds.gold_set(unit, values={**COMPLETE, "type": "narration"}, why="It <b>counts</b> nothing.")
    client = lab(person)
    html = queue(client, project)
    saved = save(client, project, html, headers=JSON)
    feedback = json.loads(saved.content)["feedback"]
    assert "3 of 4 answers agree" in feedback
    assert "Reasoning; the right answer is Procedural narration" in feedback
    assert "It &lt;b&gt;counts&lt;/b&gt; nothing." in feedback
    assert f"Thought {unit.step} of {unit.episode_id}" in feedback
    # Without scripts it stands beside the next unit.
    address = save(client, project, html)["Location"]
    after = client.get(address).content.decode()
    assert "Reasoning; the right answer is Procedural narration" in after
    assert form_of(after)["ticket"] != form_of(html)["ticket"]
    assert "feedback" not in json.loads(save(client, project, after, headers=JSON).content)
    for other in (unit.pk, "999999", uuid.uuid4(), "x"):
        assert "the right answer is" not in queue(client, project, f"?answered={other}")


def test_researchers_mark_gold_units(lab: Lab, owner: User, person: User) -> None:
    project = scene.project(owner, person)
    client = lab(owner)
    save(client, project, queue(client, project))
    unit = Label.objects.get().unit
    place = {"episode": unit.episode_id, "step": unit.step, "why": "It counts."}
    address = f"/annotation/{project.pk}/golds"
    refused = client.post(f"{address}/add", {**place, "from": "adjudicated"})
    assert refused.status_code == 422
    assert "no adjudicated label" in refused.content.decode()
    prefilled = client.get(f"{address}?episode={unit.episode_id}&step={unit.step}").content.decode()
    assert re.search(rf'name="episode"[^>]*value="{unit.episode_id}"', prefilled)
    assert client.post(f"{address}/add", {**place, "from": "own"})["Location"] == address
    page = client.get(address).content.decode()
    assert "Type: Reasoning" in page
    save(lab(person), project, queue(lab(person), project), target="both")
    scores = re.findall(r"(\d) of (\d)", client.get(f"/annotation/{project.pk}/").content.decode())
    assert scores[-8:] == [("1", "1")] * 5 + [("0", "1")] + [("1", "1")] * 2
    client.post(f"{address}/remove", {"unit": unit.pk})
    assert not golds.list_golds(project).exists()


def test_a_file_of_golds_is_read_whole_or_not_at_all(lab: Lab, owner: User) -> None:
    project = scene.project(owner)
    one, other = project.units.order_by("position")[:2]
    client = lab(owner)

    def upload(*lines: object) -> Any:
        text = "\n".join(json.dumps(line) for line in lines)
        body = {"from": "file", "file": SimpleUploadedFile("golds.jsonl", text.encode())}
        return client.post(f"/annotation/{project.pk}/golds/add", body)

    line = {"episode": one.episode_id, "step": one.step, "values": COMPLETE, "why": "It counts."}
    wrong = [
        ({**line, "step": 99}, "This project has no unit for episode"),
        ({**line, "values": {"type": "wishful"}}, "has no answer “wishful”"),
        ({**line, "values": {**COMPLETE, "behaviours": [["plan"]]}}, "Expected `str`"),
        ({**line, "why": " "}, "Explain why"),
        ({**line, "episode": 10**30}, "Line 2"),
        ({**line, "extra": 1}, "unknown field"),
        ("x", "Line 2"),
    ]
    for second, message in wrong:
        refused = upload(line, second)
        assert refused.status_code == 422
        assert message in unescape(refused.content.decode())
    assert not golds.list_golds(project).exists()
    assert upload(line, {**line, "episode": other.episode_id, "step": other.step}).status_code == 302
    assert set(golds.list_golds(project)) == {one, other}
    for content in (b"\xff\xfe", b""):
        body = {"from": "file", "file": SimpleUploadedFile("golds.jsonl", content)}
        assert client.post(f"/annotation/{project.pk}/golds/add", body).status_code == 422


def test_the_page_of_golds_takes_as_many_queries_for_many_as_for_few(
    lab: Lab, owner: User, project: AnnotationProject
) -> None:
    client = lab(owner)
    counts = []
    for units in (project.units.all()[:1], project.units.all()[1:8]):
        for unit in units:
            golds.gold_set(unit, values=COMPLETE, why="It counts.")
        with CaptureQueriesContext(connection) as queries:
            page = client.get(f"/annotation/{project.pk}/golds").content.decode()
        counts.append((len(queries), page.count("Type: Reasoning")))
    assert counts == [(counts[0][0], 1), (counts[0][0], 8)]


def test_quotas_are_set_for_each_person(lab: Lab, owner: User, person: User) -> None:
    project = scene.project(owner, person)
    mine, other = (scene.annotator(project, user).pk for user in (owner, person))
    client = lab(owner)
    address = f"/annotation/{project.pk}/quotas"
    assert client.post(address, {f"quota-{mine}": "7", f"quota-{other}": ""}).status_code == 302
    assert dict(project.annotators.values_list("pk", "quota")) == {mine: 7, other: None}
    for wrong in ("-1", "x", "9" * 30, "²"):
        assert client.post(address, {f"quota-{mine}": wrong}).status_code == 422
    foreign = scene.annotator(scene.project(person), person).pk
    client.post(address, {f"quota-{foreign}": "1", f"quota-{mine}": ""})
    assert set(Annotator.objects.values_list("quota", flat=True)) == {None}
    page = client.get(f"/annotation/{project.pk}/").content.decode()
    assert f'name="quota-{mine}"' in page


def test_of_a_gold_pair_feedback_is_in_the_order_in_which_the_two_were_shown(lab: Lab, owner: User) -> None:
    project = scene.project(owner, of=scene.attempts(2), kind="trajectory_pair")
    unit = project.units.get()
    client, address = lab(owner), f"/annotation/{project.pk}/golds"
    golds.gold_set(unit, values={"better": "first", "why": []}, why="It gets there.")
    page = client.get(address).content.decode()
    assert f"Episode {unit.episode_id}</a>" in page
    assert f"episode {unit.other_episode_id}</a>" in page

    for is_swapped, given in ((False, "first"), (True, "second")):
        Label.objects.all().delete()
        project.slots.filter(unit=unit, done_at__isnull=False).delete()
        with patch("trajectories.annotation.pages.queue_views.is_swapped", return_value=is_swapped):
            saved = save(client, project, queue(client, project), headers=JSON, better=given, why="goal")
        feedback = json.loads(saved.content)["feedback"]
        title = {"first": "The first", "second": "The second"}[given]
        assert f"{title} (right)" in feedback
    client.post(f"{address}/remove", {"unit": unit.pk})
    place = {"episode": unit.episode_id, "step": 0, "other_episode": unit.other_episode_id, "other_step": 0}
    marked = client.post(f"{address}/add", {**place, "from": "own", "why": "So."})
    assert marked["Location"] == address
    assert golds.list_golds(project).get().gold["values"]["better"] == "first"
