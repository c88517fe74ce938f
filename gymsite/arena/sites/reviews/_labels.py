"""The words of the shop."""

from __future__ import annotations

from pathlib import Path

from gymsite.arena.sites.labels import wordings

labels_of = wordings(Path(__file__).with_name("labels.toml"))
