"""Pictures and files that hold them, for tests."""

from __future__ import annotations

import io
from pathlib import Path
from typing import Any

from PIL import Image

from tasks_app import pictures, record_files
from tasks_app.registry import benchmarks
from tasks_app.types import BadRow, TaskDraft
from tests.tasks_app import samples


def picture(width: int = 4, height: int = 3) -> bytes:
    stream = io.BytesIO()
    Image.new("RGB", (width, height), (width, height, 9)).save(stream, "PNG")
    return stream.getvalue()


def cell(width: int) -> dict[str, Any]:
    return {"bytes": picture(width), "path": f"{width}.png"}


def parquet(path: Path, *rows: dict[str, Any]) -> Path:
    import pyarrow
    from pyarrow import parquet as writing

    path.parent.mkdir(parents=True, exist_ok=True)
    writing.write_table(pyarrow.Table.from_pylist(list(rows)), path)
    return path


def widths(draft: TaskDraft) -> list[int]:
    return [pictures.picture_read(shown.read()).width for shown in draft.pictures]


def official(benchmark: str, place: str, split: str) -> list[TaskDraft]:
    plugin = benchmarks.get(benchmark)
    assert plugin.files is not None
    rows = list(record_files.drafts(plugin, plugin.files(samples.shared(place), split)))
    assert [row for row in rows if isinstance(row, BadRow)] == []
    return [row for row in rows if isinstance(row, TaskDraft) and row.split == split]


def wrong_answer(draft: TaskDraft) -> str:
    if draft.kind == "choice":
        return next(
            choice["label"] for choice in draft.payload["choices"] if choice["label"] != draft.gold.answer
        )
    return (
        f"{float(number) * 2 + 7}" if (number := draft.gold.answer.rstrip("%")).isdigit() else "no such thing"
    )
