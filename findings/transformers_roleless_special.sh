#!/usr/bin/env bash
# transformers 5.24.0 (and 5.10.2): decode(skip_special_tokens=True) drops a token whose id is not in all_special_ids.
#
# A token that is added with special=True and given no role (<|eom_id|> of Llama 3) is in added_tokens_decoder alone.
# all_special_ids and all_special_tokens hold only tokens with a role, so code that asks them whether an id is special
# takes it for text, and a reply that ends with it looks different by its ids than by its decoded text. Asking
# added_tokens_decoder as well is the way around.
#
# Seen: id 2 is decoded without skipping as '<|eom_id|>', is dropped with skipping, and is in neither list. Fails if
# the two agree.
set -euo pipefail
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
python3 -m venv "$folder/venv"
"$folder/venv/bin/pip" install --quiet --disable-pip-version-check transformers==5.24.0
"$folder/venv/bin/python" - <<'PYTHON'
from tokenizers import AddedToken, Tokenizer
from tokenizers.models import WordLevel
from transformers import PreTrainedTokenizerFast, __version__

words = Tokenizer(WordLevel({"yes": 0, "<|end|>": 1}, unk_token="yes"))
tokenizer = PreTrainedTokenizerFast(tokenizer_object=words, eos_token="<|end|>")
tokenizer.add_tokens([AddedToken("<|eom_id|>", special=True)])
eom = tokenizer.convert_tokens_to_ids("<|eom_id|>")
whole = tokenizer.decode([0, eom])
skipped = tokenizer.decode([0, eom], skip_special_tokens=True)
is_listed = eom in tokenizer.all_special_ids or "<|eom_id|>" in tokenizer.all_special_tokens
print(f"transformers {__version__}: {whole!r} is decoded as {skipped!r} when special tokens are skipped; "
      f"all_special_ids {tokenizer.all_special_ids} {'hold' if is_listed else 'do not hold'} {eom}")
raise SystemExit(is_listed or skipped == whole)
PYTHON
