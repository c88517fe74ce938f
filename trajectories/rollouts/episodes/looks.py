"""The look of each sample's pages."""

from __future__ import annotations

import hashlib

from core.presentation import AXES_BESIDE_LOOKS, Look, look_make, look_rotate
from palaestra.protocol.looks import PageKind
from trajectories.rollouts.episodes.creation_body import Opening


def derive(*parts: int | str) -> int:
    """Derive 63 bits, the same on every machine."""
    text = ":".join(map(str, parts)).encode()
    return int.from_bytes(hashlib.sha256(text).digest()[:8], "big") >> 1


class Looks:
    """One look per group, one per episode, or for sample k the k-th of a fixed rotation.

    In a rotation, sample k has the same look in every task with the same kind of page: looks are crossed
    with tasks.
    """

    def __init__(self, opening: Opening, group_seed: int, page: PageKind) -> None:
        self._mode = opening.looks
        self._fixed = {
            axis: value for axis, value in opening.presentation.items() if axis not in AXES_BESIDE_LOOKS
        }
        self._page = page
        self._group_seed = group_seed
        self._rotation_seed = derive(opening.seed or 0, "rotation")
        self._shared = look_make(seed=group_seed, fixed=self._fixed, page=page)

    def of_sample(self, sample_index: int) -> Look:
        if self._mode == "per_group":
            return self._shared
        if self._mode == "rotation":
            return look_rotate(
                seed=self._rotation_seed, place=sample_index, fixed=self._fixed, page=self._page
            )
        seed = derive(self._group_seed, "look", sample_index)
        return look_make(seed=seed, fixed=self._fixed, page=self._page)
