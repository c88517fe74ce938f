"""The REST API of an installation: typed calls, and background tasks."""

from __future__ import annotations

from palaestra.api.client import Client

__all__ = ["Client"]
