"""Milestones of questions: scripted solutions reach them, and cheats earn less than any correct answer."""

from __future__ import annotations

from collections.abc import Sequence
from functools import cache
from typing import Any

import msgspec
import pytest

from core.draws import Draws
from tasks_app import kinds
from tasks_app.benchmarks.ladder import generate as ladder_generate
from tasks_app.benchmarks.ladder import item_draft
from tasks_app.ladder import table_cell
from tasks_app.ladder.registry import TAG
from tasks_app.models import Benchmark, Task
from tasks_app.types import TaskDraft
from tests import factories
from tests.rewards.test_components import acted, computed, over
from trajectories.models import PageEvent
from trajectories.record.projects import EVERYTHING
from trajectories.rewards.milestones.located_right_row import located_right_row
from trajectories.rewards.profiles.store import profile_store
from trajectories.rewards.selectors import rewards_of
from trajectories.rewards.types import Reading, Values

pytestmark = pytest.mark.django_db

LOCATED, CHOSE = "milestone/located_right_row", "milestone/chose_right"
PASSAGE = "otter: 42\nfox: 17\nheron: 8\nlynx: 63"
TOOLS = {"tools": ["find", "paging", "sort"]}
ROWS = [[f"Ship {number}", str(1000 + 7 * number % 60)] for number in range(1, 61)]


def ladder() -> Benchmark:
    return factories.benchmark(id="ladder")


def ladder_task(**fields: Any) -> Task:
    """Four rows, of which that of the fox is asked for: its number is choice B."""
    choices = [
        {"label": label, "text": text} for label, text in zip("ABCD", ("42", "17", "8", "63"), strict=True)
    ]
    payload = {"text": "Which number stands beside fox?", "passage": PASSAGE, "choices": choices}
    values = {
        "benchmark": ladder(),
        "kind": kinds.CHOICE,
        "payload": payload,
        "answer": "B",
        "tags": [f"{TAG}table_cell"],
        **fields,
    }
    return factories.task(**values)


def reading_of(draft: TaskDraft, thought: str) -> Reading:
    """What is read of an episode that answered after one thought."""
    step = {"index": 1, "actor": "policy", "type": "answer", "is_readable": True, "result": "ok"}
    step |= {"check": "none", "repeats": None, "page": "", "completion": None, "thought": thought}
    return msgspec.convert(
        {
            "episode": 1,
            "has_facts": True,
            "arm": "text_agent",
            "recording": "off",
            "variation": None,
            "outcome": "incorrect",
            "benchmark": "ladder",
            "tags": draft.tags,
            "kind": draft.kind,
            "payload": draft.payload,
            "gold": draft.gold.answer,
            "accepted": [],
            "extra": {},
            "submitted": None,
            "steps": [step],
            "events": [],
            "marks": [],
        },
        Reading,
    )


def thinking(*thoughts: str, arm: str = "text_agent") -> Values | None:
    episode = factories.episode(task=ladder_task(), arm=arm)
    for index, thought in enumerate(thoughts, start=1):
        acted(episode, index, thought=thought)
    return computed(over(episode)).get(LOCATED)


# ---- the row of a list
def test_the_scripted_solution_locates_the_row() -> None:
    item = table_cell.draw(Draws("ladder-v1", 5, "table_cell"))
    draft = item_draft("table_cell", item, [2, 0, 3, 1])
    task = factories.task(
        benchmark=ladder(),
        kind=draft.kind,
        payload=draft.payload,
        tags=list(draft.tags),
        answer=draft.gold.answer,
    )
    episode = factories.episode(task=task, arm="text_agent")
    acted(episode, 1, {"type": "answer", "text": draft.gold.answer}, thought=draft.gold.solution)
    assert computed(over(episode, "correct"))[LOCATED] == Values(1.0, {1: 1.0})


@pytest.mark.parametrize(
    "thought",
    [
        "The number beside fox is 17.",
        "I see otter: 42, fox: 17, heron: 8, lynx: 63. So fox has 17.",
        "17 stands beside Fox",
        "| fox | 17 |",
        "The row of fox is the second, after otter: 42. It begins with 1. The number beside fox is 17.",
    ],
)
def test_a_row_is_located_by_naming_it_with_its_number(thought: str) -> None:
    assert thinking(thought) == Values(1.0, {1: 1.0})


@pytest.mark.parametrize(
    "thought",
    [
        "",
        "17",
        "B",
        "The answer is B, 17.",
        "The question asks for fox.",
        "otter is 42",
        "fox is 42",
        "17 it is; otter: 42, fox: 17, heron: 8, lynx: 63",
    ],
    ids=["nothing", "number", "letter", "answer", "name", "other row", "wrong number", "all rows"],
)
def test_no_row_is_located_by_an_answer_or_by_naming_all(thought: str) -> None:
    assert thinking(thought) == Values(0.0)


