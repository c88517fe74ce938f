"""Profiles by name, both the gym's own and those stored through the API."""

from __future__ import annotations

import re
import tomllib
from collections.abc import Iterable, Mapping, Sequence
from functools import cache
from pathlib import Path
from typing import Any, NamedTuple

from core.errors import GymError
from palaestra.protocol.suggestions import did_you_mean
from trajectories.models import RewardProfile
from trajectories.models.access import DEFAULT_PROJECT
from trajectories.record import projects
from trajectories.record.projects import Viewer
from trajectories.rewards.learned.store import list_problems
from trajectories.rewards.learned.store import payable as learned_payable
from trajectories.rewards.profiles.judge_terms import check_certified, find_payable_judges, unknown_judges
from trajectories.rewards.profiles.parser import body_of, profile_of, profile_read, refused, sha256_of
from trajectories.rewards.profiles.types import Profile

BUILTIN = Path(__file__).with_name("builtin")
DEFAULT = "outcome-v1"
SETTING = "reward_profile"
"""The key of a run's settings that holds its profile's reference."""
HASH_SHOWN = 12
REFERENCE = re.compile(r"([^@]+)(?:@([0-9a-f]{8,64}))?")


class Named(NamedTuple):
    """A profile with the hash of its content."""

    profile: Profile
    sha256: str

    @property
    def reference(self) -> str:
        return format_reference(self.profile.name, self.sha256)


def format_reference(name: str, sha256: str) -> str:
    """Return ``name@hash``, which always refers to exactly this profile."""
    return f"{name}@{sha256[:HASH_SHOWN]}"


@cache
def builtin() -> Mapping[str, Named]:
    """Return the profiles that come with the gym, by name."""
    read = (profile_read(tomllib.loads(path.read_text("utf-8"))) for path in sorted(BUILTIN.glob("*.toml")))
    return {profile.name: Named(profile, sha256_of(profile)) for profile in read}


def profile_store(body: Any, *, viewer: Viewer) -> tuple[Named, bool]:
    """Store a profile in the viewer's project. Return it, and True if it is new.

    Raises ``GymError`` as ``profile_read`` does, also for an unknown judge or learned reward, and 409
    ``profile_name_taken`` for the name of a profile that comes with the gym.
    """
    profile = profile_read(body)
    if problems := unknown_components([term.component for term in profile.terms], viewer=viewer):
        raise refused(problems)
    named = Named(profile, sha256_of(profile))
    if profile.name in builtin():
        if builtin()[profile.name].sha256 == named.sha256:
            return named, False
        message = f"{profile.name!r} comes with the gym: give yours another name."
        raise GymError("profile_name_taken", message, status=409)
    _, is_new = RewardProfile.objects.get_or_create(
        project=viewer.project or DEFAULT_PROJECT,
        sha256=named.sha256,
        defaults={"name": profile.name, "body": body_of(profile)},
    )
    return named, is_new


def unknown_components(names: Sequence[str], *, viewer: Viewer) -> list[str]:
    """Return a message for each component whose learned reward or judge does not exist for the viewer."""
    return list_problems(names, viewer=viewer, is_training=False) or unknown_judges(names)


def check_may_pay(profile: Profile, *, viewer: Viewer) -> None:
    """Refuse a profile that may not pay training runs, with a ``GymError`` (422).

    The code is ``profile_refused`` if a learned reward's error is too large or not known well enough, and
    ``judge_not_certified`` if a judge's criterion is not certified.
    """
    components = [term.component for term in profile.terms]
    if problems := list_problems(components, viewer=viewer, is_training=True):
        raise refused(problems)
    check_certified(profile)


def payable(components: Iterable[str]) -> dict[str, bool]:
    """Map each component of a learned reward or judge to True if a training run may be paid for it."""
    names = list(components)
    return learned_payable(names) | find_payable_judges(names)


def profile_get(reference: str, *, viewer: Viewer) -> Named:
    """Return the profile with the reference ``name`` or ``name@hash``.

    Raises ``GymError`` ``unknown_profile`` (422).
    """
    match = REFERENCE.fullmatch(reference or DEFAULT)
    name, sha256 = match.groups() if match else (reference, None)
    if name in builtin() and builtin()[name].sha256.startswith(sha256 or ""):
        return builtin()[name]
    stored = projects.visible(RewardProfile.objects.filter(name=name), viewer)
    row = stored.filter(sha256__startswith=sha256 or "").order_by("-pk").first()
    if row is None:
        stored = projects.visible(RewardProfile.objects.all(), viewer)
        hint = did_you_mean(name, {*builtin(), *stored.values_list("name", flat=True)})
        message = f"There is no reward profile {reference!r}. {hint}"
        raise GymError("unknown_profile", message, status=422, fields={"profile": [message]})
    return Named(profile_of(row.body), row.sha256)


def list_profiles(viewer: Viewer) -> list[Named]:
    """Return all profiles that the viewer may use: the gym's own, then stored ones, newest first."""
    rows = projects.visible(RewardProfile.objects.order_by("-pk"), viewer)
    return [*builtin().values(), *(Named(profile_of(row.body), row.sha256) for row in rows)]
