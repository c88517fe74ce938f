"""Checks of the operator's own servers (``DATABASE_URL``, ``REDIS_URL``)."""

from __future__ import annotations

import psycopg

from core.errors import GymError

CONNECT_TIMEOUT_S = 5
OLDEST_POSTGRES = 140000  # the server's version number; roles.sql and the queries are tested with 14 to 18


def database_check(url: str) -> int:
    """Check the Postgres server and return its ``max_connections``.

    Errors: ``database_url_invalid``, ``database_unreachable``, ``database_refused``, ``database_too_old``,
    ``database_no_rights``.
    """
    try:
        with psycopg.connect(url, connect_timeout=CONNECT_TIMEOUT_S) as connection:
            return _usable(connection)
    except psycopg.OperationalError as error:
        raise _explained(error) from None
    except psycopg.ProgrammingError as error:
        message = (
            f"DATABASE_URL is not an address of a Postgres server ({_first_line(error)}): "
            "write it as postgresql://user:password@host:5432/name."
        )
        raise GymError("database_url_invalid", message) from None


def redis_check(url: str) -> None:
    """Check the Redis server. Errors: ``redis_url_invalid``, ``redis_unreachable``."""
    import redis  # takes 0.1 s to import, and the embedded Redis does not need it

    try:
        redis.Redis.from_url(
            url, socket_connect_timeout=CONNECT_TIMEOUT_S, socket_timeout=CONNECT_TIMEOUT_S
        ).ping()
    except ValueError as error:
        message = f"REDIS_URL is not an address ({error}): write it as redis://:password@host:6379/0."
        raise GymError("redis_url_invalid", message) from None
    except redis.RedisError as error:
        reason = _first_line(error)
        message = f"The Redis server of REDIS_URL does not answer ({reason}): start it, or correct REDIS_URL."
        raise GymError("redis_unreachable", message) from None


def _usable(connection: psycopg.Connection[tuple[object, ...]]) -> int:
    version = connection.info.server_version
    if version < OLDEST_POSTGRES:
        message = f"The server of DATABASE_URL is Postgres {version // 10000}: version 14 or newer is needed."
        raise GymError("database_too_old", message)
    row = connection.execute(
        "SELECT rolsuper OR rolcreaterole, current_setting('max_connections')::int "
        "FROM pg_roles WHERE rolname = current_user"
    ).fetchone()
    may_make_roles, max_connections = row or (False, 0)
    if not may_make_roles:
        message = (
            f"The user {connection.info.user} of DATABASE_URL may not create roles: "
            f"allow it with `ALTER ROLE {connection.info.user} CREATEROLE`."
        )
        raise GymError("database_no_rights", message)
    return int(str(max_connections))


def _explained(error: psycopg.OperationalError) -> GymError:
    reason = _first_line(error)
    if "password authentication failed" in reason or "no password supplied" in reason:
        message = f"The server of DATABASE_URL refuses the login ({reason}): correct user and password in it."
        return GymError("database_refused", message)
    if "does not exist" in reason:
        message = f"The server of DATABASE_URL answers, but {reason}: create it, or correct DATABASE_URL."
        return GymError("database_refused", message)
    message = f"The server of DATABASE_URL cannot be reached ({reason}): start it, or correct DATABASE_URL."
    return GymError("database_unreachable", message)


def _first_line(error: Exception) -> str:
    return next(iter(str(error).strip().splitlines()), type(error).__name__).rpartition("FATAL:")[2].strip()
