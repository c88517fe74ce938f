"""A connection from a browser to a server, which a test can cut and restore."""

from __future__ import annotations

import contextlib
import socket
import threading

CHUNK = 65_536


class Wire:
    """Listens on ``port`` while it is intact, and forwards each connection to ``target`` on this machine."""

    def __init__(self, target: int) -> None:
        self._target = target
        self._listener: socket.socket | None = None
        self._ends: set[socket.socket] = set()
        self._is_flowing = threading.Event()
        self._is_flowing.set()
        with socket.create_server(("127.0.0.1", 0)) as probe:
            self.port = int(probe.getsockname()[1])

    def hang(self) -> None:
        """Keep open connections and accept new ones, but forward nothing, like a stopped server."""
        self._is_flowing.clear()

    def mend(self) -> None:
        self._is_flowing.set()
        if self._listener is not None:
            return
        self._listener = socket.create_server(("127.0.0.1", self.port))
        threading.Thread(target=self._accept, args=[self._listener], daemon=True).start()

    def cut(self) -> None:
        """Refuse new connections and drop those that are open."""
        if self._listener is None:
            return
        listener, self._listener = self._listener, None
        for end in [listener, *self._ends]:
            _close(end)
        self._ends.clear()

    def _accept(self, listener: socket.socket) -> None:
        with contextlib.suppress(OSError):
            while True:
                near, _ = listener.accept()
                far = socket.create_connection(("127.0.0.1", self._target))
                self._ends |= {near, far}
                for ends in ((near, far), (far, near)):
                    threading.Thread(target=_carry, args=(*ends, self._is_flowing), daemon=True).start()


def _carry(source: socket.socket, sink: socket.socket, is_flowing: threading.Event) -> None:
    with contextlib.suppress(OSError):
        while data := source.recv(CHUNK):
            is_flowing.wait()
            sink.sendall(data)
    for end in (source, sink):
        _close(end)


def _close(end: socket.socket) -> None:
    with contextlib.suppress(OSError):
        end.shutdown(socket.SHUT_RDWR)
    end.close()
