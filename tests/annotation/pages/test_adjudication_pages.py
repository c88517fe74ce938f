"""The pages of adjudicators: the list, a unit without names, and saving with and without mistakes."""

from __future__ import annotations

import re
import uuid
from collections.abc import Callable
from typing import Any

import pytest
from django.contrib.auth.models import User
from django.db import connection
from django.test.utils import CaptureQueriesContext

from tests import factories
from tests.annotation import scene
from tests.annotation.adjudication.test_adjudication import say, units
from tests.conftest import LabClient
from trajectories.annotation.adjudication import selectors
from trajectories.annotation.pages import adjudication_views
from trajectories.annotation.projects.services import annotator_add
from trajectories.annotation.queues import tickets
from trajectories.models import AnnotationProject, Annotator, CodebookNote, Label, Step

pytestmark = pytest.mark.django_db
Lab = Callable[[User | None], LabClient]
FIELDS = {"type": "reasoning", "target": "both", "contradiction": "none", "reason": "slip"}


@pytest.fixture
def judge(db: None) -> User:
    return User.objects.create_user("judge-canary")


@pytest.fixture
def project(judge: User) -> AnnotationProject:
    """Two units are disputed: the first in its target, the second in its type as well."""
    people = [scene.labeller(name) for name in ("one-canary", "two-canary")]
    run = factories.run(name="run-canary", model="model-canary")
    made = scene.project(*people, of=scene.episodes(1, steps=3, run=run))
    annotator_add(made, judge)
    Annotator.objects.filter(user=judge).update(is_adjudicator=True)
    first, second, _ = units(made)
    say(first, "one-canary", note="I read it twice")
    say(first, "two-canary", target="both", is_unsure=True)
    say(second, "one-canary")
    say(second, "two-canary", target="both", type="narration")
    return made


def listed(client: LabClient, project: AnnotationProject, query: str = "") -> list[int]:
    html = client.get(f"/annotation/{project.pk}/disagreements{query}").content.decode()
    return [int(number) for number in re.findall(r">Unit (\d+)</a>", html)]


def unit_path(project: AnnotationProject, place: int) -> str:
    return f"/annotation/{project.pk}/disagreements/{units(project)[place].pk}"


def settle(client: LabClient, path: str, **fields: Any) -> Any:
    body = {"key": str(uuid.uuid4()), "version": "0", **FIELDS, **fields}
    address, _, query = path.partition("?")
    return client.post(f"{address}/settle{'?' if query else ''}{query}", body)


def checked(html: str) -> set[str]:
    return set(re.findall(r'value="([^"]*)"[^>]*\schecked', html))


def test_the_list_has_the_most_disputed_first_and_filters(
    lab: Lab, judge: User, project: AnnotationProject, monkeypatch: pytest.MonkeyPatch
) -> None:
    client = lab(judge)
    assert listed(client, project) == [2, 1]
    assert listed(client, project, "?field=type") == [2]
    assert listed(client, project, "?field=nonsense&state=nonsense&page=nonsense") == [2, 1]
    settle(client, unit_path(project, 1))
    assert listed(client, project) == [1]
    assert listed(client, project, "?state=settled") == [2]
    assert listed(client, project, "?state=all") == [2, 1]
    monkeypatch.setattr(adjudication_views, "ROWS", 1)
    assert listed(client, project, "?state=all&page=2") == [1]


def test_a_unit_names_nobody_and_neither_arm_nor_model_nor_verdict(
    lab: Lab, judge: User, project: AnnotationProject
) -> None:
    html = lab(judge).get(unit_path(project, 0)).content.decode()
    main = html[html.index("<main") : html.index("</main>")]
    assert "I read it twice" in main
    assert re.findall(r"Take ([A-Z])\b", main) == ["A", "B"]
    hidden = ["one-canary", "two-canary", "run-canary", "model-canary", "/episodes/", "sentence-"]
    assert [word for word in hidden if word in main] == []


def test_the_form_begins_with_what_is_agreed_and_takes_a_column(
    lab: Lab, judge: User, project: AnnotationProject
) -> None:
    client = lab(judge)
    path = unit_path(project, 1)
    html = client.get(path).content.decode()
    assert checked(html) == {"plan", "none"}
    # The fields in which they differ come first.
    assert re.findall(r"<legend>\s*([A-Z]\w+) <", html)[:2] == ["Type", "Target"]
    taken = [checked(client.get(f"{path}?take={letter}").content.decode()) for letter in "ab"]
    assert {frozenset(one) for one in taken} == {
        frozenset({"plan", "none", "reasoning", "problem"}),
        frozenset({"plan", "none", "narration", "both"}),
    }


