"""Every file that a person uploads: whatever is in it, reading it takes little memory and little time."""

from __future__ import annotations

import gc
import io
import os
import re
import resource
import traceback
import zipfile
from collections.abc import Callable
from pathlib import Path

import pytest

from core.errors import GymError
from trajectories.annotation.codebook.own_fields import FILE_MAX_BYTES, fields_read
from trajectories.annotation.codebook.registry import build_codebook
from trajectories.annotation.imports.files import MANIFEST_MAX_BYTES, files_open, manifest_read
from trajectories.annotation.queues.golds import parse_golds
from trajectories.exports.parameters import REVISIONS_MAX_BYTES, revisions_read

ROOT = Path(__file__).resolve().parents[2]
GROWTH_BYTES = 192 * 1024 * 1024
CPU_S = 10
LARGE = 24 * 1024 * 1024  # of what may have as many bytes as a blob
FIELDS = {one.id: one for one in build_codebook().fields}

Importer = Callable[[str, bytes], object]
Content = bytes | Callable[[], bytes]
"""What is large is made where it is tried: every process of a lane reads this module."""


def own_fields(name: str, data: bytes) -> None:
    fields_read(name, data)


def golds(_name: str, data: bytes) -> None:
    parse_golds(data.decode("utf-8-sig", "replace"))


def labels(name: str, data: bytes) -> None:
    with files_open(name=name, open_=lambda: io.BytesIO(data)) as (files, _):
        for file in files:
            for _ in file.lines(FIELDS):
                pass


def manifest(_name: str, data: bytes) -> None:
    manifest_read(io.BytesIO(data))


def revisions(_name: str, data: bytes) -> None:
    revisions_read(data[: REVISIONS_MAX_BYTES + 1])


# Where a page takes a file, and what reads it. A new place needs a row, and hostile files of its kinds.
IMPORTERS: dict[tuple[str, str], Importer] = {
    ("trajectories/annotation/pages/project_form.py", "OwnFieldsField"): own_fields,
    ("trajectories/annotation/pages/gold_views.py", "file"): golds,
    ("trajectories/annotation/pages/file_views.py", "labels"): labels,
    ("trajectories/annotation/pages/file_views.py", "manifest"): manifest,
    ("trajectories/exports/pages/form.py", "revisions"): revisions,
}
PLACE = re.compile(
    r"(?:class (?P<kind>\w+)\((?:\w+\.)?(?:FileField|ImageField)\)"
    r"|(?P<field>\w+)\s*=\s*(?:\w+\.)?(?:FileField|ImageField)\("
    r"|\bFILES(?:\.get\(|\.getlist\(|\[)\"(?P<part>\w+)\"|(?P<parser>\bMultiPartParser|FileUploadParser)\b)"
)


def test_no_page_takes_a_file_that_is_not_tried_here() -> None:
    places = set()
    for floor in ("core", "verifiers", "tasks_app", "trajectories", "gymsite"):
        for path in (ROOT / floor).rglob("*.py"):
            if "migrations" in path.parts or "models" in path.parts:
                continue
            for match in PLACE.finditer(path.read_text()):
                places.add((path.relative_to(ROOT).as_posix(), next(filter(None, match.groups()))))
    assert places == set(IMPORTERS)


def bundle(**files: bytes) -> bytes:
    data = io.BytesIO()
    with zipfile.ZipFile(data, "w", zipfile.ZIP_DEFLATED) as archive:
        for name, content in files.items():
            archive.writestr(name.replace("_", "."), content)
    return data.getvalue()


def crowded() -> bytes:
    """An archive with as many empty files as fit."""
    data = io.BytesIO()
    with zipfile.ZipFile(data, "w") as archive:
        for number in range(60_000):
            archive.writestr(f"{number}.csv", b"")
    return data.getvalue()


def packed(method: int) -> bytes:
    data = io.BytesIO()
    with zipfile.ZipFile(data, "w", method) as archive:
        archive.writestr("labels.jsonl", b"\n" * (64 << 20))
    return data.getvalue()


