from __future__ import annotations

import time
from typing import Annotated, Any

import pytest
from django.http import QueryDict
from msgspec import UNSET, Meta, UnsetType

from core.api.paging import Query, cursor_make
from core.errors import GymError
from core.structs.bodies import PROBLEMS_MAX, Body, body_read, texts_read
from core.structs.fields import (
    STRICT,
    Count,
    FieldError,
    History,
    Id,
    JsonObject,
    Numbers,
    Sha256,
    Time,
    Weights,
    choice,
    id_list,
    string,
)


class Place(Body, kw_only=True):
    row: Id
    name: Annotated[str, string(10)] = "x"

    def check(self) -> None:
        if self.row == 13:
            raise FieldError("row", "No row 13.")


class Order(Body, kw_only=True):
    name: Annotated[str, string(10)]
    note: Annotated[str, string(10, may_be_blank=True)] = ""
    kind: Annotated[str, choice(["train", "eval"])] = "eval"
    count: Count | None = None
    share: Annotated[float, Meta(ge=0, le=1)] = 0.5
    exact: Annotated[float, Meta(ge=0, le=1, extra={STRICT: True})] = 0.5
    points: float | None = None
    is_drawn: bool = False
    places: Annotated[list[Place], Meta(max_length=3)] = []
    place: Place | UnsetType = UNSET
    tags: list[Annotated[str, string(5)]] = []
    ids: Annotated[list[Any], id_list(3)] | None = None
    sha256: Sha256 | UnsetType = UNSET
    history: History = "full"
    since: Time | UnsetType = UNSET
    settings: JsonObject = {}
    values: Numbers | UnsetType = UNSET
    weights: Weights | UnsetType = UNSET


class Search(Query, kw_only=True):
    run: Id
    share: Annotated[float, Meta(ge=0, le=1)] | UnsetType = UNSET
    is_drawn: bool = False
    tag: list[Annotated[str, string(5)]] | UnsetType = UNSET


def refusal(body: Any, shape: type[Body] = Order) -> dict[str, list[str]]:
    with pytest.raises(GymError) as refused:
        body_read(shape, body)
    assert (refused.value.code, refused.value.status) == ("invalid", 400)
    return refused.value.fields


def test_a_body_is_read_without_what_it_leaves_out() -> None:
    read = body_read(Order, {"name": " a ", "place": {"row": 1}, "tags": [" b "]})

    assert (read["name"], read["tags"], read["place"]) == ("a", ["b"], {"row": 1, "name": "x"})
    assert (read["count"], read["share"]) == (None, 0.5)
    assert not {"sha256", "since", "values"} & set(read)


def deep(levels: int) -> Any:
    value: Any = {}
    for _ in range(levels):
        value = {"x": value}
    return value


@pytest.mark.parametrize(
    ("change", "path", "words"),
    [
        ({"name": None}, "name", "must be a string, not null"),
        ({"name": 3}, "name", "must be a string, not a number"),
        ({"name": " \x1c "}, "name", "may not be blank"),
        ({"name": "x" * 11}, "name", "At most 10 characters."),
        ({"nmae": 1}, "nmae", "Did you mean name or note?"),
        ({"kind": "trian"}, "kind", "Did you mean train?"),
        ({"kind": []}, "kind", "not a list"),
        ({"count": True}, "count", "must be a whole number or null, not a boolean"),
        ({"count": 10**400}, "count", "at most 2147483647"),
        ({"count": "9" * 2_000}, "count", "not a string"),
        ({"count": 1.5}, "count", "not a decimal number"),
        ({"share": 10**400}, "share", "out of range"),
        ({"share": float("nan")}, "share", "at least 0"),
        ({"share": "nan"}, "share", "must be a number"),
        ({"points": "inf"}, "points", "must be a number"),
        ({"share": float("inf")}, "share", "at most 1"),
        ({"share": False}, "share", "not a boolean"),
        ({"exact": "0.5"}, "exact", "must be a number, not a string"),
        ({"is_drawn": 0}, "is_drawn", "must be true or false"),
        ({"is_drawn": "true"}, "is_drawn", "must be true or false"),
        ({"places": {}}, "places", "must be a list, not an object"),
        ({"places": [{"row": 1}] * 4}, "places", "At most 3 items."),
        ({"places": [{"row": 1}, {}]}, "places.1.row", "is required"),
        ({"places": [{"row": 0}]}, "places.0.row", "at least 1"),
        ({"places": [{"row": 13}]}, "places.0.row", "No row 13."),
        ({"places": [{"row": 1, "nam": 1}]}, "places.0.nam", "Did you mean name?"),
        ({"places": [{"row": 1, "name": " "}]}, "places.0.name", "blank"),
        ({"place": None}, "place", "not null"),
        ({"place": {"row": 13}}, "place.row", "No row 13."),
        ({"place": {"row": "x"}}, "place.row", "not a string"),
        ({"tags": ["a", 1]}, "tags.1", "not a number"),
        ({"tags": ["a", "too long"]}, "tags.1", "At most 5"),
        ({"ids": [1, 1]}, "ids", "twice"),
        ({"ids": [2**63]}, "ids", "is not an id"),
        ({"ids": []}, "ids", "between 1 and 3"),
        ({"sha256": "A" * 64}, "sha256", "lower-case"),
        ({"sha256": "a" * 64 + "\n"}, "sha256", "lower-case"),
        ({"history": "lask_k:3"}, "history", "Did you mean last_k:3?"),
        ({"since": "yesterday"}, "since", "2026-01-31T12:00:00Z"),
        ({"since": "0001-01-01T00:00:00+14:00"}, "since", "2026-01-31T12:00:00Z"),
        ({"settings": deep(33)}, "settings", "deeper than 32"),
        ({"settings": deep(100_000)}, "settings", "deeper than 32"),
        ({"settings": {"x": "y" * 70_000}}, "settings", "65,536"),
        ({"settings": []}, "settings", "must be an object"),
        ({"values": {"a": "1"}}, "values.a", "finite number"),
        ({"values": {"a": True}}, "values.a", "finite number"),
        ({"values": {"a": 10**400}}, "values.a", "finite number"),
        ({"values": {"a": float("nan")}}, "values.a", "finite number"),
        ({"values": {}}, "values", "between 1"),
        ({"weights": {"a": -1}}, "weights", "0 or more"),
    ],
)
def test_a_bad_field_is_named_with_what_is_wrong(change: dict[str, Any], path: str, words: str) -> None:
    fields = refusal({"name": "a"} | change)

    assert list(fields) == [path]
    assert words in fields[path][0]


