"""A backup of a running installation, restored into an empty one."""

from __future__ import annotations

import contextlib
import hashlib
import io
import json
import os
import random
import signal
import stat
import subprocess
import sys
import threading
import time
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import httpx
import psycopg
import pytest
from PIL import Image

from gymsite.services import endpoints, secrets
from gymsite.services.processes import BASE_DIR
from tests.services.canaries import GOLDS, RIGHT, Scene, manage
from tests.services.installations import Up, until
from tests.services.kills import Installation
from tests.services.traffic import Ledger, Traffic

pytestmark = [pytest.mark.services, pytest.mark.slow, pytest.mark.xdist_group("installation")]

LOADED_S = 60
STARTERS = (
    "SELECT t.id, g.answer FROM tasks_app_task t JOIN tasks_app_gold g ON g.task_id = t.id"
    " WHERE t.benchmark_id = 'gsm8k' AND t.split = 'starter'"
)
ROLES = ("gym_arena", "gym_lab", "gym_worker", "gym_sandbox")


def _command(up: Up, *arguments: str) -> subprocess.CompletedProcess[str]:
    command = [sys.executable, "manage.py", *arguments]
    return subprocess.run(
        command, cwd=BASE_DIR, env=up.environment(), capture_output=True, text=True, check=False
    )


def _refused(up: Up, *arguments: str) -> str:
    done = _command(up, *arguments)
    assert done.returncode == 1, done.stdout
    assert "Traceback" not in done.stderr
    return done.stderr.strip()


class Api(contextlib.AbstractContextManager["Api"]):
    """The REST API of an installation, with a trainer's key."""

    def __exit__(self, *_: object) -> None:
        self.http.close()

    def __init__(self, up: Up, key: str) -> None:
        self.up = up
        self.http = httpx.Client(
            base_url=f"http://127.0.0.1:{up.ports['LAB_PORT']}/api/v1",
            headers={"Authorization": f"Bearer {key}"},
            trust_env=False,
            timeout=60,
        )

    def json(self, method: str, path: str, body: object = None) -> Any:
        answer = self.http.request(method, path, json=body)
        assert answer.is_success, answer.text
        return answer.json()

    def run_open(self, name: str) -> int:
        return self.json("POST", "/runs", {"name": name, "kind": "train"})["id"]

    def tasks(self) -> dict[str, int]:
        pages = {name: self.json("GET", f"/tasks?benchmark={name}&split=test") for name in GOLDS}
        return {name: page["results"][0]["id"] for name, page in pages.items()}

    def episode_play(self, run: int, *, picture: bytes) -> int:
        """A judged episode with steps and a picture."""
        opening = {
            "run": run,
            "tasks": [self.tasks()["math"]],
            "arm": "gym",
            "samples_per_task": 1,
            "max_steps": 9,
        }
        (episode,) = self.json("POST", "/episodes", opening)["episodes"]
        name = hashlib.sha256(picture).hexdigest()
        assert self.http.put(f"/blobs/{name}", content=picture).is_success
        steps = [
            {"index": index, "thought": f"I look: {index}.", "action": {"type": "noop"}, "screenshot": name}
            for index in (1, 2)
        ]
        self.json("POST", f"/episodes/{episode['id']}/steps", {"steps": steps})
        assert self.http.get(episode["start_url"]).status_code == 200
        answered = self.http.post(f"{episode['start_url']}submit", data={"answer": RIGHT["math"]})
        assert answered.status_code == 303
        assert self.verdict(episode["id"]) == "correct"
        return int(episode["id"])

    def verdict(self, episode: int) -> str:
        live = f"http://127.0.0.1:{self.up.ports['LIVE_PORT']}/wait/episodes/{episode}"
        record = self.http.get(live, params={"timeout": 30}).json()
        return str(record["verdict"]["outcome"])

    def record(self, episode: int) -> dict[str, bytes]:
        """All that the API says of an episode."""
        paths = ("", "/trajectory", "/messages")
        return {path: self.http.get(f"/episodes/{episode}{path}").content for path in paths}


def _picture(color: int) -> bytes:
    data = io.BytesIO()
    Image.new("RGB", (80, 60), (color, 30, 60)).save(data, "PNG")
    return data.getvalue()


