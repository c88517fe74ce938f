"""Tokens of chat templates that an endpoint, or a tokenizer, left in the text of a completion.

They end a turn and carry no content: ``Answer: 18<|im_end|>`` answers 18. Text after the beginning of another
turn does not belong to this one. Marks around thoughts are left to ``palaestra.thoughts``.
"""

from __future__ import annotations

import re
from dataclasses import replace

from palaestra.completion import Completion

# The tokens of ChatML, Llama, GLM, Phi, gpt-oss, Cohere, OLMo, InternLM, Granite and others, by their form.
# Tokens around thoughts, tool calls and channels carry meaning, and are kept.
_MEANINGFUL = r"tool|think|thought|reason|inner|action|plugin|channel\||message\||constrain|python|arg"
_TOKEN = (
    rf"<\|(?!\w*(?:{_MEANINGFUL}))/?[A-Za-z][\w/▁ -]{{1,40}}\|>"
    rf"|<｜(?!\w*(?:{_MEANINGFUL}))[A-Za-z][\w▁ -]{{1,40}}｜>"  # DeepSeek
    r"|<[｜|](?:end|begin)[▁_]of[▁_]sentence[｜|]>"
    # Gemma, SmolVLM, Nemotron
    r"|<(?:end_of_turn|end_of_utterance|im_end|eos|eos_token|eot|eod|eop|pad|sep|unk|extra_id_\d+|SPECIAL_\d+)>"
    r"|<turn\|>|\[\|endofturn\|\]"  # EXAONE
    r"|\[(?:/INST|EOS|EOT|PAD|gMASK|e~\[)\]?"
)
# ``</s>`` also ends a strikethrough in HTML: it counts as that if one was opened.
_STRIKE, _STRIKE_END = "<s>", "</s>"
_LAST = re.compile(rf"(?:\s*(?:{_TOKEN}|</s>))+\s*\Z", re.IGNORECASE)
_FIRST = re.compile(
    r"\A\s*(?:(?:<s>|<bos>|<\|begin_of_text\|>|<[｜|]begin[▁_]of[▁_]sentence[｜|]>)\s*)*"
    r"(?:(?:<\|im_start\|>|<\|start_of_role\|>|<start_of_turn>|<\|start_header_id\|>)(?:assistant|model)"
    r"(?:<\|end_header_id\|>|<\|end_of_role\|>)?\s*|<｜Assistant｜>|<\|assistant\|>\s*)?"
)
_BOX = re.compile(r"<\|(?:begin|end)_of_box\|>")  # GLM-V's marks around an answer
_OTHER_TURN = re.compile(
    rf"\s*(?:{_TOKEN}|</s>)\s*(?:<\|(?:im_start|start_header_id|start_of_role|user|observation|system)\|>"
    r"|<start_of_turn>|<｜User｜>|\[INST\]|<s>)",
    re.IGNORECASE,
)


def end_cut(text: str) -> str:
    """Return ``text`` without the tokens around its turn, and without other turns after it.

    Marks around an answer are removed, too.
    """
    text = _BOX.sub("", text)
    begin = _FIRST.match(text)
    return rest_cut(text[begin.end() :] if begin else text)


def rest_cut(text: str) -> str:
    """Return the continuation of a message without what ends its turn; its beginning stays as it is."""
    if other := _OTHER_TURN.search(text):
        text = text[: other.start()]
    last = _LAST.search(text)
    if last is None or (last[0].strip() == _STRIKE_END and text.count(_STRIKE) >= text.count(_STRIKE_END)):
        return text
    return text[: last.start()]


def end_tokens_cut(completion: Completion) -> Completion:
    """Return the completion without such tokens around its text."""
    text = end_cut(completion.text)
    return completion if text == completion.text else replace(completion, text=text)
