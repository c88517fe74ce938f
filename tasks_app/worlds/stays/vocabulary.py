"""Hand-written names of the booking site, of each edition its own."""

from __future__ import annotations

from dataclasses import dataclass

from tasks_app.worlds.stays.types import Edition

KINDS = ("Hotel", "Apartment", "Guesthouse", "Bed and breakfast", "Hostel", "Holiday home")
KIND_WEIGHTS = (9, 9, 6, 4, 2, 3)


@dataclass(frozen=True)
class Names:
    towns: tuple[tuple[str, str], ...]
    intros: tuple[str, ...]
    neighbourhoods: tuple[str, ...]
    streets: tuple[str, ...]
    epithets: tuple[str, ...]
    emblems: tuple[str, ...]
    families: tuple[str, ...]
    first_names: tuple[str, ...]
    homes: tuple[str, ...]
    annexes: tuple[str, ...]


_TRAIN = Names(
    towns=(
        ("Port Marrow", "Cornmarch"), ("Lindholm", "Vesterland"), ("San Aurelio", "Costa Brisa"),
        ("Kestrel Bay", "Northmere"), ("Altenfurt", "Oberlau"), ("Vieux-Chênes", "Haute-Marle"),
        ("Torremar", "Costa Brisa"), ("Wickhaven", "Cornmarch"), ("Brunnsee", "Oberlau"),
        ("Castelviola", "Liguria Alta"), ("Saltby", "Northmere"), ("Fjellvik", "Vesterland"),
    ),
    intros=(
        "A harbour town of steep lanes and slate roofs", "An old market town on a slow green river",
        "A spa town below wooded hills", "A university town with more bicycles than cars",
        "A town of canals, warehouses and narrow gables", "A seaside resort with a long curved beach",
        "A mountain town at the meeting of three valleys", "A walled town around a round castle hill",
    ),
    neighbourhoods=(
        "Old Harbour", "Ropemakers' Row", "Castle Hill", "Linden Gate", "Saltmarket", "Mill Island",
        "Upper Vineyards", "Station Quarter", "Fishers' Bank", "Abbey Close", "Glassworks", "Northern Docks",
        "Tannery Yard", "Bishop's Meadow", "Lighthouse Point", "Copper Row", "Orchard Side",
        "Three Bridges",
    ),
    streets=(
        "Anchor Lane", "Baker's Steps", "Candle Street", "Dyers' Walk", "Ferry Road", "Gull Street",
        "Hazel Avenue", "Juniper Lane", "King's Stairs", "Larch Road", "Market Square", "Net Loft Alley",
        "Oak Passage", "Pepper Street", "Quay Street", "Rope Walk", "Saddler's Lane", "Tower Street",
        "Arches Street", "Violet Street", "Water Lane", "Yew Tree Court", "Chapel Rise", "Drapers' Hill",
    ),
    epithets=(
        "Copper", "Silver", "Little", "Old", "Blue", "Sleeping", "White", "Golden", "Hidden", "Crooked",
        "Painted", "Green", "Singing", "Quiet", "Red", "Wandering", "Seven", "Morning", "Amber", "Ivory",
        "Winter", "Lucky", "Striped", "Royal",
    ),
    emblems=(
        "Heron", "Anchor", "Lantern", "Pelican", "Compass", "Fox", "Walnut", "Mermaid", "Swan", "Windmill",
        "Otter", "Clock", "Lighthouse", "Magpie", "Pear Tree", "Barrel", "Sparrow", "Owl", "Chestnut",
        "Dolphin", "Bell", "Hedgehog", "Sundial", "Rose", "Plough", "Kettle", "Stag", "Starling",
    ),
    families=(
        "Lindgren", "Marchetti", "Okafor", "Brandt", "Delacroix", "Hargreaves", "Novak", "Sorensen",
        "Alvarez", "Petrov", "Whitlock", "Yamada", "Fischer", "Moreau", "Castellano", "Byrne",
        "Kowalska", "Iversen",
    ),
    first_names=(
        "Agnes", "Bruno", "Carla", "Dimitri", "Elena", "Farid", "Greta", "Hugo", "Ines", "Jonas", "Katya",
        "Liam", "Mira", "Nadia", "Oskar", "Priya", "Quentin", "Rosa", "Stefan", "Tilda", "Uma", "Viktor",
        "Wanda", "Xenia", "Yusuf", "Zora", "Beatriz", "Callum", "Dagmar", "Emeka", "Freya", "Goran", "Hana",
        "Ivo", "Jelena", "Kofi", "Lotte", "Marek", "Noor", "Olga", "Pavel", "Ruth",
    ),
    homes=(
        "Bergen", "Lyon", "Kraków", "Leeds", "Porto", "Graz", "Utrecht", "Turin", "Aarhus", "Galway", "Brno",
        "Seville", "Ghent", "Tampere", "Bremen", "Toronto", "Boston", "Melbourne", "Osaka", "Nairobi",
    ),
    annexes=("Annexe", "Residence", "Garden House", "Courtyard", "Lodge", "Rooms"),
)  # fmt: skip

