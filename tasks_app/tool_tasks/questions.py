"""Questions that one call answers. The answers are computed from the data without using the tools."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from datetime import date, timedelta
from decimal import ROUND_HALF_UP, Decimal
from fractions import Fraction
from math import ceil, hypot

from core.draws import Draws
from tasks_app.tool_tasks.types import Graph, Item, Node
from tasks_app.tools.data import CURRENCIES, MEANS, RATES_YEAR, REGIONS, Place, Section, ToolData

NAMES = ("Monday", "Tuesday", "Wednesday", "Thursday", "Friday", "Saturday", "Sunday")
UNIT_PAIRS: Mapping[tuple[str, str], str] = {
    ("mile", "kilometre"): "1.609344",
    ("pound", "kilogram"): "0.45359237",
    ("foot", "metre"): "0.3048",
    ("inch", "centimetre"): "2.54",
    ("ounce", "gram"): "28.349523125",
    ("US gallon", "litre"): "3.785411784",
    ("imperial pint", "litre"): "0.56826125",
    ("nautical mile", "kilometre"): "1.852",
}
"""Number of second units in one of the first, by pair of units."""
PLURALS = {"foot": "feet", "inch": "inches"}


@dataclass(frozen=True)
class Question:
    """A question that one call answers, with all graphs that are equally good."""

    text: str
    answer: str
    graphs: tuple[Graph, ...]

    @property
    def node(self) -> Node:
        return self.graphs[0][0]

    def item(self, *, rivals: tuple[str, ...] = ()) -> Item:
        return Item(text=self.text, answer=self.answer, graphs=self.graphs, rivals=rivals)


Ask = Callable[[Draws, ToolData], Question]


def one_call(tool: str, **arguments: object) -> Graph:
    """Build a graph of one call. A list contains equally good values; ``from_`` is the argument ``from``."""
    acceptable = {
        name.rstrip("_"): tuple(map(str, value)) if isinstance(value, list | tuple) else (str(value),)
        for name, value in arguments.items()
    }
    return (Node(tool, acceptable),)


def chain_calls(*graphs: Graph) -> Graph:
    """Chain calls so that each needs the one before."""
    nodes = [node for graph in graphs for node in graph]
    return tuple(
        Node(node.tool, node.arguments, (place - 1,) if place else ()) for place, node in enumerate(nodes)
    )


def round_text(amount: Fraction, decimals: int) -> str:
    """Write a number with up to ``decimals`` decimals and no trailing zeros, without the tools' code."""
    exact = Decimal(amount.numerator) / Decimal(amount.denominator)
    text = str(exact.quantize(Decimal(1).scaleb(-decimals), rounding=ROUND_HALF_UP))
    return text.rstrip("0").rstrip(".") if "." in text else text


def plural(unit: str) -> str:
    return PLURALS.get(unit, f"{unit}s")


def some_day(draws: Draws) -> date:
    """Draw a day in the year for which rates are known."""
    return date(RATES_YEAR, 1, 1) + timedelta(days=draws.whole(0, 330))


def places(draws: Draws, data: ToolData, count: int) -> list[Place]:
    """Draw different places whose names are unique."""
    return draws.sample([place for place in data.places if "(" not in place.name], count)


def kilometres(start: Place, end: Place) -> int:
    return round(hypot(start.x - end.x, start.y - end.y))


def calculation(draws: Draws, _data: ToolData) -> Question:
    first, second, third = draws.whole(120, 990), draws.whole(23, 97), draws.whole(1_000, 9_000)
    answer = str(first * second + third)
    text = f"What is {first} times {second}, plus {third}?"
    at_once = one_call("calculator", expression=f"{first}*{second}+{third}")
    in_turn = chain_calls(
        one_call("calculator", expression=f"{first}*{second}"), one_call("calculator", expression=answer)
    )
    return Question(text, answer, (at_once, in_turn))


def units(draws: Draws, _data: ToolData) -> Question:
    (unit, into), amount = draws.pick(tuple(UNIT_PAIRS)), draws.whole(13, 980)
    text = f"How many {plural(into)} are {amount} {plural(unit)}? Give at most six decimals."
    return measured(text, amount, unit, into, size=UNIT_PAIRS[unit, into])


def measured(text: str, amount: int, unit: str, into: str, *, size: str) -> Question:
    """Ask for an amount in another unit, accepting a multiplication by the unit's size too."""
    answer = round_text(amount * Fraction(size), 6)
    graphs = (
        one_call("unit_converter", amount=amount, from_=unit, to=into),
        one_call("calculator", expression=f"{amount}*{size}"),
    )
    return Question(text, answer, graphs)


