"""The pages of annotation: who may see them, and what annotators are never shown."""

from __future__ import annotations

import json
import re
import uuid
from collections.abc import Callable
from typing import Any

import pytest
from django.contrib.auth.models import User
from django.core.files.uploadedfile import SimpleUploadedFile
from django.db import connection
from django.test.utils import CaptureQueriesContext

from palaestra.protocol.arms import ARMS
from tests import factories
from tests.annotation import scene
from tests.annotation.scene import COMPLETE
from tests.conftest import LabClient
from tests.lab.addresses import OPEN_TO_ALL, pages
from trajectories.annotation.queues import selectors
from trajectories.models import AnnotationJob, AnnotationProject, AnnotationSlot, Label, Step

Lab = Callable[[User | None], LabClient]
JSON = {"Accept": "application/json"}
FIELDS = {"type": "reasoning", "target": "problem", "behaviours": ["plan"], "contradiction": "none"}
# Of a login that may only label: their projects, pictures that these show, and their own queue.
OF_ANNOTATORS = {
    "annotation",
    "blob",
    "annotation_queue",
    "annotation_codebook",
    "annotation_disagreements",
    "annotation_disagreement",
}


@pytest.fixture
def person(db: None) -> User:
    return scene.labeller("person")


@pytest.fixture
def project(person: User) -> AnnotationProject:
    return scene.project(person)


def form_of(html: str) -> dict[str, str]:
    """The hidden fields of the form of a unit."""
    return dict(re.findall(r'<input type="hidden"\s+name="(ticket|key|version)"\s+value="([^"]*)"', html))


def queue(client: LabClient, project: AnnotationProject, rest: str = "") -> str:
    response = client.get(f"/annotation/{project.pk}/queue{rest}")
    assert response.status_code == 200
    return response.content.decode()


def save(
    client: LabClient, project: AnnotationProject, html: str, *, headers: Any = None, **fields: Any
) -> Any:
    body = {**form_of(html), **FIELDS, **fields}
    return client.post(f"/annotation/{project.pk}/label", body, headers=headers or {})


def test_without_scripts_a_saved_unit_leads_to_the_next(
    lab: Lab, person: User, project: AnnotationProject
) -> None:
    client = lab(person)
    html = queue(client, project)
    response = save(client, project, html, note="Sure?", is_unsure="1", **{"link-plan": "3"})
    assert (response.status_code, response["Location"]) == (302, f"/annotation/{project.pk}/queue")
    label = Label.objects.get()
    assert label.values == COMPLETE
    assert (label.links, label.note, label.is_unsure, label.version) == ({"plan": 3}, "Sure?", True, 1)
    after = queue(client, project)
    assert form_of(after)["ticket"] != form_of(html)["ticket"]
    assert "Reasoning, The problem, Plan, None" in after


def test_a_behaviour_may_be_carried_out_in_any_step_of_the_episode_and_in_no_other(
    lab: Lab, person: User
) -> None:
    (episode,) = scene.episodes(1, steps=9)
    project = scene.project(person, of=[episode])
    AnnotationSlot.objects.filter(project=project).exclude(unit__step=2).delete()
    client = lab(person)
    html = queue(client, project)
    name = AnnotationSlot.objects.get().public_id.hex
    offered = re.search(rf'<datalist id="steps-{name}">(.*?)</datalist>', html, re.DOTALL)
    assert offered is not None
    assert re.findall(r'<option value="(\d+)"', offered[1]) == [str(number) for number in range(1, 10)]
    assert re.search(r'<option value="2">\s*this step', offered[1])
    assert html.count(f'list="steps-{name}"') == 3
    refused = save(client, project, html, **{"link-plan": "10"})
    assert refused.status_code == 422
    assert "Plan: there is no step 10; the steps are 1 to 9." in refused.content.decode()
    # Of an answer that is not chosen, nothing is asked.
    assert save(client, project, html, **{"link-verify": "10", "link-plan": "9"}).status_code == 302
    assert Label.objects.get().links == {"plan": 9}


def test_where_the_page_is_not_shown_the_steps_are_numbers(lab: Lab, person: User) -> None:
    episode = factories.episode()
    for index in (1, 2):
        factories.step(episode, index, thought="It counts.", action={"type": "click", "element": "canary"})
    project = scene.project(person, of=[episode], views=["thought"])
    html = queue(lab(person), project)
    assert html.count("<option value=") == 2
    assert "canary" not in html