_TEST = Names(
    towns=(
        ("Maplecross", "Eastvale"), ("Ribeira Nova", "Douradas"), ("Hollenbrück", "Wesertal"),
        ("Sant Joric", "Serra Blava"), ("Oakhampton Quay", "Eastvale"), ("Kallavesi", "Suomaa"),
        ("Monteluna", "Valdarna"), ("Zelena Luka", "Primorje"), ("Thornwick", "Eastvale"),
    ),
    intros=(
        "A lake town with wooden jetties and a paddle steamer", "A hill town of ochre walls and loggias",
        "A town of forges and watermills in a deep gorge", "An island town reached by a causeway",
        "A garden town laid out around a glasshouse", "A border town with two cathedrals and one bridge",
    ),
    neighbourhoods=(
        "Steamer Landing", "Weavers' Terrace", "Observatory", "Lower Orchards", "Foundry Bend",
        "Saint Blaise",
        "Causeway End", "Rosary Hill", "Printers' Court", "Beekeepers' Green", "Toll House", "Cedar Parade",
        "Paper Mill", "Falconry", "East Loggia", "Icehouse", "Ferrymen's Reach", "Botanical Quarter",
    ),
    streets=(
        "Almond Street", "Bellfounder Lane", "Chandlers' Yard", "Damson Road", "Elder Steps", "Flax Street",
        "Granary Row", "Hop Lane", "Iris Street", "Jasmine Court", "Kiln Road", "Lavender Hill",
        "Mulberry Walk", "Nightingale Lane", "Organ Alley", "Poplar Parade", "Quince Court", "Reed Street",
        "Sluice Lane", "Thistle Road", "Umber Steps", "Vesper Street", "Willow Bank", "Zephyr Lane",
    ),
    epithets=(
        "Scarlet", "Gentle", "Upper", "Velvet", "Brass", "Dancing", "Pearl", "Twelve", "Evening", "Hollow",
        "Laughing", "Marble", "Northern", "Paper", "Russet", "Secret", "Tall", "Violet", "Wild", "Young",
        "Slate", "Honey",
    ),
    emblems=(
        "Badger", "Carriage", "Dragonfly", "Elm", "Falcon", "Gondola", "Hare", "Ibis", "Jackdaw", "Key",
        "Lute", "Mulberry", "Nutcracker", "Oyster", "Peacock", "Quill", "Raven", "Salamander", "Thimble",
        "Unicorn", "Violin", "Weathercock", "Acorn", "Beehive", "Crane", "Drum",
    ),
    families=(
        "Abernathy", "Bianchi", "Czerny", "Dufour", "Engström", "Ferreira", "Gallagher", "Halvorsen",
        "Ibarra", "Jansen", "Kaplan", "Lombardi", "Mbeki", "Nakagawa", "Orlov", "Pellegrini",
    ),
    first_names=(
        "Aino", "Basil", "Chiara", "Desmond", "Esther", "Fabio", "Gwen", "Hilde", "Ismail", "Judit", "Kerem",
        "Livia", "Mateus", "Nora", "Orla", "Piotr", "Runa", "Samir", "Teresa", "Ulrich", "Vera", "Wim",
        "Yara", "Zoltan", "Anouk", "Bashir", "Clea", "Drago", "Edda", "Fergus", "Giulia", "Henrik", "Ilse",
        "Jamal", "Kirsi", "Luca", "Milos", "Nuria",
    ),
    homes=(
        "Basel", "Cork", "Dresden", "Évora", "Freiburg", "Girona", "Haarlem", "Innsbruck", "Jena", "Kaunas",
        "Linz", "Malmö", "Nantes", "Olomouc", "Parma", "Quebec", "Riga", "Split", "Tartu", "Uppsala",
    ),
    annexes=("Mews", "Pavilion", "Side House", "Terrace", "Quarters", "Wing"),
)  # fmt: skip

