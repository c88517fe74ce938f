"""The tools of a panel, held against other ways to their results."""

from __future__ import annotations

import random
import re
from datetime import date, timedelta
from decimal import ROUND_HALF_UP, Decimal
from fractions import Fraction
from math import hypot
from typing import Any

import pytest

from tasks_app.tools import calls
from tasks_app.tools.builtin import calculator
from tasks_app.tools.data import CURRENCIES, MEANS, REGIONS, draw_data
from tasks_app.tools.readers import number_text
from tasks_app.tools.types import TOOLS, ToolError

DATA = draw_data(5)
PLACES = [place.name for place in DATA.places]
DOUBLED = PLACES[0].partition(" (")[0]


def answer(tool: str, **arguments: Any) -> str:
    result = calls.call(tool, {name.rstrip("_"): value for name, value in arguments.items()}, DATA)
    assert result.is_ok, result.text
    return result.text


def refusal(tool: str, **arguments: Any) -> str:
    result = calls.call(tool, {name.rstrip("_"): value for name, value in arguments.items()}, DATA)
    assert not result.is_ok, result.text
    return result.text


@pytest.mark.parametrize(
    ("expression", "value"),
    [
        ("2 + 3 * 4", "14"),
        ("(2 + 3) * 4", "20"),
        ("2 ^ 3 ^ 2", "512"),
        ("2**3**2", "512"),
        ("-2 ^ 2", "-4"),
        ("10 - 4 - 3", "3"),
        ("7 / 2 / 2", "1.75"),
        ("1 / 3", "0.333333"),
        ("0.1 + 0.2", "0.3"),
        ("2 ^ -2", "0.25"),
        ("6 \u00d7 7 \u2212 2", "40"),
        ("--3", "3"),
    ],
)
def test_the_calculator_knows_precedence_and_is_exact(expression: str, value: str) -> None:
    assert answer("calculator", expression=expression) == value


@pytest.mark.parametrize(
    ("expression", "why"),
    [
        ("1 / 0", "zero"),
        ("0 ^ -1", "zero"),
        ("2 +", "missing at the end"),
        ("(2 + 3", "not closed"),
        ("2 3", "operation is missing"),
        ("2 )", "operation is missing"),
        ("__import__('os')", "cannot be calculated"),
        ("1e9", "cannot be calculated"),
        ("9 ^ 9 ^ 9", "Exponents"),
        ("2 ^ 0.5", "Exponents"),
        ("(" * 60 + "1" + ")" * 60, "nested"),
        ("-" * 90 + "1", "nested"),
        ("((1/3)^60)^60", "too long"),
        ("1" * 150, "cannot be calculated|missing"),
        ("1" * 300, "at most 200"),
        ("\u0661 + 1", "cannot be calculated"),
    ],
)
def test_the_calculator_refuses_in_words(expression: str, why: str) -> None:
    assert re.search(why, refusal("calculator", expression=expression))


def _random_expression(draws: random.Random, depth: int = 0) -> str:
    """Valid for Python too, whose integers and fractions are the second way."""
    if depth > 3 or draws.random() < 0.3:
        return str(draws.randint(0, 99))
    left, right = _random_expression(draws, depth + 1), _random_expression(draws, depth + 1)
    return draws.choice(
        [f"{left} + {right}", f"({left} - {right})", f"{left} * {right}", f"({left}) / {right}"]
    )


def test_the_calculator_agrees_with_pythons_own_grammar() -> None:
    draws, compared = random.Random(3), 0
    for _ in range(400):
        expression = _random_expression(draws)
        if len(expression) > 190:
            continue
        marked = "".join(f"Fraction({part})" if part.isdigit() else part for part in _split(expression))
        try:
            value = eval(marked, {"Fraction": Fraction})
        except ZeroDivisionError:
            with pytest.raises(ToolError, match="zero"):
                calculator.evaluate(expression)
            continue
        assert calculator.evaluate(expression) == value, expression
        compared += 1
    assert compared > 200


def _split(expression: str) -> list[str]:
    return re.findall(r"\d+|[^\d]", expression)


@pytest.mark.parametrize("decimals", [0, 2, 6])
def test_numbers_are_rounded_half_away_from_zero(decimals: int) -> None:
    draws = random.Random(4)
    for _ in range(300):
        number = Fraction(draws.randint(-(10**9), 10**9), draws.choice([1, 2, 4, 5, 8, 10**7]))
        exact = Decimal(number.numerator) / Decimal(number.denominator)
        rounded = exact.quantize(Decimal(1).scaleb(-decimals), rounding=ROUND_HALF_UP)
        text = number_text(number, decimals=decimals)
        assert Decimal(text) == rounded
        assert text != "-0"
        assert not ("." in text and text.endswith(("0", ".")))


