"""Forty amenities in eight groups: thirty that every edition has, ten of each edition's own."""

from __future__ import annotations

from functools import cache

from tasks_app.worlds.stays.types import Amenity, Edition

_SHARED = (
    ("garden", "Garden", "Outdoors", "house"),
    ("barbecue", "Barbecue", "Outdoors", "house"),
    ("sauna", "Sauna", "Wellness", "house"),
    ("gym", "Gym", "Wellness", "house"),
    ("restaurant", "Restaurant", "Food and drink", "house"),
    ("breakfast", "Breakfast buffet", "Food and drink", "house"),
    ("bar", "Bar", "Food and drink", "house"),
    ("reception", "Reception around the clock", "Service", "house"),
    ("luggage", "Luggage room", "Service", "house"),
    ("lift", "Lift", "Getting about", "house"),
    ("parking", "Private parking", "Getting about", "house"),
    ("bicycles", "Bicycle hire", "Getting about", "house"),
    ("private_bathroom", "Private bathroom", "Bathroom", "room"),
    ("bathtub", "Bathtub", "Bathroom", "room"),
    ("balcony", "Balcony", "Comfort", "room"),
    ("blackout", "Blackout curtains", "Comfort", "room"),
    ("soundproof", "Soundproof windows", "Comfort", "room"),
    ("television", "Television", "Media and work", "room"),
    ("wifi", "Wireless internet", "Media and work", "both"),
    ("desk", "Desk", "Media and work", "both"),
    ("air_conditioning", "Air conditioning", "Comfort", "both"),
    ("safe", "Safe", "Comfort", "both"),
    ("iron", "Iron and board", "Comfort", "both"),
    ("coffee_machine", "Coffee machine", "Kitchen", "both"),
    ("kettle", "Kettle", "Kitchen", "both"),
    ("microwave", "Microwave", "Kitchen", "both"),
    ("fridge", "Fridge", "Kitchen", "both"),
    ("hairdryer", "Hairdryer", "Bathroom", "both"),
    ("washing_machine", "Washing machine", "Bathroom", "both"),
    ("cot", "Cot", "Comfort", "both"),
)
_OWN: dict[Edition, tuple[tuple[str, str, str, str], ...]] = {
    "train": (
        ("rooftop", "Rooftop terrace", "Outdoors", "house"),
        ("playground", "Playground", "Outdoors", "house"),
        ("pool", "Heated pool", "Wellness", "house"),
        ("massage", "Massage", "Wellness", "house"),
        ("shuttle", "Airport shuttle", "Getting about", "house"),
        ("charging", "Charging point for cars", "Getting about", "house"),
        ("minibar", "Minibar", "Kitchen", "room"),
        ("sofa_bed", "Sofa bed", "Comfort", "room"),
        ("dishwasher", "Dishwasher", "Kitchen", "both"),
        ("bathrobes", "Bathrobes", "Bathroom", "room"),
    ),
    "test": (
        ("boules", "Boules court", "Outdoors", "house"),
        ("orchard", "Orchard", "Outdoors", "house"),
        ("steam_bath", "Steam bath", "Wellness", "house"),
        ("yoga", "Yoga room", "Wellness", "house"),
        ("ski_store", "Ski store", "Service", "house"),
        ("jetty", "Boat jetty", "Getting about", "house"),
        ("fireplace", "Fireplace", "Comfort", "room"),
        ("record_player", "Record player", "Media and work", "room"),
        ("toaster", "Toaster", "Kitchen", "both"),
        ("heated_floor", "Heated bathroom floor", "Bathroom", "room"),
    ),
}


@cache
def amenities(edition: Edition) -> tuple[Amenity, ...]:
    return tuple(Amenity(*row) for row in (*_SHARED, *_OWN[edition]))  # type: ignore[arg-type]


@cache
def names(edition: Edition) -> dict[str, str]:
    """Amenities' names by id."""
    return {amenity.id: amenity.name for amenity in amenities(edition)}


@cache
def house_ids(edition: Edition) -> tuple[str, ...]:
    return tuple(amenity.id for amenity in amenities(edition) if amenity.scope != "room")


@cache
def room_ids(edition: Edition) -> tuple[str, ...]:
    return tuple(amenity.id for amenity in amenities(edition) if amenity.scope != "house")
