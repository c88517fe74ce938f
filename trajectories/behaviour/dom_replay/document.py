"""The page that replays a step in a single frame without scripts, at the real size of the window.

The page's own script builds the frame from cleaned events. The page must share the lab's origin, because
rrweb could not reach into the frame otherwise. Its content security policy therefore blocks all requests
except those for pictures, fonts and style sheets.
"""

from __future__ import annotations

import re
import secrets
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import Literal

from django.template.loader import render_to_string
from django.templatetags.static import static
from django.urls import reverse
from django.utils.html import format_html
from django.utils.safestring import SafeString, mark_safe

from palaestra.protocol.outline import PUBLIC_ROOT
from tasks_app.figures import list_figures
from trajectories.behaviour.dom_replay.scenes import Scene
from trajectories.models import Episode

_STATIC = re.compile(r"^static/(?:[0-9a-f]{12}/)?(?P<name>[A-Za-z0-9_][A-Za-z0-9_./-]*)$")
_DRAWING = re.compile(r"^pictures/(?P<name>[A-Za-z0-9_-]{1,100})\.(?P<width>[0-9]{1,4})\.webp$")
_PICTURE = re.compile(r"^pictures/(?P<name>[A-Za-z0-9_-]{1,100})$")
_DATA = re.compile(
    r"^data:(?:image/(?:png|jpeg|gif|webp|avif|svg\+xml)|font/(?:woff2?|ttf|otf))[;,]", re.IGNORECASE
)
_FRAGMENT = re.compile(r"^#[^\s\"'()\\]*$")

Kind = Literal["static", "drawing", "blob"]
SCRIPTS = ("vendor/rrweb/replay.min.js", "js/lab/dom/document.js")
STYLES = ("vendor/rrweb/replay.min.css", "css/lab/replay.css")
_ESCAPES = ((b"&", b"\\u0026"), (b"<", b"\\u003c"), (b">", b"\\u003e"))


@dataclass(frozen=True, kw_only=True)
class Named:
    """A file that a replay needs: a static file, a picture or a drawing.

    ``name`` is the file's or drawing's name, or the picture's hash; only a drawing has a ``width``.
    """

    kind: Kind
    name: str
    width: int = 0


@dataclass(frozen=True, kw_only=True)
class Addresses:
    """A resolver that maps recorded addresses to addresses in the lab.

    ``place`` returns the address of a file, or None if the lab does not serve it. ``pictures`` maps the names
    of the task's pictures to their hashes, and ``requested`` collects the files requested so far.
    """

    place: Callable[[Named], str | None]
    pictures: Mapping[str, str]
    requested: set[Named] = field(default_factory=set)

    def __call__(self, address: str) -> str | None:
        address = address.strip()
        if _DATA.match(address) or _FRAGMENT.match(address):
            return address
        named = self._named(address)
        if named is None:
            return None
        self.requested.add(named)
        return self.place(named)

    def _named(self, address: str) -> Named | None:
        if not address.startswith(PUBLIC_ROOT):
            return None
        path = re.split(r"[?#]", address.removeprefix(PUBLIC_ROOT), maxsplit=1)[0]
        if (static := _STATIC.match(path)) and ".." not in path:
            return Named(kind="static", name=static["name"])
        if drawing := _DRAWING.match(path):
            return Named(kind="drawing", name=drawing["name"], width=int(drawing["width"]))
        picture = _PICTURE.match(path)
        sha256 = self.pictures.get(picture["name"]) if picture else None
        return Named(kind="blob", name=sha256) if sha256 else None


def map_addresses(episode: Episode) -> Addresses:
    """Return the resolver that maps addresses in an episode's recordings to addresses in the lab."""
    return Addresses(place=_in_the_lab, pictures=list_pictures(episode))


def list_pictures(episode: Episode) -> dict[str, str]:
    """Return the hashes of the pictures in the episode's task, by their names on its pages."""
    return {figure.name: figure.sha256 for figure in list_figures(episode.task.payload)}


def document_html(scene: Scene, *, nonce: str, scripts: tuple[str, ...], styles: tuple[str, ...]) -> str:
    """Return the HTML of the replay page.

    Once loaded, the page sets ``<html data-replay>`` to ``ready`` or ``failed``. ``scripts`` and ``styles``
    are the addresses at which the page finds ``SCRIPTS`` and ``STYLES``.
    """
    context = {
        "scene": scene,
        "nonce": nonce,
        "scripts": scripts,
        "styles": styles,
        "events": _data_block(scene.events),
    }
    return render_to_string("dom_replay/document.html", context)


def document_in_the_lab(scene: Scene) -> tuple[str, str]:
    """Return the HTML of the replay page in the lab, and its Content Security Policy."""
    nonce = secrets.token_urlsafe(16)
    scripts, styles = tuple(map(static, SCRIPTS)), tuple(map(static, STYLES))
    return document_html(scene, nonce=nonce, scripts=scripts, styles=styles), policy(nonce)


def policy(nonce: str) -> str:
    """Return the Content Security Policy of the replay page, which its frame inherits.

    Inline styles are allowed, because they come from the recording and cannot be listed.
    """
    return "; ".join(
        [
            "default-src 'none'",
            f"script-src 'nonce-{nonce}'",
            "style-src 'self' 'unsafe-inline'",
            "img-src 'self' data:",
            "font-src 'self' data:",
            "connect-src 'none'",
            "frame-src 'none'",
            "form-action 'none'",
            "base-uri 'none'",
            "frame-ancestors 'self'",
            "sandbox allow-scripts allow-same-origin",
        ]
    )


def _in_the_lab(named: Named) -> str | None:
    if named.kind == "static":
        return static(named.name)
    if named.kind == "blob":
        return reverse("blob", args=[named.name])
    return reverse("drawing", args=[named.name, named.width])


def _data_block(events: bytes) -> SafeString:
    """Return a script element with JSON that is already encoded, like Django's ``json_script``.

    The JSON is escaped so that no tag can begin or end inside it.
    """
    for sign, escape in _ESCAPES:
        events = events.replace(sign, escape)
    return format_html('<script id="events" type="application/json">{}</script>', mark_safe(events.decode()))  # noqa: S308
