"""Lines of Python that load an export into pandas."""

from __future__ import annotations

from pathlib import Path

from core.tables import toml_load

SNIPPETS = toml_load(Path(__file__).with_name("snippets.toml"), dict[str, str])


def snippet(kind: str, file: str) -> str:
    """``file`` is the name that the export is saved under."""
    return SNIPPETS[kind].strip().replace("{file}", file)