def test_a_form_with_something_missing_comes_back_as_it_was(
    lab: Lab, person: User, project: AnnotationProject
) -> None:
    client = lab(person)
    response = save(client, project, queue(client, project), target="", note="kept")
    html = response.content.decode()
    assert response.status_code == 422
    assert "Target: no answer yet." in html
    assert ">kept</textarea>" in html
    assert re.search(r'value="reasoning"[^>]*checked', html)


def test_scripts_are_answered_in_json(lab: Lab, person: User, project: AnnotationProject) -> None:
    client = lab(person)
    html = queue(client, project)
    saved = save(client, project, html, headers=JSON)
    assert json.loads(saved.content) == {"version": 1, "state": "done"}
    assert save(client, project, html, headers=JSON).status_code == 200
    conflict = save(client, project, html, headers=JSON, key=str(uuid.uuid4()))
    assert conflict.status_code == 409
    assert json.loads(conflict.content)["current"] == {
        "version": 1,
        "words": "Reasoning, The problem, Plan, None",
    }
    assert save(client, project, html, headers=JSON, ticket="x").status_code == 400
    assert save(client, project, html, headers=JSON, version="x").status_code == 400
    assert Label.objects.count() == 1


def test_marked_sentences_are_stored_as_places_in_the_thought(
    lab: Lab, person: User, project: AnnotationProject
) -> None:
    client = lab(person)
    html = queue(client, project)
    place = re.findall(r'name="span"\s+value="(\d+-\d+)"', html)[1]
    save(client, project, html, type="mixed", span=place)
    label = Label.objects.select_related("unit").get()
    thought = Step.objects.get(episode_id=label.unit.episode_id, index=label.unit.step).thought
    ((begin, end),) = label.spans
    assert thought[begin:end].startswith("It counts")


def test_one_of_the_last_ten_can_be_changed(lab: Lab, person: User, project: AnnotationProject) -> None:
    client = lab(person)
    save(client, project, queue(client, project))
    slot = AnnotationSlot.objects.get(done_at__isnull=False)
    html = queue(client, project, f"?slot={slot.public_id}")
    assert form_of(html)["version"] == "1"
    save(client, project, html, target="both")
    assert [one.values["target"] for one in Label.objects.order_by("version")] == ["problem", "both"]
    for other in (slot.pk, "999999", uuid.uuid4(), "x"):
        assert client.get(f"/annotation/{project.pk}/queue?slot={other}").status_code == 404


def test_a_unit_whose_step_was_deleted_can_be_skipped(
    lab: Lab, person: User, project: AnnotationProject
) -> None:
    Step.objects.all().delete()
    client = lab(person)
    html = queue(client, project)
    assert "This step has been deleted" in html
    assert save(client, project, html, skip="1").status_code == 302
    assert Label.objects.get().state == Label.State.SKIPPED


def test_the_end_of_a_queue_says_so(lab: Lab, person: User) -> None:
    project = scene.project(person, of=scene.episodes(1, steps=1))
    client = lab(person)
    save(client, project, queue(client, project))
    assert "Nothing left to label" in queue(client, project)
    assert 'data-remaining="0"' in client.get(f"/annotation/{project.pk}/queue?fragment").content.decode()


def test_annotators_see_neither_outcome_nor_model_nor_arm(lab: Lab, person: User) -> None:
    run = factories.run(name="run-canary", model="model-canary")
    (episode,) = scene.episodes(1, steps=1, run=run)
    factories.submission(episode, "answer-canary")
    factories.verdict(episode, outcome="incorrect")
    client = lab(person)
    project = scene.project(person, of=[episode], name="Blind")
    html = queue(client, project)
    hidden = [
        "run-canary",
        "model-canary",
        "answer-canary",
        "incorrect",
        f"/episodes/{episode.pk}",
        "sentence-",
    ]
    assert [word for word in hidden if word in html] == []
    open_project = scene.project(person, of=[episode], name="Open", shows_setup=True)
    assert "model-canary" in queue(client, open_project)


