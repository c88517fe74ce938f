"""Checks of a commit's message, run as a ``commit-msg`` hook: ``python -m deploy.commit_message FILE``.

Only formal rules are checked. The imperative is recognised by the verb's ending, since participles and the
third person end differently; imperatives with such an ending are listed as exceptions.
"""

from __future__ import annotations

import re
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

WIDTH = 72
SCISSORS = "# ------------------------ >8 ------------------------"
# `git commit --fixup` writes these prefixes, and `git rebase --autosquash` removes them.
AUTOSQUASH = re.compile(r"(?:(?:fixup|squash|amend)! )+")
VERB = re.compile(r"[A-Z][a-z]+(?:-[a-z]+)*")
NO_IMPERATIVE = re.compile(r"(?:ed|ing|(?<![sua])s)$")
IMPERATIVES = re.compile(r"embed|(?:exc|f|n|proc|s|sp|succ)eed|shed|bring|ping|ring|spring|string|swing")
NO_VERBS = re.compile("an?|all|each|it|more|new|no|now|some|the|these|this|typo|we|wip")


def find_problems(message: str, *, is_merge: bool = False) -> list[str]:
    """Return a sentence for each problem of a message; the list is empty if there are none."""
    if is_merge:
        return ["Merge commits are refused: rebase the branch instead."]
    subject, *rest = _written_lines(message) or [""]
    return [*_subject_problems(AUTOSQUASH.sub("", subject)), *_body_problems(rest)]


def _written_lines(message: str) -> list[str]:
    """Return the lines that git keeps: neither comments nor anything below the scissors line."""
    lines = message.partition(SCISSORS)[0].splitlines()
    return "\n".join(line.rstrip() for line in lines if not line.startswith("#")).strip("\n").splitlines()


def _subject_problems(subject: str) -> Iterator[str]:
    if len(subject) > WIDTH:
        yield f"The subject has {len(subject)} characters; at most {WIDTH} fit."
    if subject.endswith("."):
        yield "The subject ends in a full stop: leave it out."
    first = subject.split(" ")[0].removesuffix(",")
    if not VERB.fullmatch(first):
        yield f"The subject begins with {first!r}: begin with a capitalised verb, such as Add or Refuse."
    elif not _may_be_imperative(first.lower()):
        yield f"The subject begins with {first!r}: use the imperative (Add, not Added, Adds or Adding)."


def _may_be_imperative(word: str) -> bool:
    if NO_VERBS.fullmatch(word):
        return False
    return bool(IMPERATIVES.fullmatch(word)) or not NO_IMPERATIVE.search(word)


def _body_problems(rest: list[str]) -> Iterator[str]:
    if rest and rest[0]:
        yield "The second line is not blank: leave one blank line between subject and body."
    for number, line in enumerate(rest, start=2):
        # A line of one word, such as an address, cannot be wrapped.
        if len(line) > WIDTH and " " in line.strip():
            yield f"Line {number} has {len(line)} characters; at most {WIDTH} fit."


def _is_merging() -> bool:
    """Return whether a merge is in progress: git sets a ref for it before it calls the hook."""
    command = ["git", "rev-parse", "--quiet", "--verify", "MERGE_HEAD"]
    return subprocess.run(command, stdout=subprocess.DEVNULL, check=False).returncode == 0  # noqa: S603


def main() -> None:
    """Check the message in the file given as argument, and exit with its problems or with 0."""
    message = Path(sys.argv[1]).read_text("utf-8")
    if problems := find_problems(message, is_merge=_is_merging()):
        sys.exit("\n".join(problems))


if __name__ == "__main__":
    main()
