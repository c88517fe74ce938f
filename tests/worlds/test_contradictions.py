"""No text of a world contradicts its facts or itself.

Checked over many worlds: each rule is a sentence or a name that excludes another, or a fact.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Callable, Iterator
from datetime import date

import pytest

from tasks_app.worlds.editions import Edition
from tasks_app.worlds.formats import MONTHS
from tasks_app.worlds.reviews import questions as shop_asking
from tasks_app.worlds.reviews import text as shop_text
from tasks_app.worlds.reviews import types as shop_types
from tasks_app.worlds.reviews import vocabulary
from tasks_app.worlds.reviews.world import world as shop_world
from tasks_app.worlds.stays import reviews as stay_reviews
from tasks_app.worlds.stays.text import description
from tasks_app.worlds.stays.types import Listing, Review, Room, World
from tasks_app.worlds.stays.world import world as stays_world

pytestmark = pytest.mark.slow

DAY = date(2027, 3, 1)
WORLDS = 200
REVIEWED = 3
"""Houses of a world whose reviews are read."""
EDITIONS: tuple[Edition, ...] = ("train", "test")
NUMBERS = ("no", "one", "two", "three", "four", "five", "six", "seven", "eight", "nine")
NUMBER = "|".join(NUMBERS[1:])

# A part of a room's name, and what its name, beds or amenities must then not contain.
ROOM_RULES = (
    (r"Attic|Loft|Skylight|Top Floor", r"Ground Floor|Terrace Door"),
    (r"Whole House|Cottage|Gatehouse", r"Top Floor|Ground Floor|Corner"),
    (r"Garden Flat", r"Top Floor|Skylight|Street View"),
    (r"Double Room", r"single"),
    (r"Twin Room", r"double|queen|bunk"),
    (r"Single Room", r"double|queen|bunk|2 "),
    (r"Ground Floor", r"\bbalcony\b"),
)
# A part of a house's name, and the kinds that the house is then not of.
HOUSE_RULES = (
    (r"\bHotel\b", ("Apartment", "Guesthouse", "Bed and breakfast", "Hostel", "Holiday home")),
    (r"\bHostel\b|Bunkhouse", ("Hotel", "Apartment", "Guesthouse", "Bed and breakfast", "Holiday home")),
    (r"Apartments|Flats", ("Hotel", "Guesthouse", "Bed and breakfast", "Hostel", "Holiday home")),
    (r"Pension|Guesthouse", ("Hotel", "Apartment", "Bed and breakfast", "Hostel", "Holiday home")),
    (r"Villa|Cottage", ("Hotel", "Apartment", "Guesthouse", "Bed and breakfast", "Hostel")),
    (r"\b(?:Rooms|Wing|Quarters)$", ("Holiday home",)),
)
BEDS = {"single": 1, "wide single": 1, "double": 2, "queen": 2, "bunk": 2}
# Sentences of a description, and the houses that they are true of.
DESCRIPTION_RULES: tuple[tuple[str, Callable[[Listing], bool]], ...] = (
    (r"narrow staircase", lambda house: "lift" not in house.amenities),
    (r"a room below|kinds? of room|each with its own", lambda house: len(house.rooms) > 1),
    (r"discount among the fees", lambda house: house.fees.long_stay_nights > 0),
    (r"Children are welcome", lambda house: house.rules.least_age == 0),
    (r"delivery vans", lambda house: not re.search(r"Steps|Stairs|Alley|Passage", house.street)),
    (r"\bgarden was\b", lambda house: "garden" in house.amenities),
    (r"Arrivals after", lambda house: house.rules.arrive_until < 24),
)
PRAISED = r"(?i)no (?:complaints|problems) with the {0}|the {0} (?:is as good|still works)|great {0}\b"
TOGETHER = {"Couple", "Family", "Group of friends"}
# Sentences of a guest's review, and the guests, rooms and houses that they are true of.
GUEST_RULES: tuple[tuple[str, Callable[[Review, Room, Listing], bool]], ...] = (
    (
        r"\b(?:we|us|our)\b|[Mm]y (?:husband|wife|partner|\w+-in-law)",
        lambda review, *_: review.party in TOGETHER,
    ),
    (r"travelled for work", lambda review, *_: review.party not in TOGETHER),
    (r"The children", lambda review, *_: review.party == "Family"),
    (
        r"[Ee]ven my |[Mm]y (?:husband|wife|\w+-in-law),",
        lambda review, *_: review.party in ("Couple", "Family"),
    ),
    (
        r"[Ff]or breakfast they|still think about|had gone and nobody|recipe|at breakfast tasted",
        lambda _s, _r, house: "breakfast" in house.amenities,
    ),
    (
        r"We cooked|There was even a|Sharp knives|There is a stove",
        lambda _s, _r, house: house.kind in ("Apartment", "Holiday home", "Hostel"),
    ),
    (
        r"(?<!wet )\b(?:dog|greyhound|parrot)\b",
        lambda _s, _r, house: house.rules.pets != "Pets are not allowed",
    ),
    (r"upstairs", lambda _s, room, _h: not re.search(r"Attic|Loft|Top Floor|Whole House|Cottage", room.name)),
    (r"what we had was", lambda _s, room, _h: "View" not in room.name),
    (r"wall to the next room", lambda _s, _r, house: house.kind != "Holiday home"),
    (r"\b(?:second|third|fourth|fifth) (?:night|day|evening)\b", lambda review, *_: review.nights > 1),
)
# In one review of a guest: pairs that exclude each other.
GUEST_PAIRS = (
    (r"Smaller than in the pictures", r"Larger than it looks"),
    (r"Bring earplugs|woke us|little sleep", r"[Ss]lept|heard .* and nothing else"),
    (r"Too far from", r"on foot to|walking distance|exactly right for us"),
    (r"^Kind people", r"before anyone let us in|knew nothing of"),
    (r"^Would return", r"so small that|It smelt of"),
    (r"Ask for the", r"so small that|It smelt of"),
    (r"\bmy husband\b", r"\bmy wife\b"),
)
# In one review of a product: pairs that exclude each other.
SHOP_PAIRS = (
    (
        r"colour (?:is|looks) (?:exactly|just)|exactly as in the listing",
        r"darker|duller|nothing in common|brighter",
    ),
    (
        r"[Dd]elivery was|the parcel arrived|was here two days",
        r"took three weeks|took a month|got lost|took for ever",
    ),
    (r"a bargain|hard to beat|more than fair", r"I (?:expected|want) (?:more|better|something that lasts)\b"),
    (
        r"gave it away|threw it out|returned it|I sent it back\.",
        r"I use it all the time|get the same one|I would buy it",
    ),
    (
        r"[Ss]upport answered|service answered|a friendly answer",
        r"never answered|money back|same reply|got nowhere",
    ),
    (r"size is (?:perfect|just right)|dimensions are accurate", r"size is (?:wrong|not)|made up|plain wrong"),
    (
        r"this one is better|I prefer this one|this one wins",
        r"kept that one|which is better|far better|this one loses",
    ),
    (r"came to no harm|small mark|but nothing happened", r"not been the same|never recovered|the end of it"),
    (
        r"never opened the leaflet|instructions are (?:clear|short)",
        r"leaflet contradicts|instructions are useless",
    ),
    (r"lighter than it looks|It is light", r"heavier|bulkier"),
    (r"boils a full litre in", r"takes (?:six|seven|eight) minutes to boil"),
    (r"\b[Mm]y husband\b", r"\b[Mm]y wife\b"),
)
STARS = (
    (r"\b[Tt]hree stars\b|three out of five", (3,)),
    (r"[Ff]ive or six out of ten|Nine out of ten|Ten out of ten", (4, 5)),
    (r"(?:One|Two) out of ten|three out of ten", (1, 2, 3)),
    (r"would not be without it|as happy with it", (4, 5)),
    (r"[Mm]oney back", (1, 2)),
)
SPAN = (
    rf"(?:about |almost |nearly |roughly |more than )?(?:{NUMBER}|nine|ten|a|half a|a few|a couple of) "
    r"(?:week|month|fortnight|year)s?"
)


def stays_worlds() -> Iterator[World]:
    for number in range(WORLDS):
        yield stays_world(b"told %d" % number, edition=EDITIONS[number % 2], first_day=DAY)


Guests = list[tuple[Listing, Review]]


@pytest.fixture(scope="module")
def guests() -> Guests:
    return [
        (house, review)
        for town in stays_worlds()
        for house in town.listings[:REVIEWED]
        for review in stay_reviews.reviews(town, house)
    ]


def words(pattern: re.Pattern[str] | str, text: str) -> bool:
    return re.search(pattern, text) is not None


def assert_none(contradictions: list[tuple[str, str]]) -> None:
    assert not contradictions, (Counter(rule for rule, _ in contradictions).most_common(), contradictions[:5])


def test_rooms_are_what_their_names_and_houses_say() -> None:
    contradictions = []
    for town in stays_worlds():
        for house in town.listings:
            contradictions += [
                (name, f"{house.kind}: {house.name}")
                for name, kinds in HOUSE_RULES
                if words(name, house.name) and house.kind in kinds
            ]
            for room in house.rooms:
                text = f"{room.name}: {room.beds} ({' '.join(room.amenities)})"
                contradictions += [
                    (name, text)
                    for name, other in ROOM_RULES
                    if words(name, room.name) and words(other, text)
                ]
    assert_none(contradictions)


def test_beds_are_enough_for_those_who_sleep_in_them() -> None:
    contradictions = []
    for town in stays_worlds():
        for room in (room for house in town.listings for room in house.rooms):
            beds = re.findall(r"(\d+) ((?:wide )?\w+) beds?", room.beds)
            if sum(int(count) * BEDS[kind] for count, kind in beds) < room.sleeps:
                contradictions.append((room.name, room.beds))
            named = re.search(r"(Four|Six)-Bed", room.name)
            berths = sum(int(count) * (2 if kind == "bunk" else 1) for count, kind in beds)
            if named and berths != {"Four": 4, "Six": 6}[named[1]]:
                contradictions.append((room.name, room.beds))
    assert_none(contradictions)


def test_descriptions_say_nothing_that_the_house_denies() -> None:
    contradictions = []
    for town in stays_worlds():
        for house in town.listings:
            text = " ".join(description(town, house))
            contradictions += [
                (rule, text) for rule, fits in DESCRIPTION_RULES if words(rule, text) and not fits(house)
            ]
            distances = {*re.findall(r"(\d+) m (?:from|to)", text)} - {str(house.centre_metres)}
            contradictions += [("distance", text)] if distances else []
    assert_none(contradictions)


def test_guests_say_nothing_that_their_stay_denies(guests: Guests) -> None:
    contradictions = []
    for house, review in guests:
        text = " ".join((review.title, *review.body))
        room = next(room for room in house.rooms if room.name == review.room)
        contradictions += [
            (rule, text) for rule, fits in GUEST_RULES if words(rule, text) and not fits(review, room, house)
        ]
        contradictions += [
            (one, text) for one, other in GUEST_PAIRS if words(one, text) and words(other, text)
        ]
        stayed = re.findall(rf"(?i)\b(?:stayed|all for) ({NUMBER}) nights|^({NUMBER}) (?:good )?nights", text)
        if {name.lower() for names in stayed for name in names if name} - {NUMBERS[review.nights]}:
            contradictions.append(("nights", f"{review.nights}: {text}"))
        heads = 1 if review.party not in TOGETHER else 2
        if heads > room.sleeps or (review.party in ("Family", "Group of friends") and room.sleeps < 3):
            contradictions.append(("party", f"{review.party} in {room.name}"))
    assert_none(contradictions)


def test_months_in_a_guests_words_are_those_of_the_stay(guests: Guests) -> None:
    contradictions = []
    for _, review in guests:
        text = " ".join((review.title, *review.body))
        months = re.findall(
            rf"(?:were here in|, and that in|nights in)(?: the heat of)? ({'|'.join(MONTHS)})", text
        )
        if set(months) - {MONTHS[int(review.month[5:]) - 1]}:
            contradictions.append(("month", f"{review.month}: {text}"))
    assert_none(contradictions)


def test_replies_of_hosts_match_the_review(guests: Guests) -> None:
    complaints = {
        "about that noise": r"woke us|next room|earplugs|pipes",
        "concerned about": r"woke us|next room|earplugs|pipes",
        "ordered a new": r"stove|washed",
        "painted this month": r"so small|socket|pictures show|smelt of",
        "cleaned behind": r"beneath|bin was|Dust",
        "recipe": r"breakfast|still think|recipe|hurried|lunch",
        "extra": r"reckoned",
        "You did write|We did write": r"reckoned|For that money",
    }
    contradictions, replies = [], 0
    for _, review in guests:
        replies += bool(review.reply)
        text = " ".join(review.body)
        contradictions += [
            (phrase, f"{text} | {review.reply}")
            for phrase, complaint in complaints.items()
            if words(phrase, review.reply) and not words(complaint, text)
        ]
        if (
            review.score < 7
            and words(r"hopes you will come back|Thank you for these words|Glad that", review.reply)
            and not words(r"Glad", review.reply)
        ):
            contradictions.append(("pleased", f"{review.score}: {review.reply}"))
    assert replies > WORLDS
    assert_none(contradictions)


def _bought() -> Iterator[tuple[shop_types.World, shop_types.Product, shop_types.Review]]:
    for number in range(WORLDS):
        shop = shop_world(b"told %d" % number, edition=EDITIONS[number % 2], first_day=DAY)
        product = min(shop.products, key=lambda one: one.review_count)
        for review in shop_text.reviews(shop, product.id):
            yield shop, product, review


@pytest.fixture(scope="module")
def bought() -> list[tuple[shop_types.World, shop_types.Product, shop_types.Review]]:
    return list(_bought())


Bought = list[tuple[shop_types.World, shop_types.Product, shop_types.Review]]


def test_a_review_does_not_contradict_itself_or_its_stars(bought: Bought) -> None:
    contradictions = []
    for _, _, review in bought:
        text = " ".join((review.title, *review.body))
        contradictions += [
            (one, text) for one, other in SHOP_PAIRS if words(one, text) and words(other, text)
        ]
        contradictions += [
            (rule, f"{review.outline.stars}: {text}")
            for rule, stars in STARS
            if words(rule, text) and review.outline.stars not in stars
        ]
    assert_none(contradictions)


def test_hardly_any_review_names_two_spans_of_time(bought: Bought) -> None:
    """Else "I have had it for two weeks" stands beside "gave out after half a year".

    A review with four planted terms may run out of sentences without one.
    """
    english = [review for _, _, review in bought if not review.original]
    named = [set(re.findall(rf"(?:after|for|within|in) ({SPAN})\b", " ".join(one.body))) for one in english]
    assert sum(bool(spans) for spans in named) > 0.2 * len(english)
    assert sum(len(spans) > 1 for spans in named) < 0.01 * len(english)


def test_no_rule_is_dead(guests: Guests, bought: Bought) -> None:
    texts = [" ".join((review.title, *review.body)) for _, review in guests]
    texts += [" ".join((review.title, *review.body)) for _, _, review in bought]
    rules = [rule for rule, _ in (*GUEST_RULES, *STARS)] + [
        one for pair in (*GUEST_PAIRS, *SHOP_PAIRS) for one in pair
    ]
    assert [rule for rule in rules if not any(words(rule, text) for text in texts)] == []


def test_a_term_is_not_praised_and_blamed_in_one_review(bought: Bought) -> None:
    contradictions = []
    for _, _, review in bought:
        text = " ".join((review.title, *review.body))
        broken = re.findall(r"The (\w+) (?:broke|gave out|came apart|failed|snapped|quit) ", text)
        contradictions += [(part, text) for part in broken if words(PRAISED.format(part), text)]
    assert_none(contradictions)


def test_reviews_make_no_price_comparisons(bought: Bought) -> None:
    contradictions = [
        (rule, text)
        for _, _, review in bought
        for text in (review.title, *review.body)
        for rule in (r"Half the price|Cheaper than", r"\bdearer\b|pay less", r"Sixty euros (?:gone|for)")
        if words(rule, text)
    ]
    assert_none(contradictions)


def test_replies_of_sellers_match_the_review_and_each_other(bought: Bought) -> None:
    contradictions, replies = [], 0
    for _, _, review in bought:
        replies += bool(review.reply)
        stars = review.outline.stars
        if stars >= 4 and words(r"sorry|apolog|let you down|regret", review.reply):
            contradictions.append(("sorry", f"{stars}: {review.reply}"))
        if stars < 4 and words(
            r"kind words|glad|delighted|lovely review|satisfied|made our day", review.reply
        ):
            contradictions.append(("pleased", f"{stars}: {review.reply}"))
        contradictions += (
            [("a remark that was not made", review.reply)]
            if words(r"your remark|in question|do you mean", review.reply)
            else []
        )
        contradictions += [("warranty", review.reply)] if words(r"three year", review.reply) else []
    assert replies > WORLDS
    assert_none(contradictions)


def test_answers_to_one_question_agree() -> None:
    contradictions = []
    for number in range(WORLDS):
        shop = shop_world(b"told %d" % number, edition=EDITIONS[number % 2], first_day=DAY)
        for product in shop.products[:4]:
            answers: dict[str, set[bool]] = {}
            for question in shop_asking.questions(shop, product.id):
                for answer in question.answers:
                    if not _names_a_term(shop, product, question.text):
                        answers.setdefault(question.text, set()).add(words(r"\byes\b", answer.text.lower()))
            contradictions += [(text, product.name) for text, sides in answers.items() if len(sides) > 1]
    assert_none(contradictions)


def _names_a_term(shop: shop_types.World, product: shop_types.Product, text: str) -> bool:
    """Answers about a term are each owner's own experience."""
    terms = vocabulary.load_vocabulary(shop.edition).categories[product.category].terms
    return any(words(rf"\b{form}\b", text) for term in terms for form in term.all_forms)
