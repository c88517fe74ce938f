"""Element ids, given as in ``js/ids.js``: one numbering for a whole episode."""

from __future__ import annotations

from base64 import urlsafe_b64encode
from functools import lru_cache
from hashlib import blake2b
from urllib.parse import urlsplit

from palaestra.bounds import EPISODE_PATH
from palaestra.lite.document import Element

ITEMS = ("li", "tr", "article")
ITEM_ROLES = ("listitem", "row", "article")
TITLES = ("h1", "h2", "h3", "h4", "h5", "h6", "th")
TITLE_CHARS = 80
NAMED = 6
KEY_BYTES = 6  # enough for some thousand elements, and eight characters
Around = tuple[Element | None, Element | None]
"""The innermost item that an element is or is in, and the innermost element with an id."""


class Ids:
    """The ids of one document. ``numbers`` are those of the episode, by what elements are called."""

    def __init__(self, numbers: dict[str, int]) -> None:
        self._numbers = numbers
        self._of: dict[int, int] = {}
        self._holders: dict[int, Element] = {}
        self._records: dict[Element, str] = {}
        self._around: dict[Element, Around] = {}
        self._last = max(numbers.values(), default=0)

    def assign(self, element: Element, role: str, name: str) -> str:
        number = self._of.get(element.key)
        if number is None:
            number = self._number_for(element, role, name)
            self._of[element.key] = number
            self._holders[number] = element
        return f"e{number}"

    def _number_for(self, element: Element, role: str, name: str) -> int:
        call = f"{_call_of(element, role, name)}\0{self._record_of(element.parent)}"
        place = 1
        while True:
            key = _key_of(f"{call}\0{place}")
            known = self._numbers.get(key)
            if known is None:
                self._last += 1
                self._numbers[key] = self._last
                return self._last
            if known not in self._holders:
                return known
            place += 1

    def _record_of(self, parent: Element | None) -> str:
        if parent is None:
            return ""
        record = self._records.get(parent)
        if record is None:
            item, holder = self._around_of(parent)
            record = self._records[parent] = _record_in(item, holder)
        return record

    def _around_of(self, element: Element) -> Around:
        around = self._around.get(element)
        if around is None:
            is_item = element.tag in ITEMS or element.attrs.get("role") in ITEM_ROLES
            has_id = "id" in element.attrs
            item, holder = (None, None) if element.parent is None else self._around_of(element.parent)
            around = (element if is_item else item, element if has_id else holder)
            self._around[element] = around
        return around

    def element(self, id: str) -> Element | None:
        return self._holders.get(int(id[1:])) if id[:1] == "e" and id[1:].isdecimal() else None

    @property
    def holders(self) -> list[tuple[str, Element]]:
        """The elements that have an id, in the order of their numbers."""
        return [(f"e{number}", self._holders[number]) for number in sorted(self._holders)]


def words_of_ids(ids: list[str]) -> str:
    """``e1, e2, e5 and 9 more``."""
    others = len(ids) - NAMED
    return f"{', '.join(ids[:NAMED])} and {others} more" if others > 1 else ", ".join(ids)


def _call_of(element: Element, role: str, name: str) -> str:
    """What an element is called by, so that it is known again: where a link leads, but not its query."""
    attrs = element.attrs
    own = attrs.get("id") or attrs.get("name") or ""
    is_link = element.tag in ("a", "area") and "href" in attrs
    path = _path_of(element.href) if is_link else ""
    return "\0".join((role, own, path, name))


@lru_cache(maxsize=65536)
def _key_of(call: str) -> str:
    """A hash without blanks, for keys are recorded."""
    digest = blake2b(call.encode("utf-8", "replace"), digest_size=KEY_BYTES).digest()
    return urlsafe_b64encode(digest).decode()


@lru_cache(maxsize=4096)
def _path_of(address: str) -> str:
    """Below the episode's own address, for a fork has another."""
    return EPISODE_PATH.sub("/", urlsplit(address).path or "/", count=1)


def _record_in(item: Element | None, holder: Element | None) -> str:
    """The record of what is in an item: one without an id of its own is known by its title."""
    is_held = item is not None and (holder is None or not item.holds(holder))
    title = ""
    if is_held and item is not None:
        title = (_title(item) or item).text.strip()[:TITLE_CHARS]
    return f"{holder.attrs['id'] if holder else ''}\0{' '.join(title.split())}"


def _title(item: Element) -> Element | None:
    return next((one for one in item.walk() if one.tag in TITLES or one.attrs.get("role") == "heading"), None)
