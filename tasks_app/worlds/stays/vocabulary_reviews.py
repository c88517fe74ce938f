"""Sentences of guests: by aspect and mood, with slots filled from lists that each edition has for itself."""

from __future__ import annotations

Mood = str
"""``good``, ``bad`` or ``story`` (neither, an anecdote)."""

SENTENCES: dict[str, dict[Mood, tuple[str, ...]]] = {
    "bed": {
        "good": (
            "The mattress in the {room} was {firm}, and I slept {slept}.",
            "Away from home I lie awake as a rule; here I slept {slept}, for the pillows alone are {fine}.",
            "The {furniture} held {spare}, and the bed itself was {firm}.",
            "Linen {linen}, and a second blanket in the {furniture} for {weather} nights.",
            "My {relative}, who complains about every bed, said nothing at all for {nights} nights.",
        ),
        "bad": (
            "The mattress dipped towards the {side}, and by the {nth} night my back had noticed.",
            "Our {room} had pillows as thin as {thin}.",
            "One leg of the bed stood on {prop}, which {amused} us only on the first evening.",
            "The blanket was too {short} for anyone taller than my {relative}.",
        ),
    },
    "noise": {
        "good": (
            "At night we heard {quiet} and nothing else.",
            "Neither {sound} nor {sound2} kept us awake in the {room}.",
            "With the windows shut, {sound} might as well have been in another town.",
            "We had feared {sound} because of the address, but the {room} was {quietly} quiet.",
        ),
        "bad": (
            "From {dawn} on {sound} woke us, {often}.",
            "The wall to the next room must be made of {thin}; now we know our neighbour's views on {topic}.",
            "Bring earplugs: {sound} and {sound2} take turns until {late_hour}.",
            "The pipes sang like {singer} whenever somebody upstairs thought of {habit}.",
        ),
    },
    "host": {
        "good": (
            "{host} drew us a map with {tips}, and every one of them was worth the walk.",
            "When our {vehicle} was {late}, {host} waited up with {treat}.",
            "{host} lent us {lent} without our asking.",
            "{host} knows {tips} and tells {people} about them without being asked.",
            "When I asked about {topic}, {host} fetched {treat} and sat down with us.",
            "Questions were answered within {minutes} minutes, even the one about {topic}.",
            "We left {lost} behind and {host} posted it to {home} before we had missed it.",
        ),
        "bad": (
            "It took {count} calls and {minutes} minutes at the door before anyone let us in.",
            "{host} knew nothing of our {companion}, although I had written {count} times.",
            "The welcome consisted of a code by text message, which was the wrong one, and {treat}.",
            "I asked about {topic} and was told to look at the {furniture}.",
        ),
    },
    "breakfast": {
        "good": (
            "For breakfast there was {food}, {food2} and as much {drink} as we liked.",
            "I still think about the {food} and {food2}, eaten at {morning} beside the {furniture}.",
            "My {relative} asked for the recipe of the {food} and got it, with {treat} on top.",
            "The {drink} was {strong}, the {food} warm, and nobody hurried us before {morning}.",
            "We skipped lunch every day on account of {food2} in the morning.",
        ),
        "bad": (
            "By {morning} the {food} had gone and nobody brought more.",
            "The {drink} tasted of {taste}.",
            "Do not come for the food: {food} from a packet, and {drink} from a machine with a queue.",
        ),
    },
    "bathroom": {
        "good": (
            "The shower had {pressure} and stayed hot for {us}.",
            "Towels {linen}, tiles {clean}, and a window one can really open.",
            "After {sight} in the rain there was nothing better than that shower, with {pressure}.",
            "A bathroom {clean}, with a shelf for everyone.",
            "A small thing, but there were enough hooks for {count} wet {things}.",
        ),
        "bad": (
            "The shower gave {trickle} and then, without warning, {burst}.",
            "We dried {things} on the {furniture} because the bathroom has no hook at all.",
            "The drain was slow; after {minutes} minutes one stood in a {pond}.",
            "Grout the colour of {taste}, I am sorry to say.",
        ),
    },
    "place": {
        "good": (
            "From the door it is {minutes} minutes on foot to {sight}, {downhill}.",
            "{neighbourhood} was exactly right for us: {sight} round one corner, {shop} round the other.",
            "Stand on {seat} at {evening} and you can watch {watch} with {sight} behind.",
            "We never once needed the {vehicle}; {sight} and {shop} are both in walking distance.",
            "In the evening we sat on {seat} and watched {watch}.",
        ),
        "bad": (
            "What the map calls {minutes} minutes to {sight} is twice that {uphill}.",
            "{neighbourhood} is pretty but asleep after {evening}; to find {shop} one crosses half the town.",
            "The {line} to the station runs {rarely}, as we learned with {count} suitcases.",
        ),
    },
    "room": {
        "good": (
            "The {room} gets the sun until {afternoon}, and we moved the armchair to follow it.",
            "Somebody has thought about this {room}: {detail}, {detail2}, a lamp where one reads.",
            "Larger than it looks in the pictures, with {detail} and room for a {companion}.",
            "With {detail} and {detail2}, the {room} was where we spent the hours after {evening}.",
            "What the pictures do not show is {detail}, and that the {furniture} holds {spare}.",
            "High ceilings, {detail}, floors that creak in a friendly way.",
        ),
        "bad": (
            "The {room} was so small that the suitcase lived on the {furniture}.",
            "One socket for {us}, and that one behind the {furniture}.",
            "The pictures show {detail}; what we had was {view}.",
            "It smelt of {taste} until we had aired for {minutes} minutes.",
        ),
    },
    "clean": {
        "good": (
            "Everything was {clean}, under the {furniture} too (I looked).",
            "A house kept {clean} by people who even shake out the {things} of others.",
            "Not a crumb on the {furniture}, although {people} had left the same morning at {morning}.",
            "Fresh towels on the {nth} day without asking, and floors {clean}.",
        ),
        "bad": (
            "We found {find} beneath the {furniture}.",
            "On the {nth} day the bin was still full of our {food} wrappers.",
            "Dust on the {furniture} thick enough to write {topic} in.",
        ),
    },
    "price": {
        "good": (
            "For what we paid, {compared}, this was more than fair.",
            "Elsewhere in {neighbourhood} the same money buys {view} and {expect}, if you are lucky.",
            "Even with {extra} on top it came to less than our {vehicle}.",
            "We compared {count} places in {neighbourhood} and would choose this one again.",
        ),
        "bad": (
            "For that money I expect {expect}, not {find}.",
            "The extras add up: we had not reckoned with {extra}.",
        ),
    },
    "kitchen": {
        "good": (
            "We cooked {dish} on the {nth} evening and found every pan that it takes.",
            "There was even a {tool}, so {dish} for {us} was no trouble.",
            "Sharp knives, a proper {tool}, and salt and oil already there.",
        ),
        "bad": (
            "There is a stove, but for {dish} you need more than {count} forks and a blunt {tool}.",
            "Nobody had washed the {tool} since, I would guess, {season}.",
        ),
    },
    "story": {
        "story": (
            "We came for {occasion} and stayed {nights} nights in {now}.",
            "It rained {often}, so we played {game} with {people} in the sitting room.",
            "My {relative} had booked it for {occasion}; the town was new to us.",
            "On the way back from {sight} we lost {lost}, and half of {neighbourhood} helped to look.",
            "I travelled for work, with {topic} to finish, and mostly saw the {furniture}.",
            "The children made friends with {animal} and speak of little else.",
            "{animal} sleeps on the steps and expects a share of the {food}.",
            "It was our {time} time here, after {season} two years ago.",
            "We walked to {sight} on the {nth} day and came home with {lent} and sore feet.",
            "{people} at the next table told us where to find {shop}, which we would have missed.",
            "Somebody had left a book about {topic} by the bed; I finished it.",
            "Our {vehicle} came in at {late_hour}, so all of this is after very little sleep.",
        ),
    },
    "end": {
        "good": (
            "We shall be back for {occasion}, with my {relative}.",
            "Next time we come in {season} and stay {count} nights longer.",
            "I have already told my {relative} and {people} to go.",
            "Ask for the {room} if you come in {season}.",
            "Five stars from us, and a sixth for {animal}.",
            "Thank you, {host}, and regards to {animal}!",
        ),
        "bad": (
            "Perhaps in another {room} it is better; we shall not try.",
            "Next time we shall look closer to {sight}.",
            "All right for one night in {season}, not for {count}.",
            "Not again, unless somebody does something about {sound}.",
            "A pity, for {host} is kind and {sight} so near.",
        ),
    },
}
TAILS: tuple[str, ...] = (
    ", as my {relative} pointed out",
    ", and that in {now}",
    ", which mattered to us because of {occasion}",
    ", or so {people} assured us",
    "; for {occasion} that is worth knowing",
    ", just as the reviews from {season} had said",
    ", at least on the {nth} day",
    ", though with a {companion} one sees such things differently",
    "; my {relative} would say the same",
    ", and after a day at {sight} that counts double",
    " (we were here in {now})",
    ", something that {people} liked too",
)
"""What half of the sentences end in."""
TITLES: dict[Mood, tuple[str, ...]] = {
    "good": (
        "{fine_title} for {occasion}", "We slept {slept}", "A find in {neighbourhood}",
        "{minutes} minutes from {sight}", "Kind people, {clean} rooms", "Even my {relative} was content",
        "{nights} good nights", "Would return for the {room}",
    ),
    "bad": (
        "Bring earplugs", "{sound_title} at {dawn}", "Smaller than in the pictures", "Mind the {furniture}",
        "The {room} needs attention", "Not for {occasion}", "Fine for one night",
              "{nights} nights, little sleep",
        "Too far from {sight}", "Somewhat tired",
    ),
    "story": (
        "{nights} nights in {now}", "With {relative} and {companion}", "{neighbourhood} in {now}",
              "A mixed stay",
        "Between {sight} and {shop}", "Here for {occasion}", "Good and less good", "What to know beforehand",
    ),
}  # fmt: skip
REPLIES: dict[tuple[str, Mood], tuple[str, ...]] = {
    ("kitchen", "bad"): ("Thank you for staying with us; we have ordered a new {tool} since.",),
    ("noise", "bad"): (
        "We are sorry about that noise: {sound} has been dealt with. {host}",
        "We have spoken with those concerned about {sound}. Do give us another try.",
    ),
    ("room", "bad"): ("The {room} has been painted this month, and the {furniture} is a new one.",),
    ("clean", "bad"): ("We are sorry, and have cleaned behind every {furniture} since. {host}",),
    ("breakfast", "good"): ("Thank you! The recipe for the {food} stays in the family. {host}",),
    ("place", "good"): ("Glad that you like {neighbourhood} as we do. {host} and everyone here",),
    ("price", "bad"): ("We did write to you about {extra}, but the message may have been lost.",),
    ("", "good"): (
        "Dear guest, {animal} says hello and hopes you will come back for {occasion}.",
        "Thank you for these words; you are welcome at any time. {host}",
    ),
    ("", "story"): ("Thank you for writing; we take the good with the less good. {host}",),
    ("", "bad"): ("We are sorry that we could not do better this time. {host}",),
}
"""Of the host, by what the guest has said, and with its words; under no aspect, by the score alone."""
DENIED: dict[str, tuple[tuple[str, Mood], ...]] = {
    "Bring earplugs": (("noise", "good"), ("bed", "good")),
    "{sound_title}": (("noise", "good"),),
    "little sleep": (("noise", "good"), ("bed", "good")),
    "Smaller than": (("room", "good"),),
    "needs attention": (("room", "good"), ("clean", "good")),
    "Somewhat tired": (("room", "good"), ("clean", "good")),
    "Too far from": (("place", "good"),),
    "We slept": (("noise", "bad"), ("bed", "bad")),
    "good nights": (("noise", "bad"), ("bed", "bad")),
    "{minutes} minutes from": (("place", "bad"),),
    "Kind people": (("host", "bad"), ("clean", "bad"), ("room", "bad")),
    "A find in": (("place", "bad"),),
    "Would return": (("room", "bad"), ("clean", "bad")),
    "slept {slept}": (("noise", "bad"),),
    "woke us": (("bed", "good"),),
    "very little sleep": (("bed", "good"), ("noise", "good")),
    "Ask for the": (("room", "bad"), ("bed", "bad")),
    "does something about": (("noise", "good"),),
    "look closer to": (("place", "good"),),
    "is kind": (("host", "bad"), ("place", "bad")),
    "Thank you, {host}": (("host", "bad"),),
    "another {room}": (("room", "good"),),
    "mostly saw": (("place", "good"),),
}
"""Words of titles, stories and last words, and what must not have been said beside them."""
