"""The version of the static files, which lets browsers cache them forever, and the imports of scripts.

The version is a folder in the address, so a relative import leads to a file of the same version.
"""

from __future__ import annotations

import hashlib
import re
from functools import cache
from pathlib import Path

IMPORT = re.compile(r'^import\b[^;"]*"(\.[^"]+)";', re.MULTILINE)


def folder_version(folder: Path) -> str:
    """Return 12 hex digits of a hash over the names and bytes of all files below a folder."""
    total = hashlib.sha256()
    for path in sorted(file for file in folder.rglob("*") if file.is_file()):
        data = path.read_bytes()
        total.update(f"{path.relative_to(folder).as_posix()}\0{len(data)}\0".encode())
        total.update(data)
    return total.hexdigest()[:12]


@cache
def find_imports(module: Path) -> tuple[Path, ...]:
    """Return the scripts that a module imports, directly or indirectly, in the order of execution.

    Raises ``OSError`` for a script that does not exist.
    """
    first = [(module.parent / name).resolve() for name in IMPORT.findall(module.read_text("utf-8"))]
    return tuple(dict.fromkeys(path for each in first for path in (*find_imports(each), each)))
