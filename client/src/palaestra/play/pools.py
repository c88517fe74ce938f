"""The choice of a page pool for an environment or an engine, by browser."""

from __future__ import annotations

from palaestra.api import Client
from palaestra.episode_config import EpisodeConfig
from palaestra.errors import PalaestraError
from palaestra.observation import get_format
from palaestra.pages.surface import BROWSERS, VIEWPORT, Pool

LITE = "lite"


def pool_make(browser: str, *, origin: str | Client, size: int, viewport: tuple[int, int] = VIEWPORT) -> Pool:
    """Make a pool of ``size`` pages. Playwright is imported only for browser pages."""
    if browser == LITE:
        from palaestra.pages.lite import LitePool  # noqa: PLC0415

        return LitePool(size=size)
    from palaestra.pages.pool import PagePool  # noqa: PLC0415

    return PagePool(origin=origin, size=size, viewport=viewport)


def browser_check(browser: str, config: EpisodeConfig) -> None:
    """Raise ``PalaestraError`` for a browser that is unknown or cannot do what a configuration needs."""
    if browser not in BROWSERS:
        raise PalaestraError(f"There is no browser {browser!r}. Known: {', '.join(BROWSERS)}.")
    if browser != LITE:
        return
    if get_format(config.observation).has_screenshot or config.with_pictures:
        raise PalaestraError("Pages read without a browser have no pictures: use the observation axtree.")
    if config.scope != "page":
        raise PalaestraError("Pages read without a browser have no viewport: use the scope page.")


async def run_check(client: Client, run: int, browser: str) -> None:
    """Raise ``PalaestraError`` if pages would be read without a browser but the run does not declare that."""
    if browser == LITE and (await client.run(run)).settings.get("browser") != LITE:
        message = f"Run {run} does not say that its pages are read without a browser: create it with"
        raise PalaestraError(f'{message} settings={{"browser": "{LITE}"}}.')
