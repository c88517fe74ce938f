#!/usr/bin/env bash
# trl 1.16.0, SFTTrainer: the column completion_mask of rows that are tokens already has no effect by default.
#
# The collator applies such a mask only with completion_only_loss=True. Left at None, the setting is inferred from the
# columns' names: "prompt" and "completion" turn it on, "input_ids" with "completion_mask" do not. The loss is then taken
# over all tokens, without a warning. A column "labels" is respected either way.
#
# Seen: a row of six tokens whose mask names the last two gets six labels by default, and two with the setting. Fails
# once the mask alone is enough.
set -euo pipefail
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
python3 -m venv "$folder/venv"
"$folder/venv/bin/pip" install --quiet --disable-pip-version-check trl==1.16.0 torch==2.13.0 transformers==5.24.0
HF_HUB_OFFLINE=1 "$folder/venv/bin/python" - "$folder" <<'PYTHON'
import sys

from datasets import Dataset
from tokenizers import Tokenizer
from tokenizers.models import WordLevel
from transformers import LlamaConfig, LlamaForCausalLM, PreTrainedTokenizerFast
from trl import SFTConfig, SFTTrainer, __version__

WORDS = {word: number for number, word in enumerate(["<pad>", "<end>", "a", "b", "c", "d"])}
MASK = [0, 0, 0, 0, 1, 1]


def labels_counted(**settings):
    """How many tokens of the row have a label in the batch that the trainer makes."""
    tokenizer = PreTrainedTokenizerFast(
        tokenizer_object=Tokenizer(WordLevel(WORDS, unk_token="a")), pad_token="<pad>", eos_token="<end>"
    )
    sizes = {"hidden_size": 8, "intermediate_size": 8, "num_hidden_layers": 1, "num_attention_heads": 1}
    config = SFTConfig(output_dir=sys.argv[1], use_cpu=True, bf16=False, report_to=[], **settings)
    trainer = SFTTrainer(
        model=LlamaForCausalLM(LlamaConfig(vocab_size=len(WORDS), **sizes)),
        args=config,
        train_dataset=Dataset.from_list([{"input_ids": [2, 3, 4, 5, 3, 1], "completion_mask": MASK}]),
        processing_class=tokenizer,
    )
    batch = next(iter(trainer.get_train_dataloader()))
    return int((batch["labels"] != -100).sum())


default, only = labels_counted(), labels_counted(completion_only_loss=True)
print(f"trl {__version__}: {default} of 6 tokens have a label by default, {only} with completion_only_loss=True")
raise SystemExit(default == only or only != sum(MASK))
PYTHON
