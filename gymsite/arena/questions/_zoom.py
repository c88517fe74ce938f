"""The zoom tool. It enlarges the same bytes, so it reveals nothing new."""

from __future__ import annotations

from dataclasses import dataclass

from tasks_app.questions import Visit

TOOL = "zoom"
LARGEST = 3
TIMES = {str(times): times for times in range(1, LARGEST + 1)}


@dataclass(frozen=True, kw_only=True)
class Zoom:
    """Zoom of a page. ``times`` is the factor by which pictures are enlarged; ``largest`` is its maximum."""

    times: int = 1
    largest: int = LARGEST

    @property
    def larger_address(self) -> str:
        return f"{self.original_address}?zoom={min(self.times + 1, self.largest)}"

    @property
    def original_address(self) -> str:
        """The question's own address, which also works from a page that refuses an answer."""
        return "./"

    @property
    def is_largest(self) -> bool:
        return self.times == self.largest


def read_zoom(visit: Visit) -> Zoom:
    """Read the requested zoom factor; one that the page does not offer means the original size."""
    return Zoom(times=TIMES.get(visit.query.get("zoom", ""), 1)) if TOOL in visit.tools else Zoom()
