"""Pages read over HTTP, without a browser and without scripts: the same outline, acted on by element id."""

from __future__ import annotations

from palaestra.pages.lite.page import LitePage, LitePool

__all__ = ["LitePage", "LitePool"]
