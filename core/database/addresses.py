"""Server addresses in the forms that Django and Celery expect."""

from __future__ import annotations

from typing import Any
from urllib.parse import SplitResult, parse_qs, unquote, urlsplit

# TCP keepalives (libpq's names; the server's side is in gymsite/roles.sql): a broken connection shows within
# 25 s, idle or waiting for an answer, and not after hours. Unix sockets ignore them.
LINE_OPTIONS = {
    "connect_timeout": 5,
    "keepalives_idle": 10,
    "keepalives_interval": 5,
    "keepalives_count": 3,
    "tcp_user_timeout": 20_000,  # milliseconds
}


def django_database(url: str) -> dict[str, Any]:
    """Return ``DATABASES`` entries for ``postgresql://user:password@host:port/name?host=/socket/folder``.

    A socket folder may stand in the query (``host=``), as libpq writes it, or percent-encoded as the host.
    Other parameters (``sslmode``, ``sslrootcert`` ...) go to libpq unchanged, under ``OPTIONS``.
    """
    parts = urlsplit(url)
    query = parse_qs(parts.query)
    host = query.get("host", [unquote(parts.hostname or "")])[0]
    return {
        "NAME": unquote(parts.path.lstrip("/")),
        "USER": unquote(parts.username or ""),
        "PASSWORD": unquote(parts.password or ""),
        "HOST": host,
        "PORT": query.get("port", [_port(parts)])[0],
        "OPTIONS": {name: values[0] for name, values in query.items() if name not in ("host", "port")},
    }


def _port(parts: SplitResult) -> str:
    """Return the port, a bad one unchanged: settings are read before an error can be reported well."""
    try:
        return str(parts.port or "")
    except ValueError:
        return parts.netloc.rpartition(":")[2]


def celery_broker_url(redis_url: str) -> str:
    """Return the URL as Kombu spells it: ``redis+socket://`` where redis-py says ``unix://``."""
    if redis_url.startswith("unix://"):
        return "redis+socket://" + redis_url.removeprefix("unix://").replace("db=", "virtual_host=")
    return redis_url