@pytest.mark.parametrize(
    ("amount", "unit", "into", "result"),
    [
        ("2.5", "km", "m", "2500 metre"),
        ("1", "mile", "kilometres", "1.609344 kilometre"),
        ("98.6", "Fahrenheit", "C", "37 degree Celsius"),
        ("-40", "c", "f", "-40 degree Fahrenheit"),
        ("0", "kelvin", "Celsius", "-273.15 degree Celsius"),
        ("12", "inches", "feet", "1 foot"),
        ("1,000", "g", "kg", "1 kilogram"),
        ("1", "US gallon", "litres", "3.785412 litre"),
    ],
)
def test_units_are_converted(amount: str, unit: str, into: str, result: str) -> None:
    assert answer("unit_converter", amount=amount, from_=unit, to=into).endswith(f"= {result}")


@pytest.mark.parametrize(
    ("amount", "unit", "into", "why"),
    [
        ("5", "gallons", "l", "US gallon, imperial gallon"),
        ("5", "ton", "kg", "metric ton, short ton"),
        ("5", "kg", "m", "measures weight"),
        ("5", "kilometr", "m", "Did you mean kilometre"),
        ("five", "km", "m", "not a number"),
        ("5 km", "km", "m", "without a unit"),
        ("1e3", "km", "m", "not a number"),
        ("", "km", "m", "Amount is missing"),
    ],
)
def test_units_that_cannot_be_converted_are_explained(amount: str, unit: str, into: str, why: str) -> None:
    assert why in refusal("unit_converter", amount=amount, from_=unit, to=into)


def test_money_there_and_back_is_the_same_money() -> None:
    for code in CURRENCIES:
        there = answer("currency_converter", amount=1000, from_="EUR", to=code, date="2026-05-04")
        amount = there.split(" = ")[1].split(" ")[0]
        back = answer("currency_converter", amount=amount, from_=code, to="EUR", date="2026-05-04")
        assert abs(Decimal(back.split(" = ")[1].split(" ")[0]) - 1000) < Decimal("0.02")


def test_rates_differ_by_day_and_hold_over_the_weekend() -> None:
    def rate(day: str) -> str:
        return answer("currency_converter", amount=10_000, from_="EUR", to="USD", date=day).split(" on ")[0]

    assert rate("2026-05-01") == rate("2026-05-02") == rate("2026-05-03")
    assert len({rate(f"2026-05-{day:02}") for day in range(4, 9)}) > 2


@pytest.mark.parametrize(
    ("code", "day", "why"),
    [
        ("dollars", "2026-05-04", "USD, CAD, AUD"),
        ("XXX", "2026-05-04", "no currency"),
        ("USD", "2025-05-04", "rates for 2026"),
        ("USD", "04.05.2026", "not a date"),
        ("USD", "2026-02-30", "not a date"),
    ],
)
def test_money_that_cannot_be_converted_is_explained(code: str, day: str, why: str) -> None:
    assert why in refusal("currency_converter", amount=1, from_=code, to="EUR", date=day)


def test_the_calendar_counts_all_days() -> None:
    assert answer("calendar", date="2026-02-27", days=3) == "2026-03-02, a Monday"
    assert answer("calendar", date="2028-03-01", days="-1") == "2028-02-29, a Tuesday"
    assert "whole number" in refusal("calendar", date="2026-02-27", days="2.5")


@pytest.mark.parametrize("region", REGIONS)
def test_working_days_leave_out_weekends_and_holidays(region: str) -> None:
    for start in range(0, 300, 17):
        first = date(2026, 1, 1) + timedelta(days=start)
        last = date.fromisoformat(answer("working_days", date=first.isoformat(), days=12, region=region))
        between = [first + timedelta(days=number) for number in range(1, (last - first).days + 1)]
        counted = [day for day in between if day.weekday() not in (5, 6) and day not in DATA.holidays[region]]
        assert len(counted) == 12
        assert counted[-1] == last


def test_a_time_there_and_back_is_the_same_time() -> None:
    for place in PLACES[1:]:
        there = answer("time_zones", time="7:45", from_=PLACES[0], to=place)
        back = answer("time_zones", time=there.split(" ")[0], from_=place, to=PLACES[0])
        assert back.startswith("07:45 in ")
        days = {there.rpartition(", ")[2], back.rpartition(", ")[2]}
        assert days in ({"the same day"}, {"the next day", "the day before"})


def test_distances_are_those_of_the_plain_and_the_same_both_ways() -> None:
    for one in DATA.places:
        for other in DATA.places:
            there = answer("distance", from_=one.name, to=other.name).rpartition(": ")[2]
            assert there == answer("distance", from_=other.name, to=one.name).rpartition(": ")[2]
            assert abs(int(there.removesuffix(" km")) - hypot(one.x - other.x, one.y - other.y)) <= 0.5


def test_travel_takes_as_long_as_the_means_is_slow() -> None:
    times = {
        means: int(
            answer("travel_time", from_=PLACES[2], to=PLACES[6], by=means).split(": ")[1].split(" ")[0]
        )
        for means in MEANS
    }
    assert times["bicycle"] > times["car"] > 0


