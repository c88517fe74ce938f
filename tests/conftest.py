from __future__ import annotations

import contextlib
from collections.abc import Callable, Generator, Iterator
from pathlib import Path
from typing import Any

import msgspec
import pytest
from django.conf import LazySettings
from django.contrib.auth.models import User
from django.db import connection
from django.test import Client, TransactionTestCase, client, override_settings
from django.test.client import store_rendered_templates

from core.storage import blobs
from core.telemetry import garbage
from core.work import jobs
from gymsite.services import endpoints
from gymsite.services.preparation import roles_apply
from tasks_app.sites import benchmark
from tests.empty_tables import tables_empty
from tests.servers import servers
from trajectories.record.api import auth


@pytest.hookimpl(wrapper=True)
def pytest_collection() -> Generator[None, object, object]:
    """Keep the garbage collector away from thousands of tests and modules that stay until the end."""
    with garbage.loading():
        return (yield)


@pytest.hookimpl(tryfirst=True)  # xdist's own hook reads the groups
def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """Run slow server and browser tests first; at the end, nothing would be left to run alongside them."""
    items.sort(key=lambda item: not _is_long(item))
    for item in items:  # like ``--dist loadfile``, but files that share an installation stay together
        if item.get_closest_marker("services") and not item.get_closest_marker("xdist_group"):
            item.add_marker(pytest.mark.xdist_group(item.path.stem))


def pytest_collection_finish(session: pytest.Session) -> None:
    """Refuse groups that xdist ignores, because every process would then start every installation."""
    if session.config.getoption("loadgroup", default=False):
        for item in session.items:
            if item.get_closest_marker("xdist_group") and "@" not in item.nodeid:
                raise pytest.UsageError(f"xdist does not know the group of {item.nodeid}")


def _is_long(item: pytest.Item) -> bool:
    names = {mark.name for mark in item.iter_markers()}
    return "slow" in names and not names.isdisjoint({"e2e", "services"})


@pytest.hookimpl(wrapper=True)
def pytest_report_to_serializable() -> Generator[None, Any, Any]:
    """Escape lone surrogates in logs and failures, because xdist cannot send them and would end the lane."""
    return _escaped((yield))


def _escaped(data: Any) -> Any:
    if isinstance(data, str):
        return data.encode(errors="backslashreplace").decode()
    if isinstance(data, dict):
        return {_escaped(name): _escaped(value) for name, value in data.items()}
    if isinstance(data, list | tuple):
        return type(data)(map(_escaped, data))
    return data


@pytest.fixture(scope="session")
def django_db_modify_db_settings(django_db_modify_db_settings: None) -> None:
    """Create the test database as a copy of the migrated database with which its server started."""
    settings_of_test = connection.settings_dict["TEST"]
    settings_of_test["TEMPLATE"] = endpoints.DATABASE


@pytest.fixture(scope="session")
def django_db_setup(django_db_setup: None, django_db_blocker: Any) -> None:
    with django_db_blocker.unblock():
        roles_apply(connection, var_dir=servers.var_dir)


@pytest.fixture(scope="session", autouse=True)
def _tables_emptied() -> Iterator[None]:
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(TransactionTestCase, "_fixture_teardown", tables_empty)
        yield


@pytest.fixture(scope="session", autouse=True)
def _cheap_settings() -> Iterator[None]:
    """Use cheap settings: proper password hashing took a third of all tests' time, static files a twelfth."""
    hashers = ["django.contrib.auth.hashers.MD5PasswordHasher"]
    with override_settings(PASSWORD_HASHERS=hashers, WHITENOISE_AUTOREFRESH=True):
        yield


@pytest.fixture(scope="session", autouse=True)
def _page_context_alone() -> Iterator[None]:
    """Record only the page's context, because copying that of each part took a twelfth of the time."""

    def store(answer: dict[str, Any], *arguments: Any, **options: Any) -> None:
        if "context" not in answer:
            store_rendered_templates(answer, *arguments, **options)

    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(client, "store_rendered_templates", store)
        yield


