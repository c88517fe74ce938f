"""How the pages of a group's samples look."""

from __future__ import annotations

from gymsite.core.presentation import Look, look_make
from trajectories.recording import arranging
from trajectories.recording.opening_body import Opening
from trajectories.recording.seeds import derive

# What ``presentation`` may name beside the axes of a look.
OWN_AXES = frozenset({"instruction", arranging.CHOICES_AXIS})


class Looks:
    """The look of each sample: one a group, one an episode, or the k-th of a fixed rotation for sample k.

    In a rotation sample k has the same look in every task, so that looks are crossed with tasks.
    """

    def __init__(self, opening: Opening, group_seed: int) -> None:
        self._mode = opening.looks
        self._fixed = {axis: value for axis, value in opening.presentation.items() if axis not in OWN_AXES}
        self._group_seed = group_seed
        self._rotation_seed = opening.seed or 0
        self._shared = look_make(seed=group_seed, fixed=self._fixed)

    def of_sample(self, sample_index: int) -> Look:
        if self._mode == "per_group":
            return self._shared
        if self._mode == "per_episode":
            seed = derive(self._group_seed, "look", sample_index)
        else:
            seed = derive(self._rotation_seed, "rotation", sample_index)
        return look_make(seed=seed, fixed=self._fixed)
