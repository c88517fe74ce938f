"""Function calls in a model's own markup, which remain in the text if the endpoint has no parser for them.

Model families differ in what opens a call and in how the call is written, and any opening may be combined
with any form:

- opening: tags such as ``<tool_call>`` (Hermes, Qwen, GLM), ``<|tool_calls_section_begin|>`` (Kimi),
  ``<｜tool▁calls▁begin｜>`` (DeepSeek), ``[TOOL_CALLS]`` (Mistral), ``<|python_tag|>`` (Llama), ``functools``
  (Phi), ``to=functions.`` (gpt-oss);
- form: a JSON object or a list of them, ``<function=click>`` or ``<invoke name="click">`` with parameters, a
  name with ``<arg_key>`` and ``<arg_value>``, a name before a JSON object, Python's ``click(target="e8")``.

The formats are those of vLLM's tool parsers and SGLang's function call detectors. Calls are parsed, never
evaluated.
"""

from __future__ import annotations

import json
import re
from collections.abc import Mapping, Sequence
from contextlib import suppress
from typing import Any

from palaestra.grammars.calls import call_read
from palaestra.grammars.envelopes import NO_NAME, call_open
from palaestra.grammars.lenient_json import Unreadable, space_skip, value_read

Call = tuple[str, dict[str, Any]]
Tools = Mapping[str, Mapping[str, Any]]
"""The functions that a call may name, each with the JSON schemas of its arguments in order."""

_WORD = r"(?:tool|function)[_▁]?calls?(?:[_▁]section)?(?:[_▁](?:begin|start))?"
_SPACE_NAME = r"(?:[\w-]+:|[｜|]?DSML[｜|])?"
_BEGIN = re.compile(
    rf"<{_SPACE_NAME}(?:longcat_|start_)?{_WORD}>|<[|｜]{_WORD}[|｜]?>|\[TOOL_CALLS?\]|<\|python_(?:tag|start)\|>"
    rf"|<\|action_start\|>|<\|START_ACTION\|>|<\|tools_prefix\|>|<functioncall>|<TOOLCALL>|functools(?=\s*\[)|to=(?=functions\.)"
    rf"|```tool_(?:code|calls?)\b|(?=<{_SPACE_NAME}(?:function|invoke)(?:=|\s+name=))"
)
# Mistral's tokens between the parts of a call.
_PARTS = {"[ARGS]", "[CALL_ID]"}
# After one of these, the model writes somebody else's turn, so calls there are not the model's own.
_OTHERS = re.compile(
    r"<tool_response>|<\|(?:observation|im_start|start_header_id|eot_id)\|>|<function_results>"
)
_BETWEEN = re.compile(
    r"(?:\s|\[/?(?:TOOL_CALLS?|ARGS)\]|\[CALL_ID\]\w*|[\[\],;]|</?[|｜]?[\w:▁｜/-]+[|｜]?>|```\w*|function(?=<[|｜]))*"
)
_BEFORE = re.compile(r"(?:<[|｜][^<>|｜]*[|｜]>\s*(?:assistant|commentary|analysis)?\s*)+$")
_TAG = re.compile(rf"<{_SPACE_NAME}(function|invoke)(?:=|\s+name=)[\"']?(?P<name>[^\"'>\s]+)[\"']?[^>]*>")
_TAG_END = re.compile(
    rf"</{_SPACE_NAME}(?:function|invoke)>|(?=<{_SPACE_NAME}(?:function|invoke)(?:=|\s+name=))|\Z"
)
_PARAMETER = re.compile(
    rf"<{_SPACE_NAME}param(?:eter)?(?:=|\s+name=)[\"']?(?P<name>[^\"'>\s]+)[\"']?(?P<more>[^>]*)>(?P<value>.*?)"
    rf"(?:</{_SPACE_NAME}param(?:eter)?>|(?=<{_SPACE_NAME}param(?:eter)?[=\s])|\Z)",
    re.DOTALL,
)
_PAIR = re.compile(
    r"\s*<arg_key>\s*(?P<name>.*?)\s*</arg_key>\s*<arg_value>(?P<value>.*?)(?:</arg_value>|(?=<arg_key>)|\Z)",
    re.DOTALL,
)
_NAME = re.compile(r"(?:call:)?(?:functions?[.:])?(?P<name>[A-Za-z_][\w-]*)(?:\.call(?=\())?(?::\d+)?")
# Whatever models write between a function's name and its arguments.
_SEPARATORS = re.compile(
    r"(?:\s|<[|｜][^<>|｜\"]*[|｜]>|\[ARGS\]|\[CALL_ID\]\w+|\b(?:json|commentary)\b|```(?:json)?|:)*"
)
# Gemma's quotation marks around strings.
_QUOTED = re.compile(r"<\|\"\|>(.*?)<\|\"\|>|<escape>(.*?)<escape>", re.DOTALL)
_LINE_BEGIN = re.compile(r"^(?=[ \t`]*(?:[{\[]|[A-Za-z_]\w*\s*\n?\s*[({]))", re.MULTILINE)
_OBJECTS = re.compile(r"\{|\[\s*\{")
_FENCED = re.compile(r"[ \t]*(?:`{3}\w*\s*)?")
_FENCE_OPEN = re.compile(r"(?:`{3}|~{3})\w*\s*$")
_BEGINS_TRIED = 12


