"""Parser for judge files. Errors are reported in full sentences, and nothing from a faulty file is stored."""

from __future__ import annotations

import hashlib
from collections import Counter
from collections.abc import Iterable, Iterator
from typing import Any

import msgspec
from msgspec.structs import replace

from core.errors import GymError
from core.text.toml_document import TomlRefused, toml_as_json
from trajectories.annotation.machines.endpoint import url_check
from trajectories.judges.prompt import prompt_sha256
from trajectories.judges.types import Criterion, JudgeBody

CODE = "judge_refused"
FILE_MAX_BYTES = 256 * 1024
# A criterion of each kind must see at least one of these kinds of evidence.
NEEDED = {"outcome": {"answer", "last_page"}, "process": {"actions", "thoughts"}}


def judge_read(data: bytes) -> JudgeBody:
    """Parse a judge's TOML file. Raises ``GymError`` ``judge_refused`` or ``bad_judge_url`` (both 422)."""
    if len(data) > FILE_MAX_BYTES:
        raise refused([f"The file has {len(data):,} bytes; the limit is {FILE_MAX_BYTES:,}."])
    try:
        body = msgspec.json.decode(toml_as_json(data), type=JudgeBody)
    except (msgspec.DecodeError, TomlRefused) as error:
        raise refused([f"{error}."]) from error
    if problems := list(_problems(body)):
        raise refused(problems)
    url_check(body.url)
    return body


def judge_of(body: Any) -> JudgeBody:
    """Decode a stored judge without checks, since it was checked when it was stored."""
    return msgspec.convert(body, JudgeBody)


def sha256_of(body: JudgeBody) -> str:
    """Return the hash that identifies a judge.

    It covers everything except the name, including the prompt that this version of the code builds.
    """
    content = msgspec.json.encode(replace(body, name="a"), order="deterministic")
    return hashlib.sha256(content + prompt_sha256(body).encode()).hexdigest()


def refused(problems: list[str]) -> GymError:
    return GymError(CODE, " ".join(problems), status=422, fields={"judge": problems})


def _problems(body: JudgeBody) -> Iterator[str]:
    for name in _repeated(one.id for one in body.criteria):
        yield f"Two criteria are called {name!r}."
    for question in _repeated(_plain(one.question) for one in body.criteria):
        yield f"Two criteria ask the same question, but criteria must differ: {question!r}."
    for one in body.criteria:
        yield from (f"Criterion {one.id!r}: {problem}" for problem in _criterion(one))


def _criterion(one: Criterion) -> Iterator[str]:
    for choice in _repeated(choice.id for choice in one.choices):
        yield f"two choices are called {choice!r}."
    for text in _repeated(_plain(choice.text) for choice in one.choices):
        yield f"two choices have the same text: {text!r}."
    missing = {"met", "not_met"} - {choice.counts for choice in one.choices}
    if missing:
        yield f"no choice counts as {' or '.join(sorted(missing))}."
    if _repeated(one.evidence):
        yield "a kind of evidence is listed twice."
    if not NEEDED[one.kind] & set(one.evidence):
        needed = " or ".join(sorted(NEEDED[one.kind]))
        yield f"a criterion on the {one.kind} must see {needed}."


def _repeated(names: Iterable[str]) -> list[str]:
    return [name for name, count in Counter(names).items() if count > 1]


def _plain(text: str) -> str:
    return " ".join(text.casefold().split())
