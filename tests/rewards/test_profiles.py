"""What profiles pay, and which are refused."""

from __future__ import annotations

import itertools
import math
from random import Random
from typing import Any

import pytest

from core.errors import GymError
from trajectories.rewards.components.outcome import OUTCOME
from trajectories.rewards.profiles.parser import body_of, find_extremes, profile_read, sha256_of
from trajectories.rewards.profiles.payment import Components, compute_payment, range_of
from trajectories.rewards.profiles.types import Profile

RIGHT, WRONG = {OUTCOME: 1.0}, {OUTCOME: 0.0}


def read(*terms: dict[str, Any], **fields: Any) -> Profile:
    return profile_read({"name": "tried", "terms": list(terms), **fields})


def refused(*terms: dict[str, Any], **fields: Any) -> str:
    with pytest.raises(GymError) as refusal:
        read(*terms, **fields)
    assert (refusal.value.code, refusal.value.status) == ("profile_refused", 422)
    return refusal.value.message


def total(profile: Profile, values: dict[str, float | None], **known: Any) -> float | None:
    return compute_payment(profile, Components(values=values, **known)).total


def test_the_outcome_alone_pays_what_a_verdict_does() -> None:
    profile = read({"component": "outcome"})
    assert (total(profile, dict(RIGHT)), total(profile, dict(WRONG))) == (1.0, 0.0)
    assert total(profile, {OUTCOME: None}) is None
    assert total(profile, {}) is None


def test_terms_pay_between_their_ends() -> None:
    syntax = {"component": "syntax", "positive": 0.5, "negative": -1.0, "weight": 0.5}
    profile = read({"component": "outcome", "weight": 2.0}, syntax)
    assert total(profile, RIGHT | {"syntax": 1.0}) == 2.25
    assert total(profile, RIGHT | {"syntax": 0.0}) == 1.5
    assert total(profile, WRONG | {"syntax": 0.5}) == -0.125
    assert total(profile, WRONG) == 0.0, "what does not apply pays nothing"
    assert total(profile, WRONG | {"syntax": None}) is None, "what could not be computed is no zero"


def test_a_component_without_an_upper_end_is_given_one() -> None:
    profile = read({"component": "outcome"}, {"component": "length", "high": 100, "positive": -0.5})
    assert total(profile, RIGHT | {"length": 50.0}) == 0.75
    assert total(profile, RIGHT | {"length": 500.0}) == 0.5
    assert "upper end" in refused({"component": "outcome"}, {"component": "length", "positive": -0.5})


def test_a_gate_closes_what_is_behind_it() -> None:
    gated = {"component": "executed", "weight": 0.2, "gate": {"term": "form", "at_least": 0.5}}
    profile = read({"component": "outcome"}, {"component": "form", "weight": 0.1}, gated)
    assert total(profile, WRONG | {"form": 0.5, "executed": 1.0}) == pytest.approx(0.25)
    assert total(profile, WRONG | {"form": 0.4, "executed": 1.0}) == pytest.approx(0.04)
    assert total(profile, WRONG | {"executed": 1.0}) == 0.0, "a gate that does not apply is closed"
    assert total(profile, WRONG | {"form": None, "executed": 1.0}) is None


def test_a_gate_closed_by_the_gate_before_it_stays_closed() -> None:
    terms = [
        {"component": "outcome"},
        {"component": "syntax", "weight": 0.1},
        {"component": "form", "weight": 0.1, "gate": {"term": "syntax"}},
        {"component": "executed", "weight": 0.1, "gate": {"term": "form"}},
    ]
    values = WRONG | {"form": 1.0, "executed": 1.0}
    assert total(read(*terms), values | {"syntax": 1.0}) == pytest.approx(0.3)
    assert total(read(*terms), values | {"syntax": 0.0}) == 0.0


def test_a_product_counts_arguments_only_with_the_rest() -> None:
    profile = read(
        {"component": "outcome"},
        {"component": "form"},
        combination="product",
        allow_shaping_over_outcome=True,
    )
    assert total(profile, RIGHT | {"form": 0.5}) == 0.5
    assert total(profile, WRONG | {"form": 1.0}) == 0.0


