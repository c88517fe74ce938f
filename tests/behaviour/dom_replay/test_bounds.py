"""Recordings that would freeze or end the browser of their reader: refused, or without what costs so much."""

from __future__ import annotations

import json
import random
import re
import time
from pathlib import Path
from typing import Any

import pytest

from tests.behaviour.dom_replay.test_sanitizer import element, snapshot, text
from trajectories.behaviour.dom_replay import bounds
from trajectories.behaviour.dom_replay.bounds import TooMuch
from trajectories.behaviour.dom_replay.css import css_clean, css_clean_part
from trajectories.behaviour.dom_replay.document import Addresses
from trajectories.behaviour.dom_replay.rrweb import Shown, Type, data_read
from trajectories.behaviour.dom_replay.sanitizer import Cleaner

ROOT = Path(__file__).resolve().parents[3]
Json = dict[str, Any]
TWICE = "var(--v{0}) var(--v{0})"
RULES, DECLARATION, INPUT, SCROLL = 8, 13, 5, 3


def replayed(*datas: Json) -> list[Shown]:
    """The events as a browser gets them; ``TooMuch`` if it gets none."""
    events = []
    for data in datas:
        type_ = Type.INCREMENTAL if "source" in data else Type.FULL_SNAPSHOT
        read = data_read(type_, json.dumps(data).encode())
        assert read is not None
        events.append(Shown(type_, 1.0, read))
    bounds.size_check(events)
    cleaner = Cleaner(events, resolve=Addresses(place=lambda named: f"/{named.name}", pictures={}))
    for event in events:
        cleaner.clean(event.data)
    cleaner.finish()
    bounds.references_check(events)
    return events


def node(tag: str, id: int, *children: Json, **attributes: Any) -> Json:  # noqa: A002
    names = {name.rstrip("_").replace("__", "-"): value for name, value in attributes.items()}
    return element(tag, *children, id=id, attributes=names)


def mutation(**parts: Any) -> Json:
    return {"source": 0, "adds": [], "removes": [], "texts": [], "attributes": [], **parts}


def add(parent: int, *nodes: Json) -> Json:
    return mutation(adds=[{"parentId": parent, "nextId": None, "node": one} for one in nodes])


def change(number: int, **attributes: Any) -> Json:
    return mutation(attributes=[{"id": number, "attributes": attributes}])


def chain(begin: int, length: int) -> Json:
    made = node("i", begin + length - 1)
    for number in range(begin + length - 2, begin - 1, -1):
        made = node("i", number, made)
    return made


def laughs(link: Any, levels: int = 8, each: int = 10) -> list[Json]:
    """Groups whose parts refer to the group before them: ``each`` to the power of ``levels`` parts."""
    groups = [node("g", 100, node("path", 101), id_="g0")]
    for level in range(1, levels + 1):
        parts = [node("use", 1000 * level + n, **link(f"g{level - 1}")) for n in range(each)]
        groups.append(node("g", 100 + 10 * level, *parts, id_=f"g{level}"))
    return groups


def href(name: str) -> Json:
    return {"href": f"#{name}"}


def painted(name: str) -> Json:
    return {"fill": f"u\\72l('#{name}')"}


def styled(name: str) -> Json:
    return {"style": f"--p: url(#{name}); mask: var(--p)"}


def wide(count: int, begin: int = 100) -> list[Json]:
    return [node("b", begin + number) for number in range(count)]


def doubled(levels: int, begin: str = "x" * 100) -> str:
    steps = "".join(f"--v{n}: var(--v{n - 1}) var(--v{n - 1});" for n in range(1, levels))
    return f":root{{--v0: {begin};{steps}}}"


