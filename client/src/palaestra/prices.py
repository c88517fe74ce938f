"""Token prices, from a table that the user gives."""

from __future__ import annotations

from pathlib import Path

import msgspec

from palaestra.errors import PalaestraError
from palaestra.records import UsageTotals

PER = 1_000_000


class Price(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """Prices of a million tokens. ``cached`` is for prompt tokens from the endpoint's cache; it defaults to
    ``prompt``."""

    prompt: float
    completion: float
    cached: float | None = None

    def compute_cost(self, usage: UsageTotals) -> float:
        """Return the cost of ``usage`` in the currency of the table."""
        cached = self.prompt if self.cached is None else self.cached
        fresh = max(0, usage.prompt - usage.cached)
        return (fresh * self.prompt + usage.cached * cached + usage.completion * self.completion) / PER


class PriceTable(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """A JSON file such as ``{"currency": "USD", "models": {"m": {"prompt": 0.15, "completion": 0.6}}}``."""

    models: dict[str, Price]
    currency: str = "USD"


def prices_read(path: Path) -> PriceTable:
    """Read a table from a file. Raises ``PalaestraError`` if it is invalid."""
    try:
        return msgspec.json.decode(path.read_bytes(), type=PriceTable)
    except (msgspec.ValidationError, msgspec.DecodeError) as failure:
        raise PalaestraError(f"{path}: {failure}. Expected: {PriceTable.__doc__}") from failure
