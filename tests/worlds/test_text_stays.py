"""The answers can be read from the booking site's text alone."""

from __future__ import annotations

import re
from dataclasses import dataclass
from datetime import UTC, date, datetime, timedelta

import pytest

from tests.worlds import text_reader
from tests.worlds.text_reader import Case

DAY = timedelta(days=1)
LEG = re.compile(r"- (.+), (\d+) guests?, from (\d+ \w+ \d{4}) to (\d+ \w+ \d{4})")


@dataclass(frozen=True)
class Stay:
    first: date
    end: date
    guests: int

    @property
    def nights(self) -> list[date]:
        return [self.first + DAY * place for place in range((self.end - self.first).days)]


class Part:
    """A house or a room of the text, queried by pattern."""

    def __init__(self, text: str) -> None:
        self.name, _, self.text = text.partition("\n")

    def search(self, pattern: str) -> re.Match[str] | None:
        return re.search(pattern, self.text)

    def number(self, pattern: str) -> int:
        """Digits of the pattern's group, 0 without a match: amounts in cents."""
        match = self.search(pattern)
        return int(match[1].replace(".", "")) if match else 0

    def names(self, label: str) -> set[str]:
        match = self.search(rf"- {label}: (.*)")
        assert match
        return set(match[1].split(", "))


class Room(Part):
    def __init__(self, text: str) -> None:
        super().__init__(text)
        self.id = str(re.search(r"Room (R-\d+)\.", self.text)[1])  # type: ignore[index]
        self.prices: dict[date, int] = {}
        for month, nights in re.findall(r"^- (\w+ \d{4}): (\d.*)$", self.text, re.MULTILINE):
            for day, price in re.findall(r"(\d+): (\d+\.\d\d)", nights):
                self.prices[day_of(f"{day} {month}")] = int(price.replace(".", ""))

    def is_free(self, nights: list[date]) -> bool:
        return all(night in self.prices for night in nights)


class House(Part):
    def __init__(self, text: str) -> None:
        head, *rooms = text.split("\n### ")
        super().__init__(head)
        self.title, _, self.place = self.name.rpartition(", ")
        self.id = str(re.search(r"Listing (L-\d+)\.", self.text)[1])  # type: ignore[index]
        self.rooms = [*map(Room, rooms)]

    def can_book(self, room: Room, stay: Stay) -> bool:
        fits = stay.guests <= room.number(r"sleeps (\d+)")
        return fits and len(stay.nights) >= self.number(r"Minimum stay: (\d+)") and room.is_free(stay.nights)

    def total(self, room: Room, stay: Stay) -> int:
        further = max(0, stay.guests - room.number(r"(\d+) guests? included"))
        nights = sum(room.prices[night] for night in stay.nights)
        nights += further * len(stay.nights) * room.number(r"each extra guest EUR (\d+\.\d\d)")
        discount = self.search(r"Long-stay discount: (\d+)% off nights and extra guests from (\d+) nights")
        if discount and len(stay.nights) >= int(discount[2]):
            nights -= share(nights, int(discount[1]))
        taxed = min(len(stay.nights), self.number(r"for the first (\d+) night"))
        return (
            nights
            + share(nights, self.number(r"Service fee: (\d+)%"))
            + self.number(r"Cleaning fee, per stay: EUR (\d+\.\d\d)")
            + taxed * stay.guests * self.number(r"City tax: EUR (\d+\.\d\d)")
        )

    def free_until(self, arrival: date) -> date | None:
        days = self.search(r"Free cancellation until (\d+) days? before check-in")
        return arrival - DAY * int(days[1]) if days else None


def share(cents: int, percent: int) -> int:
    return (cents * percent * 2 + 100) // 200


def day_of(text: str) -> date:
    return datetime.strptime(text, "%d %B %Y").replace(tzinfo=UTC).date()


def read(case: Case) -> list[House]:
    return [House(part) for part in re.split(r"^## ", case.text(), flags=re.MULTILINE)[1:]]


def named(case: Case) -> House:
    """The house with the longest name that the wording has, in the neighbourhood that it has."""
    wording = case.task.wording
    fitting = [one for one in read(case) if one.title in wording and one.place in wording]
    return max(fitting, key=lambda one: len(one.title))


def room_named(case: Case, house: House) -> Room:
    fitting = [room for room in house.rooms if f"the {room.name} " in case.task.wording]
    return max(fitting, key=lambda room: len(room.name))


def money(cents: int) -> str:
    return f"{cents // 100}.{cents % 100:02d}"


def total_price(case: Case) -> tuple[str, ...]:
    house = named(case)
    rooms = {room.name: room for room in house.rooms}
    legs = [
        (rooms[name], Stay(day_of(first), day_of(end), int(guests)))
        for name, guests, first, end in LEG.findall(case.task.wording)
    ]
    assert all(house.can_book(room, stay) for room, stay in legs)
    return money(sum(house.total(room, stay) for room, stay in legs)), house.id


