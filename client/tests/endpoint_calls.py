"""A helper that asks an endpoint one question, for tests of endpoints' replies."""

from __future__ import annotations

from typing import Any

from palaestra import Completion
from palaestra.models.endpoint import Endpoint
from palaestra.policies.clock import PolicyClock

LIMIT_S = 60


async def complete(endpoint: Endpoint, *, clock: PolicyClock | None = None, **fields: Any) -> Completion:
    question = [{"role": "user", "content": "What is half of 84?"}]
    return await endpoint.complete(question, model="tiny", clock=clock or PolicyClock(LIMIT_S), **fields)
