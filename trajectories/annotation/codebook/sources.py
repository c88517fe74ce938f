"""The publications that labels come from (``sources.toml``)."""

from __future__ import annotations

from functools import cache
from pathlib import Path

from msgspec import Struct

from core.tables import toml_load


class Publication(Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    title: str
    authors: str
    year: int
    address: str


@cache
def publications() -> dict[str, Publication]:
    return toml_load(Path(__file__).with_name("sources.toml"), dict[str, Publication])
