from __future__ import annotations

import json
from itertools import product
from typing import Any

import msgspec
import pytest

from trajectories.behaviour.dom_replay import sanitizer
from trajectories.behaviour.dom_replay.document import Addresses, Named
from trajectories.behaviour.dom_replay.rrweb import Shown, Type, data_read
from trajectories.behaviour.dom_replay.sanitizer import Cleaner

EVIL = "https://evil.example/x"
SHA256 = "ab" * 32
HIDDEN = (
    *(EVIL, "//evil.example", "/logout/", "logout/", "javascript:alert(1)", " java\nscript:alert(1)", ""),
    *("data:text/html,<script>", "blob:https://x", "file:///etc/passwd", "https://gym.evil.example/static/x"),
    *(
        "https://gym/static/../admin",
        "https://gym/static/a/../../admin",
        "https://gym/static//evil",
        "https://gym/episodes/1",
        "http://gym/static/a",
    ),
    *("https://gym/pictures/other", "https://gym/static/a\\..\\b", "https://gym@evil.example/static/a"),
)
"""Addresses that the lab does not show."""
MUTATION, RULES, DECLARATION, ADOPTED = 0, 8, 13, 15


def place(named: Named) -> str | None:
    return f"/{named.kind}/{named.name}"


def element(tag: str, *children: dict[str, Any], id: int = 5, **fields: Any) -> dict[str, Any]:  # noqa: A002
    attributes = fields.pop("attributes", {})
    node = {"type": 2, "id": id, "tagName": tag, "attributes": attributes, "childNodes": list(children)}
    return {**node, **fields}


def text(content: str, **fields: Any) -> dict[str, Any]:
    return {"type": 3, "id": 90, "textContent": content, **fields}


def snapshot(*nodes: dict[str, Any]) -> dict[str, Any]:
    html = element("html", element("body", *nodes, id=3), id=2)
    return {"node": {"type": 0, "id": 1, "childNodes": [html]}, "initialOffset": {"top": 0, "left": 0}}


def cleaned(*datas: dict[str, Any]) -> list[Any]:
    """The cleaned events: changes if they have a source, else snapshots."""
    events = []
    for data in datas:
        type_ = Type.INCREMENTAL if "source" in data else Type.FULL_SNAPSHOT
        read = data_read(type_, json.dumps(data).encode())
        assert read is not None
        events.append(Shown(type_, 1.0, read))
    cleaner = Cleaner(events, resolve=Addresses(place=place, pictures={"figure-1": SHA256}))
    for event in events:
        cleaner.clean(event.data)
    return [json.loads(msgspec.json.encode(event.data)) for event in events]


def one(node: dict[str, Any]) -> dict[str, Any]:
    (data,) = cleaned(snapshot(node))
    return dict(data["node"]["childNodes"][0]["childNodes"][0]["childNodes"][0])


def attributes(tag: str, **given: Any) -> dict[str, Any]:
    return dict(one(element(tag, attributes=given))["attributes"])


def test_the_candidates_in_a_srcset_are_limited() -> None:
    many = ", ".join(["https://gym/pictures/figure-1 1x"] * 1_000)
    assert len(attributes("img", srcset=many)["srcset"].split(", ")) == sanitizer.CANDIDATES_MAX


@pytest.mark.parametrize("svg", [False, True])
@pytest.mark.parametrize(
    "tag",
    [
        *(
            "script",
            "SCRIPT",
            "base",
            "iframe",
            "frame",
            "object",
            "embed",
            "applet",
            "portal",
            "fencedframe",
        ),
        *("animate", "set", "animateTransform", "handler", "svg:script", "constructor", "x y", "ſcript", ""),
    ],
)
def test_scripts_and_embedded_documents_become_inert_elements(tag: str, svg: bool) -> None:
    node = one(element(tag, attributes={"src": EVIL, "href": EVIL, "data": EVIL, "srcdoc": "<b>"}, isSVG=svg))

    assert node["tagName"] in {"noscript", "div", "desc"}
    assert node["attributes"] == {}


@pytest.mark.parametrize(
    "name",
    [
        *(
            "onerror",
            "onload",
            "ONCLICK",
            "OnFocus",
            "onfocusin",
            "ontoggle",
            "onbeforetoggle",
            "onanimationend",
        ),
        *(
            "srcdoc",
            "formaction",
            "action",
            "ping",
            "autofocus",
            "http-equiv",
            "nonce",
            "is",
            "data",
            "target",
        ),
        *(
            "manifest",
            "attributionsrc",
            "imagesrcset",
            "rr_src",
            "rr_mediaState",
            "__proto__",
            "loading",
            "a b",
        ),
        *("xlink:actuate", "xml:base", "ev:event", "on error", "src\u0000"),
    ],
)
def test_attributes_that_run_or_fetch_are_removed(name: str) -> None:
    assert one(element("div", attributes={name: "x", "class": "kept"}))["attributes"] == {"class": "kept"}


