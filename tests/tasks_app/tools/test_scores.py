"""Scores of calls, by hand and by policies whose faults are planted."""

from __future__ import annotations

import random
from collections.abc import Callable
from math import sqrt

import pytest

from core.draws import Draws
from tasks_app.tool_tasks import families, oracle
from tasks_app.tool_tasks.rates import EXTRA, compute_rates, confusion_part, fault_part
from tasks_app.tool_tasks.rates import share as rate
from tasks_app.tool_tasks.registry import FAMILIES
from tasks_app.tool_tasks.scores import NOTHING, UNKNOWN, Score, score_calls
from tasks_app.tool_tasks.types import Call, Item, Node, Truth
from tasks_app.tools.data import ToolData, draw_data

FAMILIES.discover(families)
DATA = draw_data(5)
PLACES = [place.name for place in DATA.places if "(" not in place.name]
WAY = {"from": PLACES[0], "to": PLACES[1]}
DISTANCE = Node("distance", {name: (value,) for name, value in WAY.items()})
MILES = Node("unit_converter", {"amount": ("12",), "from": ("kilometre",), "to": ("mile",)}, (0,))
CHAIN = Truth(((DISTANCE, MILES),))
ONE = Truth(((DISTANCE,),))
NONE = Truth(((),))


def way(**others: str) -> Call:
    return Call("distance", {**WAY, **others})


def miles(amount: str = "12", unit: str = "km") -> Call:
    return Call("unit_converter", {"amount": amount, "from": unit, "to": "miles"})


def score(*calls: Call, truth: Truth = ONE) -> Score:
    return score_calls(calls, truth, DATA)


def test_right_calls_score_full_in_all_parts() -> None:
    both = score(way(), miles(), truth=CHAIN)
    assert (both.needed, both.selection, both.arguments, both.surplus) == (1, 1, 1, 0)


def test_calling_nothing_is_right_where_nothing_is_needed_alone() -> None:
    assert (score(truth=NONE).needed, score(truth=NONE).selection) == (1, None)
    assert (score().needed, score().selection, score().arguments) == (0, None, None)
    assert score(way(), truth=NONE).needed == 0


def test_a_wrong_tool_has_no_arguments_and_is_a_confusion() -> None:
    wrong = score(Call("travel_time", {**WAY, "by": "car"}))
    assert (wrong.needed, wrong.selection, wrong.arguments) == (1, 0, None)
    assert wrong.confusions == (("distance", "travel_time"),)


def test_missing_and_surplus_calls_lower_selection() -> None:
    assert score(way(), truth=CHAIN).selection == 0.5
    again = score(way(), way())
    assert (again.selection, again.repeated, again.confusions) == (0.5, 1, ((NOTHING, "distance"),))


def test_a_call_before_the_one_it_needs_does_not_count() -> None:
    early = score(miles(), way(), truth=CHAIN)
    assert (early.matched, early.surplus) == (1, 1)


def test_the_nearest_of_several_calls_is_the_one_that_counts() -> None:
    later = score(way(to=PLACES[2]), way())
    assert (later.arguments, later.surplus) == (1, 1)


def test_harmless_calls_neither_count_nor_cost() -> None:
    truth = Truth(((DISTANCE,),), harmless=("calculator",))
    checked = score(way(), Call("calculator", {"expression": "1+1"}), truth=truth)
    assert (checked.selection, checked.surplus, checked.harmless) == (1, 0, 1)
    assert score(Call("calculator", {"expression": "1+1"}), truth=truth).needed == 0


def test_the_best_of_several_graphs_counts() -> None:
    other = Node("distance", {"from": (WAY["to"],), "to": (WAY["from"],)})
    back = Call("distance", {"from": WAY["to"], "to": WAY["from"]})
    assert score(back).arguments is not None
    assert score(back).arguments < 1
    assert score(back, truth=Truth(((DISTANCE,), (other,)))).arguments == 1


def test_optional_calls_are_right_either_way() -> None:
    truth = Truth(((), (DISTANCE,)))
    assert score(truth=truth).needed == score(way(), truth=truth).needed == 1


def test_values_are_compared_by_what_they_mean() -> None:
    same = Call("unit_converter", {"amount": "12.0", "from": "Kilometres", "to": "mi"})
    truth = Truth(((Node(MILES.tool, MILES.arguments),),))
    assert score(same, truth=truth).arguments == 1
    assert score(miles(amount="6"), truth=truth).distances[0][1]["amount"] == 0.5
    unreadable = score(miles(amount="a dozen"), truth=truth)
    assert 0 < unreadable.distances[0][1]["amount"] <= 1
    assert score(miles(unit="mile"), truth=truth).distances[0][1]["from"] > 0


def test_an_argument_that_is_missing_is_as_far_as_can_be() -> None:
    assert score(Call("distance", {"from": WAY["from"]}, is_ok=False)).distances[0][1] == {"from": 0, "to": 1}


def test_calls_of_tools_that_do_not_exist_are_surplus() -> None:
    odd = score(Call("browser", {}, is_ok=False))
    assert (odd.surplus, odd.failed, odd.selection) == (1, 1, 0)
    assert odd.confusions == (("distance", UNKNOWN),)
    assert score(Call(NOTHING, {}, is_ok=False)).confusions == (("distance", UNKNOWN),)


