"""Sentences of a listing's description."""

from __future__ import annotations

OPENINGS = (
    "{name} stands in {street}, {metres} from the centre of {town}.",
    "Behind an unremarkable door in {street} lies {name}, which its regulars prefer not to mention.",
    "When {host} took over {name}, the roof leaked and the cellar was a pond; neither is so today.",
    "Few addresses in {place} are as easy to find as {name}: follow {street} until the lamp.",
    "{name} has received guests for three generations, with one pause for a flood.",
    "This {kind} in {place} was a cooper's workshop, a school and a ballroom before it had beds.",
    "You will know {name} by its green shutters and the bell that nobody has mended.",
    "At {name} you stay among the people of {place} rather than among other travellers.",
    "The house in {street} has {rooms} and a staircase that photographers ask to see.",
    "Between the roofs of {place}, {metres} from the town hall, {name} keeps a quiet corner of {town}.",
)
PLACES = (
    "From the front step you see half of {place}; from the attic, the other half.",
    "The market of {place} sets up on Wednesdays and Saturdays, early.",
    "{street} carries no through traffic, only delivery vans before eight.",
    "It is {metres} to the centre, mostly level.",
    "Three bakeries and one very good fishmonger are a short walk away.",
    "{place} was once outside the walls of {town}, and still behaves as though it were.",
    "The stop of lines 2 and 7 is at the corner; the last bus leaves at a quarter to midnight.",
    "On warm evenings the whole of {street} sits outside.",
    "Those who arrive by train reach us on foot in the time that a taxi takes to come.",
    "A footpath leads from the back gate to the water.",
    "In winter the smoke of the roasting works hangs over {place}, and it smells of coffee.",
    "Behind the house begins the old cattle road, now a cycle path.",
)
HOUSES = (
    "The walls are thick, which keeps the rooms cool until August.",
    "Nothing here matches, and everything was chosen.",
    "{host} restored the panelling over four winters.",
    "We have {rooms}, each with its own character and its own list of what is in it.",
    "The hall is paved with slabs from the old quay.",
    "Every room was painted last spring, in colours found beneath older paint.",
    "The library holds eleven hundred books, some of them good.",
    "A narrow staircase leads up; tell us if that is a difficulty and we shall find you a room below.",
    "The heating was renewed two years ago and answers to a dial in each room.",
    "Old floors creak; we consider it conversation.",
    "What a room has for itself is listed with the room, and what all guests share with the house.",
    "The long table in the hall seats twelve and has done so at every wedding of the family.",
)
DETAILS = (
    "Arrivals after the stated hour are possible if you tell {host} the day before.",
    "Please leave your shoes below the stairs in wet weather.",
    "We wash linen ourselves and dry it outdoors whenever {town} allows it.",
    "The kitchen is {host}'s and not a showroom.",
    "Children are welcome to the box of toys beneath the bench.",
    "Ask for the key of the side gate if you come home late.",
    "Umbrellas stand by the door; take any but the red one.",
    "Bring an adapter for older sockets on the upper floor.",
    "The tap water is good; we do not sell any.",
    "Cyclists can use the pump and the stand in the passage.",
    "There is no television in the hall, by request of those who read there.",
    "Lunch parcels can be ordered until nine the evening before.",
    "Musicians may practise until eight.",
    "The cat is not ours and should not be fed, whatever it tells you.",
)
CLOSINGS = (
    "We are looking forward to your visit.",
    "If anything is missing, say so while you are here; afterwards we can only be sorry.",
    "{host} knows {town} well and likes to be asked.",
    "Most of our guests come a second time, and some come every year in the same week.",
    "Prices differ by night; the calendar shows what each one costs.",
    "Read the rules of the house before you book: they are short and meant.",
    "May you sleep as well in {place} as we do.",
    "For longer stays, look at the discount among the fees.",
)