FREEZING = {
    "too many nodes": [snapshot(*wide(60_000))],
    "too many nodes in all": [snapshot(), *(add(3, *wide(6_000, 10_000 * n)) for n in range(1, 11))],
    "one node again and again": [snapshot(), *(add(3, *[node("b", 9)] * 600) for _ in range(100))],
    "deep": [snapshot(chain(100, 600))],
    "deep by and by": [snapshot(), *(add(3 if n == 100 else n - 1, node("i", n)) for n in range(100, 700))],
    "deep by moves": [
        snapshot(chain(1000, 200), chain(2000, 200), chain(3000, 200)),
        add(1199, node("i", 2000)),
        add(2199, node("i", 3000)),
    ],
    "a node in itself": [snapshot(node("i", 100, node("i", 101))), add(101, node("i", 100))],
    "moves of much": [
        snapshot(node("i", 50), *wide(1), node("p", 60, *wide(5_000, 200))),
        *(add(50, node("p", 60)) for _ in range(500)),
    ],
    "long text": [snapshot(text("x" * 5_000_000))],
    "texts that grow": [snapshot(text("x")), *(mutation(texts=[{"id": 90, "value": "x" * 500_000}]),) * 10],
    "long inputs": [snapshot(), *({"source": INPUT, "id": 3, "text": "x" * 500_000},) * 10],
    "long attribute": [snapshot(node("b", 9, title="x" * 2_000_000))],
    "attributes that grow": [snapshot(node("b", 9)), *(change(9, title="x" * 900_000),) * 10],
    "many attributes": [snapshot(node("b", 9, **{f"a{n}": "" for n in range(300)}))],
    "attributes by and by": [snapshot(node("b", 9)), *(change(9, **{f"a{n}": ""}) for n in range(300))],
    "wide cells": [snapshot(*(node("td", 100 + n, colspan="900", rowspan="900") for n in range(2)))],
    "layout again and again": [
        snapshot(*wide(20_000)),
        *({"source": SCROLL, "id": 3, "x": 0, "y": 1},) * 2_000,
    ],
    "use of use": [snapshot(node("svg", 9, *laughs(href)))],
    "use of use, later": [snapshot(node("svg", 9)), *(add(9, group) for group in laughs(href))],
    "use of use, older names": [snapshot(node("svg", 9, *laughs(lambda name: {"xlink:href": f"#{name}"})))],
    "paint of paint": [snapshot(node("svg", 9, *laughs(painted)))],
    "paint by variables": [snapshot(node("svg", 9, *laughs(styled)))],
    "names given later": [
        snapshot(node("svg", 9, *laughs(lambda name: {"href": f"#{name}x"}))),
        *(change(100 + 10 * level, id=f"g{level}x") for level in range(9)),
    ],
    "references given later": [
        snapshot(node("svg", 9, *laughs(lambda name: {}))),
        *(change(1000 * level + n, href=f"#g{level - 1}") for level in range(1, 9) for n in range(10)),
    ],
    "style given later": [
        snapshot(node("svg", 9, *laughs(lambda name: {}))),
        *(
            change(1000 * level + n, style={"mask": [f"url(#g{level - 1})", ""]})
            for level in range(1, 9)
            for n in range(10)
        ),
    ],
    "one mask for all in all": [
        snapshot(node("g", 10, *wide(2_000), fill="url(#p)"), node("g", 11, *wide(2_000, 5_000), id_="p"))
    ],
    "a circle": [snapshot(node("svg", 9, node("g", 10, node("use", 11, href="#a"), id_="a")))],
    "variables": [snapshot(node("style", 9, text(doubled(40))))],
    "variables in attributes": [
        snapshot(*(node("b", 100 + n, style=f"--v{n + 1}: {TWICE.format(n)}") for n in range(30))),
        change(100, style={"--v0": "x" * 99}),
    ],
    "variables with escapes": [snapshot(node("style", 9, text(doubled(40).replace("--v", "\\2d -v"))))],
    "variables in rules": [
        snapshot(node("style", 9)),
        *(
            {"source": RULES, "id": 9, "adds": [{"rule": f"a{{--v{n + 1}: {TWICE.format(n)}}}"}]}
            for n in range(30)
        ),
        {"source": RULES, "id": 9, "adds": [{"rule": "a{--v0: " + "x" * 99 + "}"}]},
    ],
    "tracks by a variable": [
        snapshot(
            node("b", 9, style="--n: calc(9999*9999)"),
            node("style", 10, text("a{grid: repeat(var(--n), 1px) / 1px}")),
        )
    ],
    "much style": [snapshot(*(node("b", 100 + n, style=f"color: {'x' * 200_000}") for n in range(11)))],
}


