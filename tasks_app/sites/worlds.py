"""Worlds of a mock site that tasks are about.

A world's number and key come from the installation's salt, so nothing public reveals which world is drawn.
"""

from __future__ import annotations

import hmac
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import date, timedelta
from hashlib import sha256
from typing import Any

from core.draws import Draws
from tasks_app.worlds import registry
from tasks_app.worlds.keys import world_key

FIRST_DAY = date(2026, 3, 2)
DAYS = 1_000
NUMBER_BYTES = 6


@dataclass(frozen=True, kw_only=True)
class SiteWorld:
    site: str
    number: int
    edition: str
    first_day: date
    key: bytes

    def open(self, *, changes: Sequence[Mapping[str, Any]] = ()) -> Any:
        """Open the world as its site draws it, with a task's changes applied."""
        return registry.worlds.get(self.site).open_world(
            self.key, edition=self.edition, first_day=self.first_day, changes=changes
        )


def site_world(site: str, *, number: int, edition: str, salt: bytes) -> SiteWorld:
    key = world_key(salt=salt, site=site, number=number)
    first_day = FIRST_DAY + timedelta(days=Draws(key, "first day").whole(0, DAYS - 1))
    return SiteWorld(site=site, number=number, edition=edition, first_day=first_day, key=key)


def split_world(site: str, *, split: str, path: str, salt: bytes) -> SiteWorld:
    """Choose a world for a split. Test worlds have odd numbers, so no world is in both splits."""
    drawn = hmac.digest(salt, f"world:{site}:{split}:{path}".encode(), sha256)
    number = int.from_bytes(drawn[:NUMBER_BYTES], "big") * 2 + 2 + (split == "test")
    return site_world(site, number=number, edition=split, salt=salt)
