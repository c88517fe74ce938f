"""The conversation that the server makes again from the record is the one that the client sent."""

from __future__ import annotations

import base64
import json
from typing import Any

import pytest

from palaestra.grammars import get_grammar
from palaestra.observation import Observation
from palaestra.protocol import histories
from palaestra.protocol.conversation import Shown
from palaestra.protocol.grammars import GRAMMARS
from palaestra.protocol.histories import history_read
from palaestra.turn.histories import PastTurn as ClientTurn
from palaestra.turn.histories import messages_send
from trajectories.record.prompts.sent import SentMessage, Turn, messages_sent

OPENING = [{"role": "system", "content": "Act."}, {"role": "user", "content": "How many doors?"}]
SECTION = "\n".join(f'  [e{number}] link "Room {number} of many"' for number in range(3, 12))
LONG = "\n".join(f'paragraph "Line {number}"' for number in range(40))
NAVIGATION = f'navigation "All rooms":\n{SECTION}'
FORM = "\n".join([NAVIGATION, '[e1] textbox "Doors" value="{}"', LONG])
PAGES = (
    'page "Rooms" https://gym/?a=1\n' + FORM.format(""),
    'page "Rooms" https://gym/?a=2\n' + FORM.format("7"),
    'page "Rooms" https://gym/?a=2\n' + FORM.format("7"),
    f'page "Done" https://gym/done\n{NAVIGATION}\nparagraph "Thank you."',
    "",
)
RESULTS = (("", ""), ("ok", ""), ("no_target", "Nothing has the id e99."), ("ok", ""), ("refused", "No."))
CALL = {"id": "c1", "name": "click", "arguments": '{"target": "e1"}'}
RAWS = (
    "I look.",
    json.dumps({"content": "Both.", "tool_calls": [CALL, {**CALL, "id": "c2", "arguments": "[1]"}]}),
    json.dumps({"content": "", "tool_calls": [CALL]}),
    '{"content": "cut',
    "Done.",
)
KINDS = ("axtree-v2", "screenshot-v2", "both-v2")
PICTURES = ("a" * 64, "b" * 64, "b" * 64, "", "c" * 64)


def inlined(messages: list[SentMessage]) -> list[dict[str, Any]]:
    """With pictures as the client has them; here a picture's bytes are its name."""
    text = json.dumps([one.message for one in messages])
    for name in filter(None, PICTURES):
        content = base64.b64encode(name.encode()).decode()
        text = text.replace(f'"{name}"', f'"data:image/png;base64,{content}"')
    read: list[dict[str, Any]] = json.loads(text)
    return read


@pytest.mark.parametrize("has_page", [True, False])
@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("grammar", sorted(GRAMMARS))
@pytest.mark.parametrize("history", ["full", "last_k:1", "last_k:2", "diff"])
def test_the_server_rebuilds_what_the_client_sent(
    history: str, grammar: str, kind: str, has_page: bool
) -> None:
    theirs, ours = [], []
    for place, (page, raw, picture, (result, detail)) in enumerate(
        zip(PAGES, RAWS, PICTURES, RESULTS, strict=True)
    ):
        is_seen = kind != "axtree-v2" and picture
        is_shown = has_page or place > 0
        observation = Observation(
            kind=kind,
            text=page,
            screenshot=picture.encode() if is_seen else None,
            result=result or None,  # type: ignore[arg-type]
            result_message=detail,
        )
        shown = Shown(
            kind=kind, text=page, picture=picture if is_seen else "", result=result, result_message=detail
        )
        theirs.append(ClientTurn(shown=observation if is_shown else None, raw=raw))
        ours.append(Turn(index=place + 1, raw=raw, shown=shown if is_shown else None))
    for last in range(len(ours)):
        sent = messages_send(
            history=histories.history_read(history),
            grammar=get_grammar(grammar),
            opening=OPENING,
            turns=theirs[:last],
            shown=theirs[last].shown,
        )
        rebuilt = messages_sent(
            history=history_read(history), grammar=GRAMMARS[grammar], opening=OPENING, turns=ours[: last + 1]
        )
        assert inlined(rebuilt) == sent