@pytest.mark.parametrize("datas", FREEZING.values(), ids=FREEZING.keys())
def test_what_would_freeze_a_browser_is_refused_quickly(datas: list[Json]) -> None:
    began = time.process_time()
    with pytest.raises((TooMuch, RecursionError)):
        replayed(*datas)
    assert time.process_time() - began < 20


ORDINARY = {
    "sprites": [
        snapshot(
            node("symbol", 10, node("path", 11), id_="s"),
            *(node("use", 100 + n, href="#s") for n in range(500)),
        )
    ],
    "a clipped chart": [
        snapshot(
            node("clipPath", 10, node("rect", 11), id_="c"), node("g", 12, *wide(3_000), clip__path="url(#c)")
        )
    ],
    "a link to the page that it is on": [snapshot(node("main", 9, node("a", 10, href="#top"), id_="top"))],
    "moves within a list": [
        snapshot(node("ul", 9, *wide(50))),
        *(add(9, node("b", 100 + n % 50)) for n in range(500)),
    ],
    "to another list and back": [
        snapshot(node("ul", 9, node("li", 11)), node("ul", 10)),
        *(add(10 - n % 2, node("li", 11)) for n in range(100)),
    ],
    "tokens": [
        snapshot(
            node("style", 9, text(doubled(4))),
            node("b", 10, style="--months: 2"),
            node("style", 11, text("a{grid-template-columns: repeat(var(--months, 1), minmax(0, 1fr))}")),
        )
    ],
    "many scrolls": [snapshot(*wide(3_000)), *({"source": SCROLL, "id": 3, "x": 0, "y": 1},) * 3_000],
}


@pytest.mark.parametrize("datas", ORDINARY.values(), ids=ORDINARY.keys())
def test_what_pages_do_is_replayed(datas: list[Json]) -> None:
    assert len(replayed(*datas)) == len(datas)


def test_the_styles_of_the_arena_are_within_the_bounds() -> None:
    sheets = sorted((ROOT / "static/css").rglob("*.css"))
    arena = [path for path in sheets if "lab" not in path.parts]
    replayed(
        snapshot(
            *(
                node("style", 10 + 2 * n, text(path.read_text(), id=11 + 2 * n))
                for n, path in enumerate(arena)
            )
        )
    )
    for path in arena:
        shown = css_clean(path.read_text(), lambda address: address)
        assert shown.count("gone-") == path.read_text().count("gone-"), path


@pytest.mark.parametrize(
    "declaration",
    [
        "grid-row: 1 / 10000000",
        "grid-column-end: 99999",
        "grid-area: 1 / 1 / span 100000 / 2",
        "grid-row/**/: 1 / 10000000",
        "grid-row: var(--n)",
        "grid-row: calc(9999 * 9999)",
        "grid-row: /* */ 100000",
        "GRID-R\\4fW: 1000000",
        "grid-template-rows: repeat(100000, 1px)",
        "grid-template-rows: repeat(/**/100000, 1px)",
        "grid-template-rows: repeat(calc(1000 * 1000), 1px)",
        "grid-template-rows: rep\\65 at(+1000000, 1px)",
    ],
)
def test_a_grid_has_no_endless_tracks(declaration: str) -> None:
    shown = css_clean(f"a{{{declaration}}}", lambda address: address)
    assert "gone-" in shown
    assert not re.search(r"(?<!gone-)(?:grid-row|grid-column-end|grid-area|repeat)\b", shown.lower())


@pytest.mark.parametrize(
    "declaration", ["grid-row: 1 / 3", "grid-area: main", "grid-row: span 2 / -1", "grid-column: 1"]
)
def test_ordinary_grids_stay(declaration: str) -> None:
    assert css_clean(f"a{{{declaration}}}", lambda address: address) == f"a{{{declaration}}}"


