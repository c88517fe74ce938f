"""A tokenizer with a token for each byte and a chat template, where your model's own would be."""

from tokenizers import Tokenizer, decoders, models, pre_tokenizers
from transformers import PreTrainedTokenizerFast

CHATML = (
    "{% for m in messages %}<|im_start|>{{ m.role }}\n{{ m.content }}<|im_end|>\n{% endfor %}"
    "{% if add_generation_prompt %}<|im_start|>assistant\n{% endif %}"
)
BEGIN, END = "<|im_start|>", "<|im_end|>"


def tokenizer_make() -> PreTrainedTokenizerFast:
    alphabet = sorted(pre_tokenizers.ByteLevel.alphabet())
    vocabulary = {token: place for place, token in enumerate([BEGIN, END, *alphabet])}
    made = Tokenizer(models.BPE(vocab=vocabulary, merges=[]))
    made.pre_tokenizer = pre_tokenizers.ByteLevel(add_prefix_space=False, use_regex=False)
    made.decoder = decoders.ByteLevel()
    made.add_special_tokens([BEGIN, END])
    return PreTrainedTokenizerFast(
        tokenizer_object=made, eos_token=END, pad_token=BEGIN, chat_template=CHATML, padding_side="left"
    )
