"""Models of planted signals: what is there is learned, what is not is refused, and the card says how."""

from __future__ import annotations

import math
from dataclasses import replace

import numpy as np
import pytest
from msgspec import structs

from core.errors import GymError
from tests.rewards.learned import planted
from trajectories.rewards.learned.card import REWRITINGS, build_card, may_pay
from trajectories.rewards.learned.features import MEASURES, compute_features
from trajectories.rewards.learned.fit import build_vocabulary, check_enough, parameters_fit
from trajectories.rewards.learned.lessons import Lessons
from trajectories.rewards.learned.source import scores_of
from trajectories.rewards.learned.types import Attack, Card

DISTANCE = 1.6


def carded(lessons: Lessons) -> Card:
    fitted, _ = lessons.parted()
    parameters, strength = parameters_fit(fitted)
    return build_card("planted", parameters, lessons=lessons, strength=strength, earlier=0)


def attack(card: Card, name: str) -> Attack:
    return next(one for one in card.attacks if one.name == name)


def test_a_planted_signal_is_recovered() -> None:
    card = carded(planted.lessons(distance=DISTANCE))
    truth = planted.auroc_of_distance(DISTANCE)
    assert card.auroc.low < truth < card.auroc.high
    assert card.auroc.value == pytest.approx(truth, abs=0.05)
    assert may_pay(card)
    assert card.strongest[0].feature == "confirmed"
    assert card.strongest[0].weight > 0
    assert card.calibration_error < 0.1
    (group,) = card.groups
    assert (group.kind, group.name, group.auroc) == ("benchmark", "gsm8k", card.auroc)


def test_where_nothing_is_planted_nothing_may_pay() -> None:
    for seed in range(3):
        card = carded(planted.lessons(distance=0.0, seed=seed))
        assert not may_pay(card)
        assert card.auroc.low < 0.55
        assert "may not pay a training run" in card.warnings[0]


def test_a_model_that_pays_for_length_says_so_on_its_card() -> None:
    card = carded(planted.lessons(distance=0.0, length=1.0))
    assert may_pay(card), "it ranks well, and is worth nothing once it is paid for"
    length = attack(card, "length")
    assert length.is_fooled
    assert length.shift > 0.2
    assert length.auroc < card.auroc.value - 0.05
    assert any("fooled by length" in warning for warning in card.warnings)


def test_a_model_of_actions_is_not_fooled_by_words() -> None:
    card = carded(planted.lessons(distance=DISTANCE))
    assert not any(one.is_fooled for one in card.attacks)


def test_no_task_is_in_both_parts() -> None:
    lessons = planted.lessons(distance=DISTANCE)
    one, other = lessons.episodes[:2]
    far = next(lesson for lesson in lessons.episodes if _is_held(lesson) != _is_held(one))
    pairs = [(one.recorded, other.recorded), (one.recorded, far.recorded)]
    fitted, held = replace(lessons, pairs=pairs).parted()
    assert not {*fitted.items} & {*held.items}
    assert {*fitted.items} | {*held.items} == {*lessons.items}
    assert 0.2 < len({*held.items}) / len({*lessons.items}) < 0.4
    assert len(fitted.pairs) + len(held.pairs) == 1, "a pair of both parts is in neither"


def _is_held(lesson: object) -> bool:
    return not Lessons(episodes=[lesson]).parted()[0].episodes


def test_held_apart_labels_change_no_weight() -> None:
    lessons = planted.lessons(distance=DISTANCE)
    turned = Lessons(episodes=[replace(one, label=one.label != _is_held(one)) for one in lessons.episodes])
    assert (lessons.parted()[1].labels != turned.parted()[1].labels).all()
    assert parameters_fit(lessons.parted()[0]) == parameters_fit(turned.parted()[0])


def test_preferences_are_learned_from() -> None:
    plain = planted.lessons(distance=0.4)
    known = [one.recorded for one in planted.lessons(distance=DISTANCE, seed=9).episodes]
    better = [
        (one, other) if one.facts["confirmed"] > other.facts["confirmed"] else (other, one)
        for one, other in zip(known[::2], known[1::2], strict=True)
    ]
    alone, card = carded(plain), carded(replace(plain, pairs=better))
    assert alone.strongest[0].weight < card.strongest[0].weight
    assert card.pairs_fitted + card.pairs_held == len(better)
    assert card.pairs_right > 0.9
    assert card.strongest[0].feature == "confirmed"


def test_scores_are_probabilities_whatever_the_text() -> None:
    parameters, _ = parameters_fit(planted.lessons(distance=DISTANCE).parted()[0])
    texts = ["", "*" * 9_999, "\n" * 500, "1 " * 4_000, "🦊", "word " * 2_000]
    odd = [planted.recorded(1, item=1, texts=[text], confirmed=1e12) for text in texts]
    scores = scores_of(parameters, odd)
    assert np.isfinite(scores).all()
    assert ((scores >= 0) & (scores <= 1)).all()
    assert np.isfinite(compute_features(odd, parameters.words)).all()


def test_an_episode_without_an_answer_has_0() -> None:
    parameters, _ = parameters_fit(planted.lessons(distance=DISTANCE).parted()[0])
    one = planted.recorded(1, item=1, texts=["x"], confirmed=9.0)
    with_answer, without = scores_of(parameters, [one, structs.replace(one, has_answer=False)])
    assert without == 0.0 < with_answer


def test_words_of_few_tasks_and_numbers_are_no_features() -> None:
    texts = [f"The answer is canary{'x' * item} 7351." for item in range(20)]
    words = build_vocabulary(
        [planted.recorded(item, item=item, texts=[text]) for item, text in enumerate(texts)]
    )
    assert words == ["answer", "is", "the"]
    assert "7351" not in "".join(words)
    assert "length" in MEASURES


def test_too_few_labels_are_refused_in_words() -> None:
    with pytest.raises(GymError, match="10 tasks, 10 successes and 10 failures"):
        check_enough(planted.lessons(distance=1.0, items=9), part="fitted")
    one_sided = [replace(one, label=True) for one in planted.lessons(distance=1.0).episodes]
    with pytest.raises(GymError, match="The held-out part"):
        check_enough(Lessons(episodes=one_sided), part="held-out")


def test_rewritings_change_texts_and_nothing_else() -> None:
    one = planted.recorded(1, item=1, texts=["Click it.\nThen go on.", ""])
    for rewriting in REWRITINGS.values():
        (changed,) = rewriting.of([one])
        assert changed.facts == one.facts
        assert all(text != before for text, before in zip(changed.texts, one.texts, strict=True))
    (longer,) = REWRITINGS["length"].of([planted.recorded(1, item=1, texts=["a" * 1_000])])
    assert math.isclose(len(longer.texts[0]), 2_000, abs_tol=1)
