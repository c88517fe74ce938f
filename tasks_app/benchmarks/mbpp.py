"""MBPP: short Python programs written from one sentence (Austin et al. 2021, arXiv:2108.07732).

The official file is ``mbpp.jsonl`` of google-research, with one JSON object per line: ``task_id``, ``text``,
``code`` (with CRLF line ends), ``test_list``, ``test_setup_code`` and ``challenge_test_list``, which is not
part of the score. The splits are ranges of ``task_id``. The hub's ``sanitized`` rows have ``prompt`` instead
of ``text`` and also ``test_imports``. The official check runs the candidate, ``test_setup_code`` and the
asserts of ``test_list``, in that order; the program passes if every assert does.

The official prompt shows the text and all asserts. A task here shows only the first assert and the signature
of the functions that the asserts call. The other asserts are in the gold, and evaluation runs show them.
Loading adds to the gold ``pairs``, held-back inputs that are never shown (``verifiers/mutation.py``), and
``cpu_s`` if the reference is slow. An item whose reference is not deterministic gets no pairs and the tag
``not-deterministic``. The strict verifier then has only the held-back asserts, so leave such items out of
training.
"""

from __future__ import annotations

import ast
import warnings
from collections.abc import Mapping
from typing import Any

import msgspec

from tasks_app import kinds
from tasks_app.registry import benchmark_register
from tasks_app.types import BenchmarkPlugin, Enrichment, GoldDraft, HubSource, Record, TaskDraft
from verifiers import mutation
from verifiers.sandbox.limits import cpu_allowed_s
from verifiers.types import Gold

RANGES = {"train": (601, 974), "validation": (511, 600), "test": (11, 510), "prompt": (1, 10)}
PAIRS = "pairs"
CPU_S = "cpu_s"
IS_DETERMINISTIC = "is_deterministic"
NOT_DETERMINISTIC = "not-deterministic"


class OfficialRow(msgspec.Struct):
    """A row. Only the starter set has ``pairs``, so that loading it needs no sandbox."""

    task_id: int
    code: str
    test_list: list[str]
    text: str = ""
    prompt: str = ""
    test_setup_code: str = ""
    test_imports: list[str] = []
    pairs: list[Any] = []


def draft_of(record: Record) -> TaskDraft:
    """Build a draft whose key is the official ``task_id``.

    Raises ``ValueError`` for empty or invalid code.
    """
    row = record.read(OfficialRow)
    text = (row.text or row.prompt).strip()
    code = _lines(row.code)
    tests = [_lines(test).strip() for test in row.test_list]
    setup = "\n".join(part for part in (*row.test_imports, _lines(row.test_setup_code)) if part.strip())
    if not text or not code.strip() or not tests or not all(tests):
        raise ValueError("the text, the code or an assert is empty")
    signature = extract_signature(code, tests=tests)
    _parsed(setup, what="the set-up")
    extra = {"tests": tests, "setup": setup, **({PAIRS: row.pairs} if row.pairs else {})}
    return TaskDraft(
        key=str(row.task_id),
        split=split_of(row.task_id),
        kind=kinds.CODE,
        payload={"text": text, "format": "plain", "signature": signature, "asserts": tests[:1]},
        gold=GoldDraft(answer=code, extra=extra),
        tags=("python",),
    )


def split_of(task_id: int) -> str:
    """Return the split of a ``task_id``. Raises ``ValueError`` for a number that is not in the set."""
    for split, (first, last) in RANGES.items():
        if first <= task_id <= last:
            return split
    raise ValueError(f"the task_id {task_id} is not between 1 and 974")


def extract_signature(code: str, *, tests: list[str]) -> str:
    """Return the ``def`` lines of the reference's functions that the tests call; classes are left out."""
    functions = {
        statement.name: f"def {statement.name}({ast.unparse(statement.args)}):"
        for statement in _parsed(code, what="the code").body
        if isinstance(statement, ast.FunctionDef)
    }
    called = (
        node.func.id
        for test in tests
        for node in ast.walk(_parsed(test, what="an assert"))
        if isinstance(node, ast.Call) and isinstance(node.func, ast.Name)
    )
    return "\n".join(functions[name] for name in dict.fromkeys(called) if name in functions)


def held_back(draft: TaskDraft) -> Mapping[str, Any]:
    """Run the reference in the sandbox and return the held-back part of the gold.

    Raises ``ValueError`` if the reference fails, and ``SandboxMissing``.
    """
    gold = Gold(draft.gold.answer, extra=draft.gold.extra)
    try:
        result = mutation.held_back(gold, seed=int(draft.key))
    except mutation.ReferenceFails as error:
        raise ValueError(error.message) from error
    added: dict[str, Any] = {PAIRS: [[call, value] for call, value in result.pairs]}
    if not result.is_deterministic:
        added[IS_DETERMINISTIC] = False
    if cpu_s := cpu_allowed_s(result.reference_s):
        added[CPU_S] = cpu_s
    return added


def tags(added: Mapping[str, Any]) -> tuple[str, ...]:
    return () if added.get(IS_DETERMINISTIC, True) else (NOT_DETERMINISTIC,)


def _parsed(source: str, *, what: str) -> ast.Module:
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")  # Some references contain escapes such as "\\."
            return ast.parse(source)
    except SyntaxError as error:
        raise ValueError(f"{what} is not Python: {error}") from error


def _lines(text: str) -> str:
    return text.replace("\r\n", "\n").replace("\r", "\n")


benchmark_register(
    BenchmarkPlugin(
        id="mbpp",
        title="MBPP: mostly basic Python problems",
        kind=kinds.CODE,
        license="CC BY 4.0",
        source="https://github.com/google-research/google-research/tree/master/mbpp",
        verifier_official="code-v1",
        verifier_training="code_strict-v1",
        splits=tuple(RANGES),
        example_split="prompt",
        draft_of=draft_of,
        hub=HubSource(
            repo="google-research-datasets/mbpp",
            files={split: (f"full/{split}-*.parquet",) for split in RANGES},
        ),
        enrichment=Enrichment(
            what="held-back inputs", keys=(PAIRS, IS_DETERMINISTIC, CPU_S), compute=held_back, tags=tags
        ),
    )
)
