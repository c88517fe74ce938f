"""Thoughts in channels and after headings, as in gpt-oss's harmony format and in Granite."""

from __future__ import annotations

import re

# https://cookbook.openai.com/articles/openai-harmony
_HEADER = re.compile(
    r"(?:<\|start\|>assistant(?P<before>[^<>\n]{0,200}))?"
    r"<\|channel\|>\s*(?P<channel>\w+)(?P<after>[^<>\n]{0,200}(?:<\|constrain\|>[^<>\n]{0,200})?)<\|message\|>"
)
HARMONY_TOKENS = {f"<|{name}|>" for name in ("start", "channel", "constrain", "message", "end", "return")}
_BODY_END = re.compile(r"<\|(?:end|return)\|>")
_TOOL = "to="
_THOUGHT = "analysis"
# Harmony without its special tokens, which were dropped: "analysisWe need ...assistantfinalAnswer: 4".
_DROPPED = re.compile(
    r"\s*(?:assistant)?analysis(?=[A-Z\"'(\d])(?P<thought>.*?)(?:assistantfinal(?P<rest>.*))?", re.DOTALL
)
# Granite and Apriel. Both headings are required, because any answer may begin with the words of the first.
_HEADED = re.compile(
    r"\s*(?:Here(?:['’]s| is) my thought process:(?P<thought>.*?)Here(?:['’]s| is) my response:(?P<rest>.*)"
    r"|Here are my reasoning steps:(?P<steps>.*?)\[BEGIN FINAL RESPONSE\](?P<final>.*?)"
    r"(?:\[END FINAL RESPONSE\]\s*)?)",
    re.DOTALL | re.IGNORECASE,
)
_HEADER_CUT = re.compile(r"\s*(?=(?:analysis|commentary|final)<\|message\|>)")


def channels_cut(text: str) -> tuple[list[str], str]:
    """Return the thoughts of a completion that begins with a channel or a heading, and the remaining text.

    Tool calls, which are messages with a recipient, stay in the remaining text together with their headers.
    """
    if cut := _HEADER_CUT.match(text):  # the first special token was dropped
        text = f"<|channel|>{text[cut.end() :]}"
    start = len(text) - len(text.lstrip())
    headers = list(_HEADER.finditer(text)) if _HEADER.match(text, start) else []
    if not headers:
        named = _DROPPED.fullmatch(text) or _HEADED.fullmatch(text)
        thought, *rest = [part for part in named.groups() if part is not None] if named else ["", text]
        return ([thought], "".join(rest).strip()) if named else ([], text)
    thoughts, rest = list[str](), list[str]()
    ends = [following.start() for following in headers[1:]] + [len(text)]
    for header, end in zip(headers, ends, strict=True):
        body = text[header.end() : end]
        if _TOOL in (header["before"] or "") + header["after"]:
            rest.append(text[header.start() : end])
        elif header["channel"] == _THOUGHT:
            thoughts.append(_BODY_END.sub("", body))
        else:
            rest.append(_BODY_END.sub("", body))
    return thoughts, "\n".join(rest)
