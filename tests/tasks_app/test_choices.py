from __future__ import annotations

from collections import Counter

from tasks_app.choices import choices_move, is_movable, label_move, order_draw
from tasks_app.variation import get_tools, payload_shown

CHOICES = [{"label": label, "text": text} for label, text in zip("ABCD", "wxyz", strict=True)]


def test_reordering_keeps_the_labels_and_moves_the_texts() -> None:
    shown = choices_move(CHOICES, [2, 0, 3, 1])
    assert [choice["label"] for choice in shown] == ["A", "B", "C", "D"]
    assert [choice["text"] for choice in shown] == ["y", "w", "z", "x"]


def test_a_label_moves_with_its_text() -> None:
    order = [2, 0, 3, 1]
    shown = {choice["text"]: choice["label"] for choice in choices_move(CHOICES, order)}
    for choice in CHOICES:
        moved = label_move(choice["label"], labels=["A", "B", "C", "D"], order=order)
        assert shown[choice["text"]] == moved


def test_an_answer_that_is_not_a_label_is_unchanged() -> None:
    assert label_move("12.5", labels=["A", "B"], order=[1, 0]) == "12.5"


def test_an_order_depends_only_on_its_seed() -> None:
    assert order_draw(4, seed=1) == [3, 0, 2, 1]
    assert order_draw(5, seed=2) == order_draw(5, seed=2)


def test_every_position_is_equally_likely() -> None:
    places = Counter(order_draw(4, seed=seed).index(0) for seed in range(4000))
    assert min(places.values()) > 900


def test_choices_that_refer_to_each_other_are_not_reordered() -> None:
    assert is_movable({"choices": CHOICES, "order": "free"})
    assert not is_movable({"choices": CHOICES, "order": "fixed"})
    assert not is_movable({"choices": CHOICES})
    assert not is_movable({"text": "1 + 1"})


def test_a_variation_changes_only_what_it_names() -> None:
    payload = {"text": "Which?", "choices": CHOICES}
    shown = payload_shown(payload, {"order": [3, 2, 1, 0], "tools": ["zoom"]})
    assert shown == {"text": "Which?", "choices": choices_move(CHOICES, [3, 2, 1, 0])}
    assert payload_shown(payload, None) is payload
    assert get_tools({"tools": ["zoom"]}) == {"zoom"}
    assert get_tools(None) == frozenset()
