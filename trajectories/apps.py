from __future__ import annotations

from django.apps import AppConfig


class TrajectoriesConfig(AppConfig):
    name = "trajectories"

    def ready(self) -> None:
        from trajectories.actions import builtin, types

        types.ACTIONS.discover(builtin)

        from trajectories.exports import builtin as kinds
        from trajectories.exports.registry import KINDS

        KINDS.discover(kinds)

        from trajectories.annotation import export_kinds
        from trajectories.exports.registry import PROJECT_KINDS

        PROJECT_KINDS.discover(export_kinds)

        from trajectories.rewards import components, milestones
        from trajectories.rewards.registry import COMPONENTS, MILESTONES

        COMPONENTS.discover(components)
        MILESTONES.discover(milestones)