@pytest.mark.parametrize(
    ("name", "value", "tag"),
    [
        ("width", "100000", "canvas"),
        ("height", "1e9", "canvas"),
        ("colspan", "10000", "td"),
        ("numOctaves", "999999", "feTurbulence"),
    ],
)
def test_numbers_that_cost_by_their_size_are_removed(name: str, value: str, tag: str) -> None:
    (event,) = replayed(snapshot(node(tag, 9, **{name: value}), node(tag, 10, **{name: "3"})))
    body = event.data.node.childNodes[0].childNodes[0]
    assert [one.attributes for one in body.childNodes] == [{}, {name: "3"}]


def test_sheets_refer_to_no_drawings_and_attributes_do() -> None:
    (event,) = replayed(
        snapshot(node("style", 9, text("a{mask:url(#m)}")), node("b", 10, style="mask:url(#m)"))
    )
    style, part = event.data.node.childNodes[0].childNodes[0].childNodes
    assert "#m" not in style.childNodes[0].textContent
    assert part.attributes["style"] == 'mask:url("#m")'


# ---- styles in several texts

EVIL = "https://evil.example/x"
SPLITS = [
    f"@import '{EVIL}';",
    f"a{{background:url({EVIL})}}",
    f"a{{background:u\\72l({EVIL})}}",
    f"a{{background:\\75 rl({EVIL})}}",
    f"a{{background:image-set('{EVIL}' 1x)}}",
    f"a{{b:\"\" url({EVIL}) \"\"}}",
    f"/* \"*/ a{{background:url({EVIL})}} /*\"*/",
    f"a{{b:'\\' url({EVIL}) '}}",
    f"a{{b:\"x\ny\" url({EVIL}) \"}}",
    f"@namespace url({EVIL});",
]  # fmt: skip


def is_harmless(css: str) -> bool:
    """Whether there is nothing in the whole text that cleaning would change."""
    return css_clean(css, lambda _: None) == css


def test_harm_is_noticed() -> None:
    assert not any(
        is_harmless(css) for css in (f"a{{b:url({EVIL})}}", "@imp\\6frt 'x'", f"'\n url({EVIL}) '")
    )


def joined(texts: list[str]) -> str:
    return "".join(css_clean_part(one, lambda _: None) for one in texts)


@pytest.mark.parametrize("css", SPLITS)
def test_a_style_in_several_texts_is_clean_as_a_whole(css: str) -> None:
    for one in range(len(css) + 1):
        for two in range(one, len(css) + 1, 3):
            whole = joined([css[:one], css[one:two], css[two:]])
            assert is_harmless(whole), (css[:one], css[one:two], css[two:])


def test_any_texts_are_clean_beside_each_other() -> None:
    """Where a text begins within a string or a comment, what is harmless alone would not be."""
    dice = random.Random(8)
    pieces = [
        '"',
        "'",
        "/*",
        "*/",
        "\\",
        "url(",
        EVIL,
        ")",
        "@import ",
        "\n",
        " ",
        "{",
        "}",
        "a",
        "*",
        "/",
        ";",
        "\\75",
        "rl(",
    ]
    for _ in range(20_000):
        texts = ["".join(dice.choices(pieces, k=dice.randint(1, 6))) for _ in range(3)]
        whole = joined(texts)
        assert is_harmless(whole), texts


def styles_shown(*datas: Json) -> list[str]:
    shown = []
    for event in replayed(*datas):
        for _, root in bounds.roots(event.data):
            shown += [one.textContent for one in bounds.walk(root) if one.textContent]
        shown += [change.value for change in getattr(event.data, "texts", [])]
    return shown


def test_the_texts_of_a_style_are_cleaned_together() -> None:
    page = snapshot(
        node("style", 9, text("@im", id=20), text(f"port '{EVIL}'; a{{color:r", id=21), text("ed}", id=22))
    )
    assert styles_shown(page) == [f"@gone '{EVIL}'; a{{color:red}}"]


@pytest.mark.parametrize("is_added", [True, False])
def test_texts_of_a_style_that_come_later_are_clean_beside_the_others(is_added: bool) -> None:
    page = snapshot(node("style", 9, text('a{b:"', id=20), text("", id=21)))
    late = f'" url({EVIL}) "'
    changed = mutation(texts=[{"id": 21, "value": late}])
    data = add(9, text(late, id=22)) if is_added else changed
    whole = "".join(styles_shown(page, data))
    assert is_harmless(whole)
