"""The page that replays a step: a single frame without scripts, at the real size of the window.

The page's script builds the frame from cleaned events. It must share the lab's origin, or rrweb could not
reach into the frame; its policy therefore blocks all requests except for pictures, fonts and style sheets.
"""

from __future__ import annotations

import secrets

from django.template.loader import render_to_string
from django.templatetags.static import static
from django.urls import reverse
from django.utils.html import format_html
from django.utils.safestring import SafeString, mark_safe

from tasks_app.figures import list_figures
from trajectories.behaviour.dom_replay.addresses import Addresses, Named
from trajectories.behaviour.dom_replay.scenes import Scene
from trajectories.models import Episode

SCRIPTS = ("vendor/rrweb/replay.min.js", "js/lab/dom/document.js")
STYLES = ("vendor/rrweb/replay.min.css", "css/lab/replay.css")

_ESCAPES = ((b"&", b"\\u0026"), (b"<", b"\\u003c"), (b">", b"\\u003e"))


def addresses_of(episode: Episode) -> Addresses:
    """Resolves the addresses in an episode's recordings to addresses of the lab."""
    return Addresses(place=_in_the_lab, pictures=pictures_of(episode))


def pictures_of(episode: Episode) -> dict[str, str]:
    """The hashes of a task's pictures, by their names on its pages."""
    return {figure.name: figure.sha256 for figure in list_figures(episode.task.payload)}


def document_html(scene: Scene, *, nonce: str, scripts: tuple[str, ...], styles: tuple[str, ...]) -> str:
    """The page, which sets ``<html data-replay>`` to ``ready`` or ``failed``.

    ``scripts`` and ``styles`` are the addresses of ``SCRIPTS`` and ``STYLES`` as seen from the page.
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
    """The page with its Content Security Policy."""
    nonce = secrets.token_urlsafe(16)
    scripts, styles = tuple(map(static, SCRIPTS)), tuple(map(static, STYLES))
    return document_html(scene, nonce=nonce, scripts=scripts, styles=styles), policy(nonce)


def policy(nonce: str) -> str:
    """The policy, which frames inherit. Styles come from the recording, so they cannot be listed."""
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
    """The same as Django's ``json_script``, but for encoded JSON: no tag can begin or end in it."""
    for sign, escape in _ESCAPES:
        events = events.replace(sign, escape)
    return format_html('<script id="events" type="application/json">{}</script>', mark_safe(events.decode()))  # noqa: S308
