"""What each door cannot reach: other roles and Redis for the arena, golds for callers without the scope
``golds``.
"""

from __future__ import annotations

import itertools
import re
from collections.abc import Iterator
from pathlib import Path
from typing import Any
from urllib.parse import urljoin

import httpx
import psycopg
import pytest
import redis
from redis.backoff import NoBackoff
from redis.retry import Retry
from websockets.sync.client import connect

from core.database.addresses import django_database
from gymsite.services import endpoints
from tests.services.canaries import CANARIES, GOLDS, RIGHT, Scene, manage, words_in
from tests.services.kills import Installation

pytestmark = [pytest.mark.services, pytest.mark.slow, pytest.mark.xdist_group("installation")]

CLOSED_TABLES = (
    "tasks_app_gold",
    "trajectories_verdictevidence",
    "trajectories_verdict",
    "trajectories_apikey",
    "trajectories_step",
    "trajectories_blob",
    "trajectories_picture",
    "auth_user",
    "django_session",
    "pg_authid",
)
OTHER_ROLES = ("gym_owner", "gym_lab", "gym_worker", "gym_sandbox", "gym_metrics", "postgres")
LINK = re.compile(r'(?:href|src|action)="([^"]+)"')
SOCKET_S = 5.0
# The export has no files: all that the scene plays is of locked splits.
UNFINISHED = "/exports/{export_id}/files/{name}"
# The last episode of the scene is open.
NOT_ENDED = "/episodes/{episode_id}/rewards"


@pytest.fixture(scope="module")
def arena(installation: Installation) -> dict[str, str]:
    """The environment of the running arena."""
    return installation.now.environment_of("arena")


@pytest.mark.parametrize("role", OTHER_ROLES)
def test_the_arenas_environment_opens_no_other_role(arena: dict[str, str], role: str) -> None:
    own = django_database(arena["DATABASE_URL"])
    for password in {*arena.values(), own["PASSWORD"], ""}:
        with pytest.raises(psycopg.OperationalError, match=r"password authentication failed|no password"):
            psycopg.connect(host=own["HOST"], dbname=own["NAME"], user=role, password=password)


@pytest.mark.parametrize("role", OTHER_ROLES[:-1])
def test_the_arenas_login_cannot_become_another_role(arena: dict[str, str], role: str) -> None:
    with psycopg.connect(arena["DATABASE_URL"], autocommit=True) as connection:
        for statement in (f"SET ROLE {role}", f"SET SESSION AUTHORIZATION {role}"):
            with pytest.raises(psycopg.errors.InsufficientPrivilege, match="permission denied"):
                connection.execute(statement)


@pytest.mark.parametrize("table", CLOSED_TABLES)
def test_the_arenas_login_cannot_read(arena: dict[str, str], table: str) -> None:
    with psycopg.connect(arena["DATABASE_URL"], autocommit=True) as connection:
        for statement in (f"SELECT 1 FROM {table}", f"COPY {table} TO STDOUT", f"TABLE {table}"):
            with pytest.raises(psycopg.errors.InsufficientPrivilege, match="permission denied"):
                connection.execute(statement)


def test_the_arenas_environment_opens_no_redis(arena: dict[str, str]) -> None:
    assert not [name for name in arena if "REDIS" in name]
    socket = Path(django_database(arena["DATABASE_URL"])["HOST"]) / endpoints.REDIS_SOCKET
    assert socket.is_socket()
    password = django_database(arena["DATABASE_URL"])["PASSWORD"]
    once = Retry(NoBackoff(), 0)
    for tried in (None, password, arena["GYM_SECRET_KEY"], arena["GYM_TOKEN_KEY"]):
        with (
            redis.Redis(unix_socket_path=str(socket), password=tried, retry=once) as client,
            pytest.raises(redis.AuthenticationError),
        ):
            client.ping()


