"""Self-contained pages for rendering: the lab's own replay page of a step, with every file that it needs."""

from __future__ import annotations

import logging
from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import Literal

from django.contrib.staticfiles import finders

from core.episodes import drawings
from core.storage import blobs
from trajectories.behaviour.dom_replay import document, scenes
from trajectories.behaviour.dom_replay.document import Addresses, Named
from trajectories.behaviour.dom_replay.scenes import NoScene, Scene
from trajectories.behaviour.facts.page_actions import read_page_actions
from trajectories.behaviour.fidelity.enclosure import FILES, FILES_BYTES
from trajectories.behaviour.fidelity.rendering import Page
from trajectories.models import Episode, Step

logger = logging.getLogger(__name__)

FOLDER = "/page"
ENTRY = f"{FOLDER}/replay.html"
# The tolerance in height, because a window and its screenshot may be rounded differently.
WHOLE_PAGE_PIXELS = 4
OWN_FILES = 1 + len(document.SCRIPTS) + len(document.STYLES)


UnpagedReason = Literal["no_replay", "whole_page", "other_size", "too_large"]


class Unpaged(Exception):
    """Raised when a step has no page that can be rendered and compared."""

    def __init__(self, reason: UnpagedReason) -> None:
        super().__init__(reason)
        self.reason = reason


def page_of(step: Step, *, size: tuple[int, int]) -> Page:
    """Return the page that renders a step's replay at the screenshot's ``size`` in pixels.

    Raises ``Unpaged``.
    """
    addresses = Addresses(place=_place, pictures=document.list_pictures(step.episode))
    scene = _shown(scenes.replay_step(step, resolve=addresses))
    return _page(scene, addresses, scale=_scale(scene, size=size))


def page_of_action(episode: Episode, number: int) -> Page | None:
    """Return the page that renders the replay of a page action at the size of its window.

    Returns None if there is no such action, and raises ``Unpaged`` if it has no replay.
    """
    actions = read_page_actions(episode.pk)
    action = next((one for one in actions if one.number == number), None)
    if action is None:
        return None
    addresses = Addresses(place=_place, pictures=document.list_pictures(episode))
    scene = scenes.replay_action(action, actions, episode_id=episode.pk, resolve=addresses)
    return _page(_shown(scene), addresses, scale=1.0)


def _shown(scene: Scene | NoScene) -> Scene:
    if isinstance(scene, NoScene):
        raise Unpaged("too_large" if scene.reason == "too_large" else "no_replay")
    return scene


def _page(scene: Scene, addresses: Addresses, *, scale: float) -> Page:
    width, height = scene.size
    html = document.document_html(
        scene,
        nonce="",
        scripts=tuple(map(_static, document.SCRIPTS)),
        styles=tuple(map(_static, document.STYLES)),
    )
    if len(addresses.requested) > FILES - OWN_FILES:
        raise Unpaged("too_large")
    own = [Named(kind="static", name=name) for name in (*document.SCRIPTS, *document.STYLES)]
    files = {ENTRY: html.encode(), **dict(_files([*own, *sorted(addresses.requested, key=repr)]))}
    return Page(files=files, entry=ENTRY, width=width, height=height, scale=scale)


def _scale(scene: Scene, *, size: tuple[int, int]) -> float:
    """Return how many pixels of the screenshot correspond to one pixel of the window."""
    width, height = scene.size
    scale = size[0] / width
    if abs(size[1] - height * scale) <= WHOLE_PAGE_PIXELS:
        return scale
    raise Unpaged("whole_page" if size[1] > height * scale else "other_size")


def _files(names: Iterable[Named]) -> Iterator[tuple[str, bytes]]:
    """Yield the paths and contents of the files that exist; the picture is rendered without the others."""
    bytes_left = FILES_BYTES
    for named in names:
        place, content = _place(named), _read(named)
        if content is None or place is None or len(content) > bytes_left:
            logger.info("a replay is rendered without %s", named)
            continue
        bytes_left -= len(content)
        yield place, content


def _place(named: Named) -> str | None:
    if named.kind == "static":
        return _static(named.name)
    if named.kind == "blob":
        return f"{FOLDER}/blobs/{named.name}"
    return f"{FOLDER}/drawings/{named.name}.{named.width}.webp"


def _static(name: str) -> str:
    return f"{FOLDER}/static/{name}"


def _read(named: Named) -> bytes | None:
    try:
        if named.kind == "blob":
            with blobs.blob_open(named.name) as blob:
                return bytes(blob.read())
        if named.kind == "drawing":
            return drawings.read_drawing(named.name, width=named.width)
        path = finders.find(named.name)
        return Path(path).read_bytes() if isinstance(path, str) else None
    except (OSError, KeyError):
        return None
