"""Questions that need no call, because the answer is stated or can be worked out in the head."""

from __future__ import annotations

import re

from core.draws import Draws
from tasks_app.tool_tasks.questions import NAMES, places
from tasks_app.tool_tasks.registry import FAMILIES
from tasks_app.tool_tasks.types import Family, Item
from tasks_app.tools.data import CURRENCIES, MEANS, ToolData


def draw(draws: Draws, data: ToolData) -> Item:
    """Draw a question that looks as if it were meant for one of the panel's tools."""
    make, rival = draws.pick(KINDS)
    text, answer = make(draws, data)
    return Item(text=text, answer=answer, graphs=((),), rivals=(rival,))


def _stated_distance(draws: Draws, data: ToolData) -> tuple[str, str]:
    start, end, other = (place.name for place in places(draws, data, 3))
    near, far = draws.sample(range(40, 800), 2)
    text = (
        f"A sign says: {end} {near} km, {other} {far} km. You are in {start}. How many kilometres is it to "
        f"{end}, by the sign?"
    )
    return text, str(near)


def _stated_time(draws: Draws, data: ToolData) -> tuple[str, str]:
    start, end = (place.name for place in places(draws, data, 2))
    minutes = draws.sample(range(25, 600), len(MEANS))
    means = draws.shuffled(tuple(MEANS))
    listed = ", ".join(f"by {name} {time}" for name, time in zip(means, minutes, strict=True))
    return (
        f"From {start} to {end} it takes, in minutes: {listed}. How many minutes does it take by {means[1]}?",
        str(minutes[1]),
    )


def _small_sum(draws: Draws, _data: ToolData) -> tuple[str, str]:
    first, second = draws.whole(2, 9), draws.whole(2, 9)
    return f"What is {first} plus {second}?", str(first + second)


def _next_day(draws: Draws, _data: ToolData) -> tuple[str, str]:
    index = draws.whole(0, 6)
    return f"Today is a {NAMES[index]}. Which weekday is tomorrow?", NAMES[(index + 1) % 7]


def _stated_rate(draws: Draws, _data: ToolData) -> tuple[str, str]:
    (code, into), rate, amount = draws.sample(CURRENCIES, 2), draws.whole(2, 9), draws.whole(2, 9)
    text = f"In a game 1 {code} is worth {rate} {into}. How many {into} are {amount} {code} there?"
    return text, str(rate * amount)


def _stated_price(draws: Draws, data: ToolData) -> tuple[str, str]:
    rows, prices = draws.sample(data.rows, 3), draws.sample(range(5, 300), 3)
    listed = ", ".join(f"{row['Product']} {price}" for row, price in zip(rows, prices, strict=True))
    product = rows[1]["Product"]
    text = f"A leaflet has these prices in crowns: {listed}. How many crowns does the {product} cost there?"
    return text, str(prices[1])


KINDS = (
    (_stated_distance, "distance"),
    (_stated_time, "travel_time"),
    (_small_sum, "calculator"),
    (_next_day, "calendar"),
    (_stated_rate, "currency_converter"),
    (_stated_price, "table_query"),
)


def check(item: Item, _data: ToolData) -> str:
    """Find the answer from the question's text alone."""
    text = item.text
    if match := re.fullmatch(r"What is (\d) plus (\d)\?", text):
        return str(len("x" * int(match[1]) + "x" * int(match[2])))
    if match := re.match(r"Today is a (\w+)\.", text):
        week = (*NAMES, NAMES[0])
        return week[week.index(match[1]) + 1]
    if match := re.match(r"In a game 1 (\w+) is worth (\d) (\w+)\. How many \3 are (\d) \1", text):
        return str(sum([int(match[2])] * int(match[4])))
    subject = re.search(
        r"is it to (.+?), by the sign|does it take (by \w+)\?|does the (.+?) cost there", text
    )
    name = next(filter(None, subject.groups())) if subject else ""
    stated = re.search(rf"{re.escape(name)} (\d+)", text)
    return stated[1] if stated else ""


FAMILIES.register("no_tool", Family(stage=1, difficulty=0.1, draw=draw, check=check))
