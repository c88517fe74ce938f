"""A small server that imitates the API: lab, live and arena, in one process on three ports."""

from __future__ import annotations

import hashlib
import json
import re
import threading
import time
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any
from urllib.parse import parse_qs, urlsplit

from fake_interventions import substeps_of
from fake_pages import DONE, PAGE, SETTLE
from fake_report import TABLES
from fake_state import GOLD, State, trajectory_of
from palaestra.evaluation.looks import look_digest

REFUSED = "nothing"  # an answer that the arena refuses


class Handler(BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"
    wbufsize = -1
    disable_nagle_algorithm = True
    fake: FakeServer

    def log_message(self, *_: object) -> None:
        return

    def do_GET(self) -> None:
        self.route("GET")

    def do_POST(self) -> None:
        self.route("POST")

    def do_PUT(self) -> None:
        self.route("PUT")

    def route(self, method: str) -> None:
        length = int(self.headers.get("Content-Length") or 0)
        self.body = self.rfile.read(length)
        if len(self.body) < length:
            self.close_connection = True  # the client was killed
            return
        parts = urlsplit(self.path)
        self.query = {k: v[0] for k, v in parse_qs(parts.query).items()}
        self.answer(method, parts.path)

    def send(self, status: int, body: bytes, kind: str, **headers: str) -> None:
        self.send_response(status)
        self.send_header("Content-Type", kind)
        self.send_header("Content-Length", str(len(body)))
        for name, value in headers.items():
            self.send_header(name.replace("_", "-"), value)
        self.end_headers()
        self.wfile.write(body)

    def send_json(self, status: int, value: object, **headers: str) -> None:
        self.send(status, json.dumps(value).encode(), "application/json", **headers)

    def refuse(self, status: int, code: str) -> None:
        self.send_json(status, {"error": {"code": code, "message": code, "fields": {}}})

    def answer(self, method: str, path: str) -> None:
        raise NotImplementedError


class Arena(Handler):
    def answer(self, method: str, path: str) -> None:
        state = self.fake.state
        state.requests.append((method, path, self.headers.get("X-Gym-Step")))
        if path == "/static/settle.js":
            self.send(200, SETTLE.encode(), "text/javascript", Cache_Control="max-age=600")
            return
        if state.arena_failures:
            if status := state.arena_failures.pop(0):
                self.send(status, b"<title>Failed</title>", "text/html")
            self.close_connection = True
            return
        match = re.fullmatch(r"/e/([\w-]+)/(.*)", path)
        episode = next((e for e in state.episodes.values() if match and e["token"] == match[1]), None)
        if match is None or episode is None:
            self.send(404, b"not found", "text/html")
            return
        if step := self.headers.get("X-Gym-Step"):
            served = {"step": int(step), "kind": "page_served", "data": {"path": match[2]}}
            episode["events"].append(served)
        self.episode_page(method, episode, match[2])

    def episode_page(self, method: str, episode: dict[str, Any], rest: str) -> None:
        csp = "default-src 'none'; script-src 'self'; img-src 'self' data:; form-action 'self'"
        headers = {"Cache_Control": "no-store", "Content_Security_Policy": csp}
        if method == "POST" and rest == "submit":
            values = parse_qs(self.body.decode("utf-8", "replace"))
            if values.get("answer", [""])[0] == REFUSED:
                self.send(303, b"", "text/html", Location="more")
                return
            self.fake.state.submit(episode, values.get("answer", [""])[0])
            self.send(303, b"", "text/html", Location="done")
        elif rest in self.fake.state.pages:
            time.sleep(self.fake.state.delays.get(rest, 0.0))
            page = self.fake.state.pages[rest]
            self.send(200, page.encode(), "text/html; charset=utf-8", Cache_Control="no-store")
        elif rest == "done":
            self.send(200, DONE.encode(), "text/html", **headers)
        elif rest == "away":
            self.send(302, b"", "text/html", Location=self.fake.lab_url + "/secret")
        elif rest == "file.bin":
            self.send(200, b"x" * 10, "application/octet-stream", Content_Disposition="attachment")
        elif rest == "hang.html":
            body = "<title>Hang</title><script src='hang.js'></script>"
            self.send(200, body.encode(), "text/html", **headers)
        elif rest == "hang.js":
            self.send(200, b"while (true) {}", "text/javascript")
        else:
            page = PAGE.replace("{extra}", self.fake.state.extra)
            self.send(200, page.encode(), "text/html; charset=utf-8", **headers)


class Lab(Handler):
    def answer(self, method: str, path: str) -> None:
        state = self.fake.state
        state.calls.append((method, path))
        if state.fail_next:
            status, headers = state.fail_next.pop(0)
            self.send_json(status, {"error": {"code": "made_up", "message": "made up"}}, **headers)
            return
        if code := state.refusals.get(path.removeprefix("/api/v1/episodes/")):
            self.refuse(409, code)
            return
        blob = re.fullmatch(r"/api/v1/blobs/(\w{64})", path)
        if blob and method == "GET":
            self.send(200, state.blobs[blob[1]], "application/octet-stream")
            return
        key = self.headers.get("Idempotency-Key")
        if key and key in state.keys:
            self.send_json(200, state.keys[key])
            return
        if file := re.fullmatch(r"/api/v1/(?:reports|exports)/\d+/files/(.+)", path):
            self.send(200, state.report_files[file[1]], "application/octet-stream")
            return
        result = self.call(method, path)
        if result is None:
            self.refuse(404, "not_found")
            return
        status, value = result
        if path.endswith("/steps") and state.steps_unanswered:
            state.steps_unanswered -= 1
            self.close_connection = True
            return
        if key and status < 300:
            state.keys[key] = value
        self.send_json(status, value)

    def call(self, method: str, path: str) -> tuple[int, object] | None:
        fake, state = self.fake, self.fake.state
        if path == "/api/v1/health":
            urls = {"arena_url": fake.arena_url, "live_url": fake.live_url}
            status = "down" if state.is_down else "ok"
            return 503 if state.is_down else 200, {"status": status, "version": "0", **urls}
        if path == "/api/v1/benchmarks":
            return 200, [{"id": "gsm8k", "kind": state.kind, "splits": {"train": 5}}]
        if path.startswith(("/api/v1/runs", "/api/v1/reports", "/api/v1/exports")):
            call = self.runs_call if path.startswith("/api/v1/runs") else self.reports_call
            return call(method, path)
        if method == "GET" and path.endswith(("/tasks/stats", "/labels", "/interventions")):
            is_other = path.endswith("/interventions")
            return 200, {"results": state.interventions if is_other else state.results, "next": None}
        if path == "/api/v1/episodes" and method == "GET":
            run, origin = self.query["run"], self.query.get("origin")
            episodes = [one for one in state.episodes.values() if str(one["body"]["run"]) == run]
            listed = [one for one in episodes if origin in (None, one.get("origin", "plain"))]
            return 200, {"results": [state.state_of(one) for one in listed], "next": None}
        if path == "/api/v1/tasks":
            return 200, self.tasks_page()
        if path == "/api/v1/episodes" and method == "POST":
            body = json.loads(self.body)
            if len(body["tasks"]) > state.tasks_per_call:
                return 413, {"error": {"code": "prompts_too_long", "message": "open fewer"}}
            return 201, self.open(body)
        if path == "/api/v1/blobs/missing":
            digests = json.loads(self.body)["sha256"]
            return 200, {"missing": [digest for digest in digests if digest not in state.blobs]}
        match = re.fullmatch(r"/api/v1/blobs/(\w+)", path)
        if match and method == "PUT":
            if hashlib.sha256(self.body).hexdigest() != match[1]:
                return 400, {"error": {"code": "hash_mismatch", "message": ""}}
            state.blobs[match[1]] = self.body
            return 201, {}
        match = re.fullmatch(r"/api/v1/(groups|episodes)/(\d+)(?:/(\w+))?", path)
        if match:
            number = int(match[2])
            is_group = match[1] == "groups"
            return self.refill(number) if is_group else self.episode_call(number, match[3])
        return None

    def runs_call(self, method: str, path: str) -> tuple[int, object]:
        runs = self.fake.state.runs
        if method == "POST" and path.endswith("/prompt_sizes"):
            body = json.loads(self.body)
            self.fake.state.prompt_sizes[body["history"]] = body["episodes"]
            return 200, {"stored": len(body["episodes"])}
        if method == "POST":
            runs.append({**json.loads(self.body), "id": 7 + len(runs)})
            return 201, runs[-1]
        if path == "/api/v1/runs":
            return 200, {
                "results": [run for run in runs if run["name"] == self.query.get("name")],
                "next": None,
            }
        return 200, next((run for run in runs if path.endswith(f"/{run['id']}")), {"id": 7})

    def reports_call(self, method: str, path: str) -> tuple[int, object]:
        reports, exports = self.fake.state.reports, self.fake.state.exports
        if path.startswith("/api/v1/exports"):
            return 200, exports.pop(0) if exports[1:] else exports[0]
        if path == "/api/v1/reports":
            if method == "GET":
                return 200, {"results": reports[::-1], "next": None}
            body, number = json.loads(self.body), len(reports) + 1
            canonical = json.dumps(body["plan"], sort_keys=True, separators=(",", ":"), ensure_ascii=False)
            digest = hashlib.sha256(canonical.encode()).hexdigest()
            url = f"{self.fake.lab_url}/reports/{number}/"
            reports.append({**body, "id": number, "plan_sha256": digest, "url": url, "state": "waiting"})
            return 201, reports[-1]
        report = reports[int(path.split("/")[4]) - 1]
        if path.endswith("/files"):
            return 200, {"results": [{"name": n, "content_type": ""} for n in self.fake.state.report_files]}
        if path.endswith("/compute"):
            report.update(state="ready", result={"tables": TABLES})
            return 202, report
        return 200, report

    def tasks_page(self) -> dict[str, Any]:
        first, limit = int(self.query.get("cursor", 1)), int(self.query.get("limit", 2))
        named, known = self.query.get("ids"), self.fake.state.drawn if "drawn" in self.query else None
        ids = named.split(",") if named else map(str, range(first, min(first + limit, 6)))
        results = [{"id": int(n), "benchmark": "gsm8k", "key": n} for n in ids if known is None or n in known]
        return {"results": results, "next": str(first + limit) if first + limit < 6 and not named else None}

    def refill(self, group: int) -> tuple[int, object] | None:
        if made := next((one for one in self.fake.state.interventions if one["group"] == group), None):
            return 201, self.continued(made, json.loads(self.body)["count"])
        samples = [one for one in self.fake.state.episodes.values() if one["group"] == group]
        if not samples:
            return None
        count = json.loads(self.body)["count"]
        body = {**samples[0]["body"], "tasks": [samples[0]["task"]], "samples_per_task": count}
        return 201, self.open(body, group=group, sample=len(samples))

    def intervene(self, number: int, body: dict[str, Any]) -> tuple[int, object]:
        if GOLD in body["text"]:
            return 422, {"error": {"code": "intervention_leaks", "message": "The text gives it away."}}
        made = self.fake.state.write_intervention(number, **body)
        return 201, {"intervention": made, **self.continued(made, body["count"])}

    def continued(self, made: dict[str, Any], count: int) -> dict[str, Any]:
        made["continuations"] = {"opened": count}
        parent = self.fake.state.episodes[made["episode"]]
        body = {**parent["body"], "tasks": [parent["task"]], "samples_per_task": count}
        return self.open(body, group=made["group"])

    def open(self, body: dict[str, Any], *, group: int = 0, sample: int = 0) -> dict[str, Any]:
        state = self.fake.state
        opened, first = [], group or len({one["group"] for one in state.episodes.values()}) + 1
        for place, task in enumerate(body["tasks"], start=first):
            for index in range(sample, sample + body.get("samples_per_task", 1)):
                number = len(state.episodes) + 1
                token = f"tok{number:029d}"
                row: dict[str, Any] = {"id": number, "task": task, "group": place, "sample_index": index}
                row.update(arm=body["arm"], max_steps=body.get("max_steps") or state.max_steps)
                has_page = not body["arm"].startswith("text")
                row["start_url"] = f"{self.fake.arena_url}/e/{token}/" if has_page else None
                row["tools"] = state.tools if body["arm"] == "text_agent" else []
                look = body.get("presentation")
                digest = look_digest(look, "question") if look else "drawn"
                row.update(messages_ref=str(place), presentation_hash=digest)
                opened.append(row)
                more = {"token": token, "status": "open", "verdict": None, "steps": {}, "events": []}
                state.episodes[number] = {**row, **more, "answer": None, "closed": None, "body": body}
        return {"episodes": opened, "messages": {one["messages_ref"]: state.prompt for one in opened}}

    def episode_call(self, number: int, name: str | None) -> tuple[int, object] | None:
        state = self.fake.state
        if number not in state.episodes:
            return None
        episode = state.episodes[number]
        if name is None:
            return 200, state.state_of(episode)
        body = json.loads(self.body or b"{}")
        if name == "interventions":
            return self.intervene(number, body)
        if name == "restore":
            return 200, self.restore(number)
        if name in ("messages", "rewards", "substeps", "trajectory"):
            return 200, self.reading(episode, name)
        if name == "tool_calls":
            return state.tool_call(episode, **body)
        if name == "resume":
            if episode["status"] == "finished":
                return 409, {"error": {"code": "episode_final", "message": ""}}
            shown = {name: episode[name] for name in ("start_url", "tools")}
            return 200, {**shown, "next_index": len(episode["steps"]) + 1}
        if name == "steps":
            return self.steps(episode, body["steps"])
        if name == "submission":
            return self.submission(episode, **body)
        if name == "close":
            if episode["status"] == "finished":
                return 409, {"error": {"code": "episode_final", "message": ""}}
            episode["closed"] = body
            ours = body["reason"] in ("harness_error", "model_error", "cancelled")
            state.judge(episode, outcome="void" if ours else "incorrect", reason=body["reason"])
            return 200, state.state_of(episode)
        return None

    def reading(self, episode: dict[str, Any], name: str) -> dict[str, Any]:
        state = self.fake.state
        if name == "rewards":
            return state.rewards_of(episode, profile=self.query.get("profile", "of-the-run"))
        if name == "trajectory":
            return trajectory_of(episode)
        return {"messages": state.prompt} if name == "messages" else {"steps": substeps_of(episode)}

    def restore(self, number: int) -> dict[str, Any]:
        self.fake.state.refusals.pop(f"{number}/resume", None)
        return self.fake.state.recipe

    def submission(
        self, episode: dict[str, Any], *, answer: Any, number: int = 1
    ) -> tuple[int, dict[str, Any]]:
        state = self.fake.state
        if state.check and number == 1:
            is_again = "first" in episode
            if episode.setdefault("first", answer) != answer:
                return 409, {"error": {"code": "other_first_answer", "message": state.check}}
            return 202, {"duplicate": is_again, "check": state.check}
        state.submit(episode, answer)
        return 202, {"duplicate": False}

    def steps(self, episode: dict[str, Any], steps: list[dict[str, Any]]) -> tuple[int, object]:
        for step in steps:
            if other := self.fake.state.steps_of_others.pop(step["index"], None):
                episode["steps"].setdefault(step["index"], {**step, **other})
        if clash := [step for step in steps if episode["steps"].get(step["index"], step) != step]:
            return 409, {"error": {"code": "step_conflict", "message": f"step {clash[0]['index']}"}}
        held_after = self.fake.state.held.get(episode["id"])
        if held_after is not None and any(step["index"] > held_after for step in steps):
            fields = {"begins_after": [str(held_after)]}
            return 409, {"error": {"code": "taken_over", "message": "wait", "fields": fields}}
        episode["steps"] |= {step["index"]: step for step in steps}
        left = episode["max_steps"] - max(episode["steps"])
        if left <= 0 and episode["verdict"] is None:
            self.fake.state.judge(episode, outcome="incorrect", reason="step_budget", truncated=True)
        state = self.fake.state.state_of(episode)
        ack = {"accepted": len(steps), "duplicates": 0, "next_index": max(episode["steps"]) + 1}
        return 200, {**state, **ack, "steps_left": left}


class Live(Handler):
    def answer(self, method: str, path: str) -> None:
        state = self.fake.state
        deadline = time.monotonic() + min(float(self.query.get("timeout", "1")), 1.0)
        match = re.fullmatch(r"/wait/episodes/(\d+)", path)
        with state.lock:
            if match:
                episode = state.episodes[int(match[1])]
                state.lock.wait_for(lambda: episode["verdict"], max(0, deadline - time.monotonic()))
                self.send_json(200, state.state_of(episode))
                return
            after = int(self.query.get("after", "0"))
            state.lock.wait_for(lambda: len(state.verdicts) > after, max(0, deadline - time.monotonic()))
            self.send_json(200, {"results": state.verdicts[after:], "next": str(len(state.verdicts))})


class FakeServer:
    """Serves on free ports until ``close``."""

    def __init__(self) -> None:
        self.state = State()
        self._servers = [self._serve(kind) for kind in (Arena, Lab, Live)]
        self.arena_url, self.lab_url, self.live_url = (
            f"http://127.0.0.1:{server.server_port}" for server in self._servers
        )

    def _serve(self, kind: type[Handler]) -> ThreadingHTTPServer:
        handler = type(kind.__name__, (kind,), {"fake": self})
        server = ThreadingHTTPServer(("127.0.0.1", 0), handler)
        server.daemon_threads = True
        threading.Thread(target=server.serve_forever, kwargs={"poll_interval": 0.05}, daemon=True).start()
        return server

    def close(self) -> None:
        for server in self._servers:
            server.shutdown()
            server.server_close()
