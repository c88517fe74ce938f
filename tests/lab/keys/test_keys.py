from __future__ import annotations

import re
from collections.abc import Callable
from html import unescape

import pytest
from django.contrib.auth.models import User

from core.errors import GymError
from tests.conftest import LabClient
from trajectories.models import ApiKey, KeyChange
from trajectories.record.api import auth

Lab = Callable[[User | None], LabClient]
FORM = {"name": "Ana's laptop", "scopes": ["trainer", "read"], "project": "astra", "splits": "train, test"}


@pytest.fixture
def admin(db: None) -> User:
    return User.objects.create_superuser("admin", password="correct horse")


def test_a_key_is_created_shown_once_and_on_record(lab: Lab, admin: User) -> None:
    client = lab(admin)
    made = client.post("/keys/create", FORM)
    (key,) = re.findall(r"<code>(gym_[\w-]{43})</code>", made.content.decode())
    assert made["Cache-Control"] == "no-store"
    principal = auth.principal_for(f"Bearer {key}")
    assert (principal.name, principal.scopes, principal.splits, principal.project) == (
        "Ana's laptop",
        {"trainer", "read"},
        {"train", "test"},
        "astra",
    )
    listed = unescape(client.get("/keys/").content.decode())
    assert key not in listed
    assert "Ana's laptop" in listed
    assert "astra" in listed
    change = KeyChange.objects.get()
    assert (change.kind, change.author, change.api_key_id) == ("created", "admin", principal.key_id)


def test_a_key_is_revoked_by_a_form_that_was_confirmed(lab: Lab, admin: User) -> None:
    client, key = lab(admin), auth.key_create(name="k", scopes=["read"])
    pk = ApiKey.objects.get().pk
    listed = client.get("/keys/").content.decode()
    assert '<span class="tag tag-good">in use</span>' in listed
    assert ">never<" in listed
    page = client.get(f"/keys/{pk}/").content.decode()
    assert f'action="/keys/{pk}/revoke"' in page
    client.post(f"/keys/{pk}/revoke", {})
    assert ApiKey.objects.get().revoked_at is None
    client.post(f"/keys/{pk}/revoke", {"sure": "1"})
    client.post(f"/keys/{pk}/revoke", {"sure": "1"})
    with pytest.raises(GymError, match="revoked"):
        auth.principal_for(f"Bearer {key}")
    assert '<span class="tag tag-bad">revoked</span>' in client.get("/keys/").content.decode()
    assert list(KeyChange.objects.order_by("pk").values_list("kind", "author")) == [
        ("created", "manage.py"),
        ("revoked", "admin"),
    ]
    after = client.get(f"/keys/{pk}/").content.decode()
    assert "Revoked" in after
    assert 'revoke"' not in after


@pytest.mark.parametrize(
    ("fields", "message"),
    [
        ({"scopes": []}, "This field is required"),
        ({"scopes": ["root"]}, "root"),
        ({"project": "A B"}, "small letters"),
        ({"name": ""}, "This field is required"),
    ],
)
def test_a_key_that_cannot_be_is_refused_in_its_form(
    lab: Lab, admin: User, fields: dict[str, object], message: str
) -> None:
    response = lab(admin).post("/keys/create", {**FORM, **fields})
    assert response.status_code == 422
    assert message in unescape(response.content.decode())
    assert not ApiKey.objects.exists()


@pytest.mark.parametrize("path", ["/keys/", "/keys/{}/", "/keys/create", "/keys/{}/revoke"])
def test_keys_are_for_superusers(lab: Lab, owner: User, path: str) -> None:
    auth.key_create(name="k", scopes=["read"])
    address, is_deed = path.format(ApiKey.objects.get().pk), path.endswith(("create", "revoke"))
    client = lab(owner)
    response = client.post(address, {**FORM, "sure": "1"}) if is_deed else client.get(address)
    assert response.status_code == 404
    assert ApiKey.objects.get().revoked_at is None
    assert b"/keys/" not in client.get("/system/").content


def test_the_system_page_leads_superusers_to_the_keys(lab: Lab, admin: User) -> None:
    assert b'href="/keys/"' in lab(admin).get("/system/").content
