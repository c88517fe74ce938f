"""Names of a page's question, field and buttons, for each look. They give no hint about the answer's form."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

from core.text.toml import toml_load


@dataclass(frozen=True, kw_only=True)
class Wording:
    """Wording of a page. ``label`` names a field, and ``choice`` a group of choices.

    ``numbered`` and a number name one of several fields. ``opener`` is the name of the form's dialog and of
    the button that opens it; ``closer`` is the button that closes it.
    """

    title: str
    label: str
    choice: str
    numbered: str
    button: str
    opener: str
    closer: str


WORDINGS = toml_load(Path(__file__).with_suffix(".toml"), dict[str, Wording])
