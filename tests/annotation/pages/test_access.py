"""Who may see which page of annotation, for every address that there is: one without a rule fails."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

import pytest
from django.contrib.auth.models import User
from django.urls import get_resolver, reverse

from tests import factories
from tests.annotation import scene
from tests.annotation.adjudication.test_adjudication import say, units
from tests.conftest import LabClient
from tests.lab.addresses import pages
from trajectories.models import AnnotationProject
from trajectories.shell import roles

Lab = Callable[[User | None], LabClient]

# What people of other projects, annotators, adjudicators and researchers get. Strangers have to log in.
LABELS = (404, 200, 200, 404)  # the researcher here labels in no project
READS = (404, 200, 200, 200)
SETTLES = (404, 404, 200, 200)
RESEARCH = (403, 403, 403, 200)
RULES = {
    "annotation": (200, 200, 200, 200),
    "annotation_new": RESEARCH,
    "annotation_project": RESEARCH,
    "annotation_queue": LABELS,
    "annotation_codebook": READS,
    "annotation_agreement": RESEARCH,
    "annotation_cell": RESEARCH,
    "annotation_repeats": (403, 403, 403, 404),  # none came back
    "annotation_views": RESEARCH,
    "annotation_shift": (403, 403, 403, 404),  # there is one view
    "annotation_golds": RESEARCH,
    "annotation_machines": RESEARCH,
    "annotation_machine_units": (403, 403, 403, 404),  # of no machine
    "annotation_machines_file": RESEARCH,
    "annotation_rates": RESEARCH,
    "annotation_rate_units": RESEARCH,
    "annotation_rates_file": RESEARCH,
    "annotation_jobs": (403, 403, 403, 302),
    "annotation_job_file": (403, 403, 403, 404),  # there is no such job
    "annotation_import": RESEARCH,
    "annotation_disagreements": SETTLES,
    "annotation_disagreement": SETTLES,
    "annotation_history": RESEARCH,
}
# Of addresses that are posted to, without anything in the post: who may is told what is missing.
POSTED = {
    "annotation_create": (403, 403, 403, 422),
    "annotation_people": (403, 403, 403, 302),
    "annotation_machine_start": (403, 403, 403, 404),  # of no such kind
    "annotation_quotas": (403, 403, 403, 302),
    "annotation_gold_add": (403, 403, 403, 422),
    "annotation_gold_remove": (403, 403, 403, 302),
    "annotation_export": (403, 403, 403, 302),
    "annotation_import_start": (403, 403, 403, 422),
    "annotation_adjudicator": (403, 403, 403, 302),
    "annotation_label": (404, 400, 400, 404),
    "annotation_settle": (404, 404, 400, 404),
}
QUERIES = {
    "annotation_cell": "?field=type&one=reasoning&other=mixed",
    "annotation_repeats": "?field=type&same=1",
    "annotation_shift": "?view=thought&field=type&one=reasoning&other=mixed",
}


@dataclass(frozen=True, kw_only=True)
class People:
    outsider: User
    annotator: User
    adjudicator: User
    researcher: User

    def all(self) -> list[User]:
        return [self.outsider, self.annotator, self.adjudicator, self.researcher]


@pytest.fixture
def people(db: None) -> People:
    adjudicator = User.objects.create_user("adjudicator")
    roles.adjudicator_make(adjudicator)
    return People(
        outsider=scene.labeller("outsider"),
        annotator=scene.labeller("person"),
        adjudicator=adjudicator,
        researcher=User.objects.create_user("researcher"),
    )


@pytest.fixture
def project(people: People) -> AnnotationProject:
    """With one unit that is disputed."""
    scene.project(people.outsider)
    made = scene.project(people.annotator, people.adjudicator)
    unit = units(made)[0]
    say(unit, "person")
    say(unit, "adjudicator", target="both")
    return made


def addresses(project: AnnotationProject) -> dict[str, str]:
    """Every address of annotation by its name, with the project's numbers in it."""
    values = {"project_id": project.pk, "unit_id": units(project)[0].pk}
    made = {}
    for pattern in get_resolver("trajectories.wiring.urls_lab").url_patterns:
        if str(pattern.pattern).startswith("annotation"):
            named = {name: values.get(name, 1) for name in pattern.pattern.converters}
            made[str(pattern.name)] = reverse(str(pattern.name), kwargs=named)
    return made


def test_every_page_has_a_rule_and_keeps_it(lab: Lab, people: People, project: AnnotationProject) -> None:
    paths = addresses(project)
    assert set(paths) == set(RULES) | set(POSTED)
    clients = [lab(one) for one in people.all()]
    answers = {
        name: tuple(client.get(paths[name] + QUERIES.get(name, "")).status_code for client in clients)
        for name in RULES
    }
    assert answers == RULES


def test_every_deed_has_a_rule_and_keeps_it(lab: Lab, people: People, project: AnnotationProject) -> None:
    paths = addresses(project)
    clients = [lab(one) for one in people.all()]
    answers = {name: tuple(client.post(paths[name]).status_code for client in clients) for name in POSTED}
    assert answers == POSTED


def test_strangers_are_sent_to_the_login_page(lab: Lab, project: AnnotationProject) -> None:
    stranger = lab(None)
    for name, path in addresses(project).items():
        response = stranger.post(path) if name in POSTED else stranger.get(path + QUERIES.get(name, ""))
        assert response["Location"].startswith("/login/?next="), name


def test_an_adjudicator_who_is_one_no_longer_sees_no_disagreements(
    lab: Lab, people: People, project: AnnotationProject
) -> None:
    path = addresses(project)["annotation_disagreements"]
    client = lab(people.adjudicator)
    assert client.get(path).status_code == 200
    annotator = scene.annotator(project, people.adjudicator)
    deed = addresses(project)["annotation_adjudicator"]
    lab(people.researcher).post(deed, {"annotator": annotator.pk, "is_adjudicator": "0"})
    assert client.get(path).status_code == 404


def test_an_adjudicator_of_one_project_settles_nothing_in_another(
    lab: Lab, people: People, project: AnnotationProject
) -> None:
    other = scene.project(people.outsider, people.annotator)
    unit = units(other)[0]
    say(unit, "person")
    say(unit, "outsider", target="both")
    client = lab(people.adjudicator)
    for number in (project.pk, other.pk):
        assert client.get(f"/annotation/{number}/disagreements/{unit.pk}").status_code == 404


def test_adjudicators_see_no_page_outside_of_annotation(lab: Lab, people: People) -> None:
    episode = factories.episode(run=factories.run(report=factories.report()))
    client = lab(people.adjudicator)
    others = {name: path for name, path in pages(episode).items() if not name.startswith("annotation")}
    # Pictures of the pages that are labelled; the start page leads to the queues.
    expected = dict.fromkeys(others, 403) | {"blob": 404, "runs": 302}
    assert {name: client.get(path).status_code for name, path in others.items()} == expected