def test_saving_goes_on_to_the_next_of_the_filter(lab: Lab, judge: User, project: AnnotationProject) -> None:
    client = lab(judge)
    response = settle(client, unit_path(project, 1))
    assert (response.status_code, response["Location"]) == (302, unit_path(project, 0))
    label = Label.objects.get(layer="adjudicated")
    assert (label.annotator.user, label.values["target"], label.reason) == (judge, "both", "slip")
    again = settle(client, f"{unit_path(project, 1)}?field=type", version="1")
    assert again["Location"] == f"/annotation/{project.pk}/disagreements?field=type"


def test_a_refused_form_comes_back_as_it_was_with_the_reason(
    lab: Lab, judge: User, project: AnnotationProject
) -> None:
    client = lab(judge)
    path = unit_path(project, 0)
    refused = settle(client, path, reason="", codebook_note="kept")
    html = refused.content.decode()
    assert refused.status_code == 422
    assert "Why the answers differed: no answer yet." in html
    assert ">kept</textarea>" in html
    assert "both" in checked(html)
    assert settle(client, path).status_code == 302
    conflict = settle(client, path, target="problem")
    assert conflict.status_code == 409
    assert "settled in the meantime" in conflict.content.decode()
    assert 'name="version"\n         value="1"' in conflict.content.decode()
    assert Label.objects.filter(layer="adjudicated").count() == 1
    assert settle(client, path, key="x").status_code == 400
    assert not CodebookNote.objects.exists()


def test_notes_for_the_codebook_are_on_its_page_for_researchers_alone(
    lab: Lab, judge: User, project: AnnotationProject
) -> None:
    settle(lab(judge), unit_path(project, 0), codebook_note="Say <b>both</b>", about="target")
    page = f"/annotation/{project.pk}/codebook"
    assert "Say &lt;b&gt;both&lt;/b&gt;" in lab(judge).get(page).content.decode()
    assert "both&lt;" not in lab(User.objects.get(username="one-canary")).get(page).content.decode()


def test_the_history_has_every_version_with_its_author(
    lab: Lab, judge: User, project: AnnotationProject
) -> None:
    client = lab(judge)
    unit = units(project)[0]
    say(unit, "one-canary", version=2, target="interface")
    settle(client, unit_path(project, 0))
    html = client.get(f"/annotation/{project.pk}/units/{unit.pk}/history").content.decode()
    for word in ("one-canary", "two-canary", "judge-canary", "<del>The problem</del>", "adjudicated", "slip"):
        assert word in html, word


def test_a_unit_without_its_step_can_be_settled(lab: Lab, judge: User, project: AnnotationProject) -> None:
    path = unit_path(project, 0)
    Step.objects.all().delete()
    client = lab(judge)
    assert "The labelled text has since been deleted" in client.get(path).content.decode()
    assert settle(client, path).status_code == 302


def test_units_that_nobody_disputes_have_no_page(lab: Lab, judge: User, project: AnnotationProject) -> None:
    assert lab(judge).get(unit_path(project, 2)).status_code == 404


def test_pages_take_as_many_queries_for_many_as_for_few(
    lab: Lab, judge: User, project: AnnotationProject
) -> None:
    client = lab(judge)

    def count() -> int:
        with CaptureQueriesContext(connection) as queries:
            for path in ("", f"/{units(project)[0].pk}"):
                assert client.get(f"/annotation/{project.pk}/disagreements{path}").status_code == 200
            assert client.get(f"/annotation/{project.pk}/codebook").status_code == 200
            assert client.get(f"/annotation/{project.pk}/units/{units(project)[0].pk}/history").status_code
        return len(queries)

    count()  # the list is remembered
    before = count()
    third = units(project)[2]
    say(third, "one-canary", type="narration")
    say(third, "two-canary")
    settle(client, unit_path(project, 2), codebook_note="one")
    settle(client, unit_path(project, 1), codebook_note="two")
    after = count()
    assert after == before


def test_a_pair_is_settled_as_it_is_shown(lab: Lab, judge: User) -> None:
    people = [scene.labeller(name) for name in ("one", "two")]
    project = scene.project(*people, of=scene.attempts(5), kind="trajectory_pair")
    annotator_add(project, judge)
    project.annotators.filter(user=judge).update(is_adjudicator=True)
    client = lab(judge)
    orders = set()
    for unit in units(project):
        say(unit, "one", values={"better": "first", "why": []})
        say(unit, "two", values={"better": "second", "why": []})
        html = client.get(f"/annotation/{project.pk}/disagreements/{unit.pk}").content.decode()
        columns = selectors.list_columns(unit)
        swapped = tickets.is_swapped(unit, annotator=scene.annotator(project, judge), is_repeat=False)
        orders.add(swapped)
        first = columns[0].label.values["better"]
        shown = re.findall(r'data-fields="\[\[&quot;better&quot;, &quot;(\w+)', html)[0]
        assert (shown == first) != swapped
        body = {"key": str(uuid.uuid4()), "version": "0", "better": shown, "reason": "slip"}
        assert (
            client.post(f"/annotation/{project.pk}/disagreements/{unit.pk}/settle", body).status_code == 302
        )
        label = Label.objects.get(unit=unit, layer="adjudicated")
        assert (label.values["better"], label.is_swapped) == (first, swapped)
    assert orders == {True, False}


