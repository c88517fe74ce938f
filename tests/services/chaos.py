"""Work that goes on while processes are killed, and the effects of each kill."""

from __future__ import annotations

import random
import time
from collections.abc import Collection, Sequence
from concurrent.futures import Future, ThreadPoolExecutor
from dataclasses import dataclass, field

from tests.services import audit
from tests.services.flow import JUDGED_S, fail_early, flow_wait, golds_of, judged_wait
from tests.services.kills import VICTIMS, Installation
from tests.services.traffic import Caller, Ledger, Traffic

EVERYONE = (*VICTIMS, "supervisor")
THREADS = 4
HASTE_S = (0.1, 1.2)
# An answer is judged up to three times, and its gold once, before the claim is lost.
SETTINGS = {"CLAIM_LOST_S": "12", "VERIFIER_TIMEOUT_S": "3", "RESEND_AFTER_S": "2,4,8"}


@dataclass(frozen=True)
class Kill:
    """A kill, with the ``steps`` and ``answers`` acknowledged before; ``flow_s`` is None for one in haste."""

    victim: str
    steps: int
    answers: int
    flow_s: float | None = None


@dataclass
class Chaos:
    """One run of traffic during which processes are killed."""

    installation: Installation
    seed: int
    ledger: Ledger = field(default_factory=Ledger)
    kills: list[Kill] = field(default_factory=list)

    def play(self, *, rounds: int = 1, in_haste: Collection[str] = EVERYONE) -> None:
        """Kill processes while threads work and note the answers; return when everything is judged.

        A round kills all processes one by one, and then those ``in_haste`` once more.
        """
        owner_url = self.installation.owner_url
        traffic = Traffic(
            up=self.installation.up,
            key=self.installation.key,
            run=self._run_open(),
            golds=golds_of(owner_url),
            ledger=self.ledger,
        )
        with ThreadPoolExecutor(THREADS + 1) as threads:
            working = [threads.submit(traffic.rollouts, self.seed + number) for number in range(THREADS)]
            following = threads.submit(traffic.stream)
            try:
                flow_wait(self.ledger, working, after="the start")
                for number in range(rounds):
                    self._kill_one_by_one(working, _shuffled(EVERYONE, self.seed + 2 * number))
                    self._kill_in_haste(working, _shuffled(in_haste, self.seed + 2 * number + 1))
                flow_wait(self.ledger, working, after="the last kill")
                traffic.stop.set()
                for thread in working:
                    thread.result(timeout=JUDGED_S)
                judged_wait(owner_url, self.ledger)
            finally:
                traffic.stop.set()
                traffic.is_over.set()
            following.result()

    def table(self) -> str:
        """Return a Markdown table with a line per killed process, over all its kills.

        It shows what was acknowledged until the next kill, what of this was lost, and when work flowed again.
        """
        lost = audit.steps_lost(self.installation.owner_url, self.ledger)
        doubled, void = audit.verdicts_odd(self.installation.owner_url)
        steps, answers = list(self.ledger.steps), list(self.ledger.expected)
        ends = [*self.kills[1:], Kill("", len(steps), len(answers))]
        lines = {victim: [0] * 6 for victim in EVERYONE}
        for kill, end in zip(self.kills, ends, strict=True):
            own_steps, own = steps[kill.steps : end.steps], answers[kill.answers : end.answers]
            counts = (1, len(own_steps), len(own), len(lost & set(own_steps)))
            odd = (len(doubled & set(own)), len(void & set(own)))
            lines[kill.victim] = [a + b for a, b in zip(lines[kill.victim], counts + odd, strict=True)]
        lines["all"] = [sum(column) for column in zip(*lines.values(), strict=True)]
        head = "| killed | kills | steps acknowledged | answers | lost | doubled | void | flows again, s |"
        body = [_line(victim, counts, self._flows(victim)) for victim, counts in lines.items()]
        return "\n".join([head, "|---" * 8 + "|", *body])

    def _flows(self, victim: str) -> Sequence[float]:
        return [kill.flow_s for kill in self.kills if kill.victim == victim and kill.flow_s is not None]

    def _kill(self, victim: str) -> Kill:
        kill = Kill(victim, *self.ledger.flow()[:2])
        self.installation.kill(victim)
        return kill

    def _kill_one_by_one(self, working: list[Future[None]], order: Sequence[str]) -> None:
        """Kill each process in turn; work must flow again before the next kill."""
        for victim in order:
            began = time.monotonic()
            kill = self._kill(victim)
            flow_wait(self.ledger, working, after=f"{victim} was killed")
            flow_s = time.monotonic() - began
            self.kills.append(Kill(kill.victim, kill.steps, kill.answers, flow_s))
            say(f"{victim}: work flows {flow_s:.1f} s after")

    def _kill_in_haste(self, working: list[Future[None]], order: Sequence[str]) -> None:
        """Kill each process once more, without waiting until the previous one is back."""
        chance = random.Random(self.seed)
        for victim in order:
            fail_early(working)
            say(f"{victim}, in haste")
            self.kills.append(self._kill(victim))
            time.sleep(chance.uniform(*HASTE_S))

    def _run_open(self) -> int:
        caller = Caller(
            self.installation.up, self.installation.key, self.ledger, chance=random.Random(self.seed)
        )
        run, once = {"name": "chaos", "kind": "eval"}, {"Idempotency-Key": "chaos"}
        made = caller.json("POST", f"{caller.lab}/api/v1/runs", json=run, headers=once)
        caller.close()
        return int(made["id"])


def say(line: str) -> None:
    print(f"{time.strftime('%H:%M:%S')} {line}", flush=True)


def _shuffled(victims: Collection[str], seed: int) -> list[str]:
    order = list(victims)
    random.Random(seed).shuffle(order)
    return order


def _line(victim: str, counts: Sequence[int], flows: Sequence[float]) -> str:
    seconds = f"{min(flows):.1f} to {max(flows):.1f}" if flows else ""
    return f"| {victim} | {' | '.join(f'{count:,}' for count in counts)} | {seconds} |"
