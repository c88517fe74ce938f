"""The way to the page of a fork: which documents are opened again."""

from __future__ import annotations

from typing import Any

from palaestra.actions import Action, ActionInvalid, action_check
from palaestra.records.recipes import PastAct, Recipe, Served
from palaestra.recovery.lost_pages import AT_FIRST_PAGE
from palaestra.recovery.visits import Visit, list_visits, list_ways

CLICK, BACK = {"type": "click", "target": "e1"}, {"type": "back"}
TYPE, SCROLL = {"type": "type", "target": "e2", "text": "x"}, {"type": "scroll", "dy": 100}


def past(index: int, action: dict[str, Any] | None, page: str | None = None, **fields: Any) -> PastAct:
    """An act; ``page`` is the document that it led to, if it led to one."""
    path, _, query = (page or "").partition("?")
    url = f"https://gym/{path}" + (f"?{query}" if query else "")
    served = [] if page is None else [Served(seq=index + 1, path=path)]
    result = {"action_result": "ok", "kind": "axtree-v2", "sha256": "", "url": url, "seq": index + 1}
    return PastAct(index=index, action=action, served=served, **{**result, **fields})


def visits(*acts: PastAct) -> list[Visit]:
    recipe = Recipe(start_url="http://gym/e/token/", next_index=len(acts), element_ids="", steps=list(acts))
    return list_visits(recipe, read_action=read_action)


def read_action(act: PastAct) -> Action | None:
    try:
        return action_check(act.action or {})
    except ActionInvalid:
        return None


def way(made: list[Visit], *, is_remembered: bool = True, number: int = 0) -> list[str]:
    """The addresses of a way; in brackets where a blank document takes the place of one."""
    plan = list(list_ways(made, is_remembered=is_remembered))[number]
    return [one.url.removeprefix("https://gym") if is_real else f"({one.url})" for one, is_real in plan]


def test_only_the_last_document_is_opened_again() -> None:
    made = visits(past(0, None, ""), past(1, CLICK, "a"), past(2, SCROLL), past(3, CLICK, "b?q=1"))
    assert way(made) == ["(https://gym/)", "(https://gym/a)", "/b?q=1"]
    assert way(made, number=1) == ["(https://gym/)", "/a", "/b?q=1"]
    assert way(made, number=2) == ["/", "/a", "/b?q=1"]


def test_what_was_typed_is_typed_again_where_it_is_remembered() -> None:
    made = visits(past(0, None, ""), past(1, TYPE), past(2, CLICK, "a"))
    assert way(made) == ["/", "/a"]
    assert way(made, is_remembered=False) == ["(https://gym/)", "/a"]


def test_what_may_have_led_to_an_unrecorded_page_is_done_again_everywhere() -> None:
    made = visits(past(0, None, ""), past(1, CLICK), past(2, CLICK, "a"))
    assert way(made, is_remembered=False) == ["/", "/a"]
    refused = visits(past(0, None, ""), past(1, CLICK, action_result="no_target"), past(2, CLICK, "a"))
    assert way(refused, is_remembered=False) == ["(https://gym/)", "/a"]


def test_documents_that_were_gone_back_from_are_left_out() -> None:
    acts = [past(0, None, ""), past(1, CLICK, "a"), past(2, BACK, ""), past(3, CLICK, "b"), past(4, BACK, "")]
    made = visits(*acts, past(5, CLICK, "c"))
    assert way(made) == ["(https://gym/)", "/c"]
    assert [one.is_back for one in made] == [False, False, True, False, True, False]


def test_a_page_that_was_gone_back_to_is_left_first() -> None:
    made = visits(past(0, None, ""), past(1, CLICK, "a"), past(2, BACK, ""))
    assert way(made) == ["/", "(https://gym/a)", "/"]
    assert way(made, is_remembered=False) == ["/"]


def test_a_reloaded_document_takes_the_place_of_the_one_before() -> None:
    made = visits(past(0, None, ""), past(1, CLICK, "a"), past(2, CLICK, "a"), past(3, BACK, ""))
    assert way(made, is_remembered=False) == ["(https://gym/)", "(https://gym/a)", "(https://gym/a)", "/"]


def test_another_page_of_the_browser_begins_afresh() -> None:
    lost = past(2, CLICK, "", result_message=f"The page crashed. {AT_FIRST_PAGE}")
    made = visits(past(0, None, ""), past(1, CLICK, "a"), lost, past(3, CLICK, "b"))
    assert way(made) == ["(https://gym/)", "/b"]
    assert not made[0].is_back


def test_a_turn_of_several_actions_leaves_a_page_by_the_one_that_did() -> None:
    both = {"type": "sequence", "actions": [TYPE, CLICK, SCROLL]}
    message = "2 of 3 actions were carried out. The page changed, so the rest was left out."
    made = visits(past(0, None, ""), past(1, both, "a", result_message=message))
    assert [part.type for part in made[0].parting] == ["type", "click"]
    assert way(made) == ["/", "/a"]


def test_an_address_whose_observation_is_of_another_page_has_no_query() -> None:
    made = visits(past(0, None, ""), past(1, CLICK, "a b", url="https://gym/other?q=1"))
    assert made[-1].url == "https://gym/a%20b"
