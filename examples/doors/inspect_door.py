"""An evaluation run through Inspect, with a model that stands in for yours."""

import asyncio
import os
import tempfile

from inspect_ai import eval as inspect_eval
from inspect_ai.model import ModelOutput, ModelUsage, get_model
from stand_in import PLAIN, complete

from palaestra import Client
from palaestra.doors.inspect import palaestra_task

server, key = os.environ["PALAESTRA_SERVER"], os.environ["PALAESTRA_KEY"]


async def run_open() -> tuple[int, list[int]]:
    async with Client(server, key) as client:
        run = await client.run_create(name="Inspect", kind="eval", observation="axtree-v2")
        return run.id, [task.id for task in await client.tasks(benchmark="gsm8k", limit=1)]


def answer(messages, *_) -> ModelOutput:
    output = ModelOutput.from_content("stand-in", complete([{"content": messages[-1].text}]))
    output.usage = ModelUsage(input_tokens=1, output_tokens=1, total_tokens=2)
    return output


run, tasks = asyncio.run(run_open())
task = palaestra_task(server, key, run=run, tasks=tasks, presentation=PLAIN)
model = get_model("mockllm/model", custom_outputs=answer)  # your own: model="openai/..."
[log] = inspect_eval(task, model=model, epochs=2, log_dir=tempfile.mkdtemp(), display="none")
print(log.status)
for sample in log.samples:
    print(f"epoch {sample.epoch}:", sample.scores["verdict"].value, sample.scores["verdict"].metadata)
for name, metric in log.results.scores[0].metrics.items():
    print(name, metric.value)
