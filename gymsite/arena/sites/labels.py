"""The words on a site's buttons, links, fields and headings, in each wording of the look's axis ``labels``.

Pages and scripted visitors read the same tables. Facts that tasks ask about, and the heads of their
columns, are the same in all wordings.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from pathlib import Path
from types import MappingProxyType

from core.presentation import AXES
from tasks_app.worlds.editions import toml_load

Labels = Mapping[str, str]
"""Texts by name; ``{}`` takes a name or a number."""
Table = dict[str, tuple[str, str, str, str]]
"""Each label in every wording, in the order of the axis: plain, brisk, formal, friendly."""

_SHARED = Path(__file__).with_name("labels.toml")


def wordings(path: Path) -> Callable[[str], Labels]:
    """Takes a wording and gives its labels, those that all sites share among them."""
    table = toml_load(_SHARED, Table) | toml_load(path, Table)
    by_wording = {
        wording: MappingProxyType({name: texts[place] for name, texts in table.items()})
        for place, wording in enumerate(AXES["labels"])
    }
    return by_wording.__getitem__
