"""The version of the static files, which lets browsers cache them forever, and the imports of scripts.

The version is a folder in the address, so a relative import leads to a file of the same version.
"""

from __future__ import annotations

import hashlib
import posixpath
import re
from collections.abc import Iterable
from functools import cache
from pathlib import Path

from django.contrib.staticfiles import finders

IMPORT = re.compile(r'^import\b[^;"]*"(\.[^"]+)";', re.MULTILINE)


def files_version(folders: Iterable[Path]) -> str:
    """Return 12 hex digits of a hash over the names and bytes of all files below the folders."""
    files = [(path.relative_to(folder).as_posix(), path) for folder in folders for path in folder.rglob("*")]
    total = hashlib.sha256()
    for name, path in sorted(files):
        if path.is_file():
            data = path.read_bytes()
            total.update(f"{name}\0{len(data)}\0".encode())
            total.update(data)
    return total.hexdigest()[:12]


def static_file(name: str) -> Path:
    """Return the path of the static file with this name. Raises ``FileNotFoundError`` if there is none."""
    path = finders.find(name)
    if path is None:
        raise FileNotFoundError(name)
    return Path(path)


@cache
def find_imports(module: str) -> tuple[str, ...]:
    """Return the names of the scripts that a module imports, directly or not, in the order of execution.

    Imports are relative to the module's address, whichever folder holds the file. Raises
    ``FileNotFoundError`` for a script that does not exist.
    """
    text = static_file(module).read_text("utf-8")
    folder = posixpath.dirname(module)
    first = [posixpath.normpath(posixpath.join(folder, name)) for name in IMPORT.findall(text)]
    return tuple(dict.fromkeys(name for each in first for name in (*find_imports(each), each)))
