"""Tokens of splices, with a tokenizer that has a token for each character."""

from __future__ import annotations

from typing import Any

import pytest

from palaestra.splices import tokens_of

BEGIN, END = "<|im_start|>", "<|im_end|>"
UNTHOUGHT = "<think>\n\n</think>\n\n"


class Special:
    special = True

    def __str__(self) -> str:
        return END


class Characters:
    """``change`` is what the chat template makes of the contents of earlier turns of the assistant."""

    def __init__(self, change: Any = str, *, before_last: str = "") -> None:
        self.added_tokens_decoder = {0: Special()}
        self._change, self._before_last = change, before_last

    def apply_chat_template(self, messages: list[Any], *, tokenize: bool, **options: Any) -> str:
        last = len(messages) - 1
        texts = []
        for place, one in enumerate(messages):
            content = self._change(one["content"]) if one["role"] == "assistant" else one["content"]
            before = self._before_last if one["role"] == "assistant" and place == last else ""
            texts.append(f"{BEGIN}{one['role']}\n{before}{content}{END}\n")
        return "".join(texts) + f"{BEGIN}assistant\n" * options.get("add_generation_prompt", False)

    def __call__(self, text: str, **_: Any) -> dict[str, Any]:
        offsets = [(place, place + 1) for place in range(len(text))]
        return {"input_ids": [ord(one) for one in text], "offset_mapping": offsets}


def row() -> dict[str, Any]:
    earlier = [("user", "Page 1"), ("assistant", "Wrong."), ("user", "Page 2")]
    spliced = [("assistant", "I go back."), ("user", "Page 1 says: I go on."), ("assistant", "I go on.")]
    conversation = {
        name: [{"role": role, "content": content} for role, content in messages]
        for name, messages in (("prompt", earlier), ("completion", spliced))
    }
    return {**conversation, "loss": "[false, false, false, true, false, true]"}


def trained(tokens: dict[str, list[int]]) -> str:
    return "".join(map(chr, (one for one in tokens["labels"] if one >= 0)))


def test_the_revision_and_the_good_way_have_a_loss_with_the_ends_of_their_turns() -> None:
    tokenizer = Characters()
    tokens = tokens_of(row(), tokenizer)
    assert trained(tokens) == f"I go back.{END}I go on.{END}"
    messages = row()["prompt"] + row()["completion"]
    assert "".join(map(chr, tokens["input_ids"])) == tokenizer.apply_chat_template(messages, tokenize=False)


def test_what_a_template_puts_before_an_answer_without_a_thought_is_learnt_with_it() -> None:
    tokens = tokens_of(row(), Characters(before_last=UNTHOUGHT))
    assert trained(tokens) == f"I go back.{END}{UNTHOUGHT}I go on.{END}"


def test_a_turn_that_ends_in_blanks_ends_with_its_token_all_the_same() -> None:
    ended = row()
    ended["completion"][0]["content"] += "\n"
    assert trained(tokens_of(ended, Characters())) == f"I go back.\n{END}I go on.{END}"


@pytest.mark.parametrize("change", [lambda text: text.replace("I ", ""), str.upper, lambda _: ""])
def test_a_template_that_changes_what_is_learnt_is_refused(change: Any) -> None:
    with pytest.raises(ValueError, match="changes message 4"):
        tokens_of(row(), Characters(change))


def test_rows_with_pictures_are_refused() -> None:
    pictured = row()
    pictured["prompt"][0]["content"] = [{"type": "image"}]
    with pytest.raises(ValueError, match="pictures"):
        tokens_of(pictured, Characters())
