"""The client imports nothing of the server: what both need to know is stated once on each side."""

from __future__ import annotations

import itertools
from typing import Any

import pytest

from core.presentation import AXES, AXES_DRAWN, Look, look_rotate
from palaestra import actions
from palaestra.evaluation import looks
from trajectories.actions import offers
from trajectories.actions.registry import ACTIONS
from trajectories.actions.types import Field


def test_client_and_server_have_the_same_actions() -> None:
    assert list(ACTIONS) == sorted(actions.ACTIONS)
    for id_, kind in ACTIONS.items():
        ours = actions.ACTIONS[id_]
        facts = (ours.description, ours.needs, ours.aim)
        assert facts == (kind.description, tuple(kind.needs), kind.aim), id_


CONDITIONS = [
    {"has_page": False},
    {"has_page": False, "has_tools": True},
    {"has_page": True, "has_ids": True, "has_tools": True},
    *(
        {"has_page": True, "has_ids": ids, "has_positions": positions, "has_outline": outline, **more}
        for ids, positions, outline in itertools.product((True, False), repeat=3)
        for more in ({}, {"is_site": True}, {"answer_channel": "api"}, {"actions_per_turn": 3})
    ),
]


@pytest.mark.parametrize("setup", CONDITIONS)
def test_client_and_server_offer_the_same_actions_and_fields(setup: dict[str, Any]) -> None:
    ours, theirs = actions.conditions_of(**setup), offers.conditions_of(**setup)
    assert actions.actions_offered(ours) == offers.actions_offered(theirs)
    for id_ in ACTIONS:
        assert actions.example_of(id_, ours) == offers.example_of(id_, theirs), id_
        fields = [
            Field(
                one.name, one.description, needs=one.needs, example=one.example, is_required=one.is_required
            )
            for one in actions.fields_offered(id_, ours)
        ]
        assert fields == offers.fields_offered(id_, theirs), id_


def test_client_and_server_have_the_same_looks() -> None:
    drawn = {axis for axes in AXES_DRAWN.values() for axis in axes}
    assert {name: axis.values for name, axis in looks.AXES.items()} == {name: AXES[name] for name in drawn}
    for page, axes in AXES_DRAWN.items():
        assert looks.axes_of(page) == list(axes)
        for place in range(12):
            look = look_rotate(seed=7, place=place, fixed={}, page=page)
            assert looks.look_digest(vars(look), page) == look.digest()
    assert looks.look_digest(vars(Look()), "question") == Look().digest()
