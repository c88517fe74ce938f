"""Addresses that forms are sent to: read as pages, and sent to with a form that is out of date."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Any

import pytest
from django.contrib.auth.models import User
from django.test import Client
from django.urls import URLPattern, get_resolver

from core.work import redis_client
from tests.conftest import LabClient
from tests.lab.addresses import DEEDS

Lab = Callable[[User | None], LabClient]
NUMBERS = {
    "episode_id": 1,
    "index": 1,
    "report_id": 1,
    "export_id": 1,
    "project_id": 1,
    "unit_id": 1,
    "key_id": 1,
}


@pytest.fixture(autouse=True)
def _forget_failures() -> None:
    for key in redis_client.client().scan_iter("gym:login:*"):
        redis_client.client().delete(key)


def _addresses() -> Iterator[str]:
    for pattern in get_resolver("trajectories.wiring.urls_lab").url_patterns:
        if isinstance(pattern, URLPattern) and pattern.name in DEEDS:
            route = str(pattern.pattern)
            for name, number in NUMBERS.items():
                route = route.replace(f"<id:{name}>", str(number))
            yield f"/{route}"


def test_an_action_read_as_a_page_leads_to_the_page_around_it(lab: Lab, owner: User) -> None:
    targets = {}
    for address in _addresses():
        answer = lab(owner).get(address)
        assert answer.status_code == 302, address
        targets[address] = answer["Location"]
        assert lab(owner).get(targets[address]).status_code in (200, 404), address
    assert len(targets) == len(DEEDS)
    assert targets["/keys/create"] == "/keys/"
    assert targets["/annotation/1/golds/add"] == "/annotation/1/golds"
    assert targets["/annotation/1/import/start"] == "/annotation/1/import"
    assert targets["/episodes/1/steps/1/fidelity/check"] == "/episodes/1/steps/1/fidelity"
    assert targets["/reports/1/compute"] == "/reports/1/"


def test_the_address_of_logging_out_logs_nobody_out_when_it_is_read(lab: Lab, owner: User) -> None:
    client = lab(owner)
    assert client.get("/logout/")["Location"] == "/"
    assert client.get("/exports/").status_code == 200


def test_who_logs_in_again_after_sending_a_form_lands_on_its_page(lab: Lab, owner: User) -> None:
    owner.set_password("right-password")
    owner.save()
    stranger = lab(None)
    login = stranger.post("/exports/create", {"kind": "late"})["Location"]
    after = stranger.post(login, {"username": owner.username, "password": "right-password"}, follow=True)
    assert (after.status_code, after.redirect_chain[-1][0]) == (200, "/exports/")


def _strict(user: User | None) -> Client:
    client = Client(enforce_csrf_checks=True)
    if user:
        client.force_login(user)
    return client


@pytest.mark.parametrize("token", ["", "x" * 32, "<b>"])
def test_a_form_out_of_date_is_refused_on_a_page_of_the_lab(token: str, owner: User) -> None:
    client = _strict(owner)
    client.get("/keys/")
    answer = client.post("/keys/create", {"name": "late", "csrfmiddlewaretoken": token})
    text = answer.content.decode()
    assert answer.status_code == 403
    assert "This form was out of date" in text
    assert "Nothing was changed" in text
    assert 'href="/keys/"' in text


def test_a_login_form_left_open_in_another_tab_leads_on(owner: User) -> None:
    answer: Any = _strict(owner).post(
        "/login/?next=/exports/", {"username": "owner", "password": "x"}, follow=True
    )
    assert (answer.status_code, answer.redirect_chain[-1][0]) == (200, "/exports/")


def test_a_login_form_left_open_while_somebody_else_logs_out_is_given_again(db: None) -> None:
    client = _strict(None)
    client.get("/login/")
    answer = client.post("/login/?next=/keys/", {"username": "owner", "password": "x"})
    assert answer.status_code == 403
    assert 'href="/login/?next=/keys/"' in answer.content.decode()


def test_a_browser_without_cookies_reads_that_the_lab_needs_them(db: None) -> None:
    answer = _strict(None).post("/login/", {"username": "owner", "password": "x"})
    assert "needs cookies" in answer.content.decode()