def test_the_canaries_are_golds(installation: Installation, scene: Scene) -> None:
    """The search recognises golds where they are allowed."""
    key = manage(installation.up, "create_key", "--name", "golds", "--scopes", "read,golds")
    exported = scene.http.get(
        f"{scene.lab}/api/v1/golds/export?split=test", headers={"Authorization": f"Bearer {key}"}
    )
    assert all(canary in exported.text for canary in CANARIES)
    with psycopg.connect(installation.owner_url) as connection:
        rows = connection.execute(
            "SELECT v.outcome, v.reason FROM trajectories_verdict v"
            " JOIN trajectories_episode e ON e.id = v.episode_id WHERE e.run_id = %s",
            [scene.run],
        ).fetchall()
        evidence = connection.execute("SELECT data::text FROM trajectories_verdictevidence").fetchall()
    assert sorted(set(rows)) == [
        ("correct", "answer"),
        ("incorrect", "answer"),
        ("incorrect", "no_submission"),
    ]
    assert all(any(gold in text for (text,) in evidence) for gold in GOLDS.values())


def test_no_answer_of_the_api_holds_a_gold(installation: Installation, scene: Scene) -> None:
    trainer = manage(installation.up, "create_key", "--name", "trainer", "--scopes", "trainer")
    for key in (installation.key, trainer):
        statuses = dict(_api_crawl(scene, key=key))
        refused = {path for path, status in statuses.items() if status != 200}
        assert "/golds/export" in refused
        if key == installation.key:
            assert refused == {"/golds/export", UNFINISHED, NOT_ENDED}
    assert scene.seen.leaks() == []


def test_no_answer_of_live_holds_a_gold(scene: Scene) -> None:
    stream = scene.call("GET", f"{scene.live}/wait/runs/{scene.run}/verdicts?timeout=0")
    assert len(stream.json()["results"]) == len([1 for e in scene.episodes if e["fate"] != "open"])
    pushed = [_pushed(scene, f"/ws/runs/{scene.run}/")]
    pushed += [_pushed(scene, f"/ws/episodes/{episode['id']}/") for episode in scene.episodes]
    assert not [message for message in pushed for canary in CANARIES if canary in message]
    assert scene.seen.leaks() == []


def test_no_page_of_the_arena_holds_a_gold(scene: Scene) -> None:
    for start in scene.start_urls:
        for path in ("", "done", "submit", "events", "recording", "nothing", "../", "?answer=1"):
            scene.seen.note(scene.http.get(start + path, headers={"X-Gym-Step": "1"}))
        for link in _links(scene.http.get(start)):
            assert scene.seen.note(scene.http.get(urljoin(start, link))).status_code == 200
    assert scene.seen.leaks() == []


def test_no_log_holds_a_token_a_key_or_a_gold(installation: Installation, scene: Scene) -> None:
    for start in scene.start_urls:
        path = start.partition("//")[2].partition("/")[2]
        for door in (scene.lab, scene.live):
            scene.http.get(f"{door}/{path}")  # lost agents try other doors
        scene.http.post(f"{start}submit", content=b"\xff\xfe", headers={"Content-Type": "text/plain"})
        scene.http.request("BREW", start)
    words = [*scene.tokens(), installation.key, *CANARIES]
    assert len(scene.tokens()) == len(scene.start_urls) > 0
    assert list(words_in(installation.up.var_dir / "logs", words)) == []


def _api_crawl(scene: Scene, *, key: str) -> Iterator[tuple[str, int]]:
    """Every GET of the schema, plain and with each of its parameters; path and status."""
    schema = scene.call("GET", "/schema?format=json", key=key).json()
    for path, methods in schema["paths"].items():
        if "get" not in methods:
            continue
        short = path.removeprefix("/api/v1")
        parameters = methods["get"].get("parameters", [])
        for filled in _filled(short, scene):
            both = {"before": scene.report, "after": scene.report}
            for query in [{}, both] if short == "/transfer" else _queries(parameters, scene):
                yield short, scene.call("GET", filled, key=key, params=query).status_code