def test_all_bad_fields_are_named_at_once() -> None:
    fields = refusal({"kind": "x", "count": -1, "place": {"row": 0, "nam": 1}, "extra": 1})

    assert set(fields) == {"name", "kind", "count", "place.row", "place.nam", "extra"}


@pytest.mark.parametrize("body", [None, 3, "text", [], [{"name": "a"}]])
def test_what_is_no_object_is_refused_as_a_whole(body: Any) -> None:
    assert list(refusal(body)) == ["body"]


def test_a_name_that_imitates_a_path_names_itself() -> None:
    name = "x` - at `$.place.row"
    assert list(refusal({"name": "a", name: 1})) == [name]


def test_many_unknown_names_cost_little() -> None:
    before = time.process_time()
    fields = refusal({"name": "a", **{f"field{number}": 1 for number in range(200_000)}})

    assert len(fields) == PROBLEMS_MAX
    assert time.process_time() - before < 2


@pytest.mark.parametrize("sent", [5, 5.0, "5", " 5 ", "5.0"])
def test_a_whole_number_may_be_sent_as_text(sent: Any) -> None:
    assert body_read(Order, {"name": "a", "count": sent})["count"] == 5
    assert body_read(Order, {"name": "a", "places": [{"row": sent}]})["places"][0]["row"] == 5


@pytest.mark.parametrize("sent", ["2026-01-31T12:00:00", "2026-01-31T12:00:00Z", "2026-01-31T13:00:00+01:00"])
def test_a_time_is_in_utc_where_it_names_no_zone(sent: str) -> None:
    assert body_read(Order, {"name": "a", "since": sent})["since"].isoformat() == "2026-01-31T12:00:00+00:00"


def searched(texts: str) -> dict[str, Any]:
    return texts_read(Search, QueryDict(texts))


def test_a_query_reads_texts_as_its_fields_mean_them() -> None:
    read = searched(f"run=1&run=2&share=1e-1&is_drawn=Yes&tag=a&tag=&tag=b&cursor={cursor_make(7)}")

    assert read == {"run": 2, "share": 0.1, "is_drawn": True, "tag": ["a", "b"], "cursor": 7, "limit": 100}


def test_an_empty_parameter_counts_as_none() -> None:
    assert searched("run=1&share=&is_drawn=&tag=&cursor=&limit=") == {
        "run": 1,
        "is_drawn": False,
        "limit": 100,
    }


@pytest.mark.parametrize(
    ("texts", "field"),
    [
        ("run=", "run"),
        ("run=1&rnu=", "rnu"),
        ("run=null", "run"),
        ("run=1&limit=1e2", "limit"),
        ("run=true", "run"),
        ("run=%00", "run"),
        ("run=" + "9" * 5_000, "run"),
        ("run=1&share=nan", "share"),
        ("run=1&share=inf", "share"),
        ("run=1&share=1e999", "share"),
        ("run=1&is_drawn=perhaps", "is_drawn"),
        ("run=1&tag=a%00", "tag"),
        ("run=1&tag=a&tag=%20", "tag.1"),
        ("run=1&cursor=%ed%a0%80", "cursor"),
        ("run=1&cursor=" + "A" * 100_000, "cursor"),
    ],
)
def test_a_bad_parameter_is_named(texts: str, field: str) -> None:
    with pytest.raises(GymError) as refused:
        searched(texts)
    assert list(refused.value.fields) == [field]