@pytest.mark.parametrize(
    "tag", ["img", "input", "video", "audio", "source", "image", "use", "feimage", "body"]
)
def test_an_address_that_the_lab_does_not_show_is_removed(tag: str) -> None:
    names = ("src", "poster", "background", "srcset", "rr_dataURL", "href", "xlink:href")
    shown = [
        (name, address)
        for name, address in product(names, HIDDEN)
        if one(element(tag, attributes={name: address}))["attributes"]
    ]
    assert shown == []


@pytest.mark.parametrize(
    ("address", "shown"),
    [
        ("https://gym/static/0123456789ab/css/site.png", "/static/css/site.png"),
        ("https://gym/static/img/a.svg?v=2#top", "/static/img/a.svg"),
        ("https://gym/pictures/hotel-day-7.320.webp", "/drawing/hotel-day-7"),
        ("https://gym/pictures/figure-1", f"/blob/{SHA256}"),
        ("data:image/png;base64,AAAA", "data:image/png;base64,AAAA"),
    ],
)
def test_files_of_the_arena_are_served_from_the_lab(address: str, shown: str) -> None:
    assert attributes("img", src=address) == {"src": shown}
    assert attributes("img", srcset=f"{address} 1x, {EVIL} 2x") == {"srcset": f"{shown} 1x"}
    assert attributes("image", href=address) == {"href": shown}


@pytest.mark.parametrize("size", ["1x,{}", "1x,\t{} 2x", "{}", "1x,,{}"])
def test_the_size_of_a_picture_hides_no_address(size: str) -> None:
    shown = {"srcset": "data:image/png;base64,AAAA"}
    assert attributes("img", srcset=f"data:image/png;base64,AAAA {size.format(EVIL)}") == shown


@pytest.mark.parametrize("size", ["1x", "1.5x", "320w"])
def test_pictures_keep_their_sizes(size: str) -> None:
    given = f"data:image/png;base64,AAAA {size}"
    assert attributes("img", srcset=given) == {"srcset": given}


def test_links_stay_links_and_lead_nowhere() -> None:
    assert attributes("a", href=EVIL) == {"href": "#"}
    assert attributes("a", href="javascript:alert(1)") == {"href": "#"}
    assert attributes("a", href="#part") == {"href": "#part"}
    assert attributes("use", href="#shape") == {"href": "#shape"}


@pytest.mark.parametrize(
    ("given", "tag"),
    [
        ({"rel": "stylesheet", "href": "https://gym/static/css/a.css"}, "link"),
        ({"rel": "stylesheet", "href": EVIL}, "noscript"),
        ({"rel": "stylesheet", "href": "#"}, "noscript"),
        ({"rel": "stylesheet preload", "href": "https://gym/static/css/a.css"}, "noscript"),
        ({"rel": "preconnect", "href": EVIL}, "noscript"),
        ({"rel": "dns-prefetch", "href": EVIL}, "noscript"),
        ({"rel": "prefetch", "href": "https://gym/static/a.js"}, "noscript"),
        ({"rel": "stylesheet", "href": EVIL, "_cssText": "a{}"}, "style"),
    ],
)
def test_the_only_link_elements_that_remain_are_style_sheets_of_the_arena(
    given: dict[str, str], tag: str
) -> None:
    node = one(element("link", attributes=given))

    assert node["tagName"] == tag
    assert EVIL not in json.dumps(node)


def test_a_page_cannot_refresh_itself() -> None:
    assert "http-equiv" not in attributes("meta", **{"http-equiv": "refresh", "content": f"0;url={EVIL}"})


STYLE = f"a{{background:url({EVIL})}}"


