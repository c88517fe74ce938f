"""What is left out of a thought that is shown alone. The second list was written apart from the rule."""

from __future__ import annotations

import pytest

from trajectories.annotation.queues.redaction import find_hidden_places, redact


def blinded(thought: str, observation: str = "") -> str:
    return redact(thought, 0, len(thought), hidden=find_hidden_places(thought, observation=observation))


@pytest.mark.parametrize(
    ("thought", "expected"),
    [
        ("I click [12] and then [e7].", "I click … and then …."),
        ("click('a51') then fill(\"237\", 'x')", "click('…') then fill(\"…\", 'x')"),
        ("element 12 is a button; element 3 of the list", "element … is a button; element 3 of the list"),
        ('bid a324, bid="12", ref=e3, id: 44, I did 12', 'bid …, bid="…", ref=…, id: …, I did 12'),
        ("Go to https://shop.test/a?b=c. Then (www.x.org).", "Go to …. Then (…)."),
        ("#submit-button and //div[@id='x']/span", "… and …"),
        (
            "button[12] or arr[3], x = [5], [1, 2], \\sqrt[3]{8}",
            "button… or arr[3], x = [5], [1, 2], \\sqrt[3]{8}",
        ),
        ("/rooms/12?x=1, 3.5 km/h and/or 1/2, e.g. this", "…, 3.5 km/h and/or 1/2, e.g. this"),
    ],
)
def test_ids_and_addresses_are_left_out(thought: str, expected: str) -> None:
    assert blinded(thought) == expected


@pytest.mark.parametrize(
    ("thought", "expected"),
    [
        ("The Add to Cart button is [1384].", "The Add to Cart button is …."),
        ("I'll use the searchbox [e4] and press Enter.", "I'll use the searchbox … and press Enter."),
        ("Clicking element with id 273 opens it.", "Clicking element with id … opens it."),
        ("The dropdown (bid: b17) is collapsed.", "The dropdown (bid: …) is collapsed."),
        ("Next: select_option('a88', 'Price')", "Next: select_option('…', 'Price')"),
        ("On http://localhost:7770/sale.html?p=2 there are five", "On … there are five"),
        ("I am on staywell.example/rooms, page two", "I am on …, page two"),
        ("The node [e12] (link) goes to /orders/77.", "The node … (link) goes to …."),
        ("I hover a77 first", "I hover … first"),
        ("links [e1][e2] [e3]", "links … …"),
        # Nothing of these names a place of the page.
        ("So f(x) = x^2 + 3x, and f(2) = 10.", "So f(x) = x^2 + 3x, and f(2) = 10."),
        ("Room 12 costs $80/night; 4 of 5 have Wi-Fi.", "Room 12 costs $80/night; 4 of 5 have Wi-Fi."),
        ("Let a1 = 3 and a2 = a1 + 4. Then a2 = 7.", "Let a1 = 3 and a2 = a1 + 4. Then a2 = 7."),
        ("for i in range(3): s += v[i] * w[2]", "for i in range(3): s += v[i] * w[2]"),
        ("The interval [2, 5] has 4 integers.", "The interval [2, 5] has 4 integers."),
        ("It was invented by J. Doe in 1984 (see B12).", "It was invented by J. Doe in 1984 (see B12)."),
        ("The answer is C. No. 7 is odd.", "The answer is C. No. 7 is odd."),
        ("Each element 2 < x is kept", "Each element 2 < x is kept"),
        ("int('12') gives 12", "int('12') gives 12"),
        ("The ratio is 3:4, or 75 %.", "The ratio is 3:4, or 75 %."),
    ],
)
def test_nothing_else_is_left_out(thought: str, expected: str) -> None:
    assert blinded(thought) == expected


def test_a_bare_id_is_left_out_where_the_page_has_such() -> None:
    thought = "a12 is the field (e66 before), x1 is not"
    assert blinded(thought) == thought
    assert blinded(thought, '[a12] textbox "Name"') == "… is the field (e66 before), x1 is not"
    assert blinded(thought, '[e12] textbox "Name"') == "a12 is the field (… before), x1 is not"


@pytest.mark.parametrize(
    ("observation", "expected"),
    [
        ("", "It wants …, and I click …."),
        ("[12] button", "It wants …, and I click …."),
        ("[e3] button", "It wants [7], and I click …."),
    ],
)
def test_a_number_in_brackets_is_an_id_where_pages_number_their_elements(
    observation: str, expected: str
) -> None:
    assert blinded("It wants [7], and I click [e3].", observation) == expected


def test_what_is_hidden_keeps_its_place_in_parts_of_the_thought() -> None:
    thought = "Go to https://a.test/b now. Then [4]."
    hidden = find_hidden_places(thought)
    assert "".join(thought[begin:end] for begin, end in hidden) == "https://a.test/b[4]"
    assert redact(thought, 0, 10, hidden=hidden) + redact(thought, 10, 24, hidden=hidden) == "Go to … n"
    assert redact(thought, 0, 0, hidden=hidden) == ""
