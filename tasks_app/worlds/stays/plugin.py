"""Opening, caching and folding of the booking site's world."""

from __future__ import annotations

from tasks_app.worlds.cache import cache_size, world_opener
from tasks_app.worlds.registry import WorldPlugin, worlds
from tasks_app.worlds.stays import comparison
from tasks_app.worlds.stays.changes import world_change
from tasks_app.worlds.stays.state import fold
from tasks_app.worlds.stays.text_view import TEXT_VIEW
from tasks_app.worlds.stays.world import world

open_world = world_opener(world, world_change, most_changed=cache_size(megabytes=12, kib=350))


worlds.register(
    "stays",
    WorldPlugin(
        id="stays",
        open_world=open_world,
        fold=fold,
        changes=frozenset({"booked", "changed", "cancelled", "banner_closed"}),
        text_view=TEXT_VIEW,
        compare=comparison.compare,
    ),
)