def test_styles_are_cleaned_wherever_they_stand() -> None:
    adopted = {
        "source": ADOPTED,
        "id": 1,
        "styleIds": [1],
        "styles": [{"styleId": 1, "rules": [{"rule": STYLE}]}],
    }
    set_ = {"property": "background", "value": f"url({EVIL})"}
    changes = [
        {"id": 5, "attributes": {"_cssText": STYLE}},
        {"id": 6, "attributes": {"style": {"background": f"url({EVIL})", "color": ["red", "important"]}}},
        {"id": 6, "attributes": {"style": f"background:url({EVIL})", "fill": f"url({EVIL})"}},
    ]
    events = cleaned(
        snapshot(
            element("style", text(STYLE), id=5),
            element("style", id=7, attributes={"_cssText": STYLE}, isSVG=True),
            element("div", id=6, attributes={"style": f"background:url({EVIL})", "mask": f"url({EVIL})"}),
        ),
        {"source": RULES, "id": 5, "adds": [{"rule": STYLE, "index": 0}], "replaceSync": STYLE},
        {"source": DECLARATION, "id": 5, "index": [0], "set": set_},
        adopted,
        {"source": MUTATION, "texts": [{"id": 90, "value": STYLE}], "attributes": changes},
        {"source": MUTATION, "adds": [{"parentId": 5, "nextId": None, "node": text(STYLE, id=91)}]},
        {"source": MUTATION, "texts": [{"id": 91, "value": STYLE}]},
    )

    assert "evil" not in json.dumps(events)
    assert "important" in json.dumps(events)


def test_text_outside_a_style_element_is_not_cleaned_as_css() -> None:
    node = one(element("p", text(STYLE)))

    assert node["childNodes"][0]["textContent"] == STYLE


def test_a_style_added_after_its_text_is_cleaned() -> None:
    style = {"parentId": 3, "nextId": None, "node": element("style", id=70)}
    events = cleaned(
        snapshot(),
        {"source": MUTATION, "adds": [{"parentId": 70, "nextId": None, "node": text(STYLE, id=71)}, style]},
    )

    assert "evil" not in json.dumps(events)


def test_attribute_mutations_are_cleaned_by_the_same_rules() -> None:
    given = {"onclick": "x()", "src": EVIL, "href": EVIL, "class": "b", "title": None}
    events = cleaned(
        snapshot(element("a", id=5), element("img", id=6)),
        {"source": MUTATION, "attributes": [{"id": number, "attributes": given} for number in (5, 6)]},
    )

    link, picture = (change["attributes"] for change in events[1]["attributes"])
    assert link == {"src": None, "href": "#", "class": "b", "title": None}
    assert picture == {"src": None, "href": None, "class": "b", "title": None}


def test_a_nested_document_does_not_restart_the_replay() -> None:
    document = {"type": 0, "id": 50, "childNodes": [element("html", id=51)]}
    events = cleaned(
        snapshot(element("p", document)),
        {"source": MUTATION, "adds": [{"parentId": 5, "nextId": None, "node": document}]},
    )

    assert events[0]["node"]["childNodes"][0]["childNodes"][0]["childNodes"][0]["childNodes"][0]["type"] == 5
    assert events[1]["adds"] == []


def test_names_that_would_clobber_document_properties_are_removed() -> None:
    assert attributes("form", name="createElement", id="f") == {"id": "f"}
    assert attributes("input", name="answer") == {"name": "answer"}


@pytest.mark.parametrize("source", [7, 9, 10, 11, 16, 99])
def test_media_canvas_and_fonts_are_not_replayed(source: int) -> None:
    assert data_read(Type.INCREMENTAL, json.dumps({"source": source, "id": 1}).encode()) is None


@pytest.mark.parametrize(
    ("type_", "data"),
    [
        (3, "[]"),
        (3, '{"source":"0"}'),
        (3, '{"source":1,"positions":[]}'),
        (3, '{"source":0,"adds":[{"parentId":1}]}'),
        (4, '{"width":1e9,"height":600}'),
        (4, '{"width":0,"height":600}'),
        (2, '{"node":{"type":7,"id":1},"initialOffset":{}}'),
        (2, '{"node":{"type":2,"id":1,"attributes":{"a":[1]}},"initialOffset":{}}'),
    ],
)
def test_malformed_events_are_rejected(type_: int, data: str) -> None:
    with pytest.raises(msgspec.DecodeError):
        data_read(type_, data.encode())


def test_popover_events_are_the_only_custom_events_read() -> None:
    data = data_read(Type.CUSTOM, b'{"tag":"popover","payload":{"id":5,"open":true,"more":"x"}}')

    assert msgspec.json.encode(data) == b'{"tag":"popover","payload":{"id":5,"open":true}}'
    with pytest.raises(msgspec.DecodeError):
        data_read(Type.CUSTOM, b'{"tag":"other","payload":{"id":5,"open":true}}')


def test_endlessly_nested_events_are_rejected() -> None:
    deep = b'{"node":' + b'{"type":2,"id":1,"childNodes":[' * 5_000 + b"]}" * 5_000 + b',"initialOffset":{}}'

    with pytest.raises((RecursionError, msgspec.DecodeError)):
        data_read(2, deep)