def _filled(path: str, scene: Scene) -> list[str]:
    """The path for every object of the scene that it can address; fails on an unknown parameter."""
    known: dict[str, list[Any]] = {
        "abstraction_id": [scene.abstraction],
        "intervention_id": [scene.intervention],
        "run_id": [scene.run],
        "report_id": [scene.report],
        "export_id": [scene.export],
        "episode_id": [episode["id"] for episode in scene.episodes],
        "group_id": scene.groups,
        "sampler_id": [scene.sampler],
        "sha256": [scene.blob],
        "name": ["report.html", "report.json", "rows.jsonl", "rows.csv"],
    }
    names = re.findall(r"{(\w+)}", path)
    return [
        path.format(**dict(zip(names, values, strict=True)))
        for values in itertools.product(*(known[name] for name in names))
    ]


def _queries(parameters: list[dict[str, Any]], scene: Scene) -> list[dict[str, Any]]:
    """No parameters, then each by itself, always with the required ones; fails on an unknown one."""
    known: dict[str, Any] = {
        "after": 0,
        "annotator_kind": "person",
        "answer": "type:reasoning",
        "arm": "gym",
        "benchmark": "math",
        "cursor": None,
        "difficulty_max": 1,
        "difficulty_min": 0,
        "drawn": "true",
        "episode": scene.episodes[0]["id"],
        "group": scene.groups[0],
        "guidance": "start_state",
        "ids": ",".join(map(str, scene.tasks.values())),
        "kind": "train",
        "layer": "blind",
        "limit": 1000,
        "name": "a run",
        "origin": "plain",
        "policy_version_min": 1,
        "profile": "outcome-v1",
        "project": 1,
        "recent": 8,
        "run": scene.run,
        "steps": "changed",
        "task": scene.tasks["gsm8k"],
        "split": "test",
        "status": "finished",
        "tag": "algebra",
    }
    in_query = [parameter for parameter in parameters if parameter["in"] == "query"]
    values = {
        parameter["name"]: parameter["schema"]["enum"][-1]
        if parameter["name"] == "format"
        else known[parameter["name"]]
        for parameter in in_query
    }
    required = {
        parameter["name"]: values[parameter["name"]] for parameter in in_query if parameter.get("required")
    }
    return [required, *({**required, name: value} for name, value in values.items() if value is not None)]


def _pushed(scene: Scene, path: str) -> str:
    """The first message of a socket."""
    headers = {"Authorization": f"Bearer {scene.key}"}
    url = scene.live.replace("http", "ws", 1) + path
    with connect(url, additional_headers=headers, open_timeout=SOCKET_S, proxy=None) as socket:
        return str(socket.recv(timeout=SOCKET_S))


def _links(page: httpx.Response) -> list[str]:
    """Files that a page links to; the address of its form is tried elsewhere."""
    return [link for link in LINK.findall(page.text) if link.startswith("/static/")]


LOGGED = (
    r"palaestra-lab \S+ LOG:  duration: .*INSERT INTO trajectories_step",
    r"palaestra-worker\S* \S+ LOG:  duration: .*trajectories_verdict",
)


def test_the_log_of_slow_statements_holds_no_gold_and_no_answer(
    installation: Installation, scene: Scene
) -> None:
    with psycopg.connect(installation.owner_url) as connection, pytest.raises(psycopg.errors.CheckViolation):
        connection.execute(f"UPDATE tasks_app_task SET prompt = '{CANARIES[0]}', guess_rate = -1")
    log = _log_of_statements(installation.up.var_dir / "logs")
    # Not the log itself in an assertion: a failure would show all of its megabytes.
    missing = [line for line in LOGGED if not re.search(line, log, re.DOTALL)]
    assert missing == []
    assert [canary for canary in CANARIES if canary in log] == []
    assert [answer for answer in RIGHT.values() if answer in log] == []


def _log_of_statements(folder: Path) -> str:
    """The older part too: on a slow machine the log is rotated before it is read."""
    older, newer = folder / "postgres.log.1", folder / "postgres.log"
    return "".join(path.read_text(errors="replace") for path in (older, newer) if path.exists())
