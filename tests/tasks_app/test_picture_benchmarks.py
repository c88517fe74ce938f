"""What MMMU and ChartQA share: where pictures come from, starter pictures, the official files."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest

from tasks_app import loader
from tasks_app.benchmarks import _picture_sources
from tasks_app.models import Gold, Task
from tasks_app.registry import benchmarks
from tasks_app.starters import starter_drafts
from tests.tasks_app import samples, samples_pictures
from tests.tasks_app.test_benchmarks import accepts
from tests.tasks_app.test_loader import load, snapshot

pytestmark = pytest.mark.slow

ROOT = Path(__file__).resolve().parents[2]
OFFICIAL = [
    ("mmmu", "mmmu", "validation", 90),
    ("mmmu", "mmmu", "dev", 15),
    ("mmmu", "mmmu", "pro-standard", 4),
    ("chartqa", "chartqa", "train", 90),
    ("chartqa", "chartqa", "test", 83),
]


def test_a_picture_cell_is_bytes_or_a_file_that_stays_in_its_folder(tmp_path: Path) -> None:
    folder = tmp_path / "data"
    folder.mkdir()
    (folder / "in.png").write_bytes(b"inside")
    (tmp_path / "out.png").write_bytes(b"outside")
    (folder / "link.png").symlink_to(tmp_path / "out.png")
    taken = [
        b"bytes",
        {"bytes": b"struct", "path": "../out.png"},
        {"bytes": None, "path": "in.png"},
        "in.png",
    ]
    read = [_picture_sources.picture_draft(one, folder=folder).read() for one in taken]
    assert read == [b"bytes", b"struct", b"inside", b"inside"]
    for name in ("../out.png", str(tmp_path / "out.png"), "link.png", "a\0b"):
        with pytest.raises(ValueError, match="outside the folder"):
            _picture_sources.picture_draft(name, folder=folder)
    for nothing in (None, "", 5, {}, {"bytes": None, "path": None}):
        with pytest.raises(ValueError, match="neither bytes"):
            _picture_sources.picture_draft(nothing, folder=folder)


@pytest.mark.parametrize("benchmark", ["mmmu", "chartqa"])
def test_starter_pictures_are_large_enough_to_read(benchmark: str) -> None:
    for draft in starter_drafts(benchmark):
        assert draft.pictures
        assert min(samples_pictures.widths(draft)) >= 200


def test_importing_the_plugins_loads_neither_pillow_nor_pyarrow() -> None:
    check = (
        "import sys; from tasks_app.benchmarks import chartqa, mmmu; "
        "sys.exit('PIL' in sys.modules or 'pyarrow' in sys.modules)"
    )
    assert subprocess.run([sys.executable, "-c", check], cwd=ROOT).returncode == 0


@pytest.mark.django_db
@pytest.mark.parametrize(("benchmark", "place", "split", "count"), OFFICIAL)
def test_the_official_pictures_load_whole_and_twice(
    benchmark: str, place: str, split: str, count: int
) -> None:
    path = samples.shared(place)
    load(benchmark, "--file", path, "--split", split)
    before = snapshot()
    load(benchmark, "--file", path, "--split", split)
    assert Task.objects.filter(benchmark=benchmark, split=split).count() == count
    assert snapshot() == before
    assert Gold.objects.count() == count
    assert all(task.payload["pictures"] for task in Task.objects.all())


@pytest.mark.parametrize(("benchmark", "place", "split", "count"), OFFICIAL)
def test_every_official_gold_is_accepted_and_a_wrong_answer_is_not(
    benchmark: str, place: str, split: str, count: int
) -> None:
    plugin = benchmarks.get(benchmark)
    task_drafts = samples_pictures.official(benchmark, place, split)
    assert len({draft.key for draft in task_drafts}) == count
    assert not [problem for draft in task_drafts if (problem := loader.draft_problem(draft))]
    for draft in task_drafts:
        for verifier in (plugin.verifier_official, plugin.verifier_training):
            for answer in (draft.gold.answer, *draft.gold.accepted):
                assert accepts(verifier, draft, answer), draft.key
            assert not accepts(verifier, draft, samples_pictures.wrong_answer(draft)), draft.key
