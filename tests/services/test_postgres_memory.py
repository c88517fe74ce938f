from __future__ import annotations

import re
from pathlib import Path

import pytest

from gymsite.services import postgres_memory
from gymsite.services.postgres_memory import GB, MB, memory_settings
from gymsite.services.processes import BASE_DIR

EXPECTED = {
    1: ("128MB", "512MB", "4MB", "64MB", "2048MB"),
    4: ("512MB", "2048MB", "4MB", "64MB", "2048MB"),
    24: ("3072MB", "12288MB", "24MB", "384MB", "6144MB"),
    256: ("16384MB", "131072MB", "64MB", "1024MB", "16384MB"),
}


@pytest.mark.parametrize("gigabytes", EXPECTED)
def test_postgres_takes_its_share_of_the_machine(gigabytes: int) -> None:
    names = ("shared_buffers", "effective_cache_size", "work_mem", "maintenance_work_mem", "max_wal_size")
    assert memory_settings(gigabytes * GB) == dict(zip(names, EXPECTED[gigabytes], strict=True))


def test_the_documentation_states_the_same_figures() -> None:
    text = (BASE_DIR / "docs/operations.md").read_text()
    for name in memory_settings(GB):
        row = re.search(rf"^\| `{name}` \|(.+)\|$", text, re.MULTILINE)
        assert row, name
        stated = [cell.strip() for cell in row[1].split("|")]
        assert stated == [_words(memory_settings(size * GB)[name]) for size in EXPECTED]


def _words(size: str) -> str:
    megabytes = int(size.removesuffix("MB"))
    return f"{megabytes // 1024} GB" if megabytes % 1024 == 0 else f"{megabytes} MB"


@pytest.fixture
def cgroups(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.setattr(postgres_memory, "CGROUPS", tmp_path)
    monkeypatch.setattr(postgres_memory, "OWN_CGROUP", tmp_path / "own")
    return tmp_path


def _limit(file: Path, limit: int | str) -> None:
    file.parent.mkdir(parents=True, exist_ok=True)
    file.write_text(f"{limit}\n")


def test_the_least_limit_of_the_groups_around_us_counts(cgroups: Path) -> None:
    (cgroups / "own").write_text("0::/pod/box\n")
    _limit(cgroups / "memory.max", "max")
    _limit(cgroups / "pod/memory.max", 300 * MB)
    _limit(cgroups / "pod/box/memory.max", 400 * MB)
    assert postgres_memory.machine_memory() == 300 * MB


def test_a_limit_of_version_1_counts(cgroups: Path) -> None:
    (cgroups / "own").write_text("4:cpu:/other\n3:memory:/box\n0::/\n")
    _limit(cgroups / "memory/memory.limit_in_bytes", 2**63 - 4096)
    _limit(cgroups / "memory/box/memory.limit_in_bytes", 200 * MB)
    assert postgres_memory.machine_memory() == 200 * MB


def test_without_a_limit_all_of_the_machine_counts(cgroups: Path) -> None:
    lines = Path("/proc/meminfo").read_text().splitlines()
    (kilobytes,) = (int(line.split()[1]) for line in lines if line.startswith("MemTotal:"))
    assert postgres_memory.machine_memory() == kilobytes * 1024