def test_a_name_that_several_places_have_is_refused_with_all_of_them() -> None:
    why = refusal("distance", from_=DOUBLED, to=PLACES[6])
    assert PLACES[0] in why
    assert PLACES[1] in why


def test_a_mistyped_place_is_refused_with_the_likely_one() -> None:
    assert f"Did you mean {PLACES[6]}" in refusal("distance", from_=PLACES[6][:-1], to=PLACES[7])


def test_each_question_of_the_handbook_leads_to_its_section() -> None:
    for section in DATA.sections:
        for name, question in section.questions.items():
            text = answer("handbook", query=question).split("\n")[0]
            assert text.startswith(section.title), question
            assert str(section.numbers[name]) in text
    assert "The handbook is about" in refusal("handbook", query="zebra")


def test_the_stock_list_is_summed_counted_and_listed() -> None:
    rows = [row for row in DATA.rows if row["Warehouse"] == DATA.rows[0]["Warehouse"]]
    of = {"where": "Warehouse", "equals": DATA.rows[0]["Warehouse"].upper()}
    total = sum(int(row["Stock"]) for row in rows)
    assert answer("table_query", show="Stock", as_="sum", **of) == f"sum of Stock: {total}"
    assert answer("table_query", show="Price", as_="count", **of) == f"{len(rows)} rows"
    heaviest = max(Decimal(row["Weight"]) for row in rows)
    assert Decimal(answer("table_query", show="Weight", as_="largest", **of).split(": ")[1]) == heaviest
    listed = answer("table_query", show="Product", as_="list", **of)
    assert listed == f"Product: {', '.join(row['Product'] for row in rows)}"
    assert "not a column of numbers" in refusal("table_query", show="Supplier", as_="sum", **of)
    assert "No row has" in refusal("table_query", show="Stock", as_="sum", where="Product", equals="Piano")


@pytest.mark.parametrize(
    ("tool", "arguments", "why"),
    [
        ("calculater", {}, "Did you mean calculator"),
        ("x" * 5000, {}, "There is no tool"),
        ("distance", {"from": "a", "to": "b", "via": "c"}, "no field 'via'"),
        ("distance", {}, "is missing"),
        ("distance", {"from": ["a"], "to": "b"}, "texts or numbers"),
        ("calendar", {"date": "2026-01-05", "days": True}, "texts or numbers"),
        ("calendar", {"date": "2026-01-05", "days": float("nan")}, "not a number"),
        ("calendar", {"date": "2026-01-05", "days": 10**5000}, "at most 200"),
        ("calendar", {"date": "2026-01-05\0", "days": 1}, "no NUL"),
    ],
)
def test_calls_from_anyone_are_answered_in_words(tool: str, arguments: dict[str, Any], why: str) -> None:
    result = calls.call(tool, arguments, DATA)
    assert not result.is_ok
    assert why in result.text
    assert len(result.text) < 600


def test_no_text_makes_a_tool_raise() -> None:
    draws = random.Random(7)
    alphabet = "0123456789-+*/^().,: abcKMéß\u2212\u0661\u200b\ud800'\"%|"
    for tool_id, tool in TOOLS.items():
        for _ in range(150):
            arguments = {
                field.name: "".join(draws.choices(alphabet, k=draws.randint(0, 30))) for field in tool.fields
            }
            calls.call(tool_id, arguments, DATA)


def test_every_tool_reads_what_it_wrote() -> None:
    """The canonical form of a value is a value, and its own canonical form."""
    first = {
        "calculator": {"expression": "7 / 2"},
        "calendar": {"date": "2026-01-05", "days": "+7"},
        "currency_converter": {"amount": "1,000.50", "from": "eur", "to": "usd", "date": "2026-01-05"},
        "distance": {"from": PLACES[0].upper(), "to": PLACES[6]},
        "handbook": {"query": "boats"},
        "table_query": {"show": "stock", "as": "SUM", "where": "warehouse", "equals": "Harbour"},
        "time_zones": {"time": "7:05", "from": PLACES[0], "to": PLACES[6]},
        "travel_time": {"from": PLACES[0], "to": PLACES[6], "by": "Car"},
        "unit_converter": {"amount": "-3.50", "from": "lbs", "to": "KG"},
        "working_days": {"date": "2026-01-05", "days": "12", "region": "north"},
    }
    assert set(first) == set(TOOLS)
    for tool_id, arguments in first.items():
        tool = TOOLS.get(tool_id)
        values = calls.values_read(tool, arguments, DATA)
        assert calls.values_read(tool, values, DATA) == values
        assert calls.call(tool_id, arguments, DATA) == calls.call(tool_id, values, DATA)


def test_the_data_of_a_seed_are_always_the_same() -> None:
    draw_data.cache_clear()
    again = draw_data(5)
    assert again == DATA
    assert draw_data(6) != DATA
