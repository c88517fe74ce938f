"""The worker with the sandbox: its user in Redis reaches the keys of its own queue and nothing else."""

from __future__ import annotations

from collections.abc import Iterator

import pytest
import redis
from celery import Celery

from core.database import addresses
from core.work import redis_client
from core.work.queues import QUEUES, SANDBOX
from gymsite.services import endpoints
from gymsite.services.redis import SANDBOX_RIGHTS
from tests.servers import servers

URL = endpoints.redis_url(servers.var_dir, user=SANDBOX.redis_user)
OTHER_QUEUES = [queue.id for queue in QUEUES if queue is not SANDBOX]


@pytest.fixture
def login() -> Iterator[redis.Redis]:
    with redis.Redis.from_url(URL, decode_responses=True) as own:
        yield own


def _refused(login: redis.Redis, *command: str) -> None:
    with pytest.raises(redis.exceptions.NoPermissionError, match="no permissions"):
        login.execute_command(*command)


@pytest.mark.parametrize("queue", OTHER_QUEUES)
def test_it_neither_reads_nor_writes_other_queues(login: redis.Redis, queue: str) -> None:
    _refused(login, "LPUSH", queue, "{}")
    _refused(login, "BRPOP", queue, "1")
    _refused(login, "LLEN", queue)
    _refused(login, "HSET", f"{queue}.unacked", "tag", "[]")
    _refused(login, "SADD", f"_kombu.binding.{queue}", "x")


@pytest.mark.parametrize(
    "command",
    [
        ("HSET", "unacked", "tag", "[]"),
        ("SET", "gym:gone:1", "1"),
        ("DEL", "gym:beat:1"),
        ("SET", "gym:alive:verify", "1"),
        ("PUBLISH", "gym:verdicts", "{}"),
        ("SUBSCRIBE", "gym:verdicts"),
        ("PUBLISH", "/0.celery.pidbox", "{}"),
        ("KEYS", "*"),
        ("SCAN", "0"),
        ("CONFIG", "GET", "requirepass"),
        ("ACL", "LIST"),
        ("CLIENT", "LIST"),
        ("MONITOR",),
        ("DEBUG", "SLEEP", "0"),
        ("FLUSHALL",),
        ("SHUTDOWN", "NOSAVE"),
        ("SLAVEOF", "localhost", "1"),
        ("MODULE", "LIST"),
        ("EVAL", "return redis.call('LPUSH', 'verify', '{}')", "0"),
    ],
    ids=" ".join,
)
def test_it_gets_no_other_rights(login: redis.Redis, command: tuple[str, ...]) -> None:
    _refused(login, *command)


def test_a_script_reaches_no_further(login: redis.Redis) -> None:
    script = login.register_script("return redis.call('LPUSH', KEYS[1], '{}')")
    assert script(keys=["sandbox.test"]) == 1
    login.delete("sandbox.test")
    with pytest.raises(redis.exceptions.ResponseError, match=r"can't access|ACL|permission"):
        script(keys=["verify"])
    assert not redis_client.client().exists("verify")


def test_celery_sends_takes_and_acknowledges_jobs_of_its_queue_with_these_rights() -> None:
    app = Celery(broker=addresses.celery_broker_url(URL))
    app.conf.broker_transport_options = SANDBOX.broker_options()
    with app.connection_for_read() as connection:
        queue = connection.SimpleQueue(SANDBOX.id)
        queue.put({"episode_id": 1})
        message = queue.get(timeout=5)
        assert message.payload == {"episode_id": 1}
        assert redis_client.client().hlen("sandbox.unacked") == 1
        queue.consumer.channel.qos.restore_visible()
        message.reject(requeue=True)
        queue.get(timeout=5).ack()
        assert redis_client.client().hlen("sandbox.unacked") == 0
        queue.close()


def test_the_rights_name_its_queue() -> None:
    keys = [word[1:] for word in SANDBOX_RIGHTS.read_text().split() if word.startswith("~")]
    assert keys == [f"{SANDBOX.id}*", f"_kombu.binding*.{SANDBOX.id}", "gym:alive:sandbox"]
    assert not [queue for queue in OTHER_QUEUES if queue.startswith(SANDBOX.id)]
