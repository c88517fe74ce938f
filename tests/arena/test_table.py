"""The question kind ``table``: its page, its words in other arms, its tools."""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping, Sequence
from html.parser import HTMLParser
from typing import Any

import pytest

from core.episodes.presentation import Look
from gymsite.arena.questions import table
from tasks_app import table_views
from tasks_app.questions import SUBMIT, Move, Visit, questions
from tasks_app.table_views import Table, table_view
from tests import factories
from tests.arena.test_pages import Outline, page
from tests.conftest import ArenaClient
from trajectories.models import Episode, Submission

Address = Callable[..., str]

HEADER = ["Ship", "Built", "", "Crew\nat sea"]
ROWS = [
    ["Halcyon", "1,902", "a|b", ""],
    ["Ariel", "87", "<b>x</b>", "two\nlines"],
    ["petrel", "1,902", "", "3"],
    ["\u00c9toile", "\u22125.5", 'say "q"', "12"],
]
PAYLOAD = {"text": "which ship is oldest?", "format": "plain", "table": {"header": HEADER, "rows": ROWS}}
TOOLS = frozenset({"sort", "find", "paging"})
LONG = Table(["n"], [[str(number)] for number in range(1, 61)])


class Cells(HTMLParser):
    """The texts of a page's table, row by row."""

    def __init__(self, html: str) -> None:
        super().__init__()
        self.rows: list[list[str]] = []
        self._is_cell = False
        self.feed(html)

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        if tag == "tr":
            self.rows.append([])
        if tag in ("td", "th"):
            self.rows[-1].append("")
            self._is_cell = True

    def handle_endtag(self, tag: str) -> None:
        if tag in ("td", "th"):
            self._is_cell = False

    def handle_data(self, data: str) -> None:
        if self._is_cell:
            self.rows[-1][-1] += data


def episode_of(payload: Mapping[str, Any] = PAYLOAD, *, tools: Sequence[str] = (), **fields: Any) -> Episode:
    task = factories.task(kind="table", payload=payload)
    return factories.episode(task=task, variation={"tools": list(tools)} if tools else None, **fields)


def first_column(
    query: Mapping[str, str], *, of: Table | None = None, tools: frozenset[str] = TOOLS
) -> list[str]:
    return [row[0] for row in table_view(of or Table(HEADER, ROWS), query, tools).rows]


def test_the_page_has_the_whole_table_in_its_order_with_empty_cells_and_line_breaks(
    arena_client: ArenaClient, address: Address
) -> None:
    html = page(arena_client, address(episode_of()))
    assert Cells(html).rows == [HEADER, *ROWS]
    assert [cell["scope"] for cell in Outline(html).all("th")] == ["col"] * 4
    assert "<b>x" not in html


def test_the_question_comes_before_the_table_and_the_table_before_the_answer(
    arena_client: ArenaClient, address: Address
) -> None:
    html = page(arena_client, address(episode_of()))
    places = [html.index(part) for part in (PAYLOAD["text"], "<table>", 'method="post"')]
    assert places == sorted(places)


def test_the_table_is_a_named_frame_that_the_keyboard_reaches(
    arena_client: ArenaClient, address: Address
) -> None:
    (frame,) = Outline(page(arena_client, address(episode_of()))).all("figure")
    assert (frame["tabindex"], frame["aria-label"]) == ("0", "Table")


def test_without_tools_the_table_has_no_controls_and_ignores_the_query(
    arena_client: ArenaClient, address: Address
) -> None:
    path = address(episode_of())
    plain = page(arena_client, path)
    assert Outline(plain).all("a") == []
    assert page(arena_client, path + "?sort=1&direction=descending&find=Ariel&page=2") == plain


def test_tools_of_other_question_kinds_do_nothing_in_a_table(
    arena_client: ArenaClient, address: Address
) -> None:
    assert page(arena_client, address(episode_of(tools=["run"]))) == page(arena_client, address(episode_of()))


