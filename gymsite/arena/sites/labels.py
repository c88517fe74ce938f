"""Words on a site's buttons, links, fields and headings, in each wording of the look's axis ``labels``.

Pages and scripted visitors read the same tables. Facts that tasks ask about, and the heads of their
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
"""Texts by name; ``{}`` takes a name or a number."""
Table = dict[str, tuple[str, str, str, str]]
"""Each label in every wording, in the order of the axis: plain, brisk, formal, friendly."""

FOLDER = Path(__file__).parent


@cache
def load_labels(site: str, wording: str) -> Labels:
    """Return the labels that all sites share, and those of a site, if it has any."""
    files = (FOLDER / "labels.toml", FOLDER / site / "labels.toml")
    table = ChainMap(*(toml_load(file, Table) for file in reversed(files) if file.exists()))
    column = AXES["labels"].index(wording)
    return MappingProxyType({name: texts[column] for name, texts in table.items()})
