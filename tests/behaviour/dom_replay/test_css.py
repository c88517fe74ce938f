from __future__ import annotations

import re

import pytest

from trajectories.behaviour.dom_replay.css import NOTHING, css_clean

EVIL = "https://evil.example/x"


def resolve(address: str) -> str | None:
    return address.replace("https://gym/", "/shown/") if address.startswith("https://gym/") else None


def cleaned(text: str) -> str:
    return css_clean(text, resolve)


FETCHING = [
    "a { background: <!--url(//evil) }",
    f"a{{background:url({EVIL})}}",
    f"a{{background:URL( {EVIL} )}}",
    f"a{{background:url('{EVIL}')}}",
    f'a{{background:url(  "{EVIL}"  )}}',
    f"a{{background:u\\72l({EVIL})}}",
    f"a{{background:\\000075\\52 l({EVIL})}}",
    f"a{{background:url({EVIL}",
    f"a{{background:url('{EVIL}",
    f"a{{b:'x\\'y';background:url({EVIL})}}",
    f'a{{b:"x\ny;background:url({EVIL})}}',
    f"/* ' */a{{background:url({EVIL})}}",
    f"/* url( */a{{background:url({EVIL})}}",
    f"a{{background:url(/**/{EVIL})}}",
    f"a{{background:url(\\\\{EVIL})}}",
    "a{background:url(//evil.example/x)}",
    "a{background:url(/logout/)}",
    "a{background:url(\\68ttps://evil.example/x)}",
    "a{background:url(https\\3a //evil.example/x)}",
    f"a{{--x:url({EVIL});background:var(--x)}}",
    f"a{{background:image-set('{EVIL}' 1x)}}",
    f"a{{background:-webkit-image-set(url({EVIL}) 1x)}}",
    f"a{{background:im\\61ge-set('{EVIL}' 1x)}}",
    f"a{{background:image('{EVIL}')}}",
    f"a{{background:src('{EVIL}')}}",
    f"a{{background:cross-fade(url({EVIL}),red)}}",
    f"@import '{EVIL}';",
    f"@import url({EVIL}) screen;",
    f"@IMPORT\t'{EVIL}';",
    f"@\\69mport '{EVIL}';",
    f"@font-face{{font-family:x;src:url({EVIL}) format('woff2')}}",
    f"a{{behavior:url({EVIL})}}",
    f"a{{cursor:url({EVIL}),auto}}",
    f"a{{background:url({EVIL} crossorigin(anonymous))}}",
    f"@namespace svg url({EVIL});",
    f"}}}}]]) a{{background:url({EVIL})}}",
    f"<!-- a{{background:url({EVIL})}} -->",
    f"a{{background:url(\n{EVIL}\n)}}",
]


@pytest.mark.parametrize("text", FETCHING)
def test_nothing_that_would_be_fetched_remains(text: str) -> None:
    result = cleaned(text)

    assert not re.search(r"@import|@\\69mport", result, re.IGNORECASE)
    assert not re.search(r"(?<![\w-])(?:-webkit-)?(?:image-set|image|src|cross-fade)\(", result)
    for address in re.findall(r"url\(([^)]*)\)", result):
        assert address == '"data:,"'
    assert not re.search(r"(?<![\w-])u\\?\w*l\((?!\"data:,)", result, re.IGNORECASE)


@pytest.mark.parametrize(
    "text",
    [
        ".a:hover > b::before { content: 'url(x)'; color: light-dark(#fff, #000); }",
        '@media (width > 30em) { a { content: "\\201C"; grid-area: 1 / 2; } }',
        '@font-face { font-family: "A B"; font-display: block; }',
        "a[href^='http:'] { margin: calc(1px + var(--gap-1)); } .\\31 st { }",
        "@layer base, site; @supports (display: grid) { .x { inset: 0 } }",
    ],
)
def test_other_styles_stay_as_they_are(text: str) -> None:
    assert cleaned(text) == text


def test_addresses_of_the_arena_become_those_of_the_lab() -> None:
    assert (
        cleaned("a{background:url(https://gym/static/a.png)}") == 'a{background:url("/shown/static/a.png")}'
    )
    assert cleaned(f"a{{background:url({EVIL})}}") == f"a{{background:{NOTHING}}}"


def test_an_address_cannot_end_its_own_quotes() -> None:
    text = "a{background:url('https://gym/a\\22);b:url(https://evil.example')}"

    result = css_clean(text, lambda address: address)

    assert result == 'a{background:url("https://gym/a\\22 );b:url(https://evil.example")}'


def test_the_split_marker_of_rrweb_is_preserved() -> None:
    assert cleaned("a{}/* rr_split */b{}/* other */") == "a{}/* rr_split */b{}/**/"


def test_endlessly_nested_rules_are_cut_off() -> None:
    assert cleaned("b{color:red}" + "a{" * 50_000).count("{") <= 33
    assert cleaned("{" * 50_000) == ""
    assert cleaned("@media x{@supports y{a{b{color:red}}}}" * 9).count("red") == 9


def test_a_megabyte_of_css_is_cleaned() -> None:
    assert cleaned("a{color:red}" * 90_000).count("red") == 90_000