def test_a_blend_is_the_mean_of_what_there_is() -> None:
    terms = [{"component": "outcome", "trust": 0.75}, {"component": "form", "trust": 0.25}]
    profile = read(*terms, combination="blend")
    assert total(profile, RIGHT | {"form": 0.0}) == 0.75
    assert total(profile, dict(RIGHT)) == 1.0
    assert "adds up to 0.9" in refused(
        {"component": "outcome", "trust": 0.6}, {"component": "form", "trust": 0.3}, combination="blend"
    )
    assert "needs a `trust`" in refused(*terms, {"component": "syntax"}, combination="blend")
    assert "belongs to a blend" in refused(*terms)


def test_a_cascade_asks_the_next_where_the_first_is_not_sure() -> None:
    terms = [
        {"component": "form", "decides_below": 0.2, "decides_above": 0.8},
        {"component": "outcome", "positive": 2.0},
    ]
    profile = read(*terms, combination="cascade", allow_shaping_over_outcome=True)
    assert total(profile, RIGHT | {"form": 0.1}) == pytest.approx(0.1)
    assert total(profile, RIGHT | {"form": 0.9}) == pytest.approx(0.9)
    assert total(profile, RIGHT | {"form": 0.5}) == 2.0
    assert total(profile, dict(RIGHT)) == 2.0


def test_a_schedule_changes_weights_as_training_goes_on() -> None:
    phases = [{"trainer_step": 100, "factor": 0.5}, {"trainer_step": 300, "factor": 0}]
    profile = read({"component": "outcome"}, {"component": "form", "weight": 0.4, "schedule": phases})
    paid = [total(profile, WRONG | {"form": 1.0}, trainer_step=step) for step in (0, 99, 100, 299, 300)]
    assert paid == [0.4, 0.4, 0.2, 0.2, 0.0]
    assert "ascending order" in refused(
        {"component": "outcome"}, {"component": "form", "weight": 0.1, "schedule": phases[::-1]}
    )


def test_steps_add_up_to_the_total_in_every_shape() -> None:
    terms = [
        {"component": "outcome"},
        {"component": "syntax", "weight": 0.3, "negative": -1.0},
        {"component": "milestone/opened_trips", "weight": 0.2},
    ]
    known = Components(
        values=RIGHT | {"syntax": 0.5, "milestone/opened_trips": 1.0},
        steps={"syntax": {1: 1.0, 2: 0.0}, "milestone/opened_trips": {2: 1.0}},
        last=3,
    )
    at_end, per_step, potential = (
        compute_payment(read(*terms, shape=shape), known) for shape in ("at_end", "per_step", "potential")
    )
    assert at_end.steps == {3: pytest.approx(1.2)}
    assert per_step.steps == {1: 0.15, 2: pytest.approx(0.05), 3: pytest.approx(1.0)}
    assert potential.steps == {1: 0.15, 2: pytest.approx(0.05), 3: pytest.approx(0.8)}
    assert (at_end.total, per_step.total, potential.total) == (pytest.approx(1.2), pytest.approx(1.2), 1.0)
    for payment in (at_end, per_step, potential):
        assert math.fsum(payment.steps.values()) == pytest.approx(payment.total)


def test_a_clip_bounds_the_sum_and_the_last_step_bears_it() -> None:
    terms = [{"component": "outcome", "weight": 10}, {"component": "syntax", "weight": 0.5}]
    profile = read(*terms, clip=[0, 5], shape="per_step")
    known = Components(values=RIGHT | {"syntax": 1.0}, steps={"syntax": {1: 1.0, 2: 1.0}}, last=2)
    payment = compute_payment(profile, known)
    assert payment.total == 5.0
    assert payment.steps == {1: 0.25, 2: 4.75}


@pytest.mark.parametrize(
    ("terms", "fields", "words"),
    [
        ([{"component": "sintax"}], {}, "Did you mean syntax?"),
        ([{"component": "milestone/opened_trip"}], {}, "Did you mean opened_trips"),
        ([{"component": "milestone"}], {}, "milestone"),
        ([{"component": "outcome"}, {"component": "outcome"}], {}, "Give each its own name"),
        ([{"component": "outcome", "high": 0}], {}, "below its `high`"),
        ([{"component": "outcome", "weight": "a"}], {}, "weight"),
        ([{"component": "outcome", "colour": 1}], {}, "colour"),
        ([{"component": "outcome"}], {"clip": [1, 0]}, "lower bound"),
        ([{"component": "outcome"}], {"combination": "product", "shape": "per_step"}, "Only a sum"),
        ([], {}, "terms"),
        ([{"component": "outcome", "gate": {"term": "none"}}], {}, "refers to an unknown term"),
    ],
)
def test_what_cannot_be_paid_is_refused_in_words(
    terms: list[dict[str, Any]], fields: dict[str, Any], words: str
) -> None:
    assert words in refused(*terms, **fields)