def missing_amenities(case: Case) -> tuple[str, ...]:
    house, wording = named(case), case.task.wording
    positions = {room.name: wording.find(f"the {room.name}") for room in house.rooms}
    rooms = sorted(
        (room for room in house.rooms if positions[room.name] >= 0), key=lambda room: positions[room.name]
    )
    had = {name for room in rooms for name in room.names("Room amenities")}
    name = "|".join(amenity.name for amenity in case.world.amenities)
    listed = re.search(rf"(?:(?:{name}), )+(?:{name}) or (?:{name})", wording)
    assert listed
    requested = re.split(", | or ", listed[0])
    assert len(requested) == 6
    return ", ".join(one for one in requested if one not in had), rooms[0].id


def first_free_stretch(case: Case) -> tuple[str, ...]:
    room = room_named(case, named(case))
    match = re.search(r"on (\d+ \w+ \d{4}) or later", case.task.wording)
    assert match
    day = day_of(match[1])
    while not room.is_free([day + DAY * place for place in range(case.task.given["nights"])]):
        day += DAY
    return str(day), money(room.prices[day])


def latest_free_cancellation(case: Case) -> tuple[str, ...]:
    lines = re.findall(r"- (.+), (.+): check-in on (\d+ \w+ \d{4})", case.task.wording)
    houses = {(one.title, one.place): one for one in read(case)}
    ends = [
        (end, houses[title, place].id)
        for title, place, arrival in lines
        if (end := houses[title, place].free_until(day_of(arrival)))
    ]
    return tuple(map(str, max(ends)))


def cheapest_with_without(case: Case) -> tuple[str, ...]:
    stay = _stay(case.task.wording)
    conditions = re.findall(
        r"\(([a-f])\) (The room's own|The property's shared|Neither).*? (?:include|has) \"([\w -]+)\"",
        case.task.wording,
    )
    by_missed: dict[str, list[tuple[int, str]]] = {}
    for house in read(case):
        for room in house.rooms:
            if house.can_book(room, stay):
                letters = "".join(one for one, *rest in conditions if not _holds(house, room, *rest))
                by_missed.setdefault(letters, []).append((house.total(room, stay), house.id))
    if "" in by_missed:
        cents, number = min(by_missed[""])
        return money(cents), number
    near = [(*one, letter) for letter, offers in by_missed.items() if len(letter) == 1 for one in offers]
    _, number, letter = min(near)
    return letter, number


def _stay(wording: str) -> Stay:
    days = re.search(r"from (\d+ \w+ \d{4}) to (\d+ \w+ \d{4})", wording)
    guests = re.search(r"(\d+) guests?", wording)
    assert days
    assert guests
    return Stay(day_of(days[1]), day_of(days[2]), int(guests[1]))


def _holds(house: House, room: Room, kind: str, amenity: str) -> bool:
    own, shared = room.names("Room amenities"), house.names("Property amenities, shared by all guests")
    if kind == "The room's own":
        return amenity in own
    return amenity in shared if kind == "The property's shared" else amenity not in own | shared


SOLVED = {
    "cheapest_with_without": cheapest_with_without,
    "first_free_stretch": first_free_stretch,
    "latest_free_cancellation": latest_free_cancellation,
    "missing_amenities": missing_amenities,
    "total_price": total_price,
}


@pytest.mark.parametrize("family", text_reader.READING["stays"])
def test_the_answer_can_be_read_from_the_text_alone(family: str) -> None:
    cases = text_reader.of_family("stays", family)
    assert len(cases) >= 12
    assert [one.task for one in cases if SOLVED[family](one) != one.task.answer] == []


def test_the_text_contains_houses_of_similar_names() -> None:
    titles = [[house.title for house in read(one)] for one in text_reader.of_family("stays", "total_price")]
    assert any(len(names) > 1 for names in titles)
    assert all(len({name.split()[0] for name in names}) == 1 for names in titles)


def test_the_text_contains_rooms_and_nights_that_the_task_does_not_ask_about() -> None:
    for one in text_reader.of_family("stays", "total_price"):
        house = named(one)
        rooms = {leg["room"] for leg in one.task.given["legs"]}
        assert len(house.rooms) == len(one.world.listings[_place(one, house)].rooms) >= len(rooms)
        assert all(len(room.prices) > 5 for room in house.rooms)


def _place(one: Case, house: House) -> int:
    return [listing.id for listing in one.world.listings].index(house.id)


def test_every_house_in_the_search_results_is_a_candidate() -> None:
    for one in text_reader.of_family("stays", "cheapest_with_without"):
        stay, houses = _stay(one.task.wording), read(one)
        assert {house.place for house in houses} <= set(one.task.given["places"])
        assert all(any(house.can_book(room, stay) for room in house.rooms) for house in houses)
        misleading = [
            room
            for house in houses
            for room in house.rooms
            if house.can_book(room, stay) and money(house.total(room, stay)) != one.task.answer[0]
        ]
        assert len(misleading) >= 2


def test_the_calendar_continues_after_the_requested_stretch() -> None:
    for one in text_reader.of_family("stays", "first_free_stretch"):
        last = max(room_named(one, named(one)).prices)
        assert last > date.fromisoformat(one.task.answer[0]) + DAY * one.task.given["nights"]
