"""Calls in BrowserGym's syntax: ``click('e8')``, ``fill('e3', 'x')``.

A call counts if it begins a line, follows ``Action:`` or is in a fenced block. The last such call of a
completion is the action; several calls in a row are several actions.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterator, Mapping
from typing import Any

from palaestra.actions import ACTIONS, ActionInvalid
from palaestra.actions.base import list_fields
from palaestra.completion import Completion
from palaestra.grammars.base import Grammar, Turn, check_turn
from palaestra.grammars.calls import call_read
from palaestra.grammars.counterparts import BROWSERGYM, counterpart_write, find_counterpart, parts_of
from palaestra.grammars.examples import example_make
from palaestra.grammars.lenient_json import Unreadable
from palaestra.protocol.offers import Conditions, actions_offered

COMPLETION_MAX_CHARS = 200_000
CALLS_TRIED = 32
_ACTION = r"(?:Action[*_`]*[ \t]*:[ \t*_]*)?"
_BETWEEN = re.compile(rf"[\s;`~]*(?:</?action>[\s;`~]*)*{_ACTION}`*", re.IGNORECASE)
_CALL = re.compile(
    rf"(?:^[ \t>#*_`-]*{_ACTION}|`{{3}}(?:python)?[ \t]*|<action>[ \t]*)`*(?P<name>[A-Za-z_]+)[ \t]*\(",
    re.MULTILINE | re.IGNORECASE,
)
_HEAD = re.compile(r"[\s>#*_`~-]*(?:action|<action>|python)?[\s*_`~:-]*", re.IGNORECASE)
HEAD_MAX_CHARS = 80
_PLAIN = re.compile(r"[^'\\\x00-\x1f\x7f]*")


class Browsergym(Grammar):
    id = "browsergym"

    def parse(self, completion: Completion, conditions: Conditions, *, shown: str = "") -> Turn:
        text = completion.text[-COMPLETION_MAX_CHARS:]
        begin, calls, failure = _calls_last(text)
        thought = _thought(text[:begin])
        if failure or not calls:
            return Turn(thought=thought, parse_error=failure or _no_call(text, conditions, shown))
        try:
            return check_turn(thought, [_declared(*call) for call in calls], conditions)
        except ActionInvalid as invalid:
            return Turn(thought=thought, parse_error=str(invalid))

    def render(self, declared: Mapping[str, Any], *, thought: str = "") -> list[Completion]:
        calls = list(_calls_written(declared))
        turns = ["\n".join(calls)] if declared["type"] == "sequence" else calls
        turns[0] = f"{thought}\n{turns[0]}".lstrip()
        return [Completion(text=turn) for turn in turns]


def list_calls(conditions: Conditions) -> list[str]:
    """Return the calls that an episode offers."""
    own = actions_offered(conditions)
    rows = {row.name: row.is_offered(conditions) for row in BROWSERGYM}
    return [name for name in SIGNATURES if rows.get(name, name in own)]


def _signatures() -> dict[str, list[str]]:
    """Return every call's fields. Actions that are missing from the table keep their own names."""
    of_table = {row.type for row in BROWSERGYM}
    names = {row.name for row in BROWSERGYM}
    rows = {row.name: [*row.fields, *sorted(row.ignored)] for row in BROWSERGYM}
    own = [kind for kind in ACTIONS if kind not in of_table | names | {"sequence", "noop"}]
    return rows | {kind: list_fields(kind) for kind in own}


SIGNATURES = _signatures()


# ---- reading
def _calls_last(text: str) -> tuple[int, list[tuple[str, dict[str, Any]]], str]:
    """Return where the last calls begin, the calls, and an error message if they cannot be read."""
    begin, end, calls, failure = len(text), 0, list[tuple[str, dict[str, Any]]](), ""
    candidates = [match for match in _CALL.finditer(text) if match["name"] in SIGNATURES]
    for match in candidates[-CALLS_TRIED:]:
        at = match.start("name")
        if at < end:
            continue
        row = find_counterpart(match["name"], BROWSERGYM)
        try:
            if row is not None and not row.type:
                row.read({})
            name, fields, stop = call_read(text, at, signatures=SIGNATURES)
        except (ActionInvalid, Unreadable) as unreadable:
            begin, calls, failure = at, [], str(unreadable)
            continue
        if failure or not calls or not _BETWEEN.fullmatch(text, end, at):
            begin, calls = at, []
        calls, failure, end = [*calls, (name, fields)], "", stop
    return begin, calls, failure


def _thought(text: str) -> str:
    """Return the text before a call, without the marks and words that introduce the call."""
    lines = text.split("\n")
    while lines and len(lines[-1]) <= HEAD_MAX_CHARS and _HEAD.fullmatch(lines[-1]):
        lines.pop()
    return "\n".join(lines).rstrip(" \t`").removesuffix("<action>").strip()


def _declared(name: str, fields: dict[str, Any]) -> dict[str, Any]:
    row = find_counterpart(name, BROWSERGYM)
    return row.read(fields) if row else {**fields, "type": name}


def _no_call(text: str, conditions: Conditions, shown: str) -> str:
    known = ", ".join(list_calls(conditions))
    example = next(_calls_written(example_make(text, conditions, shown=shown)))
    return f"There is no call. End your turn with a call on its own line, such as {example}. Known: {known}."


# ---- writing
def _calls_written(declared: Mapping[str, Any]) -> Iterator[str]:
    kind, written = declared["type"], counterpart_write(declared, BROWSERGYM)
    if written is None and kind in SIGNATURES and find_counterpart(kind, BROWSERGYM) is None:
        written = kind, {name: value for name, value in declared.items() if name != "type"}
    if written is not None:
        yield _call_text(*written)
    else:
        for part in parts_of(declared):
            yield from _calls_written(part)


def _call_text(name: str, fields: Mapping[str, Any]) -> str:
    in_order = [field for field in SIGNATURES[name] if field in fields]
    is_positional = in_order == SIGNATURES[name][: len(in_order)]
    values = [_literal(fields[field]) for field in in_order]
    if not is_positional:
        values = [f"{field}={value}" for field, value in zip(in_order, values, strict=True)]
    return f"{name}({', '.join(values)})"


def _literal(value: Any) -> str:
    if isinstance(value, str) and _PLAIN.fullmatch(value):
        return f"'{value}'"
    if isinstance(value, str):
        return json.dumps(value, ensure_ascii=False)
    return f"[{', '.join(map(_literal, value))}]" if isinstance(value, (list, tuple)) else repr(value)
