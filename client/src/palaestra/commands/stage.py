"""``palaestra stage``: serve browsers to trainers on machines that do not run any."""

from __future__ import annotations

import argparse
import asyncio
import os
import secrets
import signal
from dataclasses import asdict, fields
from typing import TYPE_CHECKING, Any

from palaestra.admission import TOKEN_MIN, is_loopback
from palaestra.api import Client
from palaestra.commands import count, server_add, stderr_print
from palaestra.errors import BrowserMissing, PalaestraError
from palaestra.stage_config import StageConfig

if TYPE_CHECKING:
    from palaestra.stage import Stage

TOKEN_SETTING = "PALAESTRA_STAGE_TOKEN"
HOST = "127.0.0.1"
PORT = 8010
NEEDS = "The stage needs packages that are not installed: pip install 'palaestra[stage]'."


def add(commands: Any) -> None:
    """Add this subcommand and its arguments."""
    parser = commands.add_parser(
        "stage", help="serve browsers to trainers on other machines", description=__doc__
    )
    server_add(parser)
    parser.add_argument("--host", default=HOST, help=f"address to listen on; default: {HOST}")
    parser.add_argument("--port", type=count, default=PORT, help=f"default: {PORT}")
    parser.add_argument(
        "--token",
        default=os.environ.get(TOKEN_SETTING, ""),
        help=f"token that trainers must present; default: ${TOKEN_SETTING}, or a new one, which is printed",
    )
    sizes = parser.add_argument_group("sizes")
    sizes.add_argument("--pages", type=number, help="most concurrent episodes in the browser")
    sizes.add_argument("--lite-pages", type=number, help="most concurrent episodes without a browser")
    sizes.add_argument(
        "--sessions",
        dest="sessions_max",
        metavar="SESSIONS",
        type=count,
        help="most environments of trainers",
    )
    sizes.add_argument(
        "--memory-floor", dest="memory_floor_mb", metavar="MIB", type=number, help="free memory to keep"
    )
    life = parser.add_argument_group("lifetime of a browser, after which it is replaced")
    life.add_argument("--browser-minutes", type=count, help="default: %(default)s")
    life.add_argument(
        "--browser-memory", dest="browser_memory_mb", metavar="MIB", type=count, help="default: %(default)s"
    )
    parser.add_argument(
        "--linger",
        dest="linger_s",
        metavar="SECONDS",
        type=number,
        help="how long a session waits for a trainer whose connection broke",
    )
    parser.set_defaults(command=command, title="The stage", **asdict(StageConfig()))


def command(options: argparse.Namespace) -> int:
    """Serve until interrupted or terminated. Raises ``PalaestraError`` for an unsafe token."""
    if options.token and len(options.token) < TOKEN_MIN:
        raise PalaestraError(f"The token has fewer than {TOKEN_MIN} characters: make a longer one.")
    if not options.token and not is_loopback(options.host):
        raise PalaestraError(
            f"Give the token of a stage that others can reach (--token, or ${TOKEN_SETTING})."
        )
    return asyncio.run(serve(options))


async def serve(options: argparse.Namespace) -> int:
    """Serve until a signal comes. Raises ``PalaestraError`` if packages, a browser or the port is missing."""
    try:
        from palaestra.stage import Stage  # noqa: PLC0415
        from palaestra.stage.orphans import orphans_end  # noqa: PLC0415
    except ModuleNotFoundError as missing:
        raise PalaestraError(f"{NEEDS} ({missing.name})") from missing
    config = StageConfig(**{field.name: getattr(options, field.name) for field in fields(StageConfig)})
    token = options.token or secrets.token_urlsafe(24)
    if ended := orphans_end():
        stderr_print(f"Ended {ended} browser processes that a stage had left behind.")
    stopped = asyncio.Event()
    for received in (signal.SIGINT, signal.SIGTERM):
        asyncio.get_running_loop().add_signal_handler(received, stopped.set)
    async with (
        Client(options.server, options.key) as client,
        Stage(client, token=token, config=config) as stage,
    ):
        try:
            await stage.warm()
        except BrowserMissing as missing:
            raise PalaestraError(
                f"{missing} To serve lite pages without a browser, add --pages 0."
            ) from missing
        await listen(stage, options.host, options.port)
        if not options.token:
            stderr_print(f"Token: {token}")
        address = f"http://{options.host}:{options.port}"
        sizes = f"{config.pages} browser pages, {config.lite_pages} lite pages"
        stderr_print(f"The stage listens at {address}: {sizes}.")
        await stopped.wait()
        stderr_print("The stage is stopping; other stages continue its episodes.")
    return 0


async def listen(stage: Stage, host: str, port: int) -> None:
    """Start listening. Raises ``PalaestraError`` if the address is not available."""
    try:
        await stage.serve(host, port)
    except OSError as failure:
        message = f"Cannot listen at {host}:{port} ({failure.strerror or failure})."
        raise PalaestraError(f"{message} Use --host and --port for another address.") from failure


def number(text: str) -> int:
    """Parse an integer of at least 0 (argparse). Raises ``ArgumentTypeError``."""
    value = int(text)
    if value < 0:
        raise argparse.ArgumentTypeError("must be at least 0")
    return value
