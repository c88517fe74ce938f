#!/usr/bin/env bash
# reasoning-gym 0.1.25, dataset tsumego: the move of the package's own answer often captures nothing.
#
# Every question asks Black to capture white stones and shows the board. A stone is captured where the move takes the
# last liberty of its group. Played on the board that is shown, the answer's move takes no group's last liberty in
# a quarter of the items. Scorers compare with that move.
#
# Seen with seed 7 and 300 items of the default configuration: 70 answers capture nothing, such as C8 where the white
# group is free at A6 and B5 as well. Fails if every answer captures a stone.
set -euo pipefail
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
python3 -m venv "$folder/venv"
"$folder/venv/bin/pip" install --quiet --disable-pip-version-check reasoning-gym==0.1.25
"$folder/venv/bin/python" - <<'PYTHON'
import re
from importlib.metadata import version

import reasoning_gym

SIZE = 300


def beside(point):
    column, row = point
    return [(column + 1, row), (column - 1, row), (column, row + 1), (column, row - 1)]


def captured(board, move):
    """How many white stones a black one takes at `move`."""
    taken = set()
    for start in beside(move):
        if board.get(start) != "O":
            continue
        group = [start]
        for stone in group:
            group += [near for near in beside(stone) if board.get(near) == "O" and near not in group]
        if {near for stone in group for near in beside(stone) if board.get(near) == "."} == {move}:
            taken |= set(group)
    return len(taken)


items = reasoning_gym.create_dataset("tsumego", seed=7, size=SIZE)
looked = without = 0
example = ""
for index in range(SIZE):
    try:
        item = items[index]
    except RuntimeError:  # the package finds no board
        continue
    rows = re.findall(r"^ ?(\d+) ([.XO](?: [.XO])*)$", item["question"], re.MULTILINE)
    board = {(x, int(row)): sign for row, signs in rows for x, sign in enumerate(signs.split())}
    move = (ord(item["answer"][0]) - ord("A"), int(item["answer"][1:]))
    looked += 1
    if captured(board, move) == 0:
        without += 1
        example = example or f"{item['answer']} on\n{item['question'].split('```')[1].strip(chr(10))}"
print(f"reasoning-gym {version('reasoning-gym')}: {without} of {looked} answers capture nothing, e.g. {example}")
raise SystemExit(without == 0)
PYTHON
