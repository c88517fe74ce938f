"""Policies: the protocol, and scripted policies for trying out a gym. Scripted policies are simulated."""

from __future__ import annotations

from palaestra.policies.base import EpisodeInfo, Policy
from palaestra.policies.narrator import Narrator
from palaestra.policies.null import Null
from palaestra.policies.solver import Solution, Solver, solutions_read
from palaestra.policies.void_seeker import VoidSeeker

__all__ = ["EpisodeInfo", "Narrator", "Null", "Policy", "Solution", "Solver", "VoidSeeker", "solutions_read"]
