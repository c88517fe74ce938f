"""The client imports nothing of the server: what both need to know is stated once on each side."""

from __future__ import annotations

from core.presentation import AXES, AXES_DRAWN, Look, look_rotate
from palaestra.evaluation import looks


def test_client_and_server_have_the_same_looks() -> None:
    drawn = {axis for axes in AXES_DRAWN.values() for axis in axes}
    assert {name: axis.values for name, axis in looks.AXES.items()} == {name: AXES[name] for name in drawn}
    for page, axes in AXES_DRAWN.items():
        assert looks.axes_of(page) == list(axes)
        for place in range(12):
            look = look_rotate(seed=7, place=place, fixed={}, page=page)
            assert looks.look_digest(vars(look), page) == look.digest()
    assert looks.look_digest(vars(Look()), "question") == Look().digest()
