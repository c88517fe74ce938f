"""Rows of imports: loading official files into tables, compared with a COPY of the same rows."""

from __future__ import annotations

import csv
import json
import shutil
from collections.abc import Callable, Iterator
from pathlib import Path
from statistics import median

import psycopg
from psycopg import sql

from tests.bench.installation import Installation
from tests.bench.table import Row

ROWS = 20_000
ROUNDS = 3
DATABASE = "bench_imports"
QUESTION = (
    "Weng earns ${n} an hour for babysitting. Yesterday, she just did {m} minutes of babysitting, and on the"
    " day before that three times as long. How much did she earn in those two days, before taxes and tips?"
)


def rows(place: Installation) -> Iterator[Row]:
    """Yield rows measured like `manage.py load_benchmark`, in a separate process and database."""
    env = {"GYM_PROCESS": "manage", "DATABASE_URL": database_make(place)}
    folder = place.var_dir / "imports"
    try:
        for benchmark, (split, write) in WRITERS.items():
            source = write(folder / benchmark)
            pairs = place.module_run("imports", benchmark, source, split, ROUNDS, env=env)
            ours, floor = (median(pair[side] for pair in pairs) for side in ("loaded", "copied"))
            yield Row(
                f"{benchmark} rows imported",
                ours,
                "/s",
                5_000,
                peer=floor,
                beside="COPY of the same rows into the same tables",
                note=f"medians of {ROUNDS} turns of {ROWS:,} rows, files and all",
            )
    finally:
        shutil.rmtree(folder, ignore_errors=True)


def database_make(place: Installation) -> str:
    with psycopg.connect(place.database_url("owner"), autocommit=True) as owner:
        owner.execute(sql.SQL("DROP DATABASE IF EXISTS {}").format(sql.Identifier(DATABASE)))
        owner.execute(sql.SQL("CREATE DATABASE {}").format(sql.Identifier(DATABASE)))
    address, _, query = place.database_url("owner").partition("?")
    url = f"{address.rpartition('/')[0]}/{DATABASE}?{query}"
    place.manage("migrate", "--verbosity", "0", env={"DATABASE_URL": url})
    return url


def _gsm8k(folder: Path) -> Path:
    folder.mkdir(parents=True)
    file = folder / "train.jsonl"
    with file.open("w") as stream:
        for n in range(ROWS):
            steps = f"Yesterday it was 12/60*{n}=$<<12/60*{n}={n / 5}>>{n / 5}.\n" * (2 + n % 6)
            record = {"question": QUESTION.format(n=n, m=n % 90), "answer": f"{steps}#### {n}"}
            stream.write(json.dumps(record) + "\n")
    return file


def _math(folder: Path) -> Path:
    for n in range(ROWS):
        file = folder / "test" / ("algebra", "geometry", "prealgebra")[n % 3] / f"{n}.json"
        file.parent.mkdir(parents=True, exist_ok=True)
        solution = (
            rf"Since $x^2 + {n} = \frac{{1}}{{{n + 2}}}$, completing the square gives the root. " * 4
        ) + (rf"So the answer is $\boxed{{\frac{{{n}}}{{{n + 1}}}}}$.")
        problem = QUESTION.format(n=rf"\${n}$", m=rf"$\sqrt{{{n}}}$").replace("$$", "$")
        record = {"problem": problem, "level": f"Level {1 + n % 5}", "type": "Algebra", "solution": solution}
        file.write_text(json.dumps(record))
    return folder


def _mmlu(folder: Path) -> Path:
    (folder / "val").mkdir(parents=True)
    for subject in range(50):
        with (folder / "val" / f"subject_{subject}_val.csv").open("w", newline="") as stream:
            table = csv.writer(stream)
            for n in range(ROWS // 50):
                question = QUESTION.format(n=f"{subject} and {n}", m=n)
                table.writerow(
                    [question, *(f"about {n + k} dollars, {k} cents" for k in range(4)), "ABCD"[n % 4]]
                )
    return folder


WRITERS: dict[str, tuple[str, Callable[[Path], Path]]] = {
    "gsm8k": ("train", _gsm8k),
    "math": ("test", _math),
    "mmlu": ("val", _mmlu),
}
