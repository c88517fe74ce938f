"""Names of a page's question, field and buttons, by look. None hints at the form of the answer."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

from core.text.toml import toml_load


@dataclass(frozen=True, kw_only=True)
class Wording:
    """``label`` names a field, ``choice`` a group of choices, and ``numbered`` with its number one of several
    fields. ``opener`` opens the dialog that holds the form, and names it; ``closer`` closes it.
    """

    title: str
    label: str
    choice: str
    numbered: str
    button: str
    opener: str
    closer: str


WORDINGS = toml_load(Path(__file__).with_suffix(".toml"), dict[str, Wording])
