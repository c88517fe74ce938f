"""Puzzles with lamps, liars, houses and gates, for which all worlds that the question allows are tried."""

from __future__ import annotations

import itertools
import re
from collections.abc import Callable, Iterator, Mapping

GATES: Mapping[str, Callable[[list[bool]], bool]] = {
    "&&": all,
    "↑↑": lambda inputs: not all(inputs),
    "++": any,
    "↓↓": lambda inputs: not any(inputs),
    "⊕⊕": lambda inputs: sum(inputs) % 2 == 1,
}
GATE = re.compile(rf"│(?={'|'.join(map(re.escape, GATES))})")
TAP = re.compile(r"[├└][─>o]*$")
Kinds = list[list[str]]
Place = tuple[int, int]
Houses = dict[Place, int]
Clue = tuple[Place, Callable[[int, int], bool], Place | int]

RELATIONS: Mapping[str, Callable[[int, int], bool]] = {
    "(.*) is directly left of (.*)": lambda one, other: one + 1 == other,
    "(.*) and (.*) are next to each other": lambda one, other: abs(one - other) == 1,
    "(.*) is (.*)": lambda one, other: one == other,
}
KIN = {
    "up": "mother or father",
    "down": "daughter or son",
    "=": "wife or husband",
    "up down": "sister or brother",
    "up up": "grandmother or grandfather",
    "up up down": "aunt or uncle",
    "up down down": "niece or nephew",
    "down =": "daughter-in-law or son-in-law",
}
WOMEN, MEN = (set(words) for words in zip(*(words.split(" or ") for words in KIN.values()), strict=True))
NAMES_OF_WOMEN = frozenset(
    (
        "Mary", "Patricia", "Jennifer", "Linda", "Elizabeth", "Barbara", "Susan", "Jessica", "Sarah",
        "Karen", "Emma", "Lisa", "Anna", "Margaret", "Victoria", "Charlotte", "Sophia", "Isabella",
        "Olivia", "Ava", "Mia", "Emily", "Abigail", "Amelia", "Eleanor", "Grace", "Alice", "Lucy", "Chloe",
        "Sophie", "Lily", "Hannah", "Zoe", "Luna", "Aria", "Willow", "Aurora",
    )
)  # fmt: skip
NAMES_OF_MEN = frozenset(
    (
        "James", "John", "Robert", "Michael", "William", "David", "Richard", "Joseph", "Thomas", "Charles",
        "Peter", "Daniel", "Matthew", "Christopher", "Andrew", "George", "Edward", "Benjamin", "Henry",
        "Samuel", "Alexander", "Oliver", "Jack", "Harry", "Jacob", "Noah", "Ethan", "Lucas", "Mason",
        "Sebastian", "Theodore", "Owen", "Liam", "Aiden", "Axel", "Ryder", "Finn",
    )
)  # fmt: skip
ORDINALS = ("first", "second", "third", "fourth", "fifth", "sixth")


def acre(question: str, answer: str) -> bool:
    """Check an answer; some objects are blickets, and the light is on if one of them is present."""
    trials = [(set(objects.split(", ")), light) for objects, light in re.findall(r"(.*) → (\w+)", question)]
    test = set(question.split("New test case:\n")[1].splitlines()[0].split(", "))
    duds = set().union(*(objects for objects, light in trials if light == "off"))
    lit = [objects - duds for objects, light in trials if light == "on"]
    if test <= duds:
        return answer == "off"
    return answer == ("on" if any(objects <= test for objects in lit) else "undetermined")


def knights_knaves(question: str, answer: str) -> bool:
    meeting, story = question.split("inhabitants: ")[1].split(" So who is")[0].split(".", 1)
    names = re.findall(r"[A-Z]\w+", meeting)
    honest, _ = roles = re.search(r"who is an? (\w+) and who is an? (\w+)\?", question).groups()
    contents = re.compile(r'"([^"]+?)[,.]?"|\b(?:said|told you|expressed) that ([^".]+)\.')
    texts = ["".join(parts) for parts in contents.findall(story)]
    speakers = re.findall(rf"\b(?:{'|'.join(names)})\b", contents.sub(" ", story))
    worlds = [
        world
        for world in (
            dict(zip(names, kinds, strict=True)) for kinds in itertools.product(roles, repeat=len(names))
        )
        if all(
            _is_so(text, world) == (world[name] == honest) for name, text in zip(speakers, texts, strict=True)
        )
    ]
    return worlds == [dict(re.findall(r"(\w+) is an? (\w+)", answer))]


def _is_so(text: str, world: Mapping[str, str]) -> bool:
    """Evaluate a statement, the innermost brackets first; within brackets there is one kind of connective."""
    plain = re.sub(r"(\w+) is an? (\w+)", lambda claim: str(world[claim[1]] == claim[2]), text)
    while "(" in plain:
        plain = re.sub(r"\(([^()]*)\)", lambda inner: str(_is_plainly_so(inner[1])), plain)
    return _is_plainly_so(plain)


def _is_plainly_so(text: str) -> bool:
    if text in ("True", "False"):
        return text == "True"
    if negated := re.fullmatch("it is not the case that (.*)", text):
        return not _is_plainly_so(negated[1])
    if implied := re.fullmatch("if (.*?) then (.*)", text):
        return not _is_plainly_so(implied[1]) or _is_plainly_so(implied[2])
    for connective, junction in ((" if and only if ", _are_alike), (" and ", all), (" or ", any)):
        if connective in text:
            return junction([_is_plainly_so(part) for part in text.split(connective)])
    raise ValueError(text)


def _are_alike(values: list[bool]) -> bool:
    return len(set(values)) == 1


