"""A noisy trainer in its own process: `python -m tests.bench.noise LAB KEY CONNECTIONS SECONDS ID...`

It sends single steps of the episodes ID as fast as the lab accepts them. A line is printed when it begins,
then the rate.
"""

from __future__ import annotations

import sys
from itertools import count

from tests.bench import load

# Requests are made beforehand, because making them takes longer than the lab needs to answer them.
REQUESTS_PER_S = 2_500


def main(lab: str, key: str, connections: int, seconds: float, episodes: list[str]) -> None:
    body = {"thought": "noise " * 80, "action": {"type": "noop"}}
    steps = ((episode, index) for index in count(1) for episode in episodes)
    made = [
        load.request_bytes(
            "POST",
            f"{lab}/api/v1/episodes/{episode}/steps",
            key=key,
            body={"steps": [{"index": index, **body}]},
        )
        for _, (episode, index) in zip(range(int(REQUESTS_PER_S * seconds)), steps, strict=False)
    ]
    print("begins", flush=True)
    print(load.hammer(lab, iter(made), connections=connections, seconds=seconds).rate, flush=True)


if __name__ == "__main__":
    lab, key, connections, seconds, *episodes = sys.argv[1:]
    main(lab, key, int(connections), float(seconds), episodes)