def _rights(url: str) -> list[tuple[object, ...]]:
    """Every grant to our roles, on tables, columns, functions and sequences, and the roles' settings."""
    with psycopg.connect(url) as owner:
        return owner.execute(
            "SELECT 'table', c.relname::text, r.rolname::text, p.privilege_type FROM pg_class c"
            " CROSS JOIN LATERAL aclexplode(c.relacl) p JOIN pg_roles r ON r.oid = p.grantee"
            " WHERE r.rolname = ANY(%(roles)s)"
            " UNION ALL SELECT 'column', c.relname || '.' || a.attname, r.rolname, p.privilege_type"
            " FROM pg_attribute a JOIN pg_class c ON c.oid = a.attrelid"
            " CROSS JOIN LATERAL aclexplode(a.attacl) p JOIN pg_roles r ON r.oid = p.grantee"
            " UNION ALL SELECT 'function', f.proname::text, r.rolname, p.privilege_type FROM pg_proc f"
            " CROSS JOIN LATERAL aclexplode(f.proacl) p JOIN pg_roles r ON r.oid = p.grantee"
            " WHERE r.rolname = ANY(%(roles)s)"
            " UNION ALL SELECT 'setting', r.rolname, s, '' FROM pg_db_role_setting d"
            " JOIN pg_roles r ON r.oid = d.setrole, unnest(d.setconfig) s"
            " UNION ALL SELECT 'reloption', c.relname::text, o, '' FROM pg_class c, unnest(c.reloptions) o"
            " WHERE c.relkind = 'r' ORDER BY 1, 2, 3, 4",
            {"roles": list(ROLES)},
        ).fetchall()


@dataclass(frozen=True)
class Backup:
    """One made under load, and what the installation said before of an ``episode`` and of all rights."""

    folder: Path
    episode: int
    record: dict[str, bytes]
    rights: list[tuple[object, ...]]

    def files(self) -> dict[Path, int]:
        """The blobs and their inodes."""
        return {path: path.stat().st_ino for path in (self.folder / "blobs").rglob("*") if path.is_file()}


@pytest.fixture(scope="module")
def api(installation: Installation, scene: Scene) -> Iterator[Api]:
    """Of the installation that is backed up; the scene's tasks are in it."""
    with Api(installation.up, installation.key) as own:
        yield own


@pytest.fixture(scope="module")
def backup(installation: Installation, api: Api, tmp_path_factory: pytest.TempPathFactory) -> Backup:
    folder = tmp_path_factory.mktemp("backups") / "backup"
    episode = api.episode_play(api.run_open("before"), picture=_picture(1))
    until(lambda: json.loads(api.record(episode)["/trajectory"])["behaviour"], seconds=60, what="facts")
    record = api.record(episode)
    with _load(installation, api) as ledger:
        until(lambda: ledger.expected, seconds=LOADED_S, what="the load has begun")
        assert "is complete" in manage(installation.up, "backup", str(folder))
    return Backup(folder, episode, record, _rights(installation.owner_url))


def test_a_backup_under_load_is_restored_into_an_empty_machine_and_backed_up_while_stopped(
    installation: Installation, backup: Backup, tmp_path: Path
) -> None:
    copy = Up(tmp_path / "var")
    assert "is restored" in manage(copy, "restore", str(backup.folder))
    assert _modes(secrets.folder(copy.var_dir)) == _modes(secrets.folder(installation.up.var_dir))
    assert "is complete" in manage(copy, "backup", str(tmp_path / "of the copy"))
    assert not copy.descendants()
    assert "Every file is there." in _checked_while_running(copy, installation.key, backup)


@contextlib.contextmanager
def _load(installation: Installation, api: Api) -> Iterator[Ledger]:
    """Rollouts and uploads, as long as the block runs."""
    with psycopg.connect(installation.owner_url) as owner:
        golds = dict(owner.execute(STARTERS).fetchall())
    traffic = Traffic(
        up=installation.up, key=installation.key, run=api.run_open("load"), golds=golds, ledger=Ledger()
    )
    with ThreadPoolExecutor(2) as threads:
        working = [threads.submit(traffic.rollouts, 3), threads.submit(_upload_all, api, traffic.stop)]
        try:
            yield traffic.ledger
        finally:
            traffic.stop.set()
        for work in working:
            work.result()


def _upload_all(api: Api, stop: threading.Event) -> None:
    """Upload other bytes again and again, each acknowledged before the next."""
    chance = random.Random(7)
    while not stop.is_set():
        data = chance.randbytes(20_000)
        assert api.http.put(f"/blobs/{hashlib.sha256(data).hexdigest()}", content=data).is_success