def zebra_puzzles(question: str, answer: str) -> bool:
    """Check that the resident of the first house is the same in every solution."""
    kinds = [line.split(", ") for line in re.findall(r"^ - .*?: (.*)$", question, re.MULTILINE)]
    clues = [_clue(text, kinds) for text in re.findall(r"^\d+\. (.*)\.$", question, re.MULTILINE)]
    assert "lives in House 1?" in question
    residents = {
        name
        for houses in _solutions(len(kinds), len(kinds[0]), clues, {})
        for number, name in enumerate(kinds[0])
        if houses[0, number] == 1
    }
    return residents == {answer}


def _clue(text: str, kinds: Kinds) -> Clue:
    plain = text.replace("child is", "child").replace("who is", "who")
    for pattern, relation in RELATIONS.items():
        if match := re.fullmatch(pattern, plain):
            one, other = match.groups()
            house = re.fullmatch(r"in the (\w+) house", other)
            return (
                _place(one, kinds),
                relation,
                ORDINALS.index(house[1]) + 1 if house else _place(other, kinds),
            )
    raise ValueError(text)


def _place(description: str, kinds: Kinds) -> Place:
    """Return the kind and number of a description. Mothers are given by name alone, children never."""
    plain = description.lower()
    places = {
        value: (kind, number)
        for kind, values in enumerate(kinds)
        for number, value in enumerate(values)
        if (plain == value if kind == 0 else " " in plain and value in plain)
    }
    return places[max(places, key=len)]


def _solutions(kinds: int, people: int, clues: list[Clue], houses: Houses) -> Iterator[Houses]:
    """Yield all solutions, placing one kind after the other as long as the clues hold."""
    settled = len(houses) // people
    if settled == kinds:
        yield houses
        return
    for order in itertools.permutations(range(1, people + 1)):
        more = houses | {(settled, number): house for number, house in enumerate(order)}
        if all(_agrees(clue, more) for clue in clues):
            yield from _solutions(kinds, people, clues, more)


def _agrees(clue: Clue, houses: Houses) -> bool:
    one, relation, other = clue
    pair = houses.get(one), other if isinstance(other, int) else houses.get(other)
    return None in pair or relation(*pair)


def circuit_logic(question: str, answer: str) -> bool:
    """Check an answer; each gate in the left column leads to one input of the gate on the right."""
    drawing, rest = question.split("circuit.\n\n")[1].split("\n\n\nLegend")
    lines = drawing.splitlines()
    values = dict(re.findall(r"^  (\w+) = ([01])$", rest, re.MULTILINE))
    wires = {line.index("┐"): values[line.split(":")[0]] == "1" for line in lines if ":" in line}
    columns = {match.start() for line in lines for match in GATE.finditer(line)}
    left, right = min(columns), max(columns)
    outputs = []
    for sign, rows in itertools.groupby(
        lines[len(wires) :], key=lambda line: line[left + 1 : left + 3].strip()
    ):
        if sign:
            taps = [TAP.search(row[:left]) for row in rows]
            outputs.append(GATES[sign]([wires[tap.start()] != (">o" in tap[0]) for tap in taps]))
    last = [line[right + 1 : right + 3] for line in lines if line[right:].strip("─OUT ")]
    return len(last) == len(outputs) and str(int(GATES[last[0]](outputs))) == answer


def cryptarithm(question: str, answer: str) -> bool:
    words = re.findall(r"^[+ ]*([A-Z]+)$", question, re.MULTILINE)
    digits = dict(pair.split("=") for pair in answer.split(","))
    *terms, total = ("".join(digits[letter] for letter in word) for word in words)
    return (
        sum(map(int, terms)) == int(total)
        and len(set(digits.values())) == len(digits)
        and set(digits) == set("".join(words))
        and ("No leading letter" not in question or all(digits[word[0]] != "0" for word in words))
    )


def graph_color(question: str, answer: str) -> bool:
    vertices, colors = (
        set(re.findall(r"\d+", re.search(rf"{name}: \[(.*)\]", question)[1]))
        for name in ("Vertices", "Possible colors")
    )
    colored = dict(re.findall(r'"(\d+)": (\d+)', answer))
    edges = re.findall(r"\((\d+), (\d+)\)", question)
    return (
        set(colored) == vertices
        and set(colored.values()) <= colors
        and all(colored[one] != colored[other] for one, other in edges)
    )


def family_relationships(question: str, answer: str) -> bool:
    """Check an answer by the path between two persons: up to parents, down to children, across to spouses."""
    who, whom = re.search(r"is (\w+) (?:related )?to (\w+)\?", question).groups()
    couples = re.findall(
        r"(\w+) is married to (\w+)\.(?: They have (?:a child|children) called ([\w ,]+)\.)?", question
    )
    spouses = {a: b for one, other, _ in couples for a, b in ((one, other), (other, one))}
    links = [(one, "=", other) for one, other in spouses.items()]
    for one, other, children in couples:
        for child, parent in itertools.product(
            re.findall(r"\w+", children.replace(" and ", " ")), (one, other)
        ):
            links += [(child, "up", parent), (parent, "down", child)]
    ways = {whom: ""}
    for _ in range(3):
        reached = {other: f"{ways[one]} {step}".strip() for one, step, other in links if one in ways}
        ways = reached | ways
    return answer in KIN[ways[who]].split(" or ") and answer in (WOMEN if _is_woman(who, spouses) else MEN)


def _is_woman(name: str, spouses: Mapping[str, str]) -> bool:
    """Return whether a person is a woman, judging by the name or the spouse's name."""
    if name in NAMES_OF_WOMEN or name in NAMES_OF_MEN:
        return name in NAMES_OF_WOMEN
    return spouses[name] in NAMES_OF_MEN