def calls_find(text: str, tools: Tools) -> tuple[str, list[Call]]:
    """Return the text before the first call, and the calls.

    Without markup, only calls of known functions at the end of the text count. Raises ``Unreadable`` if
    markup cannot be read or contains no call.
    """
    first = _BEGIN.search(text)
    if first is None:
        return _calls_bare(text, tools)
    others = _OTHERS.search(text, first.end())
    text = text[: others.start()] if others else text
    calls: list[Call] = []
    begin: re.Match[str] | None = first
    while begin is not None:
        more, at = _calls_read(text, begin.end(), tools)
        calls += more
        begin = _BEGIN.search(text, max(at, begin.end() + (begin.end() == begin.start())))
    if not calls:
        raise Unreadable(NO_NAME)
    return cut_thought(text), calls


def cut_thought(text: str) -> str:
    """Return the text before the first markup of a call, or the whole text if there is none."""
    first = _BEGIN.search(text)
    return _BEFORE.sub("", text[: first.start()]).strip() if first else text.strip()


def is_marked(text: str) -> bool:
    """Return whether a text contains markup of a call."""
    return _BEGIN.search(text) is not None


def is_markup(token: str) -> bool:
    """Return whether a token, given as text, begins a call or separates the parts of a call."""
    return token in _PARTS or _BEGIN.fullmatch(token) is not None


def _calls_bare(text: str, tools: Tools) -> tuple[str, list[Call]]:
    """Return the text before the calls of known functions that end it without any markup, and those calls."""
    for begin in list(_LINE_BEGIN.finditer(text))[-_BEGINS_TRIED:]:
        at = _FENCED.match(text, begin.end())
        with suppress(Unreadable):
            calls, end = _calls_read(text, at.end() if at else begin.end(), tools)
            if calls and end == len(text) and all(name in tools for name, _ in calls):
                return _FENCE_OPEN.sub("", text[: begin.start()]).strip(), calls
    return text.strip(), []


def _calls_read(text: str, at: int, tools: Tools) -> tuple[list[Call], int]:
    """Return the consecutive calls that begin at ``at``, and where they end."""
    calls: list[Call] = []
    while True:
        read = _call_read(text, at, tools)
        if read is None:
            between = _BETWEEN.match(text, at)
            after = between.end() if between else at
            read = _call_read(text, after, tools) if after > at else None
            if read is None:
                return calls, after
        calls += read[0]
        at = read[1]


