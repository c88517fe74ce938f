from __future__ import annotations

from deploy.demo_gap import DESIGN, PLANTED
from palaestra.commands import parser_make
from palaestra.evaluation.planted_gap import RUNGS, planted_read


def test_the_example_of_a_planted_gap_can_be_read_and_played() -> None:
    gap = planted_read(PLANTED)
    options = parser_make().parse_args(["eval", "--planted", str(PLANTED), "--golds", "golds", *DESIGN])

    assert gap.deficits.keys() < set(RUNGS)
    assert options.samples == options.looks[1], "every item meets every look"
