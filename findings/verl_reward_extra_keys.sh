#!/usr/bin/env bash
# verl 0.9.1, AgentLoopWorker: the names in `reward_extra_info` of a batch are those of its first sample.
#
# An agent loop may say more of a sample than its score. Where a later sample lacks a name that the first has, the whole
# batch fails with a KeyError; where the first lacks a name that a later one has, its values are dropped without a word.
# So every sample has to have the same names, whatever happened in it. `extra_fields` itself is joined over all samples.
#
# Seen with two samples: KeyError 'form' in one order, a batch without 'form' in the other. Fails if that changes.
set -euo pipefail
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
python3 -m venv "$folder/venv"
"$folder/venv/bin/pip" install --quiet --disable-pip-version-check verl==0.9.1 torch==2.13.0 TransferQueue==0.1.11 cachetools fastapi uvicorn
"$folder/venv/bin/python" 2>/dev/null - <<'PYTHON'
from importlib.metadata import version
from types import SimpleNamespace

import torch
from verl.experimental.agent_loop.agent_loop import AgentLoopMetrics, AgentLoopWorker, _InternalAgentLoopOutput

BOTH, ONE = {"syntax": 1.0, "form": 0.5}, {"syntax": 1.0}


def sample(named: dict[str, float]) -> _InternalAgentLoopOutput:
    """A prompt of two tokens and a response of two."""
    two, four = torch.ones(1, 2, dtype=torch.long), torch.ones(1, 4, dtype=torch.long)
    return _InternalAgentLoopOutput(
        prompt_ids=two, response_ids=two, response_mask=two, input_ids=four, attention_mask=four, position_ids=four,
        reward_score=1.0, num_turns=2, metrics=AgentLoopMetrics(), extra_fields={"reward_extra_info": named},
    )


def names_of(*named: dict[str, float]) -> str:
    """The names that a batch of such samples has."""
    worker = SimpleNamespace(reward_loop_worker_handles=None)
    try:
        batch = AgentLoopWorker._postprocess(worker, [sample(one) for one in named])
    except KeyError as missing:
        return f"KeyError {missing}"
    return ", ".join(sorted(batch.non_tensor_batch.keys() & BOTH.keys()))


seen = {"both names first": names_of(BOTH, ONE), "one name first": names_of(ONE, BOTH)}
print("verl", version("verl"))
for order, names in seen.items():
    print(f"{order}: {names}")
raise SystemExit(list(seen.values()) != ["KeyError 'form'", "syntax"])
PYTHON