def money(draws: Draws, data: ToolData) -> Question:
    code, into = draws.sample(CURRENCIES, 2)
    return money_of(draws.whole(11, 990) * 10, code, into, day=some_day(draws), data=data)


def money_of(amount: int, code: str, into: str, *, day: date, data: ToolData) -> Question:
    index = (day - date(day.year, 1, 1)).days
    answer = round_text(Fraction(amount * data.rates[into][index], data.rates[code][index]), 2)
    text = f"How many {into} are {amount} {code} at the rate of {day}? Give at most two decimals."
    graph = one_call("currency_converter", amount=amount, from_=code, to=into, date=day)
    return Question(text, answer, (graph,))


def later_day(draws: Draws, _data: ToolData) -> Question:
    day, days = some_day(draws), draws.whole(41, 260)
    answer = date.fromordinal(day.toordinal() + days).isoformat()
    text = f"Which date is {days} days after {day}? Answer as year-month-day."
    return Question(text, answer, (one_call("calendar", date=day, days=days),))


def working_day(draws: Draws, data: ToolData) -> Question:
    day, days, region = some_day(draws), draws.whole(6, 40), draws.pick(REGIONS)
    text = f"Which date is {days} working days after {day} in the region {region}? Answer as year-month-day."
    graph = one_call("working_days", date=day, days=days, region=region)
    return Question(text, working_day_after(day, days, region, data), (graph,))


def working_day_after(day: date, days: int, region: str, data: ToolData) -> str:
    """Pick the date from a list of all working days in the following months."""
    following = (day + timedelta(days=number) for number in range(1, 3 * days + 60))
    working = [
        candidate
        for candidate in following
        if candidate.isoweekday() < 6 and candidate not in data.holidays[region]
    ]
    return working[days - 1].isoformat()


def zone_time(draws: Draws, data: ToolData) -> Question:
    start, end = places(draws, data, 2)
    return zone_time_of(draws.whole(0, 23), draws.whole(0, 11) * 5, start, end)


def zone_time_of(hour: int, minute: int, start: Place, end: Place) -> Question:
    local = f"{hour:02}:{minute:02}"
    answer = f"{(hour - start.zone + end.zone) % 24:02}:{minute:02}"
    text = f"It is {local} in {start.name}. What time is it in {end.name}? Answer as hours:minutes."
    return Question(text, answer, (one_call("time_zones", time=local, from_=start.name, to=end.name),))


def distance(draws: Draws, data: ToolData) -> Question:
    start, end = places(draws, data, 2)
    text = f"How many kilometres is it from {start.name} to {end.name}?"
    return Question(text, str(kilometres(start, end)), both_ways("distance", start.name, end.name))


def both_ways(tool: str, start: str, end: str, **others: object) -> tuple[Graph, ...]:
    """Build graphs for both directions, since the distance is the same."""
    return (one_call(tool, from_=start, to=end, **others), one_call(tool, from_=end, to=start, **others))


def travel(draws: Draws, data: ToolData) -> Question:
    (start, end), means = places(draws, data, 2), draws.pick(tuple(MEANS))
    text = f"How many minutes does it take from {start.name} to {end.name} by {means}?"
    return Question(
        text,
        str(travel_minutes(start, end, means, data)),
        both_ways("travel_time", start.name, end.name, by=means),
    )


def travel_minutes(start: Place, end: Place, means: str, data: ToolData) -> int:
    return ceil(Fraction(60 * kilometres(start, end), data.speeds[means]))


def rule(draws: Draws, data: ToolData) -> Question:
    return rule_of(draws, draws.pick(data.sections))


def rule_of(draws: Draws, section: Section) -> Question:
    name = draws.pick(tuple(section.questions))
    text = f"{section.questions[name]} The club's handbook says it."
    return Question(text, str(section.numbers[name]), (one_call("handbook", query=section.title),))


def cell(draws: Draws, data: ToolData) -> Question:
    row, column = draws.pick(data.rows), draws.pick(("Price", "Stock", "Weight"))
    return cell_of(row, column)


def cell_of(row: Mapping[str, str], column: str) -> Question:
    ways = ("list", "sum", "largest", "smallest")
    text = f"What does the stock list give as the {column.lower()} of the product {row['Product']}?"
    graph = one_call("table_query", show=column, as_=ways, where="Product", equals=row["Product"])
    answer = row[column].rstrip("0").rstrip(".") if "." in row[column] else row[column]
    return Question(text, answer, (graph,))


ASKS: Mapping[str, Ask] = {
    "calculator": calculation,
    "calendar": later_day,
    "currency_converter": money,
    "distance": distance,
    "handbook": rule,
    "table_query": cell,
    "time_zones": zone_time,
    "travel_time": travel,
    "unit_converter": units,
    "working_days": working_day,
}
"""Functions that ask a question for each tool."""