NAMES: dict[Edition, Names] = {"train": _TRAIN, "test": _TEST}

ROOM_STEMS: dict[str, tuple[tuple[str, int], ...]] = {
    "Hotel": (
        ("Single Room", 1),
        ("Double Room", 2),
        ("Twin Room", 2),
        ("Family Room", 4),
        ("Junior Suite", 3),
    ),
    "Apartment": (("Studio", 2), ("One-Bedroom Apartment", 3), ("Two-Bedroom Apartment", 5), ("Loft", 4)),
    "Guesthouse": (("Double Room", 2), ("Triple Room", 3), ("Single Room", 1), ("Family Room", 4)),
    "Bed and breakfast": (("Double Room", 2), ("Twin Room", 2), ("Attic Room", 2), ("Triple Room", 3)),
    "Hostel": (("Twin Room", 2), ("Four-Bed Room", 4), ("Six-Bed Room", 6), ("Double Room", 2)),
    "Holiday home": (("Cottage", 4), ("Garden Flat", 3), ("Whole House", 6), ("Gatehouse", 2)),
}
ROOM_TURNS = (
    "{} with Courtyard View", "{} with Street View", "{} on the Top Floor", "{} on the Ground Floor",
    "{} with Garden View", "{} with Bay Window", "Classic {}", "Superior {}", "{} with Window Seat",
    "Corner {}", "Quiet {}", "{} with Skylight",
)  # fmt: skip
_ONE_FLOOR = frozenset({"{} on the Top Floor", "{} on the Ground Floor", "Corner {}"})
NO_TURNS: dict[str, frozenset[str]] = {
    "Attic Room": frozenset({"{} on the Ground Floor", "{} on the Top Floor"}),
    "Loft": frozenset({"{} on the Ground Floor", "{} on the Top Floor"}),
    "Garden Flat": frozenset({"{} on the Top Floor", "{} with Skylight", "{} with Street View"}),
    "Cottage": _ONE_FLOOR,
    "Whole House": _ONE_FLOOR,
    "Gatehouse": _ONE_FLOOR,
}
"""What the name of a kind of room does not go with."""
AMENITY_TURNS = {"balcony": "on the Ground Floor"}
"""An amenity that no room of such a name has."""
NAME_STEMS = {"Cottage": ("Garden Flat", "Gatehouse"), "Villa": ("Cottage",), "Flat": ("Loft",)}
"""A word of a house's name, and kinds of rooms that are not in such a house."""
BEDS = {
    1: ("1 single bed", "1 wide single bed"),
    2: ("1 double bed", "2 single beds", "1 queen bed"),
    3: ("1 double bed and 1 single bed", "3 single beds"),
    4: ("2 double beds", "1 double bed and 1 bunk bed", "4 single beds"),
    5: ("2 double beds and 1 single bed", "1 double bed and 3 single beds"),
    6: ("3 double beds", "3 bunk beds", "2 double beds and 2 single beds"),
}
STEM_BEDS = {
    "Double Room": ("1 double bed", "1 queen bed"),
    "Twin Room": ("2 single beds", "2 wide single beds"),
    "Four-Bed Room": ("4 single beds", "2 bunk beds", "1 bunk bed and 2 single beds"),
    "Six-Bed Room": ("6 single beds", "3 bunk beds", "2 bunk beds and 2 single beds"),
}
"""The beds of rooms whose names say something of them."""
PETS = (
    "Pets are not allowed",
    "Pets are welcome",
    "Pets on request",
    "Dogs only, EUR 12 a night, paid on the spot",
)
SMOKING = ("No smoking anywhere", "Smoking on the terrace only", "Smoking in the yard only")
