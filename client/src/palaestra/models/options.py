"""Command-line arguments for a model's endpoint."""

from __future__ import annotations

import argparse
import json
from typing import TYPE_CHECKING, Any

from palaestra.errors import PalaestraError

if TYPE_CHECKING:
    from palaestra.models.endpoint import Endpoint

# Fields of a call that have their own command-line argument.
SAMPLING = ("temperature", "top_p", "max_tokens")


def endpoint_add(parser: argparse.ArgumentParser) -> None:
    """Declare the arguments that name the endpoint."""
    parser.add_argument("--base-url", help="URL of the endpoint; default: $OPENAI_BASE_URL")
    parser.add_argument("--model-key", help="its key; default: $OPENAI_API_KEY")
    parser.add_argument("--concurrency", type=int, default=16, help="simultaneous calls to the model")
    parser.add_argument(
        "--timeout", type=float, default=300.0, help="seconds without any data after which a call fails"
    )
    thought_tags_add(parser)
    parser.add_argument("--no-stream", action="store_true", help="for endpoints that cannot stream")


def thought_tags_add(parser: argparse.ArgumentParser) -> None:
    """Declare the argument for the marks that a model puts around its thoughts."""
    parser.add_argument(
        "--thought-tags",
        nargs=2,
        action="append",
        default=[],
        metavar=("BEGIN", "END"),
        help="marks that the model puts around its thoughts, in addition to the usual ones (repeatable)",
    )


def endpoint_make(options: argparse.Namespace) -> Endpoint:
    """Return the endpoint that the arguments name.

    Raises ``PalaestraError`` if the extra ``models`` is not installed.
    """
    try:
        from palaestra.models.endpoint import Endpoint  # noqa: PLC0415 - the package openai is an extra
    except ModuleNotFoundError as missing:
        raise PalaestraError(f"{missing}: pip install 'palaestra[models]'") from missing
    return Endpoint(
        base_url=options.base_url,
        key=options.model_key,
        concurrency=options.concurrency,
        timeout_s=options.timeout,
        is_streamed=not options.no_stream,
        thought_tags=options.thought_tags,
    )


def sampling_add(parser: argparse._ActionsContainer) -> None:
    """Declare the sampling arguments."""
    parser.add_argument("--temperature", type=float, help="default: the endpoint's")
    parser.add_argument("--top-p", type=float, help="default: the endpoint's")
    parser.add_argument("--max-tokens", type=int, help="of one completion; a cut ends its episode")
    parser.add_argument("--extra", type=json.loads, help="extra fields of every call, as a JSON object")


def build_sampling(options: argparse.Namespace) -> dict[str, Any]:
    """Return the sampling fields that the arguments set for every call to the model."""
    sampling = {name: getattr(options, name) for name in SAMPLING if getattr(options, name) is not None}
    return {**sampling, **({"extra_body": options.extra} if options.extra else {})}
