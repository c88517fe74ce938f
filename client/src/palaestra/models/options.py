"""Command-line arguments about the endpoint of a model."""

from __future__ import annotations

import argparse
import json
from typing import TYPE_CHECKING, Any

from palaestra.errors import PalaestraError

if TYPE_CHECKING:
    from palaestra.models.endpoint import Endpoint

# Fields of a call that have an argument of their own.
SAMPLING = ("temperature", "top_p", "max_tokens")


def endpoint_add(parser: argparse.ArgumentParser) -> None:
    """Declare the arguments that name the endpoint."""
    parser.add_argument("--base-url", help="address of the endpoint; default: $OPENAI_BASE_URL")
    parser.add_argument("--model-key", help="its key; default: $OPENAI_API_KEY")
    parser.add_argument("--concurrency", type=int, default=16, help="calls of the model at once")
    parser.add_argument("--timeout", type=float, default=300.0, help="seconds in which nothing arrives")
    thought_tags_add(parser)
    parser.add_argument("--no-stream", action="store_true", help="for endpoints that cannot stream")


def thought_tags_add(parser: argparse.ArgumentParser) -> None:
    """Declare the argument that names a model's own marks of thoughts."""
    parser.add_argument(
        "--thought-tags",
        nargs=2,
        action="append",
        default=[],
        metavar=("BEGIN", "END"),
        help="marks that the model puts around its thoughts, beside the usual ones (repeatable)",
    )


def endpoint_make(options: argparse.Namespace) -> Endpoint:
    """Return the endpoint that the arguments name. Raises ``PalaestraError`` without the extra ``models``."""
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
    """Declare the arguments about sampling."""
    parser.add_argument("--temperature", type=float, help="default: the endpoint's")
    parser.add_argument("--top-p", type=float, help="default: the endpoint's")
    parser.add_argument("--max-tokens", type=int, help="of one completion; a cut ends its episode")
    parser.add_argument("--extra", type=json.loads, help="more fields of every call, as a JSON object")


def build_sampling(options: argparse.Namespace) -> dict[str, Any]:
    """Return the fields of every call of the model that the arguments state."""
    sampling = {name: getattr(options, name) for name in SAMPLING if getattr(options, name) is not None}
    return {**sampling, **({"extra_body": options.extra} if options.extra else {})}
