"""Removal of chat template tokens that an endpoint or a tokenizer left in the text of a completion.

These tokens end a turn and carry no content: ``Answer: 18<|im_end|>`` answers 18. Where another turn begins,
the rest of the text is dropped. Marks around thoughts are handled by ``palaestra.thoughts``.
"""

from __future__ import annotations

import re
from dataclasses import replace

from palaestra.completion import Completion

# The form of the tokens of ChatML, Llama, GLM, Phi, gpt-oss, Cohere, OLMo, InternLM, Granite and others.
# Tokens around thoughts, tool calls and channels are kept because they carry meaning.
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
# ``</s>`` also ends a strikethrough in HTML, so it is kept if the text contains an opening ``<s>`` for it.
_STRIKE, _STRIKE_END = "<s>", "</s>"
_LAST = re.compile(rf"(?:\s*(?:{_TOKEN}|</s>))+\s*\Z", re.IGNORECASE)
_FIRST = re.compile(
    r"\A\s*(?:(?:<s>|<bos>|<\|begin_of_text\|>|<[｜|]begin[▁_]of[▁_]sentence[｜|]>)\s*)*"
    r"(?:(?:<\|im_start\|>|<\|start_of_role\|>|<start_of_turn>|<\|start_header_id\|>)(?:assistant|model)"
    r"(?:<\|end_header_id\|>|<\|end_of_role\|>)?\s*|<｜Assistant｜>|<\|assistant\|>\s*)?"
)
_BOX = re.compile(r"<\|(?:begin|end)_of_box\|>")  # GLM-V puts these marks around an answer
_OTHER_TURN = re.compile(
    rf"\s*(?:{_TOKEN}|</s>)\s*(?:<\|(?:im_start|start_header_id|start_of_role|user|observation|system)\|>"
    r"|<start_of_turn>|<｜User｜>|\[INST\]|<s>)",
    re.IGNORECASE,
)


def end_cut(text: str) -> str:
    """Return ``text`` without the tokens around its turn and without any later turns.

    Marks around an answer are removed as well.
    """
    text = _BOX.sub("", text)
    begin = _FIRST.match(text)
    return rest_cut(text[begin.end() :] if begin else text)


def rest_cut(text: str) -> str:
    """Remove from the continuation of a message the tokens that end its turn; its beginning is left alone."""
    if other := _OTHER_TURN.search(text):
        text = text[: other.start()]
    last = _LAST.search(text)
    if last is None or (last[0].strip() == _STRIKE_END and text.count(_STRIKE) >= text.count(_STRIKE_END)):
        return text
    return text[: last.start()]


def end_tokens_cut(completion: Completion) -> Completion:
    """Return the completion with its text stripped of chat template tokens."""
    text = end_cut(completion.text)
    return completion if text == completion.text else replace(completion, text=text)
