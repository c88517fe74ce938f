"""The server reads the protocol without the client's libraries."""

from __future__ import annotations

import pkgutil
import subprocess
import sys

from palaestra import protocol

# Prints each module that was loaded beside the standard library, in a process of its own.
LOAD = """
import importlib, sys
before = set(sys.modules)
for name in {names!r}:
    importlib.import_module(name)
loaded = set(sys.modules) - before
print(*sorted(name for name in loaded if name.partition(".")[0] not in sys.stdlib_module_names))
"""


def test_the_protocol_loads_nothing_but_itself_and_the_standard_library() -> None:
    names = [module.name for module in pkgutil.walk_packages(protocol.__path__, f"{protocol.__name__}.")]
    program = LOAD.format(names=names)
    done = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, check=True)
    loaded = done.stdout.split()
    assert loaded == sorted(["palaestra", "palaestra.protocol", *names])
    assert "palaestra.protocol.arms" in loaded
