"""verl's own rollout worker without a GPU: ``complete`` replaces its inference servers."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import torch
import yaml
from byte_tokenizer import tokenizer_make
from hydra import compose, initialize_config_module
from transformers import Qwen2Config
from verl import DataProto
from verl.experimental.agent_loop.agent_loop import AgentLoopWorker
from verl.workers.rollout.replica import TokenOutput

LENGTH = 32_768  # maximum tokens of a prompt, and of a response
Complete = Callable[[str], str]


class Servers:
    """Inference servers whose answers are a function of the prompt's text."""

    def __init__(self, complete: Complete) -> None:
        self._complete = complete
        self.tokenizer = tokenizer_make()

    async def generate(
        self, *, prompt_ids: list[int], sampling_params: dict[str, Any], **_: Any
    ) -> TokenOutput:
        text = self._complete(self.tokenizer.decode(prompt_ids))
        ids = [*self.tokenizer.encode(text), self.tokenizer.eos_token_id][: sampling_params["max_tokens"]]
        return TokenOutput(token_ids=ids, log_probs=[-1.0] * len(ids), stop_reason="completed")


def worker_make(
    folder: Path, servers: Any, *overrides: str, kind: type = AgentLoopWorker, **settings: Any
) -> AgentLoopWorker:
    """Build a worker that is configured as in training. ``settings`` belong to the agent loop."""
    tokenizer_make().save_pretrained(folder)
    Qwen2Config(architectures=["Qwen2ForCausalLM"]).save_pretrained(folder)
    loop = {"name": "palaestra", "_target_": "palaestra.doors.verl.PalaestraLoop", **settings}
    loops = folder / "loops.yaml"
    loops.write_text(yaml.safe_dump([loop]))
    rollout = "actor_rollout_ref.rollout"
    chosen = [
        f"actor_rollout_ref.model.path={folder}",
        f"{rollout}.name=vllm",
        f"{rollout}.agent.agent_loop_config_path={loops}",
        f"{rollout}.calculate_log_probs=true",
        f"data.max_prompt_length={LENGTH}",
        f"data.max_response_length={LENGTH}",
    ]
    with initialize_config_module("verl.trainer.config", version_base=None):
        config = compose("ppo_trainer", overrides=[*chosen, *overrides])
    return kind(config, servers)


def batch_make(row: dict[str, Any], *, samples: int) -> DataProto:
    """Build a batch that repeats the prompt of a training step once per sample."""
    columns = {**row, "raw_prompt": row["prompt"], "uid": "the prompt of a step", "index": 0}
    repeated = {}
    for name, value in columns.items():
        repeated[name] = np.empty(samples, dtype=object)
        repeated[name][:] = [value] * samples
    return DataProto.from_dict({"dummy_tensor": torch.zeros(samples, 1)}, non_tensors=repeated)