def test_an_answer_field_is_added_without_javascript_and_keeps_what_was_typed(
    arena_client: ArenaClient, address: Address, submit: Callable[..., Any]
) -> None:
    episode = episode_of()
    html = submit(episode, "answer=%3CHalcyon%3E&answer=Ariel&add=1").content.decode()
    fields = [field for field in Outline(html).all("input") if field["name"] == "answer"]
    assert [field["value"] for field in fields] == ["<Halcyon>", "Ariel", ""]
    assert [("autofocus" in field) for field in fields] == [False, False, True]
    assert [label["for"] for label in Outline(html).all("label")] == [field["id"] for field in fields]
    assert not Submission.objects.filter(episode=episode).exists()


def test_fields_are_numbered_in_every_look(arena_client: ArenaClient, address: Address) -> None:
    html = page(arena_client, address(episode_of(presentation=Look(wording="prompt").as_dict())))
    assert re.findall(r'<label for="answer-1">(.*?)</label>', html) == ["Answer 1"]


def test_empty_fields_are_not_answers(
    arena_client: ArenaClient, address: Address, submit: Callable[..., Any]
) -> None:
    episode = episode_of()
    assert submit(episode, "answer=Halcyon&answer=&answer=Ariel&answer=+").status_code == 303
    assert Submission.objects.get(episode=episode).answer == ["Halcyon", "Ariel"]


def test_a_bar_in_the_only_field_belongs_to_the_answer(
    arena_client: ArenaClient, address: Address, submit: Callable[..., Any]
) -> None:
    episode = episode_of()
    assert '<input type="hidden" name="several" value="1">' in page(arena_client, address(episode))
    assert submit(episode, "several=1&answer=Halcyon+%7C+Ariel").status_code == 303
    assert Submission.objects.get(episode=episode).answer == ["Halcyon | Ariel"]


def test_a_submission_without_an_answer_shows_the_error_at_the_field(
    arena_client: ArenaClient, address: Address, submit: Callable[..., Any]
) -> None:
    response = submit(episode_of(), "answer=")
    (field,) = [
        field for field in Outline(response.content.decode()).all("input") if field["name"] == "answer"
    ]
    assert response.status_code == 422
    assert (field["aria-invalid"], field["aria-describedby"]) == ("true", "answer-error")


def test_a_hundred_fields_are_the_maximum(arena_client: ArenaClient, submit: Callable[..., Any]) -> None:
    episode = episode_of()
    body = "&".join(["answer=x"] * 98)
    assert table.MORE_BUTTON in submit(episode, body + "&add=1").content.decode()
    assert table.MORE_BUTTON not in submit(episode, body + "&answer=x&add=1").content.decode()


def test_the_first_button_of_the_form_submits_so_that_enter_does(
    arena_client: ArenaClient, address: Address
) -> None:
    first, more, last = Outline(page(arena_client, address(episode_of()))).all("button")
    assert [button.get("name") for button in (first, more, last)] == [None, "add", None]


def test_the_state_of_the_tools_survives_another_field_and_a_refused_submission(
    arena_client: ArenaClient, address: Address
) -> None:
    episode = episode_of(tools=["sort", "find"])
    query = "?sort=1&direction=descending&find=a"
    shown = page(arena_client, address(episode) + query)
    form = next(form for form in Outline(shown).all("form") if form["method"] == "post")
    assert form["action"] == f"submit{query}"
    for body in ("answer=x&add=1", "answer="):
        kind = "application/x-www-form-urlencoded"
        again = arena_client.generic("POST", address(episode, f"submit{query}"), body, content_type=kind)
        assert Cells(again.content.decode()).rows == Cells(shown).rows


def test_links_of_the_tools_lead_to_the_question_on_the_forms_address_too() -> None:
    shown = table_view(LONG, {"page": "2", "sort": "1", "direction": "descending"}, TOOLS)
    assert shown.columns[0].address == "./"
    assert [query.address for query in (shown.original, shown.previous, shown.following) if query] == [
        "./",
        "./?sort=1&direction=descending",
        "./?sort=1&direction=descending&page=3",
    ]


def test_a_column_is_sorted_up_then_down_then_back() -> None:
    orders, ships, query = [], [], {}
    for _ in range(4):
        shown = table_view(Table(HEADER, ROWS), query, TOOLS)
        orders.append(shown.columns[0].order)
        ships.append([row[0] for row in shown.rows])
        query = dict(
            pair.split("=") for pair in shown.columns[0].address.partition("?")[2].split("&") if pair
        )
    assert orders == ["none", "ascending", "descending", "none"]
    assert ships[0] == ships[3] == ["Halcyon", "Ariel", "petrel", "\u00c9toile"]
    assert ships[1] == ["Ariel", "Halcyon", "petrel", "\u00c9toile"]
    assert ships[2] == ["\u00c9toile", "petrel", "Halcyon", "Ariel"]


