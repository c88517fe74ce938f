"""The operator's own servers in place of the embedded ones."""

from __future__ import annotations

from collections.abc import Iterator
from types import SimpleNamespace

import psycopg
import pytest

from core.errors import GymError
from gymsite.services import external_servers
from tests.embedded_services import TestServers, embedded_services
from tests.servers import servers as shared
from tests.services.installations import Up


@pytest.fixture(scope="module")
def own(tmp_path_factory: pytest.TempPathFactory) -> Iterator[TestServers]:
    """Servers of this file alone: `up` gives the roles, which belong to a whole server, new passwords."""
    with embedded_services(tmp_path_factory.mktemp("own")) as servers:
        yield servers


def test_a_usable_server_says_how_many_connections_it_has() -> None:
    assert external_servers.database_check(shared.database_url) == 100
    external_servers.redis_check(shared.redis_url)


@pytest.mark.parametrize(
    ("change", "code", "words"),
    [
        (("@/", "x@/"), "database_refused", "correct user and password"),
        (("/gym?", "/nowhere?"), "database_refused", 'database "nowhere" does not exist'),
        (("host=/", "host=/no/such"), "database_unreachable", "start it, or correct DATABASE_URL"),
    ],
)
def test_a_server_that_refuses_is_explained(change: tuple[str, str], code: str, words: str) -> None:
    with pytest.raises(GymError) as refused:
        external_servers.database_check(shared.database_url.replace(*change))
    assert refused.value.code == code
    assert words in refused.value.message
    assert "\n" not in refused.value.message


@pytest.mark.parametrize(
    ("url", "words"),
    [
        ("postgresql://someone:wrong@127.0.0.1:1/gym", "cannot be reached"),
        ("postgresql://someone@no-such-host.invalid/gym", "cannot be reached"),
        ("postgresql://someone@localhost:port/gym", "cannot be reached"),
        ("nonsense", "is not an address"),
    ],
)
def test_a_wrong_address_is_explained(url: str, words: str) -> None:
    with pytest.raises(GymError, match=words) as refused:
        external_servers.database_check(url)
    assert "\n" not in refused.value.message


def test_a_user_who_cannot_create_roles_is_shown_the_missing_grant() -> None:
    name = "may_not_make_roles"
    with psycopg.connect(shared.database_url, autocommit=True) as owner:
        owner.execute(f"CREATE ROLE {name} LOGIN PASSWORD 'x'")
        owner.execute(f"GRANT CONNECT ON DATABASE gym TO {name}")
        try:
            url = shared.database_url.replace("gym_owner:", f"{name}:").replace(shared.password("owner"), "x")
            with pytest.raises(GymError, match=f"ALTER ROLE {name} CREATEROLE") as refused:
                external_servers.database_check(url)
        finally:
            owner.execute(f"REVOKE ALL ON DATABASE gym FROM {name}")
            owner.execute(f"DROP ROLE {name}")
    assert refused.value.code == "database_no_rights"


def test_a_server_too_old_is_refused(monkeypatch: pytest.MonkeyPatch) -> None:
    connection = SimpleNamespace(info=SimpleNamespace(server_version=130011))
    with pytest.raises(GymError, match="is Postgres 13: version 14 or newer is needed"):
        external_servers._usable(connection)


@pytest.mark.parametrize(
    ("change", "words"),
    [
        (("@", "x@"), "does not answer"),
        (("unix://", "http://"), "is not an address"),
        (("unix://", "redis://127.0.0.1:1/"), "does not answer"),
    ],
)
def test_a_redis_that_refuses_is_explained(change: tuple[str, str], words: str) -> None:
    with pytest.raises(GymError) as refused:
        external_servers.redis_check(shared.redis_url.replace(*change))
    assert words in refused.value.message
    assert "\n" not in refused.value.message


@pytest.mark.services
def test_everything_runs_on_external_servers(own: TestServers, tmp_path) -> None:
    up = Up(tmp_path / "var", extra={"DATABASE_URL": own.database_url, "REDIS_URL": own.redis_url})
    with up.started() as running:
        assert up.is_well()
        assert not (up.var_dir / "postgres").exists()
        assert not (up.var_dir / "redis").exists()
        owner = own.password("owner")
        assert all(owner not in "".join(running.environment_of(name).values()) for name in ("arena", "lab"))
