"""The fields of the current codebook, and the codebook that they make."""

from __future__ import annotations

from core.registry import Registry
from trajectories.annotation.codebook.types import Codebook, Field

FIELDS: Registry[Field] = Registry("label field")
UNIT = (
    "One unit is the thought of one step. A thought of more than 150 words is labelled by paragraph. "
    "Judge what is written, not whether it is right or whether the action was a good one."
)


def register(field: Field) -> None:
    """Add a field; its id is the name of its file."""
    FIELDS.register(field.id, field)


def codebook_current() -> Codebook:
    """The codebook of this installation, which new projects copy."""
    fields = sorted((field for _, field in FIELDS.items()), key=lambda field: (field.rank, field.id))
    return Codebook(unit=UNIT, fields=fields)
