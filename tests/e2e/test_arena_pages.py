from __future__ import annotations

import re
from collections.abc import Callable
from typing import Any

import pytest
from playwright.sync_api import Page, expect

from core.episodes.presentation import AXES, Look
from tests import coverage_choice, factories
from tests.e2e.conftest import ArenaServer
from trajectories.models import Episode, Submission

pytestmark = [pytest.mark.e2e, pytest.mark.django_db(transaction=True)]

OpenPage = Callable[..., Page]
LATEX = r"""Find $\frac{1}{2^{10}}$ of $\$5$, where
\[f(x) = \left\{ \begin{array}{cl} x & \text{if } x \ge 0, \\ -x & \text{otherwise.} \end{array} \right.\]
and $\unknowncommand{x}$ stays.

[asy] draw((0,0)--(1,1)); [/asy]"""


def latex_episode(text: str = LATEX, **fields: Any) -> Episode:
    task = factories.task(payload={"text": text, "format": "latex"})
    return factories.episode(task=task, **fields)


def settled(page: Page) -> None:
    page.wait_for_selector("html[data-settled=true]", state="attached")


def test_a_formula_is_rendered_and_named_by_its_latex(arena_server: ArenaServer, open_page: OpenPage) -> None:
    page = open_page()
    page.goto(arena_server.address(latex_episode()))
    settled(page)

    formulas = page.get_by_role("math")
    expect(formulas.first).to_have_accessible_name(r"\frac{1}{2^{10}}")
    assert formulas.first.locator("[aria-hidden=true] .katex").count() == 1
    snapshot = page.locator("main").aria_snapshot()
    assert r"\frac{1}{2^{10}}" in snapshot.replace("\\\\", "\\")
    assert "unknowncommand" in snapshot
    assert "draw((0,0)" in snapshot


def test_a_formula_that_cannot_be_rendered_shows_its_source(
    arena_server: ArenaServer, open_page: OpenPage
) -> None:
    page = open_page()
    page.goto(arena_server.address(latex_episode()))
    settled(page)

    broken = page.locator(".formula[data-undrawn]")
    expect(broken).to_have_count(1)
    expect(broken).to_have_text(r"$\unknowncommand{x}$")


def test_the_source_of_a_figure_wraps_instead_of_scrolling(
    arena_server: ArenaServer, open_page: OpenPage
) -> None:
    long_line = "draw((0,0)--(1,1)); " * 40 + "x" * 400
    page = open_page()
    page.goto(arena_server.address(latex_episode(f"[asy] {long_line} [/asy]")))
    settled(page)

    widths = page.locator("pre").evaluate("element => [element.scrollWidth, element.clientWidth]")
    assert widths[0] == widths[1]


def test_the_policy_of_the_page_is_never_violated(arena_server: ArenaServer, open_page: OpenPage) -> None:
    page = open_page()
    complaints: list[str] = []
    page.on("console", lambda message: complaints.append(message.text))
    page.on("pageerror", lambda error: complaints.append(str(error)))
    text = (
        r"$\color{red}x$ $\sqrt[3]{\dfrac{a}{b}}$ $\underbrace{a+b}_{n}$ $\boxed{1}$ $\vec{AB}$ $\cancel{5}$"
    )
    page.goto(arena_server.address(latex_episode(text)))
    settled(page)
    page.get_by_role("textbox").fill("1")
    page.get_by_role("button").click()
    expect(page.get_by_role("heading")).to_have_text("Answer recorded")

    assert complaints == []


def test_the_arrow_of_a_vector_has_its_own_width(arena_server: ArenaServer, open_page: OpenPage) -> None:
    page = open_page()
    page.goto(arena_server.address(latex_episode(r"$\vec{v}$ $\vec{AB}$")))
    settled(page)

    boxes = [arrow.bounding_box() for arrow in page.locator(".katex-accent svg").all()]
    assert len(boxes) == 2
    assert all(box is not None and 5 < box["width"] < 12 and box["height"] > 5 for box in boxes)


def test_every_file_of_a_page_comes_from_the_arena(arena_server: ArenaServer, open_page: OpenPage) -> None:
    page = open_page()
    answers: list[tuple[str, int]] = []
    page.on("response", lambda answer: answers.append((answer.url, answer.status)))
    page.goto(arena_server.address(latex_episode()))
    settled(page)

    assert all(url.startswith(arena_server.url) and status in (200, 204) for url, status in answers)
    assert any(url.endswith(".woff2") for url, _ in answers)


