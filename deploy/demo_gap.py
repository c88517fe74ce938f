"""The program behind `make demo-gap`: it simulates a policy with a known gap that the report should find."""

from __future__ import annotations

from pathlib import Path

from deploy import demo
from deploy.programs import main_exit

PLANTED = Path(__file__).with_name("planted_gap.json")
# This makes 960 episodes, of which 384 are played on pages.
DESIGN = ("--benchmark", "gsm8k", "--benchmark", "math", "--limit", "12", "--samples", "8", "--looks", "8")


def main() -> int:
    options = demo.arguments_read(__doc__)
    return demo.played(options, "eval", "--planted", str(PLANTED), *DESIGN)


if __name__ == "__main__":
    main_exit(main)
