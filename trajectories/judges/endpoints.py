"""The endpoint of a judge. Its key comes from the environment and is never stored."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

import httpx
from django.conf import settings

from trajectories.annotation.machines.endpoint import Endpoint
from trajectories.annotation.machines.services import key_read
from trajectories.models import Judge


@contextmanager
def endpoint_open(judge: Judge, key_env: str = "", **options: Any) -> Iterator[Endpoint]:
    """Open the judge's endpoint with the key in the variable ``key_env``, else with that of ``JUDGE_KEYS``.

    There may be no key. Raises ``GymError`` ``no_key`` (422) if the variable is named and not set.
    """
    key = key_read(key_env) or settings.JUDGE_KEYS.get(judge.name, "")
    with httpx.Client() as client:
        yield Endpoint(url=judge.body["url"], model=judge.body["model"], key=key, client=client, **options)
