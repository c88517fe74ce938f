"""First looks at sixteen pages opened at once: complete, with marks where the picture has them."""

from __future__ import annotations

import asyncio
from collections.abc import Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from urllib.parse import urlsplit

import pytest

from core.episodes.presentation import Look
from palaestra.observation import ObservationConfig, Observer, get_format
from palaestra.observation.shot import Shot, shot_take
from palaestra.pages.pool import PagePool
from palaestra.pages.warm_page import WarmPage
from palaestra.protocol.outline import STILL_LOADING
from tasks_app.types import GoldDraft, TaskDraft
from tests.e2e.conftest import ArenaServer
from tests.e2e.test_question_kinds import HARD, episode_of
from tests.e2e.test_question_looks import KINDS

pytestmark = [pytest.mark.e2e, pytest.mark.django_db(transaction=True)]

PAGES = 16
FORMULAS = TaskDraft(
    key="1",
    kind="free_answer",
    payload={
        "format": "latex",
        "text": r"Let $\mathcal{F}(\omega)=\int_{-\infty}^{\infty} e^{-i\omega t}\,\mathbf{f}(t)\,dt$ and "
        r"\[\sum_{k=1}^{n}\binom{n}{k}\frac{\sqrt{k}}{\mathbb{R}}.\] What is $\overrightarrow{AB}$?",
    },
    gold=GoldDraft(answer="?"),
)
SHOWN = [FORMULAS, HARD["formulas"], KINDS["picture"], KINDS["table"]]
COUNTS = [3, 3, 0, 0]
"""Formulas of each."""
# Formulas on the page, those that are drawn, and whether all fonts that it needs are there.
DRAWN = """[document.querySelectorAll(".formula").length,
    document.querySelectorAll(".formula > [aria-hidden=true] .katex-html").length, document.fonts.status]"""


@dataclass(frozen=True)
class First:
    """What a first look had to show."""

    text: str
    shot: Shot
    is_settled: bool
    drawn: tuple[int, int, str]


async def first_look(page: WarmPage, address: str) -> First:
    await page.begin(address)
    view = await page.observe(acted=False)
    assert view is not None
    observation = await Observer(ObservationConfig(form=get_format("both"))).observe(page, view)
    shot = await shot_take(page, view, with_marks=True, with_text=True)
    drawn = tuple(await page.page.evaluate(DRAWN))
    return First(observation.text, shot, observation.is_settled and shot.is_still, drawn)


async def looks(addresses: Sequence[str], *, at_once: int) -> list[First]:
    parts = urlsplit(addresses[0])
    pool = PagePool(origin=f"{parts.scheme}://{parts.netloc}", size=at_once)

    async def one(address: str) -> First:
        page = await pool.acquire()
        try:
            return await first_look(page, address)
        finally:
            await pool.release(page)

    try:
        return await asyncio.gather(*map(one, addresses))
    finally:
        await pool.aclose()


def test_sixteen_first_pages_at_once_look_as_each_does_alone(arena_server: ArenaServer) -> None:
    addresses = [
        arena_server.address(episode_of(SHOWN[place % len(SHOWN)], presentation=Look().as_dict()))
        for place in range(PAGES)
    ]
    with ThreadPoolExecutor(1) as thread:
        crowded = thread.submit(asyncio.run, looks(addresses, at_once=PAGES)).result()
        alone = thread.submit(asyncio.run, looks(addresses[: len(SHOWN)], at_once=1)).result()

    for place, first in enumerate(crowded):
        quiet = alone[place % len(SHOWN)]
        formulas = COUNTS[place % len(SHOWN)]
        assert first.is_settled
        assert first.drawn == (formulas, formulas, "loaded")
        assert "What is" in first.text or not formulas
        assert STILL_LOADING not in first.text
        assert first.text == quiet.text
        assert first.shot.seen["marks"] == quiet.shot.seen["marks"] != []
        assert first.shot.pixels == quiet.shot.pixels
