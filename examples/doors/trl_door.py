"""Two steps of GRPO with TRL, training a small language model on the CPU."""

import asyncio
import math
import os
import tempfile

from small_model import model_load
from stand_in import PLAIN
from transformers import TrainerCallback
from trl import GRPOConfig, GRPOTrainer

from palaestra import Client
from palaestra.doors.trl import GroupRollouts, verdict

server, key = os.environ["PALAESTRA_SERVER"], os.environ["PALAESTRA_KEY"]


async def run_open():
    async with Client(server, key) as client:
        run = await client.run_create(name="TRL", kind="train", observation="axtree-v2", model="SmolLM2-135M")
        return run.id, await client.tasks(benchmark="arc", split="starter", limit=2)


class TrainingPage(TrainerCallback):
    """A callback that registers every policy version in the lab and posts what TRL logs about it."""

    def on_log(self, args, state, control, logs, **_):
        if state.is_world_process_zero and "loss" in logs:  # the last entry is a summary without a loss
            numbers = {name: float(value) for name, value in logs.items() if value is not None}
            asyncio.run(self.post(state.global_step, numbers))

    async def post(self, step, numbers):
        values = {name: number for name, number in numbers.items() if math.isfinite(number)}
        async with Client(server, key) as client:
            await client.metrics_post(run, policy_version=step - 1, values=values)  # the version that played
            await client.policy_register(run, version=step, trainer_step=step)


run, tasks = asyncio.run(run_open())
model, tokenizer = model_load()  # your own: a name or a folder, with its tokenizer
rollouts = GroupRollouts(server, key, run=run, max_steps=3, presentation=PLAIN)
config = GRPOConfig(
    output_dir=tempfile.mkdtemp(),
    max_steps=2,
    num_generations=4,  # samples per task, which form one group
    per_device_train_batch_size=1,
    gradient_accumulation_steps=4,
    max_completion_length=64,  # tokens per turn
    temperature=1.0,
    use_cpu=True,  # omit this on a GPU
    logging_steps=1,
    save_strategy="no",
    report_to="none",
)
trainer = GRPOTrainer(
    model=model,
    processing_class=tokenizer,
    args=config,
    train_dataset=rollouts.dataset(tasks),
    rollout_func=rollouts,
    reward_funcs=verdict,
    callbacks=[TrainingPage()],
)
trainer.train()
rollouts.close()
for entry in trainer.state.log_history[: config.max_steps]:
    names = ("reward", "reward_std", "void", "loss", "entropy", "completions/mean_length", "step_time")
    print({name: round(float(entry[name]), 3) for name in names if entry[name] is not None})
print(f"{server}/runs/{run}/training")
