from __future__ import annotations

import pytest

from palaestra import Completion
from palaestra.end_tokens import end_cut
from palaestra.extraction import answer_extract
from palaestra.thoughts import thoughts_separate

HARMONY = "<|channel|>analysis<|message|>7<|end|><|start|>assistant<|channel|>final<|message|>"
TOKENS = [
    "<|im_end|>",
    "<|endoftext|>",
    "<|eot_id|>",
    "<|eom_id|>",
    "<|end_of_text|>",
    "<|end|>",
    "<|return|>",
    "<|call|>",
    "<end_of_turn>",
    "<turn|>",
    "<eos>",
    "</s>",
    "<|END_OF_TURN_TOKEN|>",
    "<|user|>",
    "<|observation|>",
    "<｜end▁of▁sentence｜>",
    "<|end_of_role|>",
    "[/INST]",
    "[EOS]",
    "<end_of_utterance>",
    "<|eot|>",
    "<|im_sep|>",
    "<|END_RESPONSE|>",
    "<|role_end|>",
    "<|hy_eos|>",
    "<|/assistant|>",
    "<｜hy▁User｜>",
    "[|endofturn|]",
    "<SPECIAL_11>",
    "<eot>",
    "<unk>",
]


@pytest.mark.parametrize("token", TOKENS)
@pytest.mark.parametrize("between", ["", "\n", " "])
def test_a_token_that_ends_the_turn_is_no_part_of_it(token: str, between: str) -> None:
    assert end_cut(f"Answer: 18{between}{token}").strip() == "Answer: 18"
    assert end_cut(f"Answer: 18{between}{token}{between}{token}\n").strip() == "Answer: 18"


@pytest.mark.parametrize(
    "text",
    [
        "Answer: 18 <|>",
        "Answer: List.map f <| x |> y",
        "A mark: <|end_of_thought|>",
        "<|tool_calls_begin|>back<|tool_calls_end|>",
        "Answer: a <b>",
    ],
)
def test_what_says_something_stays_at_the_end(text: str) -> None:
    assert end_cut(text) == text


def test_marks_around_an_answer_are_no_part_of_it() -> None:
    assert answer_extract("Answer: <|begin_of_box|>18<|end_of_box|>") == "18"


@pytest.mark.parametrize(
    "header",
    [
        "<|im_start|>assistant\n",
        "<|start_header_id|>assistant<|end_header_id|>\n\n",
        "<start_of_turn>model\n",
        "<s>",
        "<｜Assistant｜>",
        "<|begin_of_text|>",
    ],
)
def test_a_token_that_begins_the_turn_is_no_part_of_it(header: str) -> None:
    assert end_cut(f"{header}Answer: 18") == "Answer: 18"


@pytest.mark.parametrize(
    "rest",
    [
        "<|im_end|>\n<|im_start|>user\nAnd 2?<|im_end|>\n<|im_start|>assistant\nAnswer: 7",
        "<|eot_id|><|start_header_id|>user<|end_header_id|>\n\nAnswer: 7",
        "<end_of_turn>\n<start_of_turn>user\nAnswer: 7",
        "</s><s>[INST] Answer: 7",
        "<｜end▁of▁sentence｜><｜User｜>Answer: 7",
    ],
)
def test_turns_of_others_that_a_model_goes_on_to_write_are_not_its_own(rest: str) -> None:
    assert end_cut(f"Answer: 18{rest}") == "Answer: 18"


@pytest.mark.parametrize(
    "text",
    [
        "Answer: <s>12</s>",
        "Answer: a <| b |> c",
        "ChatML ends a turn with <|im_end|>, as here.",
        "Answer: x <end> y",
        "x <|end_of_thought|>",
        "guess </think>",
        "Answer: [1, 2]",
        "",
    ],
)
def test_other_text_stays_as_it_is(text: str) -> None:
    assert end_cut(text) == text


@pytest.mark.parametrize("token", TOKENS)
def test_a_line_that_answers_ends_before_the_token(token: str) -> None:
    assert answer_extract(f"Answer: 18{token}\nThat is all.") == "18"


@pytest.mark.parametrize(
    "text",
    [
        "<think>Answer: 7</think>\nAnswer: 18<|im_end|>",
        "Answer: 7</think>Answer: 18</s>",
        "<think>7</think><answer>Answer: 18</answer><|im_end|>",
        f"{HARMONY}Answer: 18<|return|>",
        f"{HARMONY}Answer: 18<|end|>",
    ],
)
def test_thoughts_are_split_off_as_without_the_token(text: str) -> None:
    assert thoughts_separate(Completion(text=end_cut(text))).text == "Answer: 18"
