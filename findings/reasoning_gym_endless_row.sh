#!/usr/bin/env bash
# reasoning-gym 0.1.25, dataset arc_1d: making an item never ends where its row holds more than nine blocks.
#
# The task `recolor_blocks_from_palette` draws a color of 1 to 9 for each block, again and again until it is a new one.
# Rows of 50 cells, the curriculum's level 2, may hold ten blocks or more, and then there is no new one.
#
# Seen: with rows of 50 cells this task does not return within 10 s for seed 4; the seeds before it take less than a
# millisecond each. Fails if all of 40 return.
set -euo pipefail
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
python3 -m venv "$folder/venv"
"$folder/venv/bin/pip" install --quiet --disable-pip-version-check reasoning-gym==0.1.25
"$folder/venv/bin/python" - <<'PYTHON'
import signal
from importlib.metadata import version
from random import Random

from reasoning_gym.arc.arc_1d_tasks import task_recolor_blocks_from_palette

LIMIT_S = 10
CELLS = 50


def stop(*_):
    raise TimeoutError


signal.signal(signal.SIGALRM, stop)
endless = None
for seed in range(40):
    signal.alarm(LIMIT_S)
    try:
        task_recolor_blocks_from_palette(Random(seed), CELLS)
    except TimeoutError:
        endless = seed
        break
    finally:
        signal.alarm(0)
seen = f"seed {endless} did not end within {LIMIT_S} s" if endless is not None else "all seeds ended"
print(f"reasoning-gym {version('reasoning-gym')}: a row of {CELLS} cells, {seen}")
raise SystemExit(endless is None)
PYTHON