def test_the_list_of_projects_has_pages(
    lab: Lab, owner: User, person: User, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(selectors, "PROJECTS_SHOWN", 2)
    of = scene.episodes(1, steps=1)
    names = [scene.project(person, of=of, name=f"Project {number}").name for number in range(3)]
    client = lab(owner)
    first = client.get("/annotation/").content.decode()
    (address,) = re.findall(r'href="(\?cursor=\d+)"', first)
    older = client.get(f"/annotation/{address}").content.decode()
    assert [name in first for name in names] == [False, True, True]
    assert [name in older for name in names] == [True, False, False]
    assert "Newest projects" in older


def test_annotators_see_their_queues_and_no_other_page(lab: Lab, person: User) -> None:
    other = scene.project(scene.labeller("other"))
    project = scene.project(person)
    episode = factories.episode(run=factories.run(report=factories.report()))
    client = lab(person)
    addresses = {name: path for name, path in pages(episode).items() if name not in OF_ANNOTATORS | {"runs"}}
    statuses = {name: client.get(path).status_code for name, path in addresses.items()}
    assert statuses == dict.fromkeys(addresses, 403)
    home = client.get("/")
    assert (home.status_code, home["Location"]) == (302, "/annotation/")
    for name in ("queue", "codebook"):
        assert client.get(f"/annotation/{project.pk}/{name}").status_code == 200
        missing = client.get(f"/annotation/{other.pk}/{name}")
        assert missing.status_code == 404
        assert 'href="/search"' not in missing.content.decode()
    assert client.post(f"/annotation/{other.pk}/label").status_code == 404
    for name in (f"{project.pk}/people", f"{project.pk}/quotas", f"{project.pk}/golds/add", "create"):
        assert client.post(f"/annotation/{name}").status_code == 403


def test_a_stranger_sees_no_queue(lab: Lab, project: AnnotationProject) -> None:
    stranger = lab(None)
    for name in ("queue", "codebook", ""):
        assert stranger.get(f"/annotation/{project.pk}/{name}")["Location"].startswith("/login/")
    assert stranger.post(f"/annotation/{project.pk}/label")["Location"].startswith("/login/")
    assert not OPEN_TO_ALL & OF_ANNOTATORS


def test_a_label_with_the_form_of_another_person_is_refused(lab: Lab, person: User) -> None:
    other = scene.labeller("other")
    project = scene.project(person, other)
    html = queue(lab(other), project)
    assert save(lab(person), project, html, headers=JSON).status_code == 400
    assert not Label.objects.exists()


def test_a_project_is_opened_from_a_search(lab: Lab, owner: User, person: User) -> None:
    first, second = scene.episodes(2, steps=3)
    client = lab(owner)
    html = client.get(f"/annotation/new?episodes={first.pk}").content.decode()
    assert "From <strong>1</strong> episode:" in html
    body = {
        "search": f"episodes={first.pk}", "name": "New", "steps": "10", "by": ["arm"], "is_equal": "1",
        "seed": "3", "people": [person.pk, owner.pk], "overlap": "50", "overlap_people": "2", "repeats": "0",
        "reservation_minutes": "30", "views": ["full"],
    }  # fmt: skip
    response = client.post("/annotation/create", body)
    project = AnnotationProject.objects.get()
    assert response["Location"] == f"/annotation/{project.pk}/"
    assert set(project.units.values_list("episode_id", flat=True)) == {first.pk}
    assert (project.created_by, project.source) == (owner, f"/search?episodes={first.pk}")
    page = client.get(response["Location"]).content.decode()
    assert ARMS["gym"].label in page
    assert "person" in page
    refused = client.post("/annotation/create", {**body, "people": [person.pk]})
    assert refused.status_code == 422
    assert "only 1 is selected" in refused.content.decode()
    refused = client.post("/annotation/create", {**body, "search": "run=nothing"})
    assert refused.status_code == 422
    assert second.pk not in project.units.values_list("episode_id", flat=True)


def test_people_can_be_added(lab: Lab, owner: User, person: User, project: AnnotationProject) -> None:
    scene.labeller("late")
    client = lab(owner)
    for name in ("late", "late", "nobody"):
        assert client.post(f"/annotation/{project.pk}/people", {"user": name}).status_code == 302
    assert set(project.annotators.values_list("name", flat=True)) == {"person", "late"}


def test_pages_take_as_many_queries_for_many_units_as_for_few(lab: Lab, owner: User, person: User) -> None:
    counts = []
    for size in (2, 12):
        project = scene.project(owner, person, of=scene.episodes(1, steps=size), name=f"of {size}")
        client = lab(owner)
        with CaptureQueriesContext(connection) as queries:
            for page in ("annotation/", f"annotation/{project.pk}/"):
                assert client.get(f"/{page}").status_code == 200
        counts.append(len(queries))
    assert counts[0] == counts[1]


def test_open_jobs_are_looked_at_again_until_they_end(
    lab: Lab, owner: User, project: AnnotationProject
) -> None:
    client, address = lab(owner), f"/annotation/{project.pk}/jobs"
    assert client.get(address)["Location"] == f"/annotation/{project.pk}/#jobs"
    job = AnnotationJob.objects.create(project=project, kind="export", state="running", done=20, total=3_000)
    page = client.get(f"{address}?fragment").content.decode()
    assert "20 of 3,000" in page
    assert "hx-trigger" in page
    AnnotationJob.objects.filter(pk=job.pk).update(state="failed", problem="Line 3 has no <step>.")
    page = client.get(f"{address}?fragment").content.decode()
    assert "Line 3 has no &lt;step&gt;." in page
    assert "hx-trigger" not in page


def test_strata_are_named_by_the_words_of_their_arms(
    lab: Lab, owner: User, project: AnnotationProject
) -> None:
    one = {"steps": 3, "hidden": 0, "empty": 0, "drawn": 1}
    strata = [{"name": "text_zero_shot · correct", **one}, {"name": "incorrect", **one}]
    AnnotationProject.objects.filter(pk=project.pk).update(strata=strata)
    page = lab(owner).get(f"/annotation/{project.pk}/").content.decode()
    assert f"{ARMS['text_zero_shot'].label} · correct" in page
    assert "text_zero_shot" not in page


def test_researchers_see_agreement(lab: Lab, owner: User, person: User) -> None:
    project = scene.project(person, owner, of=scene.episodes(1, steps=1))
    for user in (person, owner):
        client = lab(user)
        save(client, project, queue(client, project))
    client = lab(owner)
    page = client.get(f"/annotation/{project.pk}/agreement").content.decode()
    assert "Counts only: fewer than 20 units have it." in page
    cell = f"/annotation/{project.pk}/agreement/units?field=type&amp;one=reasoning&amp;other=reasoning"
    assert cell in page
    listed = client.get(cell.replace("&amp;", "&")).content.decode()
    unit = project.units.get()
    assert f"/episodes/{unit.episode_id}/steps/1" in listed
    assert f"/annotation/{project.pk}/units/{unit.pk}/history" in listed
    assert client.get(f"/annotation/{project.pk}/agreement/units?field=type&one=x").status_code == 404


def test_a_project_takes_label_fields_of_its_own(lab: Lab, owner: User, person: User) -> None:
    scene.episodes(1, steps=1)
    body = {
        "name": "With tone",
        "kind": "step",
        "views": ["full"],
        "steps": "5",
        "is_equal": "1",
        "seed": "1",
        "search": "",
        "people": [person.pk],
        "overlap": "0",
        "overlap_people": "1",
        "repeats": "0",
        "reservation_minutes": "60",
    }
    client = lab(owner)

    def create(fields: str) -> Any:
        file = SimpleUploadedFile("own.toml", fields.encode())
        return client.post("/annotation/create", {**body, "own_fields": [file]})

    response = create("[[fields")
    assert response.status_code == 422
    assert "own.toml: " in response.content.decode()
    option = 'title = "T"\ndefinition = "d"\npositive = ["p"]\nnegative = ["n"]\n[[fields.options]]\n'
    field = '[[fields]]\nid = "tone"\ntitle = "Tone <b>"\nquestion = "How?"\n[[fields.options]]\n'
    both = [f'id = "{name}"\nkey = "{key}"\n{option}' for name, key in (("sure", "t"), ("bare", "q"))]
    own = field + "".join(both).removesuffix("[[fields.options]]\n")
    assert "already that of “The problem” of “Target”" in create(own).content.decode()
    own = own.replace('key = "q"', 'key = "y"')
    file = SimpleUploadedFile("own.toml", own.encode())
    unnamed = client.post("/annotation/create", {**body, "name": "", "own_fields": [file]})
    assert "Choose the files again" in unnamed.content.decode()
    response = create(own)
    assert response.status_code == 302, response.content.decode()
    page = client.get(f"{response['Location']}codebook").content.decode()
    assert "Tone &lt;b&gt;" in page
    made = AnnotationProject.objects.get(name="With tone")
    assert 'data-field="tone"' in queue(lab(person), made)
