"""An uploaded file: either labels alone, or an archive of labels with their manifest."""

from __future__ import annotations

import hashlib
import zipfile
import zlib
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass
from typing import IO

import msgspec

from core.errors import GymError
from core.storage.blobs import CHUNK_BYTES
from core.text.json import has_nul
from trajectories.annotation import archive
from trajectories.annotation.archive import Manifest
from trajectories.annotation.codebook.types import Field
from trajectories.annotation.imports.rows import Line, Reader, csv_lines, jsonl_lines
from trajectories.exports.archives import MANIFEST

MANIFEST_MAX_BYTES = 4 * 1024 * 1024  # Decoded, a manifest can take twenty times as much memory.
DIRECTORY_MAX_BYTES = 1024 * 1024  # This is enough for some ten thousand files.
UNPACKED_MAX_BYTES = 1024**3
WINNERS = "preferences.jsonl"
PROBLEM_CHARS = 300
ARCHIVE = ".zip"
# The other methods can unpack a few bytes to hundreds of megabytes in one step.
COMPRESSIONS = (zipfile.ZIP_STORED, zipfile.ZIP_DEFLATED)
READERS: dict[str, Reader] = {".jsonl": jsonl_lines, ".csv": csv_lines}
WHAT = "labels as .jsonl or .csv, or the archive (.zip) of an export"
DAMAGED = "It was changed or damaged after its export: download it again, or send it without the manifest."

Open = Callable[[], IO[bytes]]


@dataclass(frozen=True, kw_only=True)
class LabelFile:
    """A file of labels. Every call of ``open`` returns a new stream that starts at the beginning."""

    name: str
    open: Open

    def lines(self, fields: Mapping[str, Field]) -> Iterator[Line]:
        with self.open() as file:
            yield from READERS[_ending(self.name)](file, fields)


@contextmanager
def files_open(
    *, name: str, open_: Open, manifest_open: Open | None = None
) -> Iterator[tuple[list[LabelFile], Manifest | None]]:
    """Open the files of labels and check them against the manifest, if there is one.

    Raises ``GymError`` if the hash of a file differs from the manifest's, or a file cannot be read.
    """
    if _ending(name) in READERS:
        description = None
        if manifest_open is not None:
            with manifest_open() as file:
                description = manifest_read(file)
        yield _checked([LabelFile(name=name, open=open_)], description)
        return
    with open_() as file:
        try:
            bundle = zipfile.ZipFile(_Pieces(file))
        except zipfile.BadZipFile as error:
            if _ending(name) == ARCHIVE:
                raise _bad_archive(error) from error
            raise GymError("unknown_file", f"“{name}” is not a file of labels. Send {WHAT}.") from error
        with bundle:
            try:
                yield _unpacked(bundle)
            except (zipfile.BadZipFile, zlib.error, NotImplementedError, RuntimeError, EOFError) as error:
                raise _bad_archive(error) from error


class _Pieces:
    """A zip file that refuses a huge directory, since ``zipfile`` reads the directory in one piece."""

    def __init__(self, file: IO[bytes]) -> None:
        self._file = file
        self.seek, self.tell, self.seekable, self.close = file.seek, file.tell, file.seekable, file.close

    def read(self, size: int = -1) -> bytes:
        is_bounded = 0 <= size <= DIRECTORY_MAX_BYTES
        data = self._file.read(size if is_bounded else DIRECTORY_MAX_BYTES + 1)
        if len(data) > DIRECTORY_MAX_BYTES:
            raise zipfile.BadZipFile("it has too many files")
        return data


def _bad_archive(error: Exception) -> GymError:
    return GymError("bad_archive", f"The archive is damaged or cut off: {error}. Download it again.")


def manifest_read(file: IO[bytes]) -> Manifest:
    """Read an export's manifest. Raises ``GymError`` ``bad_manifest`` or ``other_manifest``."""
    text = file.read(MANIFEST_MAX_BYTES + 1)
    try:
        if len(text) > MANIFEST_MAX_BYTES:
            raise msgspec.DecodeError("it is too large")
        if has_nul(text):
            raise msgspec.DecodeError("a text in it contains the character NUL")
        read = msgspec.json.decode(text, type=Manifest)
    except (msgspec.DecodeError, UnicodeDecodeError, RecursionError) as error:
        problem = str(error)[:PROBLEM_CHARS]
        raise GymError("bad_manifest", f"This is not the manifest.json of an export: {problem}.") from error
    if read.version != archive.VERSION:
        message = f"The manifest has version {read.version}; this installation reads {archive.VERSION}."
        raise GymError("other_manifest", f"{message} Export the labels again.")
    return read


def _unpacked(bundle: zipfile.ZipFile) -> tuple[list[LabelFile], Manifest | None]:
    infos = {info.filename: info for info in bundle.infolist() if info.filename != WINNERS}
    if sum(info.file_size for info in infos.values()) > UNPACKED_MAX_BYTES:
        raise GymError("archive_too_large", f"Unpacked, it has more than {UNPACKED_MAX_BYTES:,} bytes.")
    if any(info.compress_type not in COMPRESSIONS for info in infos.values()):
        raise GymError("bad_archive", "The archive is compressed in an unusual way. Pack it with “deflate”.")
    # An export's tables repeat the labels of its JSON lines, so read files of one kind only.
    names = next(
        ([n for n in infos if _ending(n) == ending] for ending in READERS if _has(infos, ending)), []
    )
    if not names:
        raise GymError("no_labels", f"The archive has no labels. Send {WHAT}.")
    description = None
    if MANIFEST in infos:
        with bundle.open(MANIFEST) as file:
            description = manifest_read(file)
    files = [LabelFile(name=name, open=lambda name=name: bundle.open(name)) for name in sorted(names)]  # type: ignore[misc]
    return _checked(files, description)


def _has(names: Mapping[str, object], ending: str) -> bool:
    return any(_ending(name) == ending for name in names)


def _checked(files: list[LabelFile], description: Manifest | None) -> tuple[list[LabelFile], Manifest | None]:
    hashes = {entry.sha256 for entry in description.files.values()} if description else set()
    for file in files if description else []:
        if _digest(file) not in hashes:
            raise GymError("damaged_file", f"“{file.name}” does not match its manifest. {DAMAGED}")
    return files, description


def _digest(file: LabelFile) -> str:
    digest = hashlib.sha256()
    with file.open() as stream:
        while piece := stream.read(CHUNK_BYTES):
            digest.update(piece)
    return digest.hexdigest()


def _ending(name: str) -> str:
    return f".{name.rpartition('.')[2].lower()}"
