"""Questions that need two to four calls, where later calls may need the results of earlier ones."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import date
from fractions import Fraction
from itertools import pairwise, product

from core.draws import Draws
from tasks_app.tool_tasks import oracle, questions
from tasks_app.tool_tasks.questions import chain_calls, one_call
from tasks_app.tool_tasks.registry import FAMILIES
from tasks_app.tool_tasks.types import Family, Graph, Item, Node
from tasks_app.tools.data import REGIONS, Place, ToolData

CALCULATOR = ("calculator",)
"""Harmless tools: it does no harm to add in the head instead, or to check a sum twice."""


def draw(draws: Draws, data: ToolData) -> Item:
    return draws.pick(KINDS)(draws, data)


def summed(parts: Sequence[Sequence[Graph]], expression: str) -> tuple[Graph, ...]:
    """List all ways to get the parts, first with the calculator at the end and then without it."""
    total = one_call("calculator", expression=expression)[0]
    ways = [tuple(node for graph in way for node in graph) for way in product(*parts)]
    with_total = [(*way, Node(total.tool, total.arguments, tuple(range(len(way))))) for way in ways]
    return (*with_total, *ways)


def _way(draws: Draws, data: ToolData, stops: int) -> tuple[list[Place], list[int]]:
    way = questions.places(draws, data, stops)
    return way, [questions.kilometres(*pair) for pair in pairwise(way)]


def _two_legs(draws: Draws, data: ToolData) -> Item:
    way, legs = _way(draws, data, 3)
    start, stop, end = (place.name for place in way)
    text = f"A lorry drives from {start} to {stop} and on to {end}. How many kilometres is that?"
    return _route(text, way, legs)


def _round_trip(draws: Draws, data: ToolData) -> Item:
    way, legs = _way(draws, data, 3)
    way, legs = [*way, way[0]], [*legs, questions.kilometres(way[-1], way[0])]
    text = (
        f"A lorry drives from {way[0].name} to {way[1].name}, on to {way[2].name} and straight back to "
        f"{way[0].name}. How many kilometres is that?"
    )
    return _route(text, way, legs)


def _route(text: str, way: list[Place], legs: list[int]) -> Item:
    parts = [questions.both_ways("distance", start.name, end.name) for start, end in pairwise(way)]
    graphs = summed(parts, "+".join(map(str, legs)))
    return Item(text=text, answer=str(sum(legs)), graphs=graphs, harmless=CALCULATOR, rivals=("travel_time",))


def _order(draws: Draws, data: ToolData) -> Item:
    rows, counts = draws.sample(data.rows, 2), draws.sample(range(6, 49), 2)
    prices = [int(row["Price"]) for row in rows]
    ordered = " and ".join(
        f"{count} of the {row['Product']}" for row, count in zip(rows, counts, strict=True)
    )
    text = f"By the prices of the stock list, how many crowns do {ordered} cost together?"
    expression = "+".join(f"{count}*{price}" for count, price in zip(counts, prices, strict=True))
    answer = sum(count * price for count, price in zip(counts, prices, strict=True))
    parts = [questions.cell_of(row, "Price").graphs for row in rows]
    return Item(
        text=text,
        answer=str(answer),
        graphs=summed(parts, expression),
        harmless=CALCULATOR,
        rivals=("handbook",),
    )


def _hire(draws: Draws, data: ToolData) -> Item:
    section = next(candidate for candidate in data.sections if candidate.title == "Boat hire")
    hours = draws.whole(2, section.numbers["hours"])
    fee, deposit = section.numbers["fee"], section.numbers["deposit"]
    text = (
        f"By the club's handbook, how many crowns does one pay to hire a boat for {hours} hours, the deposit "
        "included?"
    )
    graphs = summed([(one_call("handbook", query=section.title),)], f"{hours}*{fee}+{deposit}")
    return Item(
        text=text,
        answer=str(hours * fee + deposit),
        graphs=graphs,
        harmless=CALCULATOR,
        rivals=("table_query",),
    )


def _miles(draws: Draws, data: ToolData) -> Item:
    start, end = questions.places(draws, data, 2)
    length = questions.kilometres(start, end)
    answer = questions.round_text(Fraction(length * 1000) / Fraction("1609.344"), 6)
    text = f"How many miles is it from {start.name} to {end.name}? Give at most six decimals."
    lasts = (
        one_call("unit_converter", amount=length, from_="kilometre", to="mile"),
        one_call("calculator", expression=f"{length}/1.609344"),
    )
    ways = product(lasts, questions.both_ways("distance", start.name, end.name))
    return Item(
        text=text,
        answer=answer,
        graphs=tuple(chain_calls(way, last) for last, way in ways),
        rivals=("travel_time",),
    )


def _due_weekday(draws: Draws, data: ToolData) -> Item:
    day, days, region = questions.some_day(draws), draws.whole(8, 40), draws.pick(REGIONS)
    due = questions.working_day_after(day, days, region, data)
    text = f"A reply is due {days} working days after {day} in the region {region}. Which weekday is that?"
    graph = chain_calls(
        one_call("working_days", date=day, days=days, region=region), one_call("calendar", date=due, days=0)
    )
    answer = questions.NAMES[(date.fromisoformat(due).toordinal() - 1) % 7]
    return Item(text=text, answer=answer, graphs=(graph,))


KINDS = (_two_legs, _round_trip, _order, _hire, _miles, _due_weekday)

FAMILIES.register("pipeline", Family(stage=4, difficulty=0.8, draw=draw, check=oracle.read_answer))
