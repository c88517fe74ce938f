"""The words on a site's buttons, links, fields and headings, in each wording of the look's axis ``labels``.

Pages and scripted visitors read the same tables. Facts that tasks ask about, and the heads of the columns
that they stand in, are written alike in all wordings.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from types import MappingProxyType

from core.presentation import AXES

Labels = Mapping[str, str]
"""What a thing is called, by its own name; ``{}`` is where a name or a number goes."""
Table = Mapping[str, tuple[str, str, str, str]]
"""The same for all wordings, in the order of the axis: plain, brisk, formal, friendly."""

PICTURES: Table = {
    "previous_picture": ("Previous picture", "Picture before", "Preceding picture", "One picture back"),
    "next_picture": ("Next picture", "Picture after", "Following picture", "One picture on"),
}
"""Of galleries, which the sites share."""


def wordings(table: Table) -> Callable[[str], Labels]:
    """The labels of a wording, by its value; ``KeyError`` for one that there is not."""
    by_wording = {
        wording: MappingProxyType({name: texts[place] for name, texts in table.items()})
        for place, wording in enumerate(AXES["labels"])
    }
    return by_wording.__getitem__
