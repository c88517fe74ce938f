"""The name by which verifiers finds the door: it imports plug-ins by their top-level name."""

from palaestra.doors.verifiers import PalaestraEnv, PalaestraTaskset

__all__ = ["PalaestraEnv", "PalaestraTaskset"]
