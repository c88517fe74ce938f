"""Questions that require a choice between two similar tools, both of which are on the panel."""

from __future__ import annotations

from datetime import timedelta

from core.draws import Draws
from tasks_app.tool_tasks import oracle, questions
from tasks_app.tool_tasks.questions import Question, one_call
from tasks_app.tool_tasks.registry import FAMILIES
from tasks_app.tool_tasks.types import Family, Item
from tasks_app.tools.data import MEANS, REGIONS, ToolData

DATE = "Answer as year-month-day."


def draw(draws: Draws, data: ToolData) -> Item:
    pair, ask = draws.pick(ASKS)
    question = ask(draws, data)
    return question.item(rivals=pair)


def _keeps(draws: Draws, _data: ToolData) -> Question:
    day, days = questions.some_day(draws), draws.whole(20, 90)
    text = (
        f"A cheese made on {day} keeps for {days} days, Sundays and holidays like any others. "
        f"Until which date? {DATE}"
    )
    answer = (day + timedelta(days=days)).isoformat()
    return Question(text, answer, (one_call("calendar", date=day, days=days),))


def _due(draws: Draws, data: ToolData) -> Question:
    day, days, region = questions.some_day(draws), draws.whole(8, 40), draws.pick(REGIONS)
    text = (
        f"An office in the region {region} got a letter on {day}, and answers once it has been open "
        f"for {days} days after that, on the last of them. It is closed at weekends and on holidays. "
        f"On which date does it answer? {DATE}"
    )
    answer = questions.working_day_after(day, days, region, data)
    return Question(text, answer, (one_call("working_days", date=day, days=days, region=region),))


def _way(draws: Draws, data: ToolData) -> Question:
    start, end = questions.places(draws, data, 2)
    text = f"How long is the route from {start.name} to {end.name}? Answer in kilometres."
    return Question(
        text, str(questions.kilometres(start, end)), questions.both_ways("distance", start.name, end.name)
    )


def _journey(draws: Draws, data: ToolData) -> Question:
    (start, end), means = questions.places(draws, data, 2), draws.pick(tuple(MEANS))
    text = f"How long does it take from {start.name} to {end.name} by {means}? Answer in minutes."
    answer = str(questions.travel_minutes(start, end, means, data))
    return Question(text, answer, questions.both_ways("travel_time", start.name, end.name, by=means))


def _heavy_pounds(draws: Draws, _data: ToolData) -> Question:
    amount = draws.whole(12, 900)
    text = f"A load weighs {amount} pounds. How many kilograms is that? Give at most six decimals."
    size = questions.UNIT_PAIRS["pound", "kilogram"]
    return questions.measured(text, amount, "pound", "kilogram", size=size)


def _dear_pounds(draws: Draws, data: ToolData) -> Question:
    amount, day = draws.whole(12, 900), questions.some_day(draws)
    question = questions.money_of(amount, "GBP", "EUR", day=day, data=data)
    text = (
        f"A bill of {amount} pounds sterling (GBP) was paid on {day}. How many EUR was that? "
        "Give at most two decimals."
    )
    return Question(text, question.answer, question.graphs)


def _rule(draws: Draws, data: ToolData) -> Question:
    question = questions.rule(draws, data)
    return Question(
        question.text.replace(" The club's handbook says it.", " Go by the club's rules."),
        question.answer,
        question.graphs,
    )


def _price(draws: Draws, data: ToolData) -> Question:
    row = draws.pick(data.rows)
    question = questions.cell_of(row, "Price")
    return Question(
        f"How many crowns does the product {row['Product']} cost?", question.answer, question.graphs
    )


ASKS = tuple(
    (pair, ask)
    for pair, asks in {
        ("calendar", "working_days"): (_keeps, _due),
        ("distance", "travel_time"): (_way, _journey),
        ("unit_converter", "currency_converter"): (_heavy_pounds, _dear_pounds),
        ("handbook", "table_query"): (_rule, _price),
    }.items()
    for ask in asks
)

FAMILIES.register("like_tools", Family(stage=2, difficulty=0.4, draw=draw, check=oracle.read_answer))
