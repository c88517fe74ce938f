"""A researcher who reads pages, and a trainer that streams exports, for as long as a soak takes."""

from __future__ import annotations

import re
import threading
from collections import Counter
from dataclasses import dataclass, field

import httpx

from tests.services.kills import Installation

PAUSE_S = 0.5
TIMEOUT_S = 60.0
PAGES = ("/", "/runs/{run}/", "/episodes/", "/episodes/{episode}/", "/search?q=train", "/tasks/", "/system/")
CALLS = (
    "/api/v1/tasks/export",
    "/api/v1/runs/{run}/behaviour",
    "/api/v1/episodes/{episode}/trajectory",
    "/api/v1/runs",
)
TOKEN = re.compile(r'name="csrfmiddlewaretoken" value="([^"]+)"')


@dataclass
class Reader:
    """Reads the newest run and one of its episodes. ``refused`` counts responses by URL and status."""

    installation: Installation
    reads: int = 0
    refused: Counter[str] = field(default_factory=Counter)

    def read(self, over: threading.Event) -> None:
        """Read one URL after the other until ``over``."""
        lab = f"http://127.0.0.1:{self.installation.up.ports['LAB_PORT']}"
        bearer = {"Authorization": f"Bearer {self.installation.key}"}
        with httpx.Client(base_url=lab, timeout=TIMEOUT_S, trust_env=False, follow_redirects=True) as http:
            self._log_in(http)
            while not over.is_set():
                run = http.get("/api/v1/runs", headers=bearer).json()["results"][0]["id"]
                listed = http.get("/api/v1/episodes", params={"run": run, "limit": 1}, headers=bearer)
                episodes = listed.json()["results"]
                if not episodes:  # the run was opened only just now
                    over.wait(PAUSE_S)
                    continue
                names = {"run": run, "episode": episodes[0]["id"]}
                for address in (*PAGES, *CALLS):
                    if over.wait(PAUSE_S):
                        return
                    answer = http.get(address.format(**names), headers=bearer if address in CALLS else {})
                    self.reads += 1
                    if answer.is_error:
                        self.refused[f"{address}: {answer.status_code}"] += 1

    def _log_in(self, http: httpx.Client) -> None:
        login = re.search(r"login +(\S+) +password +(\S+)", self.installation.starts[0].output)
        token = TOKEN.search(http.get("/login/").text)
        if not login or not token:
            raise RuntimeError("the installation printed no first login, or shows no form for it")
        form = {"username": login[1], "password": login[2], "csrfmiddlewaretoken": token[1]}
        http.post("/login/", data=form).raise_for_status()