def _call_read(text: str, at: int, tools: Tools) -> tuple[list[Call], int] | None:
    """Return the calls that begin at ``at`` in one form, and where they end; None if there are none."""
    if _OBJECTS.match(text, at):
        value, end = _value(text, at)
        return [call_open(each) for each in (value if isinstance(value, list) else [value])], end
    if tag := _TAG.match(text, at):
        close = _TAG_END.search(text, tag.end())
        body = text[tag.end() : close.start() if close else len(text)]
        fields = _parameters(body, tools.get(tag["name"], {}))
        return [(tag["name"], fields)], close.end() if close else len(text)
    name = _NAME.match(text, at)
    return None if name is None else _named(text, name, tools)


def _named(text: str, name: re.Match[str], tools: Tools) -> tuple[list[Call], int] | None:
    """Return the call whose ``name`` was matched, and where it ends; None if it is not a call.

    Its arguments are pairs of tags, in Python's parentheses, a JSON object, or missing.
    """
    function, at = name["name"], name.end()
    if text[at : at + 1] == "(" and function in tools:
        signatures = {known: list(fields) for known, fields in tools.items()}
        _, fields, end = call_read(f"{function}{text[at:]}", 0, signatures=signatures)
        return [(function, fields)], at + end - len(function)
    separators = _SEPARATORS.match(text, at)
    after = separators.end() if separators else at
    if pair := _PAIR.match(text, at):
        fields = {}
        while pair:
            fields[pair["name"]] = _typed(pair["value"], tools.get(function, {}).get(pair["name"]))
            at, pair = pair.end(), _PAIR.match(text, pair.end())
        return [(function, fields)], at
    if text[after : after + 1] == "{":
        value, end = _value(text, after)
        return [(function, value if isinstance(value, dict) else {})], end
    # A bare name is a call only if a tag or the text ends after it; otherwise it is part of a sentence.
    is_alone = function in tools and (after >= len(text) or text.startswith(("</", "<|", "<｜"), after))
    return ([(function, {})], at) if is_alone else None


def _value(text: str, at: int) -> tuple[Any, int]:
    """Return the JSON value at ``at``, and where it ends. Its strings may be in Gemma's quotation marks."""
    if not _QUOTED.search(text, at):
        return value_read(text, at)
    quoted, shifts = "", list[tuple[int, int]]()
    last = at
    for mark in _QUOTED.finditer(text, at):
        inner = mark[1] if mark[1] is not None else mark[2]
        quoted += text[last : mark.start()] + json.dumps(inner, ensure_ascii=False)
        last = mark.end()
        shifts.append((len(quoted), last - at - len(quoted)))
    value, end = value_read(quoted + text[last:])
    return value, at + end + next((shift for place, shift in reversed(shifts) if place <= end), 0)


def _parameters(body: str, schemas: Mapping[str, Any]) -> dict[str, Any]:
    if body.lstrip().startswith("{"):
        value, _ = _value(body, space_skip(body, 0))
        return value if isinstance(value, dict) else {}
    fields = {}
    for each in _PARAMETER.finditer(body):
        schema = {"type": "string"} if 'string="true"' in each["more"] else schemas.get(each["name"])
        fields[each["name"]] = _typed(each["value"], schema)
    return fields


def _typed(text: str, schema: Mapping[str, Any] | None) -> Any:
    """Convert an argument that was written without quotation marks to the type in its schema."""
    text = text.removeprefix("\n").removesuffix("\n")
    variants: Sequence[Mapping[str, Any]] = [schema, *schema.get("anyOf", ())] if schema else []
    named = [each.get("type") for each in variants]
    types = {kind for each in named for kind in (each if isinstance(each, list) else [each])}
    if "string" in types:
        return None if "null" in types and text.strip() in ("null", "None") else text
    with suppress(Unreadable):
        value, end = value_read(text)
        if space_skip(text, end) == len(text):
            return value
    return text
