"""What the pages of annotation begin with: where they are, their title and the tabs of their project."""

from __future__ import annotations

from typing import Any

from trajectories.models import AnnotationProject


def head_context(
    title: str, *, project: AnnotationProject | None = None, place: str | None = None, tab: str = ""
) -> dict[str, Any]:
    """What ``lab/annotation/base.html`` shows of a page.

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
