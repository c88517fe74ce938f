"""Requests for pages, and their answers.

By aiohttp: httpx, which the API is called with, takes more time for a request than its page takes to be
parsed, and some six times what aiohttp takes.
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

# What a browser leaves as it is in a path and in a query.
PATH_CHARS = "%/!$&'()*+,;=:@~[]|^"
QUERY_CHARS = PATH_CHARS + "?`{}\\"
# Pages come as they are: to compress them would cost the arena more than the network saves.
UNSENT = ("Accept", "Accept-Encoding", "User-Agent")


class ExchangeError(Exception):
    """There is no answer, and the request may have been received."""


class NotSent(ExchangeError):
    """There is no answer, and the request was not received."""


@dataclass(frozen=True)
class Answer:
    """The names of ``headers`` may be in upper or in lower case."""

    status: int
    headers: Mapping[str, str]
    content: bytes


class Exchange:
    """At most ``count`` requests at once, each of which waits at most ``limit_s`` seconds for the server; by
    the proxies that the environment names."""

    def __init__(self, *, count: int, limit_s: float) -> None:
        self._count = count
        self._timeout = aiohttp.ClientTimeout(total=None, sock_connect=limit_s, sock_read=limit_s)
        self._session: aiohttp.ClientSession | None = None
        self._proxies: dict[str, str | None] = {}

    async def send(self, method: str, url: str, *, headers: Mapping[str, str], body: bytes = b"") -> Answer:
        """Raises ``ExchangeError`` or ``NotSent``."""
        target = URL(url, encoded=True)
        request = self._opened().request(
            method,
            target,
            headers=headers,
            data=body or None,
            allow_redirects=False,
            proxy=self._proxy_of(target),
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

    def _opened(self) -> aiohttp.ClientSession:
        """Made at the first request, for it belongs to the event loop."""
        if self._session is None:
            self._session = aiohttp.ClientSession(
                connector=aiohttp.TCPConnector(limit=self._count),
                cookie_jar=aiohttp.DummyCookieJar(),
                timeout=self._timeout,
                skip_auto_headers=UNSENT,
            )
        return self._session

    def _proxy_of(self, target: URL) -> str | None:
        """Asked of the environment once: aiohttp would do so in two threads for each request."""
        origin = f"{target.scheme}://{target.host}"
        if origin not in self._proxies:
            is_direct = proxy_bypass(target.host or "")
            self._proxies[origin] = None if is_direct else getproxies().get(target.scheme)
        return self._proxies[origin]


@lru_cache(maxsize=4096)
def normalised(url: str) -> str:
    """An address as a browser requests it: no "..", and what cannot stand in one is encoded."""
    parts = urlsplit(url)
    path, query = quote(parts.path or "/", safe=PATH_CHARS), quote(parts.query, safe=QUERY_CHARS)
    plain = urlunsplit((parts.scheme, parts.netloc, "/", "", ""))
    return urlunsplit((*urlsplit(urljoin(plain, path))[:3], query, parts.fragment))
