"""Check of a page's pictures against the task's, since an outline can only name pictures."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from tasks_app.figures import list_figures

# Natural sizes are in the file's own pixels, boxes in the page's pixels.
SHOWN = """() => Array.from(document.images, (image) => {
  const { width, height } = image.getBoundingClientRect();
  return { name: image.alt, file: [image.naturalWidth, image.naturalHeight], box: [width, height] };
})"""


def pictures_problem(payload: Mapping[str, Any], shown: Sequence[Mapping[str, Any]]) -> str | None:
    """Describe what is wrong with a page's pictures, as ``SHOWN`` reports them; None if all are right."""
    figures = list_figures(payload)
    sizes = {figure.alternative: [figure.width, figure.height] for figure in figures}
    for picture in shown:
        size = sizes.get(picture["name"])
        if size is None:
            return f"the page has a picture {picture['name']!r} that the task does not"
        for verb, actual in (("is", picture["file"]), ("is drawn", picture["box"])):
            if actual != size:
                return f"{picture['name']} {verb} {_by(actual)} pixels where the task says {_by(size)}"
    missing = sizes.keys() - {picture["name"] for picture in shown}
    return f"the page does not show {', '.join(sorted(missing))}" if missing else None


def _by(size: Sequence[float]) -> str:
    return " by ".join(f"{side:g}" for side in size)
