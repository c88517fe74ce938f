"""The command line's arguments that name an endpoint of models."""

from __future__ import annotations

import argparse
from typing import TYPE_CHECKING

from palaestra.errors import PalaestraError

if TYPE_CHECKING:
    from palaestra.models.endpoint import Endpoint


def endpoint_add(parser: argparse.ArgumentParser) -> None:
    """Declare the arguments."""
    parser.add_argument("--base-url", help="address of the endpoint; default: $OPENAI_BASE_URL")
    parser.add_argument("--model-key", help="its key; default: $OPENAI_API_KEY")
    parser.add_argument("--concurrency", type=int, default=16, help="calls of the model at once")
    parser.add_argument("--timeout", type=float, default=300.0, help="seconds in which nothing arrives")
    parser.add_argument("--no-stream", action="store_true", help="for endpoints that cannot stream")


def endpoint_make(options: argparse.Namespace) -> Endpoint:
    """The endpoint that the arguments name. Raises ``PalaestraError`` without the extra ``models``."""
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
    )
