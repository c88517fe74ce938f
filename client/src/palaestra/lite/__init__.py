"""Pages read over HTTP, without a browser and without scripts: the same outline, acted on by element id."""

from __future__ import annotations

from palaestra.lite.page import LitePage
from palaestra.lite.pool import LitePool

__all__ = ["LitePage", "LitePool"]
