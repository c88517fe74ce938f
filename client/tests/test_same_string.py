"""What arrives in a field is what the completion says, in every grammar."""

from __future__ import annotations

import json
import re

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from everywhere import EVERYWHERE
from palaestra.grammars import GRAMMARS, Grammar
from palaestra.grammars.lenient_json import COMMANDS

# Other work slows a machine; no text takes long by itself.
BUSY = settings(deadline=None, suppress_health_check=[HealthCheck.too_slow])
FRAGMENTS = (
    *(r"\frac{1}{67}", r"\right)", r"\neq", r"\nu", r"\times", r"\text{cm}", r"\theta", r"\rho", r"\tan"),
    *(r"\begin{cases}", r"\\", r"\beta", r"\sqrt[3]{x}", r"\u0041", r"\n", "\\", "\\\\\\"),
    *('"', "'", '"""', "'''", "`", "```", "```python\n", "|", "\\|", "{", "}", "[", "]", "(", ")", ",", ":"),
    *("\n", "\n\n", "\n    return x", "\t", " ", "  ", "e8", "click('e8')", 'Action: {"type": "back"}'),
    *(
        "</tool_call>",
        "<action>",
        "é",
        "∑",
        "😀",
        "\u2028",
        "\u202e",
        "null",
        "True",
        "1e5",
        "0.10",
        "r'",
        "+",
    ),
)
TEXTS = st.lists(
    st.sampled_from(FRAGMENTS)
    | st.text(st.characters(exclude_categories=("Cs", "Cc")), max_size=4)
    | st.text("abefnrtuxy019 ", max_size=4),
    max_size=12,
).map("".join)
_REST = "|".join(sorted(command[1:] for command in COMMANDS if command[0] in "nt"))
# JSON writes the line break of "\neq" as the backslash and n of a command: such a text may be refused, or be
# taken for TeX. Models write TeX far more often than a line that begins so.
TWOFOLD = re.compile(rf"[\n\t](?:{_REST})(?![A-Za-z])")


@pytest.mark.parametrize("grammar", GRAMMARS.values(), ids=lambda grammar: grammar.id)
@BUSY
@given(text=TEXTS.filter(lambda text: not TWOFOLD.search(text)))
def test_what_arrives_is_what_was_written(grammar: Grammar, text: str) -> None:
    for declared in ({"type": "type", "text": text}, {"type": "answer", "text": [text, "b"]}):
        [completion] = grammar.render(declared, thought="So.")
        turn = grammar.parse(completion, EVERYWHERE)
        assert (turn.declared, turn.parse_error) == (declared, None)
        for call in grammar.completion_message(grammar.raw(completion)).get("tool_calls", ()):
            arguments = json.loads(call["function"]["arguments"])
            assert arguments["text"] == declared["text"]


@pytest.mark.parametrize("grammar", GRAMMARS.values(), ids=lambda grammar: grammar.id)
@BUSY
@given(text=TEXTS)
def test_reading_any_text_raises_nothing(grammar: Grammar, text: str) -> None:
    [completion] = grammar.render({"type": "answer", "text": "42"})
    call = completion.tool_calls[:1]
    for written in (text, f"Action: {text}", f"<tool_call>{text}", f"fill('e3', {text})", f"{text}\n{{"):
        turn = grammar.parse(type(completion)(text=written), EVERYWHERE)
        assert (turn.action is None) is (turn.parse_error is not None)
    for each in call:
        hostile = type(completion)(text="", tool_calls=(type(each)(name=each.name, arguments=text),))
        turn = grammar.parse(hostile, EVERYWHERE)
        assert (turn.action is None) is (turn.parse_error is not None)
        [back] = grammar.completion_message(grammar.raw(hostile))["tool_calls"]
        assert isinstance(json.loads(back["function"]["arguments"]), dict)