def filled(begin: str, piece: str, end: str = "", *, size: int) -> Callable[[], bytes]:
    return lambda: (begin + piece * ((size - len(begin) - len(end)) // len(piece)) + end).encode()


N = FILE_MAX_BYTES
MB = 1024 * 1024
HEAD = "episode,step,note\n"
OWN = [
    ("dotted key", "a.toml", filled("a", ".a", "=1", size=N)),
    ("dotted table", "a.toml", filled("[a", ".a", "]", size=N)),
    ("dotted quoted", "a.toml", filled('a."b"', '."b"', "=1", size=N)),
    ("many dotted keys", "a.toml", "\n".join(f"k{n}" + ".a" * 600 + "=1" for n in range(210)).encode()),
    ("many tables", "a.toml", "\n".join(f"[{'a.' * 300}k{n}]" for n in range(400)).encode()),
    ("nested arrays", "a.toml", filled("a=", "[", size=N)),
    ("nested tables", "a.toml", filled("a=", "{a=", size=N)),
    ("many values", "a.toml", filled("a=[", "[],", "]", size=N)),
    ("many keys", "a.toml", "\n".join(f"k{n}=1" for n in range(25_000)).encode()),
    ("long key", "a.toml", filled("", "k", "=1", size=N)),
    ("long number", "a.toml", filled("a=", "9", size=N)),
    ("text that never ends", "a.toml", filled('a="""', "x\n", size=N)),
    ("NUL", "a.toml", filled('a="', "\0", '"', size=N)),
    ("invalid UTF-8", "a.toml", b'a="' + b"\xff" * 1000 + b'"'),
    ("dates", "a.toml", filled("a=[", "2020-01-01,", "]", size=N)),
    ("nested arrays", "a.json", filled("", "[", size=N)),
    ("nested objects", "a.json", filled("", '{"fields":', size=N)),
    ("many fields", "a.json", filled('{"fields":[', "{},", "{}]}", size=N)),
    (
        "many texts",
        "a.json",
        filled('{"fields":[{"id":"a","options":[{"positive":[', '"",', '""]}]}]}', size=N),
    ),
    ("unknown field", "a.json", filled('{"', "k", '":1}', size=N)),
    ("long number", "a.json", filled('{"fields":[{"rank":', "9", "}]}", size=N)),
    ("NUL", "a.json", filled('{"fields":"', "\\u0000", '"}', size=N)),
    ("too large", "a.toml", b"a" * (N + 1)),
]
GOLDS = [
    ("long line", "g.jsonl", filled('{"episode":1,"step":1,"why":"', "x", '"}', size=MB)),
    ("many values", "g.jsonl", filled('{"episode":1,"step":1,"values":{"a":[', '"",', '""]}}', size=MB)),
    ("many keys", "g.jsonl", ('{"values":{' + ",".join(f'"k{n}":1' for n in range(100_000)) + "}}").encode()),
    ("long number", "g.jsonl", filled('{"episode":', "9", "}", size=MB)),
    ("deep", "g.jsonl", filled('{"values":', '{"a":', size=MB)),
    ("many lines", "g.jsonl", filled("", "x\n", size=MB)),
    ("empty lines", "g.jsonl", filled("", "\n", size=MB)),
    ("invalid UTF-8", "g.jsonl", b"\xff" * MB),
]
REVISIONS = [
    ("long line", "r.jsonl", filled('{"text":"', "x", '"}', size=MB)),
    ("long number", "r.jsonl", filled('{"text":"x","episode":', "9", "}", size=MB)),
    ("many keys", "r.jsonl", ("{" + ",".join(f'"k{n}":1' for n in range(90_000)) + "}").encode()),
    ("deep", "r.jsonl", filled('{"text":', '{"a":', size=MB)),
    ("deep and unknown", "r.jsonl", filled('{"x":', "[", size=MB)),
    ("empty lines", "r.jsonl", filled("", "\n", size=MB)),
    ("invalid UTF-8", "r.jsonl", b'{"text":"' + b"\xff" * 100_000 + b'"}'),
    ("too large", "r.jsonl", lambda: b" " * LARGE),
]
LABELS = [
    ("one line", "l.jsonl", filled("", "x", size=LARGE)),
    ("one line", "l.csv", filled("", "x", size=LARGE)),
    ("one row of cells", "l.csv", filled(HEAD, "x,", size=LARGE)),
    ("quotes that never end", "l.csv", filled(HEAD + '1,1,"', "x\n", size=LARGE)),
    ("cells of two lines", "l.csv", filled(HEAD, '"a\n",', size=LARGE)),
    ("returns alone", "l.csv", filled(HEAD, '"a\r",', size=LARGE)),
    ("long column", "l.csv", filled("", "k", ",step\n1,1", size=100_000)),
    ("many columns", "l.csv", (",".join(f"k{n}" for n in range(150_000)) + "\n").encode()),
    ("many answers", "l.csv", filled(f"episode,step,{next(iter(FIELDS))}\n1,1,", "a;", size=100_000)),
    ("many spans", "l.csv", filled("episode,step,spans\n1,1,", "0-1;", size=100_000)),
    ("NUL", "l.csv", filled(HEAD, "1,1,\0\n", size=MB)),
    ("invalid UTF-8", "l.csv", lambda: filled(HEAD, "1,1,x\n", size=MB)() + b"\xff" * MB),
    ("UTF-16", "l.csv", (HEAD * 1000).encode("utf-16")),
    ("many answers", "l.jsonl", filled('{"episode":1,"step":1,"values":{"a":[', '"a",', '"a"]}}', size=MB)),
    ("many keys", "l.jsonl", ('{"values":{' + ",".join(f'"k{n}":1' for n in range(90_000)) + "}}").encode()),
    ("many spans", "l.jsonl", filled('{"episode":1,"step":1,"spans":[', "[0,1],", "[0,1]]}", size=MB)),
    ("deep", "l.jsonl", filled('{"episode":', "[", size=MB)),
    ("long number", "l.jsonl", filled('{"episode":', "9", size=MB)),
    ("backslashes", "l.jsonl", filled('{"note":"', "\\\\", '"}', size=MB)),
    ("many empty lines", "l.jsonl", b"\n" * MB),
    ("bomb", "l.zip", lambda: bundle(labels_jsonl=b"x" * (256 << 20))),
    ("bomb of rows", "l.zip", lambda: bundle(labels_csv=HEAD.encode() + b'"a\n",' * (32 << 20))),
    ("bomb in a manifest", "l.zip", lambda: bundle(labels_jsonl=b"", manifest_json=b"[" * (64 << 20))),
    ("crowd", "l.zip", lambda: crowded()),
    ("LZMA", "l.zip", lambda: packed(zipfile.ZIP_LZMA)),
    ("bzip2", "l.zip", lambda: packed(zipfile.ZIP_BZIP2)),
    ("no archive", "l.zip", b"PK\5\6" * 1000),
]
MANIFEST = [
    ("many values", "m.json", filled('{"codebooks":{"a":[', "{},", "{}]}}", size=MANIFEST_MAX_BYTES)),
    ("many lists", "m.json", filled('{"strata":[{"a":[', "[],", "[]]}]}", size=MANIFEST_MAX_BYTES)),
    ("deep", "m.json", filled('{"codebooks":', '{"a":', size=MANIFEST_MAX_BYTES)),
    ("deep and unknown", "m.json", filled('{"x":', "[", size=MANIFEST_MAX_BYTES)),
    ("long number", "m.json", filled('{"version":', "9", "}", size=MB)),
    ("too large", "m.json", lambda: b" " * LARGE),
]
HOSTILE = {own_fields: OWN, golds: GOLDS, labels: LABELS, manifest: MANIFEST, revisions: REVISIONS}
CASES = [
    pytest.param(importer, name, content, id=f"{importer.__name__}-{what}-{name}")
    for importer, files in HOSTILE.items()
    for what, name, content in files
]


def test_every_importer_has_hostile_files() -> None:
    assert set(HOSTILE) == set(IMPORTERS.values())


@pytest.mark.parametrize(("importer", "name", "content"), CASES)
def test_a_hostile_file_takes_little(importer: Importer, name: str, content: Content) -> None:
    data = content() if callable(content) else content
    assert _outcome(lambda: importer(name, data)) == "little"


def test_what_takes_much_is_noticed() -> None:
    assert _outcome(lambda: [0] * (64 << 20)) == "memory"


def _outcome(read: Callable[[], object]) -> str:
    """What becomes of a fork of this process that reads a file, with so much more memory and time."""
    out, into = os.pipe()
    if (child := os.fork()) == 0:
        os.close(out)
        os.write(into, _tried(read).encode()[:4000])
        os._exit(0)
    os.close(into)
    with open(out, "rb") as pipe:
        answer = pipe.read().decode()
    os.waitpid(child, 0)
    return answer or "time"


def _tried(read: Callable[[], object]) -> str:
    gc.freeze()  # what the tests before left here is not the file's
    size = int(re.search(r"VmSize:\s+(\d+)", Path("/proc/self/status").read_text())[1]) * 1024
    resource.setrlimit(resource.RLIMIT_AS, (size + GROWTH_BYTES,) * 2)
    used = resource.getrusage(resource.RUSAGE_SELF)
    resource.setrlimit(resource.RLIMIT_CPU, (int(used.ru_utime + used.ru_stime) + CPU_S,) * 2)
    try:
        read()
    except MemoryError:
        return "memory"
    except GymError as error:
        return "little" if len(error.message) < 4_000 else "long message"
    except BaseException:  # a fork must not go on with the tests
        return traceback.format_exc()
    return "little"
