"""The built-in label fields, the codebooks that they form, and the publications behind them."""

from __future__ import annotations

from functools import cache
from pathlib import Path

from msgspec import Struct

from core.text.toml import toml_load
from trajectories.annotation.codebook.types import STEP, Codebook, Field

_JUDGE = "Judge what is written, not whether it is right or whether the action was a good one."
UNITS = {
    "step": "One unit is the thought of one step. A thought of more than 150 words is labelled by paragraph. "
    f"{_JUDGE}",
    "trajectory": "One unit is a whole trajectory: the task and all its steps. Judge by what the pages show, "
    "not by what the model says about itself.",
    "pair": "One unit is a pair: two trajectories of the same task, or two next steps on the same page, in "
    "random order. Prefer the one that serves the task better; how it is worded does not count.",
}


@cache
def load_fields() -> dict[str, Field]:
    """Load this installation's fields by id, each from its own file."""
    files = sorted((Path(__file__).parent / "builtin").glob("*.toml"))
    return {path.stem: toml_load(path, Field) for path in files}


def build_codebook(level: str = STEP) -> Codebook:
    """Build this installation's codebook for projects at a level; new projects copy it."""
    fields = [field for field in load_fields().values() if field.level == level]
    return Codebook(unit=UNITS[level], fields=sorted(fields, key=lambda field: (field.rank, field.id)))


class Publication(Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    title: str
    authors: str
    year: int
    address: str


@cache
def load_publications() -> dict[str, Publication]:
    return toml_load(Path(__file__).with_name("sources.toml"), dict[str, Publication])
