"""Pages read over HTTP without a browser or scripts; they have the same outline and element ids."""

from __future__ import annotations

from palaestra.pages.lite.page import LitePage, LitePool

__all__ = ["LitePage", "LitePool"]
