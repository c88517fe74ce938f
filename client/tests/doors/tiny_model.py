"""A model with random weights: two layers, and a token for each byte."""

from __future__ import annotations

from byte_tokenizer import BEGIN, CHATML, END, tokenizer_make
from transformers import LlamaConfig, LlamaForCausalLM, PreTrainedTokenizerFast

__all__ = ["BEGIN", "CHATML", "CONTEXT", "END", "model_make", "tokenizer_make"]
CONTEXT = 32_768


def model_make(tokenizer: PreTrainedTokenizerFast) -> LlamaForCausalLM:
    config = LlamaConfig(
        vocab_size=len(tokenizer),
        hidden_size=16,
        intermediate_size=32,
        num_hidden_layers=2,
        num_attention_heads=2,
        max_position_embeddings=CONTEXT,
        eos_token_id=tokenizer.eos_token_id,
        pad_token_id=tokenizer.pad_token_id,
        bos_token_id=None,
    )
    return LlamaForCausalLM(config)