def test_missing_extra_and_other_arguments_are_different_faults() -> None:
    odd = score(Call("distance", {"from": WAY["from"], "to": " ", "via": "anywhere"}, is_ok=False))
    assert odd.faults == (("distance", {"to": "missing", "via": "extra"}),)
    other = score(way(to=PLACES[2]))
    assert other.faults == (("distance", {"to": "other"}),)
    assert [fault_part(one, ("distance", "to")) for one in (odd, other, score(way()))] == [
        (1, 1),
        (1, 1),
        (0, 1),
    ]
    assert fault_part(odd, ("distance", "to"), fault="other") == (0, 1)
    assert fault_part(odd, ("distance", EXTRA)) == (1, 1)
    assert fault_part(score(miles()), ("distance", "to")) == (0, 0)


def test_a_confusion_is_a_share_of_the_times_that_the_tool_was_needed() -> None:
    twice = Truth(((DISTANCE, Node("distance", {"from": (PLACES[2],), "to": (PLACES[3],)})),))
    made = score(way(), Call("time_zones", {}), truth=twice)
    assert confusion_part(made, ("distance", "time_zones")) == (1, 2)
    assert confusion_part(made, ("calculator", "time_zones")) == (0, 0)


# Policies with planted faults ------------------------------------------------------------------------------


def drawn(count: int) -> list[tuple[Item, ToolData]]:
    names = list(FAMILIES)
    return [
        (
            FAMILIES.get(names[number % len(names)]).draw(Draws("planted", number), draw_data(number % 8)),
            draw_data(number % 8),
        )
        for number in range(count)
    ]


Policy = Callable[[list[Call]], list[Call]]
OTHERS = {"distance": "travel_time", "time_zones": "calendar"}


def wrong_tool(calls: list[Call]) -> list[Call]:
    """Never one that the graph has elsewhere."""
    return [Call(OTHERS.get(call.tool, "time_zones"), {}) for call in calls]


def wrong_arguments(calls: list[Call]) -> list[Call]:
    return [Call(call.tool, dict.fromkeys(call.arguments, "zz"), is_ok=False) for call in calls]


def always(calls: list[Call]) -> list[Call]:
    return calls or [Call("calculator", {"expression": "1+1"})]


def never(_calls: list[Call]) -> list[Call]:
    return []


def play(policy: Policy, share: float, count: int = 480) -> list[Score]:
    """The fault in so many of the episodes, else the oracle's calls."""
    draws = random.Random(11)
    scores = []
    for item, data in drawn(count):
        calls = oracle.list_calls(item.graphs[0])
        scores.append(score_calls(policy(calls) if draws.random() < share else calls, item.truth, data))
    return scores


def near(value: float | None, expected: float, count: int) -> bool:
    """Within three standard errors of a share of so many."""
    return value is not None and abs(value - expected) <= 3 * sqrt(
        max(expected * (1 - expected), 0.01) / count
    )


def test_the_oracle_scores_full() -> None:
    rates = compute_rates(play(never, share=0))
    assert set(rates.shares.values()) == {1}
    assert (rates.surplus, rates.confusions) == (0, {})
    assert set(rates.distances.values()) == {0}


@pytest.mark.parametrize("share", [0.2, 0.6, 1.0])
def test_a_policy_that_never_calls_loses_recall_alone(share: float) -> None:
    rates = compute_rates(play(never, share=share))
    assert near(rates.shares["recall"], 1 - share, 400)
    assert rates.shares["precision"] in (1, None)
    assert rates.shares["selection"] in (1, None)
    assert {called for _, called in rates.confusions} == {NOTHING}


@pytest.mark.parametrize("share", [0.2, 0.6, 1.0])
def test_a_policy_that_always_calls_loses_precision_alone(share: float) -> None:
    scores = play(always, share=share)
    rates = compute_rates(scores)
    needless = [score.needed for score in scores if not score.is_needed]
    assert near(1 - sum(needless) / len(needless), share, len(needless))
    assert {rates.shares[name] for name in ("recall", "selection", "arguments")} == {1}
    assert near(rates.shares["precision"], 5 / (5 + share), 400)
    assert set(rates.confusions) == {(NOTHING, "calculator")}


@pytest.mark.parametrize("share", [0.2, 0.6, 1.0])
def test_a_policy_that_confuses_tools_loses_selection_alone(share: float) -> None:
    scores = play(wrong_tool, share=share)
    rates = compute_rates(scores)
    of_one = [score.selection for score in scores if score.nodes == 1 and score.selection is not None]
    wrong = sum(value < 1 for value in of_one) / len(of_one)
    assert near(wrong, share, len(of_one))
    assert rates.shares["recall"] == rates.shares["precision"] == 1
    assert rates.shares["arguments"] in (1, None)
    assert near(sum(rates.confusions.values()) / sum(rates.needs.values()), share, 400)
    assert {other for one, other in rates.confusions if one == "distance"} <= {"distance", "travel_time"}


@pytest.mark.parametrize("share", [0.2, 0.6, 1.0])
def test_a_policy_with_wrong_arguments_loses_arguments_alone(share: float) -> None:
    scores = play(wrong_arguments, share=share)
    rates = compute_rates(scores)
    assert {rates.shares[name] for name in ("recall", "precision", "selection")} == {1}
    judged = [score.arguments for score in scores if score.arguments is not None]
    assert near(sum(value < 1 for value in judged) / len(judged), share, len(judged))
    assert near(rates.shares["execution"], 1 - share, 400)
    wrong = [fault_part(score, place) for place in rates.distances for score in scores]
    assert near(rate(wrong), share, 400)
    assert wrong == [fault_part(score, place, fault="other") for place in rates.distances for score in scores]
    if share == 1:
        assert max(judged) < 0.3
        assert all(distance > 0.5 for distance in rates.distances.values())
