from __future__ import annotations

import pytest

from core.database import addresses


@pytest.mark.parametrize(
    ("url", "expected"),
    [
        ("postgresql://u:p%40ss@db:5433/gym", ("gym", "u", "p@ss", "db", "5433", {})),
        ("postgresql://u:p@/gym?host=/run/s", ("gym", "u", "p", "/run/s", "", {})),
        ("postgresql://u@db/gym?sslmode=require", ("gym", "u", "", "db", "", {"sslmode": "require"})),
        ("postgresql://u@db:bad/gym", ("gym", "u", "", "db", "bad", {})),
    ],
)
def test_a_database_address_is_parsed(url: str, expected: tuple[object, ...]) -> None:
    settings = addresses.django_database(url)
    assert (
        tuple(settings[name] for name in ("NAME", "USER", "PASSWORD", "HOST", "PORT", "OPTIONS")) == expected
    )


def test_a_socket_address_is_translated_for_celery() -> None:
    assert (
        addresses.celery_broker_url("unix://:p@/run/r.sock?db=1")
        == "redis+socket://:p@/run/r.sock?virtual_host=1"
    )
    assert addresses.celery_broker_url("redis://:p@host:6379/0") == "redis://:p@host:6379/0"
