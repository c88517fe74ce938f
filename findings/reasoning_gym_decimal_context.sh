#!/usr/bin/env bash
# reasoning-gym 0.1.25: making an item of `decimal_arithmetic` sets the precision of the process's decimal context
# and leaves it there, so that items of `decimal_chain_sum` made afterwards have answers cut to so many digits.
#
# Seen: the same seed and index give another answer after one item of decimal_arithmetic than before. The package's
# own scorer then refuses the exact sum. Fails if the answers are equal.
set -euo pipefail
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
python3 -m venv "$folder/venv"
"$folder/venv/bin/pip" install --quiet --disable-pip-version-check reasoning-gym==0.1.25
"$folder/venv/bin/python" - <<'PYTHON'
import decimal
from importlib.metadata import version

import reasoning_gym


def sums() -> list[str]:
    items = reasoning_gym.create_dataset(
        "decimal_chain_sum", seed=3, size=50, min_terms=8, max_terms=8, min_digits=7, max_digits=7,
        min_decimal_places=6, max_decimal_places=8,
    )
    return [item["answer"] for item in items]


before, precision = sums(), decimal.getcontext().prec
reasoning_gym.create_dataset("decimal_arithmetic", seed=3, size=1)[0]
after = sums()
changed = sum(a != b for a, b in zip(before, after))
print(f"reasoning-gym {version('reasoning-gym')}: precision {precision} before, {decimal.getcontext().prec} after; "
      f"{changed} of {len(before)} answers of another dataset differ, e.g. {before[0]} and {after[0]}")
raise SystemExit(changed == 0)
PYTHON
