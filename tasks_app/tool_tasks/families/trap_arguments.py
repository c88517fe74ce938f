"""Questions that need one call whose arguments must be converted to the form that the tool accepts."""

from __future__ import annotations

from datetime import date

from core.draws import Draws
from palaestra.protocol.suggestions import did_you_mean
from tasks_app.tool_tasks import oracle, questions
from tasks_app.tool_tasks.questions import Question
from tasks_app.tool_tasks.registry import FAMILIES
from tasks_app.tool_tasks.types import Family, Item
from tasks_app.tools.data import ToolData

MONTHS = (
    *("January", "February", "March", "April", "May", "June"),
    *("July", "August", "September", "October", "November", "December"),
)
HOURS = ("one", "two", "three", "four", "five", "six", "seven", "eight", "nine", "ten", "eleven", "twelve")
MEASURES = (
    ("An American recipe for a feast takes {amount} gallons of milk.", "US gallon", "3.785411784"),
    (
        "A British brewer fills {amount} gallons of ale by his own country's measure.",
        "imperial gallon",
        "4.54609",
    ),
    (
        "An American diner pours {amount} pints of coffee by its own country's measure.",
        "US pint",
        "0.473176473",
    ),
    ("A British pub pours {amount} pints by its own country's measure.", "imperial pint", "0.56826125"),
)
DOLLARS = {"Canadian": "CAD", "Australian": "AUD", "US": "USD"}


def draw(draws: Draws, data: ToolData) -> Item:
    return draws.pick(ASKS)(draws, data).item()


def _namesake(draws: Draws, data: ToolData) -> Question:
    start = draws.pick([place for place in data.places if "(" in place.name])
    (end,) = questions.places(draws, data, 1)
    name, _, side = start.name.removesuffix(")").partition(" (")
    text = f"How many kilometres is it from {end.name} to {name}, that is to the one in the {side}?"
    answer = str(questions.kilometres(end, start))
    return Question(text, answer, questions.both_ways("distance", end.name, start.name))


def _typo(draws: Draws, data: ToolData) -> Question:
    start, end = questions.places(draws, data, 2)
    names = [place.name for place in data.places]
    hint = f"Did you mean {start.name}"
    typos = [start.name[:cut] + start.name[cut + 1 :] for cut in range(1, len(start.name))]
    clear = [typo for typo in typos if typo not in names and did_you_mean(typo, names).startswith(hint)]
    written = draws.pick(clear or [start.name])
    text = f"how many kilometres is it from {written} to {end.name}, pls"
    return Question(
        text, str(questions.kilometres(start, end)), questions.both_ways("distance", start.name, end.name)
    )


def _measure(draws: Draws, _data: ToolData) -> Question:
    sentence, unit, size = draws.pick(MEASURES)
    amount = draws.whole(3, 480)
    text = f"{sentence.format(amount=amount)} How many litres is that? Give at most six decimals."
    return questions.measured(text, amount, unit, "litre", size=size)


def _dollars(draws: Draws, data: ToolData) -> Question:
    people, day = draws.pick(tuple(DOLLARS)), questions.some_day(draws)
    amount = draws.whole(2, 90) * 100
    question = questions.money_of(amount, DOLLARS[people], "EUR", day=day, data=data)
    text = (
        f"On {_day(day)} someone changed {amount} {people} dollars into EUR at the rate of that day. How "
        "many EUR was that? Give at most two decimals."
    )
    return Question(text, question.answer, question.graphs)


def _day(day: date) -> str:
    return f"{day.day} {MONTHS[day.month - 1]} {day.year}"


def _spoken_time(draws: Draws, data: ToolData) -> Question:
    start, end = questions.places(draws, data, 2)
    hour, (words, minute) = draws.whole(1, 11), draws.pick((("a quarter past", 15), ("half past", 30)))
    part, added = draws.pick(
        (("in the morning", 0), ("in the afternoon", 12) if hour < 6 else ("in the evening", 12))
    )
    question = questions.zone_time_of(hour + added, minute, start, end)
    text = (
        f"A call is to begin at {words} {HOURS[hour - 1]} {part} by the clocks of {start.name}. What time is "
        f"that in {end.name}? Answer as hours:minutes of 24 hours."
    )
    return Question(text, question.answer, question.graphs)


ASKS = (_namesake, _typo, _measure, _dollars, _spoken_time)

FAMILIES.register("trap_arguments", Family(stage=3, difficulty=0.6, draw=draw, check=oracle.read_answer))