def test_gates_in_a_circle_are_refused() -> None:
    message = refused(
        {"component": "outcome"},
        {"component": "syntax", "gate": {"term": "form"}},
        {"component": "form", "gate": {"term": "executed"}},
        {"component": "executed", "gate": {"term": "form"}},
    )
    assert "form → executed → form" in message


@pytest.mark.parametrize("number", ["NaN", "Infinity", 1e7])
def test_numbers_that_nobody_can_mean_are_refused(number: Any) -> None:
    assert refused({"component": "outcome", "weight": float(number)})


def test_a_profile_that_can_pay_a_wrong_answer_like_a_right_one_is_refused() -> None:
    terms = [
        {"component": "outcome"},
        {"component": "syntax", "weight": 0.6},
        {"component": "form", "weight": 0.5},
    ]
    message = refused(*terms)
    assert "outcome 0, syntax 1, form 1 is paid 1.1" in message
    assert "outcome 1" in message
    assert read(*terms, allow_shaping_over_outcome=True)
    assert read(*terms, shape="potential"), "what is taken back cannot outweigh an outcome"


def test_a_later_phase_of_a_schedule_is_checked_too() -> None:
    later = [{"trainer_step": 500, "factor": 20}]
    message = refused({"component": "outcome"}, {"component": "syntax", "weight": 0.1, "schedule": later})
    assert "From trainer step 500 on" in message


def test_the_same_content_is_the_same_profile() -> None:
    one, other = read({"component": "outcome"}), read({"component": "outcome", "weight": 1})
    assert sha256_of(one) == sha256_of(other) == sha256_of(profile_read(body_of(one)))
    assert sha256_of(one) != sha256_of(read({"component": "outcome", "weight": 2.0}))


# ---- the extremes against all episodes of a grid
NAMES = ("syntax", "form", "executed", "repeated")
GRID = (None, 0.0, 0.2, 0.25, 0.5, 0.75, 1.0)


def drawn(random: Random, combination: str) -> dict[str, Any]:
    terms: list[dict[str, Any]] = [{"component": "outcome", "weight": random.choice((0.5, 1, 2))}]
    for name in random.sample(NAMES, 3):
        term = {
            "component": name,
            "weight": random.choice((0.1, 0.3, 1)),
            "positive": random.choice((1, 0.5, -1)),
            "negative": random.choice((0, -1, 0.5)),
        }
        if random.random() < 0.5:
            term["gate"] = {
                "term": random.choice(terms)["component"],
                "at_least": random.choice((0.25, 0.5, 1)),
            }
        if combination == "cascade":
            term |= {"decides_below": 0.2, "decides_above": 0.75}
        terms.append(term)
    for term, trust in zip(terms, (0.4, 0.3, 0.2, 0.1), strict=True):
        term |= {"trust": trust} if combination == "blend" else {}
    return {"name": "drawn", "terms": terms, "combination": combination, "allow_shaping_over_outcome": True}


@pytest.mark.parametrize("combination", ["sum", "product", "blend", "cascade"])
def test_no_episode_of_a_grid_is_beyond_the_extremes(combination: str) -> None:
    random = Random(combination)
    for _ in range(12):
        profile = profile_read(drawn(random, combination))
        extremes = find_extremes(profile)
        names = [term.component for term in profile.terms if term.component != OUTCOME]
        wrong, right = [], []
        for values in itertools.product(GRID, repeat=len(names)):
            episode = {name: value for name, value in zip(names, values, strict=True) if value is not None}
            wrong.append(total(profile, episode | WRONG))
            right.append(total(profile, episode | RIGHT))
        assert max(wrong) <= extremes.wrong_paid + 1e-9
        assert min(right) >= extremes.right_paid - 1e-9
        assert total(profile, extremes.wrong) == pytest.approx(extremes.wrong_paid)


def test_ranges_are_those_of_the_component_unless_a_term_narrows_them() -> None:
    plain, narrow = read(
        {"component": "form"},
        {"component": "form", "name": "half", "low": 0.5},
        allow_shaping_over_outcome=True,
    ).terms
    assert (range_of(plain), range_of(narrow)) == ((0.0, 1.0), (0.5, 1.0))
