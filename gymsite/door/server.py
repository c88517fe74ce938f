"""A worker process of arena or lab: uvicorn in front of the gateway, with limits for slow clients."""

from __future__ import annotations

import socket
from collections.abc import Mapping
from typing import Any, cast

from django.conf import settings
from uvicorn import Config
from uvicorn.middleware.proxy_headers import ProxyHeadersMiddleware

from core.telemetry import metrics
from gymsite.door.bodies import BodyReader
from gymsite.door.connections import Patience, Server, connection_class
from gymsite.door.gateway import Application, CallerOf, Gateway, LaneOf
from gymsite.door.lanes import Lane

BACKLOG = 2048
CLIENTS_MAX = 10_000  # per process; further clients are answered 503
# Longer than proxies and HTTP clients keep idle connections, so that none sends on one that we are closing.
KEEP_ALIVE_S = 150
GRACEFUL_S = 3
STREAM_THREADS = 2
HEAD_S = 10.0
HEAD_BYTES = 64 * 1024
GRACE_S = 10.0


def serve(
    application: Application,
    threads: Mapping[str, int],
    lane_of: LaneOf,
    caller_of: CallerOf,
    *,
    listener: socket.socket,
) -> None:
    """Serve until a stop signal. ``threads`` gives the number of threads for each lane."""
    metrics.REQUESTS.is_on = bool(settings.METRICS_PORT)
    lanes = {name: Lane(name, threads=count) for name, count in {**threads, "stream": STREAM_THREADS}.items()}
    bodies = BodyReader(
        max_bytes=settings.BODY_MAX_BYTES,
        memory_bytes=settings.BODY_MEMORY_BYTES,
        total_bytes=settings.BODIES_MAX_BYTES,
    )
    gateway = Gateway(
        application,
        lanes=lanes,
        lane_of=lane_of,
        caller_of=caller_of,
        bodies=bodies,
        exports_max=settings.EXPORTS_AT_ONCE,
        stall_s=settings.CLIENT_STALL_S,
    )
    Server(_config(client_named(gateway, proxies=settings.TRUSTED_PROXIES))).run(sockets=[listener])


def client_named(application: Any, *, proxies: list[str]) -> Any:
    """Take the client's address from ``X-Forwarded-For`` on connections from ``proxies``.

    ``proxies`` are addresses or networks. The client is the header's last address that is not a proxy's. On
    connections from anyone else, the header is ignored.
    """
    return ProxyHeadersMiddleware(application, trusted_hosts=proxies) if proxies else application


def _config(application: Any) -> Config:
    patience = Patience(
        head_s=HEAD_S,
        head_bytes=HEAD_BYTES,
        body_s=settings.BODY_S,
        body_rate=settings.BODY_BYTES_PER_S_MIN,
        grace_s=GRACE_S,
        stall_s=settings.CLIENT_STALL_S,
    )
    return Config(
        application,
        http=cast("Any", connection_class(patience)),
        loop="uvloop",
        ws="none",
        lifespan="off",
        interface="asgi3",
        log_config=None,
        server_header=False,
        proxy_headers=False,  # only trusted proxies count; see client_named
        backlog=BACKLOG,
        limit_concurrency=CLIENTS_MAX,
        timeout_keep_alive=KEEP_ALIVE_S,
        timeout_graceful_shutdown=GRACEFUL_S,
    )
