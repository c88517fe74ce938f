"""The command line, with one file per subcommand, whose ``add(commands)`` declares its arguments."""

from __future__ import annotations

import argparse
import importlib
import logging
import os
import pkgutil
import sys
from collections.abc import Sequence
from pathlib import Path
from typing import get_args

import msgspec
from playwright.async_api import Error as PlaywrightError

import palaestra
from palaestra.engine import DEFAULT_PAGES
from palaestra.errors import ApiError, PalaestraError, Unreachable
from palaestra.grammars import GRAMMARS
from palaestra.models.options import sampling_add
from palaestra.observation import MAX_CHARS, SHORT_NAMES
from palaestra.policies.base import TIME_LIMIT_S
from palaestra.protocol.arms import ARMS
from palaestra.protocol.observations import OBSERVATION_FORMATS, Scope

KEY_SETTING = "PALAESTRA_KEY"
SERVER_SETTING = "PALAESTRA_SERVER"
SERVER = "http://127.0.0.1:8001"
INTERRUPTED = 130
UNAUTHENTICATED = 401
DRIVER_GONE = "Connection closed while reading from the driver"


def main(arguments: Sequence[str] | None = None) -> int:
    """Run a command and return the exit status."""
    logging.basicConfig(level=logging.WARNING, format="%(levelname)s %(message)s")
    logging.getLogger("asyncio").addFilter(is_news)
    logging.getLogger("httpx").setLevel(logging.WARNING)
    options = parser_make().parse_args(arguments)
    try:
        status: int = options.command(options)
    except KeyboardInterrupt:
        stderr_print("Interrupted.")
        return INTERRUPTED
    except ApiError as refused:
        where = f" (--key, or ${KEY_SETTING})" if refused.status == UNAUTHENTICATED else ""
        stderr_print(f"{options.title} stopped: {refused}{where}")
        return 1
    except Unreachable as silent:
        stderr_print(f"{options.title} stopped: {silent} (--server, or ${SERVER_SETTING})")
        return 1
    except (PalaestraError, OSError, msgspec.ValidationError, ModuleNotFoundError) as failure:
        stderr_print(f"{options.title} stopped: {failure}")
        return 1
    return status


def is_news(record: logging.LogRecord) -> bool:
    """Return False for errors of Playwright's driver, which Ctrl-C also ends, as the user knows."""
    failure = record.exc_info[1] if record.exc_info else None
    return not (isinstance(failure, PlaywrightError) or DRIVER_GONE in str(failure))


class Help(argparse.RawDescriptionHelpFormatter):
    """Help formatter that adds the default to every argument that has one."""

    def _get_help_string(self, action: argparse.Action) -> str | None:
        text, default = action.help or "", action.default
        is_stated = "default" in text or action.nargs == 0 or default is argparse.SUPPRESS
        return text if is_stated or default in (None, "", []) else f"{text}; default: %(default)s"


def parser_make() -> argparse.ArgumentParser:
    """Build the parser of the whole command line."""
    parser = argparse.ArgumentParser(prog="palaestra", description="Client of the Palaestra reasoning gym.")
    parser.add_argument("--version", action="version", version=f"palaestra {palaestra.__version__}")
    commands = parser.add_subparsers(required=True, metavar="COMMAND")
    for module in pkgutil.iter_modules(__path__, f"{__name__}."):
        importlib.import_module(module.name).add(commands)
    for command in commands.choices.values():
        command.formatter_class = Help
    return parser


def format_arms() -> str:
    """Format the list of arms that is printed at the end of a command's help."""
    width = max(map(len, ARMS))
    lines = (f"  {arm.id:<{width}}  {arm.description}" for arm in ARMS.values())
    return "\n".join(["arms, the ways in which a task is presented:", *lines])


def server_add(parser: argparse.ArgumentParser) -> None:
    """Add the arguments that name an installation."""
    server = os.environ.get(SERVER_SETTING) or SERVER
    parser.add_argument(
        "--server", default=server, help=f"address of the lab; default: ${SERVER_SETTING}, or {SERVER}"
    )
    key = os.environ.get(KEY_SETTING, "")
    parser.add_argument("--key", default=key, help=f"a trainer key; default: ${KEY_SETTING}")


def setup_add(parser: argparse._ActionsContainer) -> None:
    """Add the arguments about observations of pages and the format of actions."""
    parser.add_argument(
        "--observation",
        choices=[*SHORT_NAMES, *OBSERVATION_FORMATS],
        default="axtree",
        help="what the model sees of a page: an outline, a picture, a picture with marks, or both",
    )
    parser.add_argument("--scope", choices=get_args(Scope), default="page", help="part covered by outlines")
    parser.add_argument(
        "--max-chars",
        type=count,
        default=MAX_CHARS,
        help=f"most characters of an outline; default: {MAX_CHARS}",
    )
    parser.add_argument("--picture-max", type=count, help="most pixels of a picture's larger side")
    parser.add_argument(
        "--grammar", choices=sorted(GRAMMARS), default="json", help="how a model writes its actions"
    )
    parser.add_argument(
        "--history", default="full", help="pages sent again: full, last_k:3 (or another number), diff"
    )
    parser.add_argument("--actions-per-turn", type=count, default=1, help="most actions in one completion")
    parser.add_argument(
        "--answer-check",
        choices=("once",),
        help="once: the agent is asked to check its first answer, and its second answer counts",
    )
    parser.add_argument(
        "--token-budget", type=count, help="most tokens that the model may write in an episode"
    )
    sampling_add(parser)


def playing_add(parser: argparse.ArgumentParser) -> None:
    """Add the arguments of a command that runs a model on episodes."""
    parser.add_argument(
        "--model-note", default="", help="what readers of the run should know about the model"
    )
    parser.add_argument("--pages", type=count, default=DEFAULT_PAGES, help="browser pages used at once")
    parser.add_argument(
        "--time-limit",
        type=float,
        default=TIME_LIMIT_S,
        help="most seconds that the model may take in an episode",
    )
    parser.add_argument("--prices", type=Path, help="price table (JSON); see the README")


def stderr_print(line: str) -> None:
    """Print a line to standard error, so that it is not part of the command's output."""
    print(line, file=sys.stderr)


def count(text: str) -> int:
    """Parse an integer of at least 1 (argparse). Raises ``ArgumentTypeError``."""
    value = int(text)
    if value < 1:
        raise argparse.ArgumentTypeError("must be at least 1")
    return value
