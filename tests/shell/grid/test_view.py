"""The view of a list: columns and order from an address, and the addresses that change them."""

from __future__ import annotations

import pytest
from django.http import QueryDict

from trajectories.lab.tasks.pages import TASKS
from trajectories.rollouts.runs.pages.pages import RUNS
from trajectories.shell.grid.columns import Column, Table
from trajectories.shell.grid.episodes import EPISODES
from trajectories.shell.grid.view import GridView

TABLE = Table(
    name="runs",
    page="runs",
    caption="Runs",
    sort="-number",
    views=(("All", ""), ("Best", "kind=eval&sort=-share")),
    columns=(
        Column(id="name", title="Name", cell="{{ row.name }}", sort="r.name", is_fixed=True),
        Column(id="number", title="#", cell="{{ row.number }}", sort="r.id", is_number=True),
        Column(id="share", title="Share", cell="{{ row.share }}", sort="r.share", is_number=True),
        Column(id="note", title="Note", cell="{{ row.note }}", is_default=False),
    ),
)


def view_of(query: str, **options: bool) -> GridView:
    return GridView(TABLE, QueryDict(query), **options)


def test_a_head_sorts_and_sorts_the_other_way_once_it_is_sorted_by() -> None:
    heads = {head.column.id: head for head in view_of("kind=eval&cursor=7").headers}
    assert heads["name"].address == "/?kind=eval&sort=name"
    assert heads["share"].address == "/?kind=eval&sort=-share"
    assert (heads["number"].address, heads["number"].aria) == ("/?kind=eval&sort=number", "descending")
    assert heads["name"].aria == ""
    sorted_up = {head.column.id: head for head in view_of("sort=share").headers}
    assert (sorted_up["share"].address, sorted_up["share"].aria) == ("/?sort=-share", "ascending")
    assert sorted_up["number"].address == "/"


def test_a_column_without_an_order_and_a_list_with_one_have_no_links() -> None:
    assert {head.column.id: head.address for head in view_of("columns=note").headers}["note"] == ""
    assert {head.address for head in view_of("", is_sortable=False).headers} == {""}


def test_columns_are_shown_in_the_order_of_the_address_after_the_fixed_ones() -> None:
    assert [one.id for one in view_of("columns=note&columns=share,number").columns] == [
        "name",
        "note",
        "share",
        "number",
    ]
    assert view_of("columns=number,share").parameters == {}
    assert view_of("columns=note").parameters == {"columns": "name,note"}


@pytest.mark.parametrize(
    ("query", "error"),
    [
        ("sort=<b>", "Sort: “<b>” is not a column to sort by"),
        ("sort=note", "Sort: “note” is not a column to sort by"),
        ("columns=note,nothing", "Columns: “nothing” is not a column of this list"),
    ],
)
def test_what_is_no_column_is_reported_and_ignored(query: str, error: str) -> None:
    view = view_of(query)
    assert error in view.errors[0]
    assert view.sort.code == "-number"


def test_an_order_ends_in_the_unique_column_and_continues_after_its_row() -> None:
    sort = view_of("sort=share").sort
    assert sort.order_by("r.id") == "r.share ASC, r.id ASC"
    assert sort.after("r.id", tables="runs r") == (
        "(r.share, r.id) > (SELECT r.share, r.id FROM runs r WHERE r.id = %(after)s)"
    )
    newest = view_of("").sort
    assert newest.order_by("r.id") == "r.id DESC"
    assert newest.after("r.id", tables="runs r") == "r.id < %(after)s"


def test_the_view_that_is_shown_is_the_current_one() -> None:
    assert [one.is_current for one in view_of("").views] == [True, False]
    assert [one.is_current for one in view_of("kind=eval&sort=-share").views] == [False, True]


def test_a_form_of_columns_keeps_the_filters_and_the_order() -> None:
    assert view_of("kind=eval&sort=share&columns=note&cursor=4").parameters_beside == [
        ("kind", "eval"),
        ("sort", "share"),
    ]


@pytest.mark.parametrize("table", [EPISODES, RUNS, TASKS], ids=lambda table: table.name)
def test_every_column_compiles_and_every_view_names_columns_of_its_list(table: Table) -> None:
    assert len(table.by_id) == len(table.columns)
    assert table.by_id[table.sort.removeprefix("-")].sort
    for column in table.columns:
        assert column.template
    for _, query in table.views:
        view = GridView(table, QueryDict(query))
        assert view.errors == []
