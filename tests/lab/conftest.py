from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest
from django.conf import LazySettings
from django.contrib.auth.models import User
from django.db import connection
from django.test import Client


class LabClient(Client):
    """Every request runs with the rights of the lab's database role."""

    def request(self, **request: Any) -> Any:
        with connection.cursor() as cursor:
            cursor.execute("SET ROLE gym_lab")
        try:
            return super().request(**request)
        finally:
            with connection.cursor() as cursor:
                cursor.execute("RESET ROLE")


@pytest.fixture
def lab(db: None, settings: LazySettings) -> Callable[[User | None], LabClient]:
    """``lab(user)`` is a client that has logged in as that user; ``lab(None)`` is a stranger."""
    settings.ROOT_URLCONF = "trajectories.lab.urls"

    def make(user: User | None) -> LabClient:
        client = LabClient()
        if user is not None:
            client.force_login(user)
        return client

    return make


@pytest.fixture
def owner(db: None) -> User:
    """The installation's first login: staff, may see golds."""
    return User.objects.create_user("owner", password="correct horse", is_staff=True)


@pytest.fixture
def annotator(db: None) -> User:
    return User.objects.create_user("annotator", password="battery staple")