def test_the_number_of_a_step_is_shown_and_taken(lab: Lab, judge: User) -> None:
    people = [scene.labeller(name) for name in ("one", "two")]
    project = scene.project(*people, of=scene.attempts(1, steps=4), kind="trajectory")
    annotator_add(project, judge)
    project.annotators.filter(user=judge).update(is_adjudicator=True)
    (unit,) = units(project)
    given = {"success": "failed", "loops": "none", "first_wrong_step": 2}
    say(unit, "one", values=given)
    say(unit, "two", values={**given, "first_wrong_step": 3})
    html = lab(judge).get(f"/annotation/{project.pk}/disagreements/{unit.pk}?take=a").content.decode()
    assert {"step 2", "step 3"} <= set(re.findall(r"step \d", html))
    taken = selectors.list_columns(unit)[0].label.values["first_wrong_step"]
    assert re.search(rf'name="step-first_wrong_step"[^>]*value="{taken}"', html)


def test_an_adjudicator_sees_as_much_of_a_unit_as_its_annotators(
    lab: Lab, judge: User, project: AnnotationProject
) -> None:
    unit = units(project)[2]
    mixed = {"type": "mixed", "spans": [[0, 5]]}
    say(unit, "one-canary", view="page")
    say(unit, "two-canary", view="page", **mixed)
    client = lab(judge)
    path = unit_path(project, 2)
    assert f"Thought {unit.step} of" not in client.get(path).content.decode()
    # No sentence can be marked by who sees none.
    assert settle(client, path, type="mixed", behaviours=["plan"]).status_code == 302
    assert Label.objects.get(layer="adjudicated").view == "page"


def test_nobody_settles_what_they_labelled_while_another_adjudicator_can(
    lab: Lab, judge: User, project: AnnotationProject
) -> None:
    person = User.objects.get(username="one-canary")
    own = Annotator.objects.get(project=project, user=person)
    Annotator.objects.filter(pk=own.pk).update(is_adjudicator=True)
    client = lab(person)
    page = client.get(f"/annotation/{project.pk}/disagreements").content.decode()
    assert page.count("labelled by you") == 2
    assert "Settle the most disputed" not in page
    path = unit_path(project, 0)
    html = client.get(path).content.decode()
    assert "so another adjudicator of the project must settle it" in html
    assert "data-settlement" not in html
    assert "another adjudicator" in settle(client, path).content.decode()
    assert not Label.objects.filter(layer="adjudicated").exists()
    assert settle(lab(judge), path).status_code == 302
    # With nobody else it is theirs.
    Annotator.objects.filter(project=project).exclude(pk=own.pk).update(is_adjudicator=False)
    alone = unit_path(project, 1)
    html = client.get(alone).content.decode()
    assert "No other adjudicator can settle it" in html
    assert "data-settlement" in html
    assert settle(client, alone).status_code == 302


def test_settling_does_not_compute_the_list_again(
    lab: Lab, judge: User, project: AnnotationProject, monkeypatch: pytest.MonkeyPatch
) -> None:
    client = lab(judge)
    assert listed(client, project) == [2, 1]
    computed: list[int | None] = []
    compute = selectors.list_disagreements

    def counted(of: AnnotationProject, *, unit: int | None = None) -> Any:
        computed.append(unit)
        return compute(of, unit=unit)

    monkeypatch.setattr(selectors, "list_disagreements", counted)
    settle(client, unit_path(project, 1))
    assert listed(client, project) == [1]
    assert listed(client, project, "?state=settled") == [2]
    assert None not in computed
    say(units(project)[2], "one-canary")
    say(units(project)[2], "two-canary", target="both")
    assert listed(client, project) == [1, 3]


def test_taking_a_column_keeps_the_field_and_further_columns_have_no_key(
    lab: Lab, judge: User, project: AnnotationProject
) -> None:
    unit = units(project)[0]
    for number in range(5):
        Annotator.objects.create(project=project, name=f"more {number}")
        say(unit, f"more {number}", target="interface")
    html = lab(judge).get(f"{unit_path(project, 0)}?field=target").content.decode()
    links = re.findall(r'href="([^"]*)"\s+data-take', html)
    assert [link.rpartition("?")[2] for link in links] == [
        f"field=target&amp;take={one}" for one in "abcdefg"
    ]
    assert 'data-keys="f"' in html
    assert 'data-keys="g"' not in html
    last = lab(judge).get(links[-1].replace("&amp;", "&")).content.decode()
    assert checked(last) & {"problem", "both", "interface"}
