"""The language model, which gives exact log-probabilities of a prompt's choices."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from pathlib import Path
from typing import Any

import torch
from peft import LoraConfig, PeftModel, get_peft_model
from prompts import THOUGHT, Prompt
from torch import Tensor
from transformers import AutoModelForCausalLM, AutoTokenizer, LlamaForCausalLM

DROPPED = ("quantization_config", "dtype", "torch_dtype")


def converted(gguf: Path, folder: Path) -> Path:
    """Convert a GGUF file, which transformers cannot write, to a folder of weights and return the folder."""
    if not (folder / "config.json").exists():
        where = {"pretrained_model_name_or_path": gguf.parent, "gguf_file": gguf.name}
        tokenizer = AutoTokenizer.from_pretrained(**where)
        read = AutoModelForCausalLM.from_pretrained(**where, dtype=torch.float32)
        config = {name: value for name, value in read.config.to_dict().items() if name not in DROPPED}
        plain = LlamaForCausalLM(type(read.config)(**config)).float()
        plain.load_state_dict(read.state_dict())
        plain.tie_weights()
        plain.save_pretrained(folder)
        tokenizer.save_pretrained(folder)
    return folder


class Model:
    """A causal model with LoRA on every linear layer, and its optimizer. Prompts are padded on the left."""

    def __init__(
        self, model, tokenizer, *, rate: float, rank: int, device: str = "cpu", adapter: Path | None = None
    ) -> None:
        self.tokenizer, self.device = tokenizer, device
        tokenizer.padding_side = "left"
        tokenizer.pad_token = tokenizer.pad_token or tokenizer.eos_token
        if adapter is None:
            config = LoraConfig(r=rank, lora_alpha=2 * rank, target_modules="all-linear")
            net = get_peft_model(model, config)
        else:
            net = PeftModel.from_pretrained(model, adapter, is_trainable=True)
        self.net = net.to(device)
        trained = [weight for weight in self.net.parameters() if weight.requires_grad]
        self.optimizer = torch.optim.AdamW(trained, lr=rate, weight_decay=0.0)
        self.trained = trained

    @classmethod
    def load(cls, folder: Path, **settings) -> Model:
        net = AutoModelForCausalLM.from_pretrained(folder, dtype=torch.float32)
        return cls(net, AutoTokenizer.from_pretrained(folder), **settings)

    def text(self, prompt: Prompt) -> str:
        """Return the text that the model reads before the first choice."""
        messages = [{"role": "system", "content": prompt.system}, {"role": "user", "content": prompt.page}]
        opened = self.tokenizer.apply_chat_template(messages, tokenize=False, add_generation_prompt=True)
        return str(opened) + (THOUGHT if prompt.rows else prompt.prefix)

    def logprobs(self, prompts: Sequence[Prompt]) -> Tensor:
        """Return a row per prompt with a column per choice; shorter rows are padded with minus infinity."""
        read = self.tokenizer([self.text(prompt) for prompt in prompts], return_tensors="pt", padding=True)
        if any(prompt.rows for prompt in prompts):
            return self.pairs(read, prompts)
        return self.choices(self.logits(read, last=1)[:, -1], [prompt.offered for prompt in prompts])

    def pairs(self, read, prompts: Sequence[Prompt]) -> Tensor:
        """Return the log-probabilities of all pairs of a row and a subsequent choice.

        The page is read once, and its key-value cache is then continued with each row.
        """
        with self.autocast():
            begun = self.net(
                **read.to(self.device),
                position_ids=find_positions(read["attention_mask"]),
                logits_to_keep=1,
                use_cache=True,
            )
        branches = [(page, row) for page, prompt in enumerate(prompts) for row in range(len(prompt.rows))]
        pages = torch.tensor([page for page, _ in branches], device=self.device)
        begun.past_key_values.batch_select_indices(pages)
        ends = self.tokenizer(
            [prompts[page].after_row(row) for page, row in branches],
            return_tensors="pt",
            padding=True,
            add_special_tokens=False,
        ).to(self.device)
        mask = torch.cat([read["attention_mask"][pages], ends["attention_mask"]], 1)
        with self.autocast():
            continued = self.net(
                input_ids=ends["input_ids"],
                attention_mask=mask,
                position_ids=find_positions(mask)[:, -ends["input_ids"].shape[1] :],
                past_key_values=begun.past_key_values,
                logits_to_keep=1,
            )
        rows = self.choices(begun.logits[:, -1].float(), [list_row_heads(prompt) for prompt in prompts])
        after = self.choices(continued.logits[:, -1].float(), [prompts[page].offered for page, _ in branches])
        return join_pairs(rows, after, prompts)

    def logits(self, read, *, last: int) -> Tensor:
        """Return the logits of the ``last`` positions of a tokenized batch."""
        with self.autocast():
            return self.net(**read.to(self.device), logits_to_keep=last).logits.float()

    def autocast(self) -> torch.autocast:
        return torch.autocast(self.device.partition(":")[0], torch.bfloat16)

    def choices(self, logits: Tensor, offered: Sequence[Sequence[str]]) -> Tensor:
        """Return the log-probabilities of the choices offered in each row, given the logits of all tokens."""
        widest = max(map(len, offered))
        scores = torch.full((len(offered), widest), -torch.inf, device=logits.device)
        for row, texts in enumerate(offered):
            scores[row, : len(texts)] = logits[row, self.tokens(texts)]
        return scores.log_softmax(-1)

    def tokens(self, offered: Sequence[str]) -> list[int]:
        """Return each choice's token. Raises ``ValueError`` if a choice has several tokens."""
        coded = [self.tokenizer(text, add_special_tokens=False)["input_ids"] for text in offered]
        if any(len(code) != 1 for code in coded):
            raise ValueError(f"more than one token: {offered}")
        return [code[0] for code in coded]

    def improve(self, loss: Tensor) -> float:
        """Take one optimizer step and return the norm of the gradient, which is clipped at 1."""
        return self.improve_by([loss])

    def improve_by(self, losses: Iterable[Tensor]) -> float:
        """Take one optimizer step on a sum of losses, holding only one of them in memory at a time."""
        self.optimizer.zero_grad()
        for loss in losses:
            loss.backward()
        norm = torch.nn.utils.clip_grad_norm_(self.trained, 1.0)
        self.optimizer.step()
        return float(norm)

    @property
    def state(self) -> dict[str, Any]:
        """State for ``restore``: the trained weights and the optimizer's state."""
        weights = [weight.detach() for weight in self.trained]
        return {"weights": weights, "optimizer": self.optimizer.state_dict()}

    @torch.no_grad()
    def restore(self, state: dict[str, Any]) -> None:
        for weight, stored in zip(self.trained, state["weights"], strict=True):
            weight.copy_(stored)
        self.optimizer.load_state_dict(state["optimizer"])

    def save(self, folder: Path) -> None:
        self.net.save_pretrained(folder)


def find_positions(mask: Tensor) -> Tensor:
    """Return the tokens' positions in their rows. Padding takes no position, even in the middle."""
    return (mask.cumsum(-1) - 1).clamp(min=0)


def list_row_heads(prompt: Prompt) -> list[str]:
    """Return the first token of each of a prompt's rows, which is enough to distinguish them."""
    return [row.partition(":")[0] for row in prompt.rows]


def join_pairs(rows: Tensor, after: Tensor, prompts: Sequence[Prompt]) -> Tensor:
    """Return the log-probabilities of pairs, one line per prompt: log p(row) + log p(choice | row).

    ``rows`` has one line per prompt. ``after`` has one line for each row of each prompt, in the order of the
    prompts.
    """
    lines, first = [], 0
    for number, prompt in enumerate(prompts):
        count = len(prompt.rows)
        options = after[first : first + count, : len(prompt.offered)]
        lines.append((rows[number, :count, None] + options).flatten())
        first += count
    return torch.nn.utils.rnn.pad_sequence(lines, batch_first=True, padding_value=-torch.inf)