def test_the_marker_comes_after_fonts_and_formulas(arena_server: ArenaServer, open_page: OpenPage) -> None:
    page = open_page()
    page.add_init_script(
        """new MutationObserver(() => {
            if (document.documentElement.dataset.settled && !window.atMarker)
                window.atMarker = {
                    fonts: document.fonts.status,
                    drawn: document.querySelectorAll(".katex").length,
                    loaded: Array.from(document.fonts).filter((font) => font.status === "loaded").length,
                };
        }).observe(document, { attributes: true, subtree: true })"""
    )
    page.goto(arena_server.address(latex_episode()))
    settled(page)

    at_marker = page.evaluate("window.atMarker")
    assert (at_marker["fonts"], at_marker["drawn"]) == ("loaded", 3)
    assert at_marker["loaded"] >= 2


def test_the_marker_is_gone_before_the_next_page_loads(
    arena_server: ArenaServer, open_page: OpenPage
) -> None:
    page = open_page()
    page.goto(arena_server.address(latex_episode()))
    settled(page)

    page.evaluate(
        """() => addEventListener("submit",
            () => sessionStorage.setItem("marker", document.documentElement.dataset.settled ?? "none"))"""
    )
    page.get_by_role("textbox").fill("3")
    page.get_by_role("textbox").press("Enter")
    expect(page.get_by_role("heading")).to_have_text("Answer recorded")
    settled(page)

    assert page.evaluate("sessionStorage.getItem('marker')") == "none"


def test_a_page_is_settled_again_after_an_aborted_navigation(
    arena_server: ArenaServer, open_page: OpenPage
) -> None:
    page = open_page()
    page.goto(arena_server.address(latex_episode()))
    settled(page)
    page.route("**/submit", lambda route: route.abort("aborted"))

    page.get_by_role("textbox").fill("3")
    page.get_by_role("button").click()

    expect(page.locator("html")).not_to_have_attribute("data-settled", "true")
    settled(page)


@pytest.mark.parametrize("javascript", [True, False])
def test_a_question_is_answered(javascript: bool, arena_server: ArenaServer, open_page: OpenPage) -> None:
    episode = latex_episode()
    page = open_page(java_script_enabled=javascript)
    page.goto(arena_server.address(episode))

    expect(page.locator("main")).to_contain_text("Find")
    if not javascript:
        expect(page.locator("main")).to_contain_text(r"Find $\frac{1}{2^{10}}$ of")
    page.get_by_role("button").click()
    expect(page.get_by_text("Give an answer first.")).to_be_visible()
    page.get_by_role("textbox").fill("1/1024")
    page.get_by_role("button").click()

    expect(page.get_by_role("heading")).to_have_text("Answer recorded")
    assert Submission.objects.get(episode=episode).answer == "1/1024"


@pytest.mark.parametrize(
    ("width", "layout", "zoom"), coverage_choice.pairs([360, 768, 1400], AXES["layout"], AXES["zoom"])
)
def test_no_page_scrolls_sideways(
    width: int, layout: str, zoom: int, arena_server: ArenaServer, open_page: OpenPage
) -> None:
    long = LATEX + r" \[" + "+".join(f"x_{{{n}}}^2" for n in range(60)) + r"\]" + " " + "y" * 120
    look = Look(layout=layout, zoom=zoom, font="mono")
    page = open_page(viewport={"width": width, "height": 700})
    page.goto(arena_server.address(latex_episode(long, presentation=look.as_dict())))
    settled(page)

    assert page.evaluate("document.documentElement.scrollWidth <= innerWidth")


def test_different_looks_give_different_pictures(arena_server: ArenaServer, open_page: OpenPage) -> None:
    page = open_page()
    seen = set()
    for theme in AXES["theme"]:
        for font in AXES["font"]:
            look = Look(theme=str(theme), font=str(font))
            page.goto(arena_server.address(latex_episode(presentation=look.as_dict())))
            style = page.locator("p").first.evaluate(
                "(p) => [getComputedStyle(p)].map((s) => s.color + s.fontFamily)"
            )
            seen.add(str(style))
    assert len(seen) == 6


def test_the_same_look_is_the_same_picture(arena_server: ArenaServer, open_page: OpenPage) -> None:
    pictures = set()
    for scheme in ("light", "dark"):
        page = open_page(color_scheme=scheme)
        page.goto(arena_server.address(latex_episode(presentation=Look().as_dict())))
        settled(page)
        pictures.add(page.screenshot())
    assert len(pictures) == 1


def test_the_browser_caches_files_but_not_pages(arena_server: ArenaServer, open_page: OpenPage) -> None:
    page = open_page()
    answers: dict[str, str] = {}
    page.on("response", lambda answer: answers.update({answer.url: answer.headers.get("cache-control", "")}))
    address = arena_server.address(latex_episode())
    page.goto(address)
    settled(page)

    files = {url: policy for url, policy in answers.items() if "/static/" in url}
    assert answers[address] == "no-store"
    assert len(files) >= 7
    assert all(re.search(r"max-age=\d{7,}.*immutable", policy) for policy in files.values())