@pytest.fixture(scope="session", autouse=True)
def _few_tasks_measured() -> Iterator[None]:
    """Measure the guess rates of mock sites with few tasks; an installation measures for several seconds."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(benchmark, "MEASURED_TASKS", 8)
        yield


@pytest.fixture(autouse=True)
def _broker_tried_again(monkeypatch: pytest.MonkeyPatch) -> None:
    """Let queues fail and recover without a pause."""
    monkeypatch.setattr(jobs, "BREAK_S", 0.0)


@pytest.fixture(autouse=True)
def _forget_keys() -> None:
    auth.forget_keys()


class ApiClient(Client):
    """Django's test client with an API key, which sends and receives JSON."""

    def __init__(self, *, key: str | None = None) -> None:
        headers = {"authorization": f"Bearer {key}"} if key else None
        super().__init__(headers=headers, raise_request_exception=True)
        self.key = key

    def json(self, method: str, path: str, body: Any = None, **extra: Any) -> tuple[int, Any]:
        """Make one call, and return its status and decoded response."""
        data = b"" if body is None else msgspec.json.encode(body)
        response = self.generic(method, f"/api/v1{path}", data, content_type="application/json", **extra)
        content = response.getvalue()
        return response.status_code, msgspec.json.decode(content) if content else None


@pytest.fixture
def api(db: None) -> Callable[..., ApiClient]:
    """Return a function that makes API clients.

    ``api("trainer", "read")`` is a client whose new key has those scopes; ``api()`` has no key.
    """

    def make(*scopes: str, **limits: Any) -> ApiClient:
        if not scopes:
            return ApiClient()
        return ApiClient(key=auth.key_create(name="-".join(scopes), scopes=list(scopes), **limits))

    return make


@pytest.fixture
def trainer(api: Callable[..., ApiClient]) -> ApiClient:
    return api("trainer")


@contextlib.contextmanager
def _as_role(role: str) -> Iterator[None]:
    with connection.cursor() as cursor:
        cursor.execute(f"SET ROLE {role}")
    try:
        yield
    finally:
        with connection.cursor() as cursor:
            cursor.execute("RESET ROLE")


class ArenaClient(Client):
    """A client whose requests run as ``gym_arena``, with the arena's own middleware and URLs."""

    def request(self, **request: Any) -> Any:
        with _as_role("gym_arena"):
            return super().request(**request)


@pytest.fixture
def arena_client(db: None, settings: LazySettings) -> ArenaClient:
    settings.ROOT_URLCONF = "gymsite.urls_arena"
    settings.MIDDLEWARE = settings.ARENA_MIDDLEWARE
    return ArenaClient()


@pytest.fixture
def as_role(db: None) -> Callable[[str], contextlib.AbstractContextManager[None]]:
    """Return a context manager: ``with as_role("gym_lab"):`` runs statements with that role's rights."""
    return _as_role


@pytest.fixture
def own_storages(tmp_path: Path, settings: Any) -> Path:
    """Put every file storage into a folder of this test alone, and return the folder.

    Each storage's folder is named after the storage.
    """
    settings.STORAGES = {
        **settings.STORAGES,
        **{
            name: {
                "BACKEND": "django.core.files.storage.FileSystemStorage",
                "OPTIONS": {"location": str(tmp_path / name)},
            }
            for name in blobs.STORAGES
        },
    }
    return tmp_path


class LabClient(Client):
    """A client whose requests run with the rights of the lab's database role."""

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
    """Return a function that makes clients of the lab.

    ``lab(user)`` is logged in as that user; ``lab(None)`` is not logged in.
    """
    settings.ROOT_URLCONF = "trajectories.wiring.urls_lab"

    def make(user: User | None) -> LabClient:
        client = LabClient()
        if user is not None:
            client.force_login(user)
        return client

    return make


@pytest.fixture
def owner(db: None) -> User:
    """Create the installation's first login, which is staff and may see golds."""
    return User.objects.create_user("owner", password="correct horse", is_staff=True)


@pytest.fixture
def annotator(db: None) -> User:
    return User.objects.create_user("annotator", password="battery staple")