def test_numbers_sort_by_value_and_equal_ones_keep_their_order_in_both_directions() -> None:
    assert first_column({"sort": "2", "direction": "ascending"}) == [
        "\u00c9toile",
        "Ariel",
        "Halcyon",
        "petrel",
    ]
    assert first_column({"sort": "2", "direction": "descending"}) == [
        "Halcyon",
        "petrel",
        "Ariel",
        "\u00c9toile",
    ]


def test_a_cell_that_is_not_a_number_makes_its_column_text_even_if_filtered_out() -> None:
    mixed = Table(["n"], [["10"], ["9"], ["none"]])
    query = {"sort": "1", "direction": "ascending", "find": "1"}
    assert first_column({"sort": "1", "direction": "ascending"}, of=mixed) == ["10", "9", "none"]
    assert first_column(query, of=Table(["n"], [["91"], ["10"], ["9"], ["x"]])) == ["10", "91"]


@pytest.mark.parametrize(
    ("cells", "is_by_text"),
    [
        (["9 m", "65 m", "107 m"], False),
        (["-$1,200", "$.50", "$300", "$1,200.50"], False),
        (["5%", "45 %", "100%"], False),
        (["\u221212 \u00b0C", "-3 \u00b0C", "+8 \u00b0C"], False),
        (["1.", "2.", "10."], False),
        (["10 km", "9 m"], True),
        (["10 m", "9"], True),
        (["$10", "\u20ac9"], True),
        (["10\u201312", "9\u20133"], True),
        (["10-2", "9-3"], True),
        (["A-10", "A-9"], True),
        (["\u201310", "\u20139"], True),
        (["$-10", "$-9"], True),
        (["1,20 m", "1,3 m"], True),
        (["12:30", "9:00"], True),
    ],
)
def test_a_column_of_numbers_in_one_unit_is_sorted_by_value_and_any_other_as_text(
    cells: list[str], is_by_text: bool
) -> None:
    table_of = Table(["n"], [[cell] for cell in reversed(cells)] + [[""]])
    shown = table_view(table_of, {"sort": "1", "direction": "ascending"}, TOOLS)
    assert ([row[0] for row in shown.rows], shown.is_by_text) == ([*cells, ""], is_by_text)


def test_the_line_about_the_order_says_when_a_column_sorts_as_text(
    arena_client: ArenaClient, address: Address
) -> None:
    path = address(episode_of(tools=["sort"]))
    note = "This column is sorted as text."
    assert note not in page(arena_client, path)
    assert note not in page(arena_client, path + "?sort=2&direction=ascending")
    assert note in page(arena_client, path + "?sort=1&direction=ascending")


def test_a_note_for_readers_without_scripts_says_that_the_tools_clear_what_was_typed(
    arena_client: ArenaClient, address: Address
) -> None:
    hint = re.compile(r"<noscript>\s*<p class=\"hint\">Use the table tools before you type")
    for tool in sorted(TOOLS):
        html = page(arena_client, address(episode_of(tools=[tool])))
        assert hint.search(html[: html.index("<table>")])
    assert "<noscript>" not in page(arena_client, address(episode_of()))


def test_empty_cells_come_last_in_either_direction() -> None:
    for direction in ("ascending", "descending"):
        assert first_column({"sort": "3", "direction": direction})[-1] == "petrel"


def test_find_matches_words_in_any_cell_ignoring_case_and_line_breaks() -> None:
    assert first_column({"find": " TWO  lines "}) == ["Ariel"]
    assert first_column({"find": "\u00e9TOILE"}) == ["\u00c9toile"]
    assert first_column({"find": "nothing at all"}) == []


def test_a_page_shows_25_rows() -> None:
    assert first_column({}, of=LONG) == [str(number) for number in range(1, 26)]
    assert first_column({"page": "3"}, of=LONG) == [str(number) for number in range(51, 61)]


