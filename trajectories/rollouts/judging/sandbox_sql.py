"""The database access of the worker with the sandbox: four functions of the schema ``sandbox``.

Agents' programs run next to this worker and, under Docker, as the same user. Its role, ``gym_sandbox``,
therefore may not read any table, and the functions run with their owner's rights. They are the statements
that the other workers use, restricted to submissions that are judged by running them. A gold is returned only
with a valid claim.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

import msgspec
from psycopg import sql

from core.database.sql import Statement, sql_read
from trajectories.record import hot_sql
from trajectories.record.hot_sql import IS_PROBE
from trajectories.rollouts.judging import tool_calls
from verifiers import registry

SCHEMA = "sandbox"
PROGRAM_CHANNEL = "program_judged"

_encode = msgspec.json.Encoder().encode

CLAIM = Statement(__file__, "sandbox_claim", is_hot=True)
FINISH = Statement(__file__, "sandbox_finish", is_hot=True, channel=PROGRAM_CHANNEL)


def submission_claim(
    *, episode_id: int, claims_max: int, lost_s: float, worker: int | None = None
) -> hot_sql.Claim | None:
    """Claim a submission as ``hot_sql.submission_claim`` does.

    Also returns None if the submission is not judged by running it.
    """
    row = CLAIM.row(episode=episode_id, claims_max=claims_max, lost=lost_s, worker=worker)
    return None if row is None else hot_sql.claim_read(row)


def submission_finish(*, run_id: int, ending: hot_sql.Ending) -> list[int]:
    """Finish one submitted episode as ``hot_sql.finish_many`` does. Without a claim, nothing is written.

    It wakes the sweeper, which announces the verdict.
    """
    rows = FINISH.rows(run=run_id, endings=_encode([ending]).decode())
    return [row[0] for row in rows]


@dataclass(frozen=True)
class Function:
    """A function of the schema.

    ``arguments`` fill placeholders of ``body``, in this order; ``places`` fill the others with SQL of ours.
    """

    name: str
    body: str
    arguments: dict[str, str]
    returns: str
    places: dict[str, str]

    def created(self) -> str:
        numbered = {name: f"${number}" for number, name in enumerate(self.arguments, start=1)}
        body = self.body % {**numbered, **self.places}
        types = ", ".join(self.arguments.values())
        return (
            f"CREATE FUNCTION {SCHEMA}.{self.name}({types}) RETURNS {self.returns} LANGUAGE sql VOLATILE "
            f"SECURITY DEFINER SET search_path = public, pg_temp AS $body$ {body} $body$"
        )


def functions_created() -> str:
    """Return the statements that recreate the schema, without grants. The tables' owner must run them."""
    registry.discover()
    functions = ";\n".join(function.created() for function in _functions())
    return f"DROP SCHEMA IF EXISTS {SCHEMA} CASCADE;\nCREATE SCHEMA {SCHEMA};\n{functions}"


def _functions() -> Iterator[Function]:
    sandboxed = (
        f"({_build_sandboxed_sql('b.verifier_official')} OR {_build_sandboxed_sql('b.verifier_training')})"
    )
    conditions = {"sandboxed": sandboxed, "is_probe": IS_PROBE}
    yield Function(
        "claim",
        hot_sql.CLAIM.text,
        {"episode": "bigint", "claims_max": "int", "lost": "float8", "worker": "int"},
        "TABLE (run_id bigint, run_kind text, answer jsonb, verifier_official text, verifier_training text, "
        "gold_version int, gold_answer text, gold_accepted text[], gold_solution text, gold_extra jsonb, "
        "shown jsonb, task_kind text, first jsonb)",
        {"episode": sql_read(__file__, "sandbox_episode", **conditions)},
    )
    yield Function(
        "finish",
        hot_sql.FINISH.text,
        {"run": "bigint", "endings": "text"},
        "SETOF bigint",
        {
            "endings": sql_read(__file__, "sandbox_endings", **conditions),
            "statuses": "'{submitted}'::text[]",
            "is_closing": "false",
            "close_reason": "''",
            "close_detail": "''",
        },
    )
    call = {"episode": "bigint", "number": "int"}
    yield Function(
        "call_claim",
        tool_calls.CLAIM_TEXT,
        {**call, "timeout": "float8"},
        "TABLE (input text, payload text, variation text, setup text)",
        {},
    )
    yield Function(
        "call_finish", tool_calls.FINISH_TEXT, {**call, "status": "text", "output": "text"}, "void", {}
    )


def _build_sandboxed_sql(column: str) -> str:
    """Return the SQL condition that the verifier in a column runs in the sandbox, given the gold ``g``."""
    conditions = []
    for verifier_id in registry.list_sandboxed():
        datasets = registry.VERIFIERS.get(verifier_id).sandbox_datasets
        condition = f"{column} = {_quoted(verifier_id)}"
        if datasets is not None:
            condition += f" AND g.extra->>'dataset' IN ({', '.join(map(_quoted, sorted(datasets)))})"
        conditions.append(f"({condition})")
    return " OR ".join(conditions)


def _quoted(text: str) -> str:
    return sql.Literal(text).as_string(None)
