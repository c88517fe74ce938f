"""Work that goes on in the background for as long as its owner is entered."""

from __future__ import annotations

import asyncio
from abc import ABC, abstractmethod
from typing import TypeVar

B = TypeVar("B", bound="Background")


class Background(ABC):
    _task: asyncio.Task[None] | None = None

    async def __aenter__(self: B) -> B:
        self._task = asyncio.ensure_future(self._work())
        return self

    async def __aexit__(self, *_: object) -> None:
        if self._task is not None:
            self._task.cancel()
            await asyncio.gather(self._task, return_exceptions=True)

    @abstractmethod
    async def _work(self) -> None:
        """Work until cancelled."""