def _modes(folder: Path) -> dict[str, int]:
    names = {path.name: stat.S_IMODE(path.stat().st_mode) for path in folder.iterdir()}
    return {".": stat.S_IMODE(folder.stat().st_mode), **names}


def _checked_while_running(up: Up, key: str, backup: Backup) -> str:
    with contextlib.ExitStack() as stack:
        started = stack.enter_context(up.started())
        assert "password" not in started.output, "the restored installation has its login already"
        api = stack.enter_context(Api(up, key))
        assert api.record(backup.episode) == backup.record
        picture = hashlib.sha256(_picture(1)).hexdigest()
        assert api.http.get(f"/blobs/{picture}").content == _picture(1)
        assert _rights(endpoints.database_url(up.var_dir, role="owner")) == backup.rights
        api.episode_play(api.run_open("after"), picture=_picture(2))
        return manage(up, "check_blobs", "--contents")


def test_a_second_backup_copies_only_what_is_new(
    installation: Installation, api: Api, backup: Backup
) -> None:
    old = backup.files()
    api.episode_play(api.run_open("second"), picture=_picture(4))
    stored = {path.name for path in (installation.up.var_dir / "blobs").rglob("*") if path.is_file()}

    manage(installation.up, "backup", str(backup.folder))

    new = backup.files()
    assert {path: new[path] for path in old} == old
    added = {path.name for path in new.keys() - old.keys()}
    assert hashlib.sha256(_picture(4)).hexdigest() in added
    assert added == stored - {path.name for path in old}
    assert len(list(backup.folder.glob("database-*"))) == 1


def test_a_killed_backup_is_refused_and_an_earlier_one_stays_good(
    installation: Installation, backup: Backup, tmp_path: Path
) -> None:
    fresh, held = tmp_path / "fresh", backup.folder
    good = (held / "manifest.json").read_bytes()
    for folder in (fresh, held):
        _killed_backup(installation.up, folder)
    copy = Up(tmp_path / "var")
    assert "holds no finished backup" in _refused(copy, "restore", str(fresh))
    assert not secrets.folder(copy.var_dir).exists()
    assert (held / "manifest.json").read_bytes() == good
    _replaced(copy, held, installation.up)
    assert "is complete" in manage(installation.up, "backup", str(fresh))
    assert len(list(fresh.glob("database-*"))) == 1, "what the killed one left is gone"


def _replaced(copy: Up, backup: Path, source: Up) -> None:
    """What is not empty is replaced when that is asked for."""
    secrets.ensure_all(copy.var_dir)
    own = secrets.read(copy.var_dir, "token_key")
    assert "is not empty" in _refused(copy, "restore", str(backup))
    assert "is restored" in manage(copy, "restore", str(backup), "--replace")
    assert secrets.read(copy.var_dir, "token_key") == secrets.read(source.var_dir, "token_key")
    (aside,) = copy.var_dir.glob("replaced-*")
    assert (aside / "secrets" / "token_key").read_text().strip() == own


def _killed_backup(up: Up, folder: Path) -> None:
    """Killed between the dump and the manifest."""
    known = set(folder.glob("files-*"))
    process = subprocess.Popen(
        [sys.executable, "manage.py", "backup", str(folder)],
        cwd=BASE_DIR,
        env=up.environment(),
        stdout=subprocess.DEVNULL,
    )
    while not set(folder.glob("files-*")) - known and process.poll() is None:
        time.sleep(0.001)
    os.kill(process.pid, signal.SIGKILL)
    assert process.wait() == -signal.SIGKILL


def test_what_runs_or_is_damaged_is_refused(
    installation: Installation, backup: Backup, tmp_path: Path
) -> None:
    """The last test of the backup that the tests above share."""
    assert "already running" in _refused(installation.up, "restore", str(backup.folder), "--replace")
    half = Up(tmp_path / "half")
    half.var_dir.mkdir()
    (half.var_dir / "restoring").touch()
    assert "did not end" in half.refused()

    manifest = json.loads((backup.folder / "manifest.json").read_text())
    dump = backup.folder / manifest["database"]["file"]
    dump.write_bytes(dump.read_bytes()[:-1] + b"x")
    assert "missing or damaged" in _refused(Up(tmp_path / "other"), "restore", str(backup.folder))
