from __future__ import annotations

from dataclasses import replace
from typing import Any

import pytest
from django.core.management import CommandError, call_command

from core.draws import Draws
from core.episodes.presentation import Look
from tasks_app.families.registry import list_families
from tasks_app.sites.drafts import PlacedTask
from tasks_app.sites.lanes import tasks_draw
from validation.sites import shortcuts
from validation.sites.blind_page import BlindPage, page_read
from validation.sites.site_walk import Walk

pytestmark = pytest.mark.slow

SALT = b"salt of these tests"
# Of a split, and of a family. Tasks of a world share its trips, so that a share of few worlds is a rough one:
# of three times 480 tasks, 10% of `cancel_and_rebook` had the fee where non-refundable trips have the total,
# but from 5% to 16% of each, and 17.5% of 240 with another seed.
DRAWN, WALKS = 240, 5
UNSEEN: dict[str, list[str]] = {"reviews": [], "stays": ["missing_amenities"]}
"""Families that ask for neither a number nor a date."""


@pytest.fixture(scope="module")
def placed() -> PlacedTask:
    drawn = tasks_draw("stays", count=12, seed=1, split="train", salt=SALT)
    return next(one for one in drawn if one.task.family == "total_price")


def walk(placed: PlacedTask) -> Walk:
    world = placed.world.open(changes=placed.task.changes)
    return Walk(site=placed.world.site, world=world, look=Look())


def test_a_page_is_parsed_into_words_links_and_forms() -> None:
    page = page_read(
        '<p>1,204.50 for L-2041, from 6 May 2027.</p><a href="x?y=1">All <b>stays</b></a><style>9</style>'
        '<form method="post" action="go"><input type="hidden" name="a" value="1"><input name="b">'
        '<select name="c"><option value="p">P</option><option value="q">Q</option></select>'
        '<input type="checkbox" name="d" value="on"></form>'
    )
    assert page.numbers() == ["1,204.50", "6", "2027"]
    assert page.identifiers() == ["L-2041"]
    assert page.dates() == ["6 May 2027"]
    assert page.links == [("All stays", "x?y=1")]
    (form,) = page.forms
    assert form.is_post
    assert [(field.name, field.options, field.is_switch) for field in form.fields] == [
        ("a", [], False),
        ("b", [], False),
        ("c", ["p", "q"], False),
        ("d", [], True),
    ]


def test_a_walk_follows_links_and_collects_the_events_it_causes(placed: PlacedTask) -> None:
    visitor = walk(placed)
    listing = next(address for words, address in visitor.here.links if "stays/" in address)
    assert visitor.go(listing)
    assert visitor.path.startswith("stays/")
    assert any(kind == "listing_opened" for kind, _ in visitor.events)
    assert not visitor.go("no/such/page")
    assert visitor.path.startswith("stays/")


def test_a_random_walk_is_the_same_for_the_same_draws(placed: PlacedTask) -> None:
    assert shortcuts.measure_clicks(placed, Draws("a")) == shortcuts.measure_clicks(placed, Draws("a"))


def test_a_number_on_the_tasks_page_is_tried_in_every_field(placed: PlacedTask) -> None:
    numbers = shortcuts.find_page_about(placed).numbers()
    shown = replace(placed, task=replace(placed.task, answer=(numbers[3], "L-1")))
    assert (0, "number 4") in shortcuts.find_right_rules(shown)
    assert (0, "number 4") not in shortcuts.find_right_rules(placed)
    second = replace(placed, task=replace(placed.task, answer=("L-1", numbers[3])))
    assert (1, "number 4") in shortcuts.find_right_rules(second)


def test_a_date_is_guessed_from_the_dates_of_the_page(
    placed: PlacedTask, monkeypatch: pytest.MonkeyPatch
) -> None:
    page = BlindPage(text="20 Thu 6 May 2027, 7 June 2027 and 7 June 2027", links=[], forms=[])
    monkeypatch.setattr(shortcuts, "find_page_about", lambda placed: page)
    dated = replace(placed, task=replace(placed.task, answer=("2027-05-06", "2027-06-07")))
    right = shortcuts.find_right_rules(dated)
    assert {(0, "least"), (0, "number 1"), (1, "commonest"), (1, "greatest")} <= right
    assert not right & {(0, "greatest"), (1, "least")}


def test_a_measure_over_its_limit_is_named() -> None:
    row = shortcuts.Shortcuts(family="f", tasks=100, clicked=0.06, seen=0.16)
    assert row.exceeding == ("random clicks", "first page")
    assert shortcuts.Shortcuts(family="f", tasks=100, clicked=0.05, seen=0.15).exceeding == ()


@pytest.mark.parametrize("split", ["train", "test"])
@pytest.mark.parametrize("site", ["reviews", "stays"])
def test_no_family_can_be_answered_without_reading(
    site: str, split: str, capsys: pytest.CaptureFixture[str], settings: Any
) -> None:
    settings.WORLD_SALT = SALT
    call_command("check_shortcuts", site, split=split, count=DRAWN, walks=WALKS, seed=1, least=1)
    lines = capsys.readouterr().out.split("\n\n")[0].split("\n")[1:]
    families = [family for family in list_families(site) if split in family.splits]
    assert [line.split()[0] for line in lines] == [family.id for family in families]
    assert [line.split()[0] for line in lines if line.split()[3] == "-"] == UNSEEN[site]


def test_a_family_of_few_tasks_is_not_judged_and_its_limits_are_named() -> None:
    few, enough = (shortcuts.Shortcuts(family="f", tasks=tasks, clicked=0.5, seen=0.5) for tasks in (99, 100))
    lines, legend = shortcuts.table([few, enough]).split("\n\n")
    assert lines.split("\n")[1].endswith("too few tasks to say")
    assert lines.split("\n")[2].endswith("random clicks first page")
    for limit in ("at most 5%", "at most 15%"):
        assert limit in legend


def test_a_share_of_few_tasks_fails_no_check(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    row = shortcuts.Shortcuts(family="f", tasks=13, clicked=0.5, seen=None)
    monkeypatch.setattr(shortcuts, "measure", lambda *_args, **_options: [row])
    call_command("check_shortcuts", "stays")
    assert "too few tasks to say" in capsys.readouterr().out
    with pytest.raises(CommandError, match="without reading: f"):
        call_command("check_shortcuts", "stays", least=13)
