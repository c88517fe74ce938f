"""Element ids, which are assigned as in ``js/ids.js``, with one numbering for a whole episode."""

from __future__ import annotations

from base64 import urlsafe_b64encode
from functools import lru_cache
from hashlib import blake2b
from urllib.parse import urlsplit

from palaestra.pages.bounds import EPISODE_PATH
from palaestra.pages.lite.document import Element

ITEMS = ("li", "tr", "article")
ITEM_ROLES = ("listitem", "row", "article")
TITLES = ("h1", "h2", "h3", "h4", "h5", "h6", "th")
TITLE_CHARS = 80
NAMED = 6
KEY_BYTES = 6  # eight characters of base64, enough to avoid collisions among some thousand elements
Around = tuple[Element | None, Element | None]
"""The innermost list item and the innermost element with an id, among an element and its ancestors."""


class Ids:
    """The ids of one document. ``numbers`` are the episode's numbers by the hash of an element's identity.

    An element that reappears on a later page has the same identity and gets the same number, so that a model
    can refer to what it saw before.
    """

    def __init__(self, numbers: dict[str, int]) -> None:
        self._numbers = numbers
        self._by_key: dict[int, int] = {}
        self._holders: dict[int, Element] = {}
        self._records: dict[Element, str] = {}
        self._around: dict[Element, Around] = {}
        self._last = max(numbers.values(), default=0)

    def assign(self, element: Element, role: str, name: str) -> str:
        """Return an element's id; assign a new one if it has none yet."""
        number = self._by_key.get(element.key)
        if number is None:
            number = self._choose_number(element, role, name)
            self._by_key[element.key] = number
            self._holders[number] = element
        return f"e{number}"

    def _choose_number(self, element: Element, role: str, name: str) -> int:
        identity = f"{_identify(element, role, name)}\0{self._find_record(element.parent)}"
        repeat = 1
        while True:
            key = _hash_identity(f"{identity}\0{repeat}")
            known = self._numbers.get(key)
            if known is None:
                self._last += 1
                self._numbers[key] = self._last
                return self._last
            if known not in self._holders:
                return known
            repeat += 1

    def _find_record(self, parent: Element | None) -> str:
        if parent is None:
            return ""
        record = self._records.get(parent)
        if record is None:
            item, holder = self._find_around(parent)
            record = self._records[parent] = _describe_record(item, holder)
        return record

    def _find_around(self, element: Element) -> Around:
        around = self._around.get(element)
        if around is None:
            is_item = element.tag in ITEMS or element.attrs.get("role") in ITEM_ROLES
            has_id = "id" in element.attrs
            item, holder = (None, None) if element.parent is None else self._find_around(element.parent)
            around = (element if is_item else item, element if has_id else holder)
            self._around[element] = around
        return around

    def find(self, id: str) -> Element | None:
        """Return the element with an id such as ``e5``."""
        return self._holders.get(int(id[1:])) if id[:1] == "e" and id[1:].isdecimal() else None

    @property
    def holders(self) -> list[tuple[str, Element]]:
        """The elements that have an id, by ascending number."""
        return [(f"e{number}", self._holders[number]) for number in sorted(self._holders)]


def join_ids(ids: list[str]) -> str:
    """Join ids to a text such as ``e1, e2, e5 and 9 more``."""
    others = len(ids) - NAMED
    return f"{', '.join(ids[:NAMED])} and {others} more" if others > 1 else ", ".join(ids)


def _identify(element: Element, role: str, name: str) -> str:
    """Return the text by which an element is recognised later: its role, own id, name, and a link's path."""
    attrs = element.attrs
    own = attrs.get("id") or attrs.get("name") or ""
    is_link = element.tag in ("a", "area") and "href" in attrs
    path = _find_path(element.href) if is_link else ""
    return "\0".join((role, own, path, name))


@lru_cache(maxsize=65536)
def _hash_identity(identity: str) -> str:
    """Return a short hash without blanks, because it becomes a key in the record."""
    digest = blake2b(identity.encode("utf-8", "replace"), digest_size=KEY_BYTES).digest()
    return urlsafe_b64encode(digest).decode()


@lru_cache(maxsize=4096)
def _find_path(address: str) -> str:
    """Return a URL's path below the episode's own URL, which is different in a fork."""
    return EPISODE_PATH.sub("/", urlsplit(address).path or "/", count=1)


def _describe_record(item: Element | None, holder: Element | None) -> str:
    """Return the nearest HTML id, and the list item's title if the item is within that element."""
    is_held = item is not None and (holder is None or not item.holds(holder))
    title = ""
    if is_held and item is not None:
        title = (_find_title(item) or item).text.strip()[:TITLE_CHARS]
    return f"{holder.attrs['id'] if holder else ''}\0{' '.join(title.split())}"


def _find_title(item: Element) -> Element | None:
    return next(
        (part for part in item.walk() if part.tag in TITLES or part.attrs.get("role") == "heading"), None
    )
