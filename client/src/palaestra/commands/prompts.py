"""``palaestra prompts``: measure a run's prompts under each history, whichever history was played.

The lengths are printed, and stored for the statistics by task.
"""

from __future__ import annotations

import argparse
import asyncio
from collections.abc import Sequence
from typing import Any

from tqdm import tqdm

from palaestra.api import Client
from palaestra.commands import count, server_add
from palaestra.protocol.histories import history_read
from palaestra.records import PromptSize
from palaestra.run.plan import episodes_list
from palaestra.run.prompt_sizes import HISTORIES, PromptLengths, TokenRate, fit_rate, measure_prompts

BAR = "[{bar:24}] {n_fmt}/{total_fmt} episodes, {remaining} left"
STORED_AT_ONCE = 1_000


def add(commands: Any) -> None:
    """Add this subcommand and its arguments."""
    parser = commands.add_parser(
        "prompts", help="measure the length of prompts under each history", description=__doc__
    )
    server_add(parser)
    parser.add_argument("--run", type=count, required=True)
    parser.add_argument(
        "--history",
        dest="histories",
        action="append",
        type=_parse_history,
        help=f"a history to measure (repeatable); default: {', '.join(HISTORIES)}",
    )
    parser.add_argument(
        "--measured-by",
        type=count,
        metavar="RUN",
        help="take the tokens per character from another run (for scripted policies, which report no tokens)",
    )
    parser.set_defaults(command=command, title="The measurement")


def command(options: argparse.Namespace) -> int:
    """Measure the prompts, print their lengths and store them."""
    histories = options.histories or HISTORIES
    asyncio.run(prompts_measure(options, list(dict.fromkeys(histories))))
    return 0


async def prompts_measure(options: argparse.Namespace, histories: Sequence[str]) -> None:
    """Measure the judged episodes of a run. Raises ``PalaestraError`` if the server refuses."""
    async with Client(options.server, options.key) as client:
        lengths = await _measure_lengths(client, options.run, histories)
        rated = await _measure_lengths(client, options.measured_by, []) if options.measured_by else lengths
        rate = fit_rate(point for episode in rated for point in episode.measured)
        by_history = {
            name: [episode.compute_size(name, rate=rate) for episode in lengths] for name in histories
        }
        for name, sizes in by_history.items():
            for first in range(0, len(sizes), STORED_AT_ONCE):
                share = sizes[first : first + STORED_AT_ONCE]
                await client.prompt_sizes_post(options.run, history=name, episodes=share)
    print(format_table(by_history, rate))


def format_table(by_history: dict[str, list[PromptSize]], rate: TokenRate | None) -> str:
    """Format the prompt sizes as a table."""
    unit = "tokens" if rate else "characters"
    lines = [f"{'history':<12}{'episodes':>10}{f'{unit} per episode':>24}{'longest prompt':>18}"]
    for name, sizes in by_history.items():
        read = [
            (s.tokens or 0, s.longest_tokens or 0) if rate else (s.characters, s.longest_characters)
            for s in sizes
        ]
        mean = sum(total for total, _ in read) / max(1, len(read))
        longest = max((length for _, length in read), default=0)
        lines.append(f"{name:<12}{len(sizes):>10,}{mean:>24,.0f}{longest:>18,}")
    if rate:
        lines.append(
            f"{1 / rate.per_character:.2f} characters per token, and {rate.per_prompt:.0f} tokens per prompt"
        )
    else:
        lines.append("This run reports no tokens; --measured-by RUN takes the rate from another run.")
    return "\n".join(lines)


async def _measure_lengths(client: Client, number: int, histories: Sequence[str]) -> list[PromptLengths]:
    run = await client.run(number)
    judged = [episode for episode in await episodes_list(client, number) if episode.is_judged]
    return [
        await measure_prompts(client, run, episode.id, histories=histories)
        for episode in tqdm(judged, bar_format=BAR, ascii=".#", unit="")
    ]


def _parse_history(name: str) -> str:
    try:
        history_read(name)
    except ValueError as unknown:
        raise argparse.ArgumentTypeError(str(unknown)) from unknown
    return name
