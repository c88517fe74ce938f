"""Head of the annotation pages: breadcrumbs, title and the tabs of their project."""

from __future__ import annotations

from typing import Any

from trajectories.models import AnnotationProject


def head_context(
    title: str, *, project: AnnotationProject | None = None, place: str | None = None, tab: str = ""
) -> dict[str, Any]:
    """Return the context of ``lab/annotation/base.html``.

    ``place`` is the page's name in the breadcrumbs, if not its title; empty for the project itself. ``tab``
    is the project's tab to which the page belongs.

    ``place`` is what the page is called in its crumbs, if not by its title; nothing for the project itself.
    ``tab`` is the one of the project's pages to which it belongs.
    """
    return {
        "here": "annotation",
        "title": title,
        "place": title.lower() if place is None else place,
        "project": project,
        "tab": tab,
    }