def test_no_count_of_rows_or_pages_is_shown(arena_client: ArenaClient, address: Address) -> None:
    pages = set()
    for count in (51, 90):
        payload = {**PAYLOAD, "table": {"header": ["n"], "rows": [["x"]] * count}}
        episode = episode_of(payload, tools=["paging", "find"])
        pages.add(page(arena_client, address(episode) + "?find=x&page=2"))
    assert len(pages) == 1


@pytest.mark.parametrize(
    "query",
    [
        {"page": "4"},
        {"page": "0"},
        {"page": "-1"},
        {"page": "1e1"},
        {"page": "\u0662"},
        {"page": "2 "},
        {"page": "9" * 5000},
        {"sort": "2", "direction": "ascending"},
        {"sort": "1"},
        {"sort": "1", "direction": "sideways"},
        {"sort": "01", "direction": "descending"},
        {"direction": "descending"},
        {"find": "1" * 201},
        {"find": "  "},
        {"order": "1"},
    ],
)
def test_parameters_that_the_page_does_not_offer_are_ignored(query: dict[str, str]) -> None:
    assert table_view(LONG, query, TOOLS) == table_view(LONG, {}, TOOLS)


@pytest.mark.parametrize("tool", sorted(TOOLS))
def test_each_tool_is_granted_separately(tool: str) -> None:
    query = {"sort": "1", "direction": "descending", "find": "1", "page": "2"}
    shown = table_view(LONG, query, frozenset({tool}))
    assert shown.query.fields[0][0] == {"sort": "sort", "find": "find", "paging": "page"}[tool]
    assert (shown.columns[0].address is not None) == (tool == "sort")
    assert len(shown.rows) == {"sort": 60, "find": 15, "paging": 25}[tool]


def test_an_unnamed_column_can_still_be_sorted(arena_client: ArenaClient, address: Address) -> None:
    html = page(arena_client, address(episode_of(tools=["sort"])))
    assert Cells(html).rows[0] == ["Ship", "Built", "Column 3", "Crew\nat sea"]


def test_a_table_of_661_rows_is_whole(arena_client: ArenaClient, address: Address) -> None:
    rows = [[str(row), "x"] for row in range(661)]
    html = page(arena_client, address(episode_of({**PAYLOAD, "table": {"header": ["n", "m"], "rows": rows}})))
    assert Cells(html).rows[1:] == rows


def test_arms_without_a_page_get_the_question_and_then_a_markdown_table() -> None:
    assert table.text(PAYLOAD).splitlines() == [
        "which ship is oldest?",
        "",
        "| Ship | Built |  | Crew<br>at sea |",
        "| --- | --- | --- | --- |",
        "| Halcyon | 1,902 | a\\|b |  |",
        "| Ariel | 87 | <b>x</b> | two<br>lines |",
        "| petrel | 1,902 |  | 3 |",
        '| \u00c9toile | \u22125.5 | say "q" | 12 |',
    ]


def test_an_observation_has_a_line_for_the_header_and_each_row() -> None:
    assert table.axtree_text(PAYLOAD).strip().split("\n")[:2] == ["which ship is oldest?", 'figure "Table"']
    assert "row: Halcyon | 1,902 | a\\|b | " in table.axtree_text(PAYLOAD).split("\n")


def test_a_scripted_client_types_a_field_for_each_answer() -> None:
    more = Move(act="press", role="button", name="Add another answer")
    typed = [Move(act="type", role="textbox", place=-1, text=value) for value in ("2004", "a|b")]
    assert table.moves(PAYLOAD, ["2004", "a|b"]) == (typed[0], more, typed[1], SUBMIT)
    assert table.moves(PAYLOAD, "2004|a\\pb") == (typed[0], more, typed[1], SUBMIT)
    assert table.moves(PAYLOAD, "2004") == (typed[0], SUBMIT)


def test_the_kind_offers_its_three_tools_and_takes_values() -> None:
    kind = questions.get("table")
    assert (kind.tools, kind.answer_form) == (TOOLS, "values")


def test_the_table_of_a_payload_is_not_modified() -> None:
    before = repr(PAYLOAD)
    table.render(PAYLOAD, Visit(tools=TOOLS, query={"sort": "1", "direction": "descending", "find": "a"}))
    assert repr(PAYLOAD) == before
    assert table_views.ROWS_PER_PAGE == 25
