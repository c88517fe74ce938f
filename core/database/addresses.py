"""Server addresses in the forms that Django and Celery expect."""

from __future__ import annotations

from typing import Any
from urllib.parse import SplitResult, parse_qs, unquote, urlsplit

# TCP keepalives (libpq's names; the server's are in gymsite/roles.sql): a broken connection, whether idle or
# waiting for an answer, is noticed within 25 s rather than after hours. Unix sockets ignore them.
LINE_OPTIONS = {
    "connect_timeout": 5,
    "keepalives_idle": 10,
    "keepalives_interval": 5,
    "keepalives_count": 3,
    "tcp_user_timeout": 20_000,  # milliseconds
}


def django_database(url: str) -> dict[str, Any]:
    """Return ``DATABASES`` entries for ``postgresql://user:password@host:port/name?host=/socket/folder``.

    A socket folder is given either in the query (``host=``), as libpq writes it, or percent-encoded as the
    host. Other parameters (``sslmode``, ``sslrootcert`` ...) are passed to libpq unchanged, in ``OPTIONS``.
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
    """Return the port. An invalid one is kept, since errors cannot yet be reported when settings are read."""
    try:
        return str(parts.port or "")
    except ValueError:
        return parts.netloc.rpartition(":")[2]


def celery_broker_url(redis_url: str) -> str:
    """Convert a Redis URL to Kombu's spelling: ``redis+socket://`` for redis-py's ``unix://``."""
    if redis_url.startswith("unix://"):
        return "redis+socket://" + redis_url.removeprefix("unix://").replace("db=", "virtual_host=")
    return redis_url