def test_the_step_is_the_one_from_which_on_no_other_row_is_named() -> None:
    assert thinking("fox: 17", "or lynx: 63?", "no, fox: 17", "so B") == Values(1.0, {3: 1.0})
    assert thinking("fox: 17", "lynx: 63") == Values(0.0)


def test_hidden_thoughts_and_other_rungs_have_no_row() -> None:
    hidden = factories.episode(task=ladder_task(), arm="text_agent")
    acted(hidden, 1, more={"thought_hidden": True})
    assert LOCATED not in computed(over(hidden))
    other = factories.episode(task=ladder_task(tags=[f"{TAG}word_count"]), arm="text_agent")
    acted(other, 1, thought="fox: 17")
    assert LOCATED not in computed(over(other))


def test_what_a_person_thought_locates_nothing() -> None:
    episode = factories.episode(task=ladder_task(), arm="text_agent")
    acted(episode, 1, thought="fox: 17", actor="person")
    acted(episode, 2)
    assert computed(over(episode))[LOCATED] == Values(0.0)


# ---- the choice that is marked
def marking(*labels: str | None, arm: str = "gym", **fields: Any) -> Values | None:
    """An episode whose steps mark choices one after the other; None loads the page anew."""
    episode = factories.episode(task=fields.pop("task", None) or ladder_task(), arm=arm, **fields)
    for index, label in enumerate(labels, start=1):
        acted(episode, index)
        kind, data = "input", {"role": "radio", "name": f"{label}. 17", "checked": True, "value": label}
        if label is None:
            kind, data = "load", {"path": ""}
        page = f"page{labels[:index].count(None)}"
        PageEvent.objects.create(
            episode=episode, page=page, seq=index, step=index, kind=kind, at_ms=5, data=data
        )
    return computed(over(episode)).get(CHOSE)


def test_the_last_mark_counts() -> None:
    assert marking("B") == Values(1.0, {1: 1.0})
    assert marking("A", "B", "B") == Values(1.0, {2: 1.0})
    assert marking("A", "B", "C", "D") == Values(0.0), "whoever tries all of them has chosen none"
    assert marking() == Values(0.0)


def test_a_page_that_is_loaded_anew_has_nothing_marked() -> None:
    assert marking("B", None) == Values(0.0)
    assert marking("B", None, "B") == Values(1.0, {3: 1.0})


def test_the_page_that_confirms_the_answer_takes_no_mark_away() -> None:
    episode = factories.episode(task=ladder_task(), arm="gym")
    acted(episode, 1)
    for seq, (kind, data) in enumerate(
        (("input", {"role": "radio", "checked": True, "value": "B"}), ("load", {"path": "done"})), start=1
    ):
        PageEvent.objects.create(episode=episode, page=kind, seq=seq, step=1, kind=kind, at_ms=5, data=data)
    assert computed(over(episode, "correct"))[CHOSE] == Values(1.0, {1: 1.0})


def test_labels_are_those_that_were_shown() -> None:
    order = {"order": [1, 0, 2, 3]}
    assert marking("A", variation=order) == Values(1.0, {1: 1.0}), "the text of B stood at A"
    assert marking("B", variation=order) == Values(0.0)


def test_without_a_page_or_its_recorder_nobody_knows_what_was_marked() -> None:
    assert marking("B", arm="text_agent") is None
    assert marking("B", recording="off") is None


# ---- a table with tools
def viewing(*queries: str, answer: str = "Ship 40", variation: Any = TOOLS, **fields: Any) -> Values | None:
    """An episode that went from view to view and then stopped."""
    payload = {"text": "Which?", "format": "plain", "table": {"header": ["Ship", "Built"], "rows": ROWS}}
    task = factories.task(kind=kinds.TABLE, payload=payload, answer=answer)
    episode = factories.episode(task=task, variation=variation, **fields)
    for index, query in enumerate(("", *queries), start=1):
        acted(episode, index, url=f"https://gym/e/token/{query}")
    return computed(over(episode)).get(LOCATED)


def test_a_row_is_located_by_search_by_sorting_and_by_turning_pages() -> None:
    assert viewing("?find=1041") == Values(0.0), "another row"
    built = ROWS[39][1]
    assert viewing(f"?find={built}") == Values(1.0, {1: 1.0})
    assert viewing("?page=3", "?page=2") == Values(1.0, {2: 1.0})
    newest = min(ROWS, key=lambda row: int(row[1]))[0]
    assert viewing("?sort=2&direction=descending", answer=newest) == Values(0.0), "it is the last one"
    assert viewing("?sort=2&direction=ascending", answer=newest) == Values(1.0, {1: 1.0})


@pytest.mark.parametrize(
    "query", ["", "?find=ship+40", "?find=x", "?page=9", "?sort=9&direction=up", "?%ff=&&="]
)
def test_a_row_is_not_located_by_the_answer_or_by_an_address_without_sense(query: str) -> None:
    assert viewing(query) == Values(0.0)


