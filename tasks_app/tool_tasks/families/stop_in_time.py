"""Questions that need calls until a condition holds and no call after that."""

from __future__ import annotations

import re

from core.draws import Draws
from tasks_app.tool_tasks import oracle, questions
from tasks_app.tool_tasks.registry import FAMILIES
from tasks_app.tool_tasks.types import Family, Item
from tasks_app.tools.data import WORDS, ToolData

PRODUCTS = 4


def draw(draws: Draws, data: ToolData) -> Item:
    return draws.pick(KINDS)(draws, data)


def _first_in_stock(draws: Draws, data: ToolData) -> Item:
    """Draw a threshold such that each product is equally likely to be the first with a stock above it."""
    rows, last = draws.sample(data.rows, PRODUCTS), draws.whole(1, PRODUCTS)
    stocks = sorted((int(row["Stock"]) for row in rows), reverse=True)
    rows.sort(key=lambda row: -int(row["Stock"]))
    high, low = draws.shuffled(rows[: PRODUCTS - last + 1]), draws.shuffled(rows[PRODUCTS - last + 1 :])
    order = [*low, *high]
    lower = stocks[PRODUCTS - last + 1] if last > 1 else 0
    threshold = draws.whole(min(lower, stocks[PRODUCTS - last] - 1), stocks[PRODUCTS - last] - 1)
    names = ", ".join(row["Product"] for row in order)
    text = (
        f"Look in the stock list for the first of these products of which there are more than {threshold}, "
        f"in this order, and look up no more than you need: {names}. How many of it are there?"
    )
    needed = order[: 1 + next(place for place, row in enumerate(order) if int(row["Stock"]) > threshold)]
    graph = tuple(node for row in needed for node in questions.cell_of(row, "Stock").graphs[0])
    return Item(text=text, answer=needed[-1]["Stock"], graphs=(graph,))


def _rule_or_cell(draws: Draws, data: ToolData) -> Item:
    """Draw a question that one look at the handbook answers in half of all cases."""
    rule, row, is_enough = questions.rule(draws, data), draws.pick(data.rows), draws.chance(0.5)
    number = int(rule.answer)
    threshold = (
        number - draws.whole(0, number // 3) if is_enough else number + draws.whole(1, 2 + number // 3)
    )
    otherwise = questions.cell_of(row, "Stock")
    text = (
        f"{rule.text} If it is {threshold} or more, answer with that number and call nothing else. If not, "
        f"answer with the stock of the product {row['Product']} by the stock list."
    )
    graph = rule.graphs[0] if is_enough else (*rule.graphs[0], *otherwise.graphs[0])
    return Item(
        text=text,
        answer=rule.answer if is_enough else otherwise.answer,
        graphs=(graph,),
        rivals=("handbook", "table_query"),
    )


KINDS = (_first_in_stock, _rule_or_cell)


def check(item: Item, data: ToolData) -> str:
    """Follow the question's text and return the last number that the tools show."""
    *before, last = (_number(result.text, item.text) for result in oracle.play(item.graphs[0], data))
    if match := re.search(r"more than (\d+), in this order", item.text):
        threshold = int(match[1])
        return str(last) if last > threshold and all(number <= threshold for number in before) else ""
    match = re.search(r"If it is (\d+) or more", item.text)
    threshold = int(match[1]) if match else 0
    is_right = before[0] < threshold if before else last >= threshold
    return str(last) if is_right else ""


def _number(text: str, question: str) -> int:
    """Return a cell's number, or the number in a section that the question asks for."""
    numbers = re.findall(r"\d+", text.split("\n")[0])
    for section in WORDS.sections:
        if text.startswith(f"{section.title}: "):
            names = re.findall(r"{(\w+)}", section.text)
            (name,) = (name for name, words in section.questions.items() if words in question)
            return int(numbers[names.index(name)])
    return int(numbers[0])


FAMILIES.register("stop_in_time", Family(stage=4, difficulty=0.7, draw=draw, check=check))
