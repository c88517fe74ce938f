"""Puzzles with words, cards, programs and logic."""

from __future__ import annotations

import ast
import itertools
import json
import re
from collections import Counter, defaultdict
from collections.abc import Iterator
from graphlib import CycleError, TopologicalSorter

from tests.tasks_app.second_answers.reading import integers

PRIMES = {2, 3, 5, 7, 11, 13}


def ab(question: str, answer: str) -> bool:
    tokens = question.split("following program:")[1].split("Return")[0].split()
    place = 0
    while place + 1 < len(tokens):
        one, other = tokens[place : place + 2]
        if one.endswith("#") and other.startswith("#"):
            tokens[place : place + 2] = [] if one[0] == other[1] else [other, one]
            place = 0
        else:
            place += 1
    return tokens == answer.split()


def bf(question: str, answer: str) -> bool:
    code = next(line for line in question.split() if re.fullmatch(r"[\[\]<>+.-]{5,}", line))
    pairs: dict[int, int] = {}
    stack: list[int] = []
    for place, sign in enumerate(code):
        if sign == "[":
            stack.append(place)
        elif sign == "]":
            pairs[place] = stack.pop()
            pairs[pairs[place]] = place
    tape: Counter[int] = Counter()
    at = step = 0
    output = ""
    while step < len(code):
        sign = code[step]
        at += (sign == ">") - (sign == "<")
        tape[at] = (tape[at] + (sign == "+") - (sign == "-")) % 256
        output += chr(tape[at]) if sign == "." else ""
        if (sign == "[" and not tape[at]) or (sign == "]" and tape[at]):
            step = pairs[step]
        step += 1
    return output == answer


