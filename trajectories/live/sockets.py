"""Routes sockets to their consumers, and limits their number."""

from __future__ import annotations

import re

from trajectories.live.answers import Receive, Scope, Send
from trajectories.live.closable_socket import Line
from trajectories.live.consumers import EpisodeConsumer, LiveConsumer, Refused, RunConsumer, RunPulseConsumer
from trajectories.live.hub import Hub
from trajectories.live.parameters import BIGINT_MAX

SOCKETS_MAX = 2_000
PATHS: tuple[tuple[re.Pattern[str], type[LiveConsumer]], ...] = (
    (re.compile(r"/ws/episodes/([0-9]{1,19})/?"), EpisodeConsumer),
    (re.compile(r"/ws/runs/([0-9]{1,19})/?"), RunConsumer),
    (re.compile(r"/ws/runs/([0-9]{1,19})/pulse/?"), RunPulseConsumer),
)


class SocketApp:
    """Hands each socket to its consumer; ``connected`` is their number."""

    def __init__(self, hub: Hub) -> None:
        self._hub = hub
        self.connected = 0

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        route, line = _route(scope["path"]), Line(receive, send)
        if route is None or self.connected >= SOCKETS_MAX:
            await Refused()(dict(scope), line.receive, line.send)
            return
        consumer, subject_id = route
        self.connected += 1
        try:
            call = {**scope, "hub": self._hub, "subject_id": subject_id}
            await consumer()(call, line.receive, line.send)
        finally:
            self.connected -= 1


def _route(path: str) -> tuple[type[LiveConsumer], int] | None:
    for pattern, consumer in PATHS:
        match = pattern.fullmatch(path)
        if match and int(match[1]) <= BIGINT_MAX:
            return consumer, int(match[1])
    return None