def test_a_table_without_tools_and_one_that_lacks_the_answer_have_no_row_to_locate() -> None:
    assert viewing("?page=2", variation=None) is None
    assert viewing("?page=2", answer="61") is None
    assert viewing("?page=2", answer="Ship 2") is None, "it stands at the top from the beginning"
    assert viewing("?page=2", arm="text_agent") is None


# ---- pictures
def test_a_figure_is_enlarged_by_the_page_s_tool() -> None:
    def zooming(*queries: str, **fields: Any) -> Values | None:
        payload = {"text": "How high?", "format": "plain", "pictures": [{"sha256": "0" * 64}]}
        task = factories.task(kind=kinds.PICTURE, payload={**payload, **fields})
        episode = factories.episode(task=task, variation={"tools": ["zoom"]})
        for index, query in enumerate(("", *queries), start=1):
            acted(episode, index, url=f"https://gym/e/token/{query}")
        return computed(over(episode)).get("milestone/enlarged_figure")

    assert zooming("?zoom=2") == Values(1.0, {1: 1.0})
    assert zooming("?zoom=9") == zooming("") == Values(0.0)
    assert zooming("?zoom=2", pictures=[]) is None


# ---- what cheats are paid
def paid(*thoughts: str, outcome: str, labels: Sequence[str] = ()) -> float:
    body = {
        "name": "rows",
        "terms": [{"component": "outcome"}, *({"component": one, "weight": 0.3} for one in (LOCATED, CHOSE))],
    }
    episode = factories.episode(task=ladder_task(), arm="gym")
    for index, thought in enumerate(thoughts, start=1):
        acted(episode, index, thought=thought)
    for seq, label in enumerate(labels, start=1):
        data = {"role": "radio", "checked": True, "value": label}
        PageEvent.objects.create(episode=episode, page="p", seq=seq, step=1, kind="input", at_ms=5, data=data)
    over(episode, outcome)
    named, _ = profile_store(body, viewer=EVERYTHING)
    total = rewards_of([episode.pk], named=named)[episode.pk].total
    assert total is not None
    return total


def test_whoever_chases_milestones_without_answering_gets_less_than_any_correct_answer() -> None:
    every_row = PASSAGE.replace("\n", ", ")
    cheats = {
        "names all rows": paid(every_row, outcome="incorrect"),
        "marks all choices": paid("", outcome="incorrect", labels="ABCD"),
        "reaches all and answers nothing": paid("fox: 17", outcome="incorrect", labels="B"),
        "says all rows and the right one": paid(f"{every_row}. fox: 17", outcome="incorrect", labels="AB"),
    }
    assert list(cheats.values()) == [0.0, 0.0, pytest.approx(0.6), pytest.approx(0.6)]
    silent = paid("", outcome="correct")
    assert silent == 1.0
    assert max(cheats.values()) < silent < paid("fox: 17", outcome="correct", labels="B")


@cache
def lists() -> list[TaskDraft]:
    drafts = ladder_generate(1_200, 3, "train")
    return [draft for draft in drafts if draft.key.startswith("table_cell/")]


@pytest.mark.parametrize(
    ("policy", "low", "high"),
    [
        (lambda rows, right, gold: gold.solution, 1.0, 1.0),
        (lambda rows, right, gold: f"The answer is {gold.answer}: {rows[right]}.", 0.0, 0.0),
        (lambda rows, right, gold: ", ".join(f"{name}: {cell}" for name, cell in rows.items()), 0.18, 0.32),
        (lambda rows, right, gold: f"{right} is {min(rows.values())}", 0.18, 0.32),
    ],
    ids=["the solution", "the answer alone", "all rows", "any number"],
)
def test_cheats_on_lists_of_the_ladder_reach_no_more_than_a_guess(
    policy: Any, low: float, high: float
) -> None:
    reached = []
    for draft in lists():
        rows = table_cell.rows_of(draft.payload)
        thought = policy(rows.values, rows.right, draft.gold)
        values = located_right_row(reading_of(draft, thought))
        assert values is not None
        reached.append(values.episode)
    assert len(reached) >= 200
    assert low <= sum(reached) / len(reached) <= high


def test_naming_a_row_by_chance_reaches_no_more_than_a_guess() -> None:
    guesses = [thinking(f"fox: {number}") for number in (42, 17, 8, 63)]
    assert sum(one.episode or 0.0 for one in guesses if one) / len(guesses) == 0.25
    orders = [PASSAGE.splitlines()[place:] + PASSAGE.splitlines()[:place] for place in range(4)]
    recited = [thinking(", ".join(order)) for order in orders]
    assert sum(one.episode or 0.0 for one in recited if one) / len(recited) == 0.25
