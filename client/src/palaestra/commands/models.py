"""``palaestra models``: list what an endpoint offers, and try one call."""

from __future__ import annotations

import argparse
import asyncio
from typing import Any

from palaestra.completion import Completion
from palaestra.models.options import endpoint_add, endpoint_make
from palaestra.policies.clock import PolicyClock

QUESTION = "What is 17 + 25? Answer with the number."
EXCERPT_CHARS = 300
# This leaves room for a thought, but stops models that would never end.
MAX_TOKENS = 500


def add(commands: Any) -> None:
    """Add this subcommand and its arguments."""
    parser = commands.add_parser("models", help="list an endpoint's models and try one", description=__doc__)
    endpoint_add(parser)
    parser.add_argument("--model", help="the model to try; default: the first")
    parser.set_defaults(command=command, title="The check of the endpoint")


def command(options: argparse.Namespace) -> int:
    """Print the endpoint's models, and the answer of the model that is tried."""
    asyncio.run(models_try(options))
    return 0


async def models_try(options: argparse.Namespace) -> None:
    """Print the models and one answer. Raises ``PalaestraError`` if the endpoint refuses."""
    async with endpoint_make(options) as endpoint:
        models = await endpoint.models()
        print(f"{endpoint.address} offers: {', '.join(models) or 'no models by name'}")
        model = options.model or next(iter(models), "")
        messages = [{"role": "user", "content": QUESTION}]
        completion = await endpoint.complete(
            messages, model=model, clock=PolicyClock(options.timeout), sampling={"max_tokens": MAX_TOKENS}
        )
        print(describe(model, completion))


def describe(model: str, completion: Completion) -> str:
    """Describe the call and its answer."""
    usage, ending = completion.usage, completion.finish_reason
    tokens = f"{usage.prompt} tokens read, {usage.completion} written" if usage else "it reports no tokens"
    thoughts = "hidden" if completion.is_thought_hidden else "kept apart" if completion.reasoning else "none"
    return (
        f"{model} was asked: {QUESTION}\n"
        f"It wrote: {completion.text[:EXCERPT_CHARS]!r}\n"
        f"{completion.model_ms or 0:,.0f} ms; {tokens}; thoughts: {thoughts}; finish reason: {ending}"
    )
