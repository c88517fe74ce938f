"""The tool that draws pictures larger: the same bytes, so that it shows nothing that was not there."""

from __future__ import annotations

from dataclasses import dataclass

from tasks_app.questions import Visit

TOOL = "zoom"
LARGEST = 3
TIMES = {str(times): times for times in range(1, LARGEST + 1)}


@dataclass(frozen=True, kw_only=True)
class Zoom:
    """``times`` is the size that pictures are drawn at; ``largest`` the size at which it ends."""

    times: int = 1
    largest: int = LARGEST

    @property
    def larger_address(self) -> str:
        return f"{self.original_address}?zoom={min(self.times + 1, self.largest)}"

    @property
    def original_address(self) -> str:
        """The question's own, from the page that says what is wrong with an answer too."""
        return "./"

    @property
    def is_largest(self) -> bool:
        return self.times == self.largest


def zoom_of(visit: Visit) -> Zoom:
    """A size that the page does not offer is the original one."""
    return Zoom(times=TIMES.get(visit.query.get("zoom", ""), 1)) if TOOL in visit.tools else Zoom()
