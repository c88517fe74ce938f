"""Roles: what makes one, what it costs to know it, and that it is gone as soon as it is taken away."""

from __future__ import annotations

from collections.abc import Callable
from io import StringIO

import pytest
from django.contrib.auth.models import Group, User
from django.core.management import call_command
from django.db import connection
from django.test.utils import CaptureQueriesContext

from tests.annotation import scene
from tests.conftest import LabClient
from trajectories.annotation.projects import services
from trajectories.shell import roles

pytestmark = pytest.mark.django_db
Lab = Callable[[User | None], LabClient]


def test_who_may_only_label_is_read_with_the_user_in_one_query() -> None:
    person, researcher = scene.labeller("person"), User.objects.create_user("researcher")
    with CaptureQueriesContext(connection) as queries:
        read = [roles.LabBackend().get_user(one.pk) for one in (person, researcher)]
        assert [roles.is_annotator(one) for one in read] == [True, False]
    assert len(queries) == 2


def test_a_role_counts_from_the_next_page_on(lab: Lab) -> None:
    person = scene.labeller("person")
    client = lab(person)
    assert client.get("/tasks/").status_code == 403
    group = Group.objects.get(name=roles.ANNOTATORS)
    person.groups.remove(group)
    assert client.get("/tasks/").status_code == 200
    person.groups.add(group)
    assert client.get("/tasks/").status_code == 403
    User.objects.filter(pk=person.pk).update(is_active=False)
    assert client.get("/tasks/").status_code == 302


def test_a_login_of_an_adjudicator_is_one_in_each_project_that_it_is_added_to() -> None:
    call_command("create_login", "--adjudicator", "--name", "judge", stdout=StringIO())
    judge = User.objects.get(username="judge")
    assert roles.is_annotator(judge)
    project = scene.project(judge, person := scene.labeller("person"))
    assert scene.annotator(project, judge).is_adjudicator
    assert not scene.annotator(project, person).is_adjudicator


def test_adjudicators_are_made_by_project() -> None:
    person = scene.labeller("person")
    project, other = scene.project(person), scene.project(person)
    row = scene.annotator(project, person)
    services.adjudicator_set(other, row.pk, is_adjudicator=True)
    assert not scene.annotator(project, person).is_adjudicator
    services.adjudicator_set(project, row.pk, is_adjudicator=True)
    assert scene.annotator(project, person).is_adjudicator
    assert not scene.annotator(other, person).is_adjudicator
    services.adjudicator_set(project, row.pk, is_adjudicator=False)
    assert not scene.annotator(project, person).is_adjudicator
