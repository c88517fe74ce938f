"""Labels of a site's buttons, links, fields and headings, for each value of the look's axis ``labels``.

Pages and scripted visitors read the same tables. The facts that tasks ask about, and the headings of their
columns, are the same in all wordings.
"""

from __future__ import annotations

from collections import ChainMap
from collections.abc import Mapping
from functools import cache
from pathlib import Path
from types import MappingProxyType

from core.episodes.presentation import AXES
from core.text.toml import toml_load

Labels = Mapping[str, str]
"""Texts by name; ``{}`` is filled with a name or a number."""
Table = dict[str, tuple[str, str, str, str]]
"""Each label in every wording, in the order of the axis: plain, brisk, formal, friendly."""

FOLDER = Path(__file__).parent


@cache
def load_labels(site: str, wording: str) -> Labels:
    """Return the labels that all sites share, together with the site's own, if it has any."""
    files = (FOLDER / "labels.toml", FOLDER / site / "labels.toml")
    table = ChainMap(*(toml_load(file, Table) for file in reversed(files) if file.exists()))
    column = AXES["labels"].index(wording)
    return MappingProxyType({name: texts[column] for name, texts in table.items()})
