"""Maps addresses in a recording to addresses of the lab; recordings write ``https://gym/`` for the arena.

Static files are the lab's current ones; pictures are the task's blobs and the drawings of mock sites. Any
other address maps to None and is never requested.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import Literal

from palaestra.protocol.outline import PUBLIC_ROOT

_STATIC = re.compile(r"^static/(?:[0-9a-f]{12}/)?(?P<name>[A-Za-z0-9_][A-Za-z0-9_./-]*)$")
_DRAWING = re.compile(r"^pictures/(?P<name>[A-Za-z0-9_-]{1,100})\.(?P<width>[0-9]{1,4})\.webp$")
_PICTURE = re.compile(r"^pictures/(?P<name>[A-Za-z0-9_-]{1,100})$")
_DATA = re.compile(
    r"^data:(?:image/(?:png|jpeg|gif|webp|avif|svg\+xml)|font/(?:woff2?|ttf|otf))[;,]", re.IGNORECASE
)
_FRAGMENT = re.compile(r"^#[^\s\"'()\\]*$")

Kind = Literal["static", "drawing", "blob"]


@dataclass(frozen=True, kw_only=True)
class Named:
    """A file that a replay needs: a static file's name, a picture's hash, or a drawing's name and width."""

    kind: Kind
    name: str
    width: int = 0


@dataclass(frozen=True, kw_only=True)
class Addresses:
    """Resolves addresses. ``place`` returns a file's address in the lab, or None if it is not shown.

    ``pictures`` has the hashes of the task's pictures by name; ``requested`` collects the files named so far.
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
