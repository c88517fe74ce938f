#!/usr/bin/env bash
# reasoning-gym 0.1.25, dataset family_relationships: the package's own answers to two kinds of relation are
# named from the wrong end.
#
# "What is Ann to Bob?", Bob being the father of Ann's husband, is answered `father-in-law`: every answer that
# ends in -in-law says what Bob is to Ann. And a niece or nephew is named by the sex of the aunt or uncle.
# Scorers compare with these answers, so right ones score 0.
#
# Seen with seed 7 and 3,000 items of the default configuration: 389 of 389 answers ending in -in-law are given
# to the question that asks for the child-in-law. Fails if no such item is left.
set -euo pipefail
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
python3 -m venv "$folder/venv"
"$folder/venv/bin/pip" install --quiet --disable-pip-version-check reasoning-gym==0.1.25
"$folder/venv/bin/python" - <<'PYTHON'
import re
from importlib.metadata import version

import reasoning_gym

items = reasoning_gym.create_dataset("family_relationships", seed=7, size=3000)
asked = re.compile(r"(?:What|How)(?: relation)? is (\w+) (?:related )?to (\w+)\?")
married = re.compile(r"(\w+) is married to (\w+)\.(?: They have (?:a child|children) called ([\w ,]+)\.)?")
in_laws = reversed_ends = 0
for item in items:
    if not item["answer"].endswith("-in-law"):
        continue
    who, whom = asked.search(item["question"]).groups()
    couples = married.findall(item["question"])
    spouses = {a: b for one, other, _ in couples for a, b in ((one, other), (other, one))}
    children = {child: {one, other} for one, other, names in couples for child in re.split(r", | and ", names)}
    in_laws += 1
    # `who` is married to a child of `whom`, so `who` is the younger one: a son-in-law or a daughter-in-law.
    reversed_ends += whom in children.get(spouses.get(who, ""), set())
print(f"reasoning-gym {version('reasoning-gym')}: {reversed_ends} of {in_laws} -in-law answers name the other person's part")
raise SystemExit(reversed_ends == 0 or reversed_ends != in_laws)
PYTHON