def binary_alternation(question: str, answer: str) -> bool:
    digits = re.search(r"alternating: ([01]+)", question)[1]
    swaps = []
    for first in "01":
        target = "".join(first if place % 2 == 0 else "10"[int(first)] for place in range(len(digits)))
        if Counter(target) == Counter(digits):
            swaps.append(sum(a != b for a, b in zip(digits, target, strict=True)) // 2)
    return int(answer) == min(swaps, default=-1)


def caesar_cipher(question: str, answer: str) -> bool | None:
    match = re.search(r": ([A-Z ]+)\.", question)
    if match is None:
        return None
    shifts = {(ord(a) - ord(b)) % 26 for a, b in zip(match[1], answer, strict=True) if a != " "}
    return len(shifts) == 1 and [*map(len, match[1].split())] == [*map(len, answer.split())]


def course_schedule(question: str, answer: str) -> bool:
    needs = ast.literal_eval(re.findall(r"\[\(.*?\)\]|\[\]", question)[-1])
    graph: dict[int, set[int]] = defaultdict(set)
    for course, before in needs:
        graph[course].add(before)
    try:
        TopologicalSorter(graph).prepare()
    except CycleError:
        return answer == "False"
    return answer == "True"


def isomorphic_strings(question: str, answer: str) -> bool:
    one, other = question.split()[-2:]
    pairs = set(zip(one, other, strict=False))
    return str(len(one) == len(other) and len(pairs) == len(set(one)) == len(set(other))) == answer


def letter_counting(question: str, answer: str) -> bool:
    match = re.search(r'letter "(.)" appear in the text: "(.*)"\?', question, re.DOTALL)
    return match[2].lower().count(match[1]) == int(answer)


def mahjong_puzzle(question: str, answer: str) -> bool:
    hand, result = Counter(re.search(r"initial cards ([A-Z]+)", question)[1]), ""
    for new, old in re.findall(r"Add an? ([A-Z]) card and remove an? ([A-Z]) card", question):
        letters = range(ord(new) - 2, ord(new) + 1)
        others = [[chr(first + step) for step in range(3) if chr(first + step) != new] for first in letters]
        is_chi = any(all(hand[letter] for letter in pair) for pair in others)
        result = "Peng" if hand[new] >= 2 else "Chi" if is_chi else "Pass"
        hand[new] += 1
        hand[old] -= 1
    return result == answer


def ransom_note(question: str, answer: str) -> bool:
    note, magazine = (Counter(text) for text in re.findall(r"(?:note|Magazine): (\w*)", question))
    return str(note <= magazine) == answer


def self_reference(question: str, answer: str) -> bool:
    statements = re.findall(r"Statement \d+: '(.*?)'", question)
    worlds = itertools.product((False, True), repeat=len(statements))
    solutions = sum(all(_holds(text, w) == w[n] for n, text in enumerate(statements)) for w in worlds)
    return solutions == int(answer)


def _holds(text: str, world: tuple[bool, ...]) -> bool:
    count = sum(world) if " true" in text else len(world) - sum(world)
    if text.startswith("Either"):
        one, other = integers(text)
        return world[one - 1] != world[other - 1]
    if text.startswith("The number"):
        return count in PRIMES if "prime" in text else count > 3 and count not in PRIMES
    bound = integers(text)[0]
    return {"At l": count >= bound, "At m": count <= bound, "Exac": count == bound}[text[:4]]


def string_insertion(question: str, answer: str) -> bool:
    text = question.split(": ")[-1].strip()
    after = {"ABCD": "A", "BCDE": "B", "CDEA": "C", "DEAB": "D", "EABC": "E"}
    return re.sub("|".join(after), lambda match: match[0] + after[match[0]], text) == answer


def word_sequence_reversal(question: str, answer: str) -> bool:
    return question.split("words: ")[-1].strip().split(", ")[::-1] == answer.split(", ")


def spell_backward(question: str, answer: str) -> bool:
    return question.split(": ")[-1].strip() == answer[::-1]


def word_sorting(question: str, answer: str) -> bool:
    match = re.search(r"in (ascending|descending) order .* list:\s*(.*)", question, re.DOTALL)
    words = sorted(match[2].strip().split(", "), reverse=match[1] == "descending")
    return ", ".join(words) == answer


def group_anagrams(question: str, answer: str) -> bool:
    groups: dict[str, list[str]] = defaultdict(list)
    for word in json.loads(question.rstrip().splitlines()[-1]):
        groups["".join(sorted(word))].append(word)
    return sorted(map(sorted, groups.values())) == sorted(map(sorted, json.loads(answer)))


def palindrome_partitioning(question: str, answer: str) -> bool:
    return sorted(_palindromes(question.rstrip().split(": ")[-1])) == sorted(json.loads(answer))


def _palindromes(text: str) -> Iterator[list[str]]:
    if not text:
        yield []
    for length in range(1, len(text) + 1):
        head = text[:length]
        if head == head[::-1]:
            yield from ([head, *rest] for rest in _palindromes(text[length:]))


def path_star(question: str, answer: str) -> bool:
    edges, _, ends = question.rstrip().splitlines()[-1].partition("/")
    known = {tuple(edge.split()) for edge in edges.strip("|").split("|")}
    path = answer.split()
    return [path[0], path[-1]] == ends.rstrip("= ").split() and known.issuperset(itertools.pairwise(path))


def needle_haystack(question: str, answer: str) -> bool:
    return f"{answer} {re.search(r'Who (.*?)[?]', question)[1]}." in question


def letter_jumble(question: str, answer: str) -> bool:
    words = question.split("these words:")[1].split()
    return [*map(sorted, words)] == [*map(sorted, answer.split())]


def sentence_reordering(question: str, answer: str) -> bool:
    return Counter(question.split("sentence:")[1].split()) == Counter(answer.split())


def string_splitting(question: str, answer: str) -> bool:
    machines = re.findall(r"(\d+) machine (\w)", question.split("Now,")[1])
    counts = Counter({name: int(number) for number, name in machines})
    rules = (("A", "XXY"), ("BB", "X"), ("CC", "Y"), ("BC", "A"), ("XY", "Z"))
    for _ in range(int(re.search(r"at most (\d+) times", question)[1])):
        rule = next((rule for rule in rules if Counter(rule[0]) <= counts), None)
        if rule is None:
            break
        counts.subtract(rule[0])
        counts.update(rule[1])
    return [counts[name] for name in "ABCXYZ"] == integers(answer)


def emoji_mystery(question: str, answer: str) -> bool:
    codes = [ord(sign) for sign in re.search(r"from the emoji: (.*)", question)[1][1:]]
    data = [code - 0xFE00 if code < 0xFE10 else code - 0xE0100 + 16 for code in codes if code >= 0xFE00]
    return bytes(data).decode() == answer


def syllogism(question: str, answer: str) -> bool:
    """Check a syllogism with Venn diagrams: each of eight regions is empty or not, and no kind is empty."""
    *premises, conclusion = re.findall(r"(All|No|Some) (\w+) are (not )?(\w+)", question)
    kinds = sorted({kind for _, one, _, other in (*premises, conclusion) for kind in (one, other)})
    signs = (False, True)
    regions = [set(itertools.compress(kinds, one)) for one in itertools.product(signs, repeat=len(kinds))]
    for taken in itertools.product(signs, repeat=len(regions)):
        members = [*itertools.compress(regions, taken)]
        is_world = set().union(*members) == set(kinds) and all(_is_true(one, members) for one in premises)
        if is_world and not _is_true(conclusion, members):
            return answer == "No"
    return answer == "Yes"


def _is_true(statement: tuple[str, str, str, str], members: list[set[str]]) -> bool:
    quantity, one, negation, other = statement
    inside = any({one, other} <= member for member in members)
    outside = any(one in member and other not in member for member in members)
    return {"All": not outside, "No": not inside, "Some": outside if negation else inside}[quantity]


def string_synthesis(question: str, answer: str) -> bool:
    """Check the counts of blocks, in the answer's order: [A] [B] [C] {A} {B} {C} (A) (B) (C)."""
    numbers = map(int, re.findall(r"(\d+) \[", question.split("Now,")[1]))
    counts = Counter(dict(zip("ABC", numbers, strict=True)))
    rules = (("ABC", "a"), ("AB", "c"), ("BC", "b"), ("CC", "c"), ("ac", "xy"), ("bb", "z"))
    while rule := next((rule for rule in rules if Counter(rule[0]) <= counts), None):
        counts.subtract(rule[0])
        counts.update(rule[1])
    return [counts[name] for name in "ABCabcxyz"] == integers(answer)


def string_manipulation(question: str, answer: str) -> bool:
    rules = re.findall(r"^\d+\. If the string (.*?), (.*)\.$", question, re.MULTILINE)
    states = [question.rstrip().splitlines()[-1]]
    while states[-1] not in states[:-1]:
        spans = ((_span(states[-1], condition), act) for condition, act in rules)
        span, act = next(((span, act) for span, act in spans if span), ((0, 0), ""))
        states.append(_transformed(states[-1], span, act))
    return states[-2] == answer


def _span(text: str, condition: str) -> tuple[int, int] | None:
    """Return the position of the part that a condition names; None if the condition does not hold."""
    if condition.startswith("length"):
        return (0, 0) if len(text) > integers(condition)[0] else None
    part = re.search(r"'(\w+)'", condition)[1]
    if "even number" in condition:
        return (0, 0) if text.count(part) and text.count(part) % 2 == 0 else None
    if condition.startswith(("prefix", "starts")):
        start = 0 if text.startswith(part) else -1
    elif condition.startswith(("suffix", "ends")):
        start = len(text) - len(part) if text.endswith(part) else -1
    else:
        start = text.find(part, 1 if "not at the start" in condition else 0)
    return None if start < 0 else (start, start + len(part))


def _transformed(text: str, span: tuple[int, int], acts: str) -> str:
    for act in filter(None, acts.split(" and ")):
        quoted = re.search(r"'(\w+)'", act)
        new = quoted[1] if quoted else ""
        length = len(text)
        places = {
            "append": (length, length),
            "prepend": (0, 0),
            "occurrence": span,
            "first two": (0, 2),
            "last two": (length - 2, length),
            "first character": (0, 1),
            "second character": (1, 2),
            "last character": (length - 1, length),
        }
        start, end = next((place for words, place in places.items() if words in act), span)
        text = text[:start] + new + text[end:]
    return text


def palindrome_generation(question: str, answer: str) -> bool:
    letters = question.rsplit("letters: ", 1)[1].split(", ")
    return sorted(answer) == sorted(letters) and answer == answer[::-1]
