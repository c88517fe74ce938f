"""The fake server's interventions: blank lines separate substeps, and continuations have one message."""

from __future__ import annotations

import re
from typing import Any


def substeps_of(episode: dict[str, Any]) -> list[dict[str, Any]]:
    return [
        {"step": index, "problem": "", "substeps": _blocks(step["raw"])}
        for index, step in sorted(episode["steps"].items())
    ]


def _blocks(raw: str) -> list[dict[str, Any]]:
    blocks = [match for match in re.finditer(r"(?:(?!\n\n)[\s\S])+", raw) if match[0].strip()]
    return [
        {
            "number": number,
            "begin": one.start() + len(one[0]) - len(one[0].lstrip()),
            "end": one.end(),
            "text": one[0].strip(),
        }
        for number, one in enumerate(blocks, start=1)
    ]


def intervention_of(
    episode: dict[str, Any], body: dict[str, Any], *, number: int, group: int
) -> dict[str, Any]:
    """Build the record of an intervention as the fake server stores it."""
    raw = episode["steps"][body["step"]]["raw"]
    copied = raw[: _blocks(raw)[body["substep"] - 1]["begin"]]
    message = {"role": "assistant", "content": copied + body["text"], "prefill": True, "spans": []}
    place = {"id": number, "run": 7, "group": group, "episode": episode["id"], "message": message}
    written = ("step", "substep", "text", "author", "author_kind")
    return {**place, **{name: body[name] for name in written}, "continuations": {"opened": body["count"]}}
