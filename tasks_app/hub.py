"""Downloads from the Hugging Face hub. ``hub_download`` makes the only network call."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

from core.errors import GymError
from palaestra.protocol.suggestions import did_you_mean
from tasks_app.types import BenchmarkPlugin


def hub_download(*, repo: str, patterns: Sequence[str]) -> Path:
    """Fetch the matching files of a dataset repository and return the folder that contains them.

    ``repo`` may end in ``@`` and a revision. Raises ``GymError`` ``hub_unreachable`` if the hub refuses or
    does not answer.
    """
    from huggingface_hub import snapshot_download
    from huggingface_hub.errors import HfHubHTTPError, LocalEntryNotFoundError

    name, _, revision = repo.partition("@")
    try:
        return Path(
            snapshot_download(
                repo_id=name, repo_type="dataset", revision=revision or None, allow_patterns=list(patterns)
            )
        )
    except (HfHubHTTPError, LocalEntryNotFoundError, OSError) as error:
        raise GymError(
            "hub_unreachable",
            f"The dataset {repo} could not be fetched from the Hugging Face hub ({type(error).__name__}). "
            "Check the connection, or download the official file and use --file.",
        ) from error


def hub_files(plugin: BenchmarkPlugin, *, split: str) -> list[Path]:
    """List the downloaded files of one split in order.

    Raises ``GymError`` ``no_hub``, ``unknown_split``, ``hub_unreachable`` or ``no_file``.
    """
    if plugin.hub is None:
        raise GymError("no_hub", f"{plugin.id} is not on the Hugging Face hub; use --file.")
    patterns = plugin.hub.files.get(split)
    if patterns is None:
        hint = did_you_mean(split, plugin.hub.files)
        raise GymError("unknown_split", f"{plugin.hub.repo} has no split {split!r}. {hint}", status=422)
    repo = plugin.hub.repos.get(split, plugin.hub.repo)
    folder = hub_download(repo=repo, patterns=patterns)
    files = [file for pattern in patterns for file in sorted(folder.glob(pattern))]
    if not files:
        raise GymError("no_file", f"{repo} no longer contains {', '.join(patterns)}.")
    return files
