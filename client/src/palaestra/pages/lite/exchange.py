"""HTTP requests for pages, and their answers.

They are sent with aiohttp instead of httpx, with which the client calls the API: httpx takes six times as
long, which is longer than parsing the page takes.
"""

from __future__ import annotations

import asyncio
from collections.abc import Mapping
from dataclasses import dataclass
from functools import lru_cache
from urllib.parse import quote, urljoin, urlsplit, urlunsplit
from urllib.request import getproxies, proxy_bypass

import aiohttp
from yarl import URL

# Characters that a browser does not encode in a path and in a query.
PATH_CHARS = "%/!$&'()*+,;=:@~[]|^"
QUERY_CHARS = PATH_CHARS + "?`{}\\"
# aiohttp's default headers that are left out. Without Accept-Encoding, pages are not compressed: compression
# costs the arena more time than it saves on the network.
UNSENT = ("Accept", "Accept-Encoding", "User-Agent")


class ExchangeError(Exception):
    """Raised if no answer came; the server may have received the request."""


class NotSent(ExchangeError):
    """Raised if no answer came and the server did not receive the request."""


@dataclass(frozen=True)
class Answer:
    """A response; lookups in ``headers`` ignore case."""

    status: int
    headers: Mapping[str, str]
    content: bytes


class Exchange:
    """An HTTP client that uses the proxies named in the environment.

    It sends at most ``count`` requests at the same time, and each waits at most ``limit_s`` seconds for the
    server.
    """

    def __init__(self, *, count: int, limit_s: float) -> None:
        self._count = count
        self._timeout = aiohttp.ClientTimeout(total=None, sock_connect=limit_s, sock_read=limit_s)
        self._session: aiohttp.ClientSession | None = None
        self._proxies: dict[str, str | None] = {}

    async def send(self, method: str, url: str, *, headers: Mapping[str, str], body: bytes = b"") -> Answer:
        """Send a request, without following redirects. Raises ``ExchangeError`` or ``NotSent``."""
        target = URL(url, encoded=True)
        request = self._open_session().request(
            method,
            target,
            headers=headers,
            data=body or None,
            allow_redirects=False,
            proxy=self._find_proxy(target),
        )
        try:
            async with request as answer:
                return Answer(answer.status, answer.headers, await answer.read())
        except aiohttp.ClientConnectorError as failure:
            raise NotSent(repr(failure)) from failure
        except (aiohttp.ClientError, asyncio.TimeoutError, OSError) as failure:
            raise ExchangeError(repr(failure)) from failure

    async def aclose(self) -> None:
        if self._session is not None:
            await self._session.close()

    def _open_session(self) -> aiohttp.ClientSession:
        """Return the session, creating it at the first request because it belongs to the event loop."""
        if self._session is None:
            self._session = aiohttp.ClientSession(
                connector=aiohttp.TCPConnector(limit=self._count),
                cookie_jar=aiohttp.DummyCookieJar(),
                timeout=self._timeout,
                skip_auto_headers=UNSENT,
            )
        return self._session

    def _find_proxy(self, target: URL) -> str | None:
        """Return the proxy for a host.

        It is cached, because aiohttp would look it up in two threads per request.
        """
        origin = f"{target.scheme}://{target.host}"
        if origin not in self._proxies:
            is_direct = proxy_bypass(target.host or "")
            self._proxies[origin] = None if is_direct else getproxies().get(target.scheme)
        return self._proxies[origin]


@lru_cache(maxsize=4096)
def normalise_url(url: str) -> str:
    """Return a URL as a browser requests it, with ".." resolved and illegal characters encoded."""
    parts = urlsplit(url)
    path, query = quote(parts.path or "/", safe=PATH_CHARS), quote(parts.query, safe=QUERY_CHARS)
    plain = urlunsplit((parts.scheme, parts.netloc, "/", "", ""))
    return urlunsplit((*urlsplit(urljoin(plain, path))[:3], query, parts.fragment))
