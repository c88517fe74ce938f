"""``palaestra plan``: fix what an evaluation will play and compare before it is played."""

from __future__ import annotations

import argparse
import asyncio
import json
from datetime import datetime, timezone
from pathlib import Path
from typing import Any

from palaestra.api import Client
from palaestra.commands import count, server_add, setup_add
from palaestra.episode_config import EpisodeConfig
from palaestra.errors import PalaestraError
from palaestra.evaluation.items import Items, items_choose, pictures_check, tools_check
from palaestra.evaluation.looks import AXES, DESIGNS, Design, looks_make
from palaestra.evaluation.plan import (
    ALPHA,
    LADDER,
    MARGIN,
    POWER,
    Benchmark,
    Looks,
    Model,
    Plan,
    PlannedArm,
    SmallestGap,
    plan_check,
    plan_sha256,
    plan_write,
    planned_arm_read,
)
from palaestra.evaluation.planted_gap import PREFIX, planted_read
from palaestra.evaluation.power import Guess, compute_smallest_gap
from palaestra.models.options import build_sampling
from palaestra.observation import get_format
from palaestra.protocol.arms import arm_of
from palaestra.protocol.plans import ITEMS_MIN
from palaestra.run.plan import SEED

# Accuracies cannot differ by more, so a plan with a larger smallest gap cannot detect any gap.
POINTS_MAX = 100.0


def add(commands: Any) -> None:
    """Add this subcommand and its arguments."""
    parser = commands.add_parser("plan", help="write an analysis plan", description=__doc__)
    server_add(parser)
    design_add(parser)
    parser.add_argument("--base-url", help="address of the endpoint; default: $OPENAI_BASE_URL")
    parser.add_argument("--out", type=Path, required=True, help="the file to write (JSON)")
    parser.set_defaults(command=command, title="The plan")


def design_add(parser: argparse.ArgumentParser) -> None:
    """Add the arguments that define a plan."""
    group = parser.add_argument_group("the plan")
    group.add_argument("--model", help="the model's id at its endpoint")
    group.add_argument("--checkpoint", default="", help="checkpoint of the model")
    group.add_argument("--planted", type=Path, help="a file that defines a planted gap, instead of a model")
    group.add_argument("--benchmark", dest="benchmarks", action="append", default=[], help="(repeatable)")
    group.add_argument("--split", help="default: all")
    group.add_argument("--limit", type=count, help="items per benchmark; default: all")
    group.add_argument(
        "--arms",
        type=arms_read,
        default=arms_read("ladder"),
        help="ladder (default), or comma-separated ids; ladder,gym:som,gym_image:som adds pictures of pages",
    )
    setup_add(group)
    group.add_argument("--samples", type=count, default=4, help="episodes per item and arm; default: 4")
    group.add_argument(
        "--looks",
        type=looks_read,
        default=("latin", 12),
        help="design of the looks: latin:12 (or just 12), full, or one_factor; default: 12",
    )
    group.add_argument(
        "--factors", type=factors_read, default=dict(AXES), help="axes of looks that vary; default: all"
    )
    group.add_argument("--no-retest", dest="retest", action="store_false", help="play each text arm once")
    group.add_argument(
        "--exclude", dest="exclusions", action="append", default=[], help="an exclusion rule (repeatable)"
    )
    group.add_argument("--alpha", type=float, default=ALPHA)
    group.add_argument("--margin", type=float, default=MARGIN, help="equivalence margin, in points")
    group.add_argument(
        "--guess", type=guess_read, default=Guess(), help="assumptions (JSON): accuracy, icc, rho, look_sd"
    )
    group.add_argument("--seed", type=int, default=SEED, help=f"default: {SEED}")
    group.add_argument("--name", default="", help="name of the report; default: derived from the plan")


def command(options: argparse.Namespace) -> int:
    """Write the plan and print its hash."""
    plan = asyncio.run(_make_plan(options))
    plan_write(plan, options.out)
    print(format_plan(plan))
    print(f"{plan_sha256(plan)}  {options.out}")
    return 0


async def _make_plan(options: argparse.Namespace) -> Plan:
    async with Client(options.server, options.key) as client:
        plan = await plan_make(client, options)
        await pictures_check(client, plan)
        await tools_check(client, plan)
    return plan


async def plan_make(client: Client, options: argparse.Namespace) -> Plan:
    """Build the plan that the arguments define. Raises ``PalaestraError`` if it cannot be played."""
    if not options.benchmarks or not (options.model or options.planted):
        raise PalaestraError("State what to evaluate: --model M (or --planted FILE) and --benchmark B.")
    chosen = await _choose_items(client, options)
    looks = _choose_looks(options)
    plan = Plan(
        name=options.name or _make_name(options, looks=looks.count),
        model=_build_model(options),
        benchmarks=[
            Benchmark(
                slug=slug, split=options.split, limit=options.limit, task_ids=[t.id for t in items.tasks]
            )
            for slug, items in chosen.items()
        ],
        arms=list(map(str, options.arms)),
        observation=get_format(options.observation).id,
        observation_settings=_build_observation_settings(options),
        grammar=options.grammar,
        history=options.history,
        actions_per_turn=options.actions_per_turn,
        token_budget=options.token_budget,
        answer_check=options.answer_check,
        samples=options.samples,
        looks=looks,
        retest=options.retest,
        exclusions=[*_list_exclusions(chosen), *options.exclusions],
        alpha=options.alpha,
        margin=options.margin,
        contrasts=_list_contrasts(options.arms),
        smallest_gap=_estimate_smallest_gap(options, chosen, looks=looks.count),
        seed=options.seed,
        created_at=datetime.now(timezone.utc).isoformat(timespec="seconds"),
    )
    plan_check(plan)
    return plan


def _build_model(options: argparse.Namespace) -> Model:
    return Model(
        name=_name_model(options),
        base_url=options.base_url,
        checkpoint=options.checkpoint or None,
        sampling=build_sampling(options),
    )


def format_plan(plan: Plan) -> str:
    """Summarise a plan in one line each for its size, arms, looks and smallest gap."""
    items = sum(len(benchmark.task_ids) for benchmark in plan.benchmarks)
    again = plan.retest and not all(arm_of(arm.arm).has_page for arm in plan.planned_arms)
    episodes = items * plan.samples * (len(plan.arms) + again)
    few = [each.slug for each in plan.benchmarks if len(each.task_ids) < ITEMS_MIN]
    too_few = f"fewer than {ITEMS_MIN} items of {', '.join(few)}: the report will give no interval for them"
    return "\n".join(
        [
            f"{items:,} items of {', '.join(each.slug for each in plan.benchmarks)}; {episodes:,} episodes",
            f"arms: {', '.join(plan.arms)}{'; the first text arm twice' if again else ''}",
            f"{plan.looks.count} looks ({plan.looks.design}), {plan.samples} samples per item and arm",
            _format_gap(plan.smallest_gap.points),
            *([too_few] if few else []),
            *plan.exclusions,
        ]
    )


def _format_gap(points: float | None) -> str:
    if points is None:
        return "computing the smallest detectable gap takes at least two items and two looks"
    if points > POINTS_MAX:
        return "no gap is detectable under the plan's assumptions: use more items or looks"
    return f"smallest detectable gap: {points:.1f} points under the plan's assumptions"


# ---- arguments
def arms_read(text: str) -> tuple[PlannedArm, ...]:
    """Parse a list of arms such as ``ladder,gym:som``, where ``ladder`` stands for all arms of the ladder.

    Raises ``ArgumentTypeError`` for an unknown arm.
    """
    named = [arm for part in text.split(",") for arm in (LADDER if part == "ladder" else (part,))]
    try:
        return tuple(dict.fromkeys(map(planned_arm_read, named)))
    except PalaestraError as failure:
        raise argparse.ArgumentTypeError(f"{failure} And: ladder.") from failure


def looks_read(text: str) -> tuple[Design, int | None]:
    """Parse a design: ``12``, ``latin:12``, ``full`` or ``one_factor``. Raises ``ArgumentTypeError``."""
    design, _, number = text.rpartition(":") if ":" in text or text.isdigit() else (text, "", "")
    for known in DESIGNS:
        if known == (design or "latin") and (number or known != "latin"):
            return known, count(number) if number else None
    raise argparse.ArgumentTypeError(f"{text!r} is not a design: latin:12 (or 12), full, one_factor")


def factors_read(text: str) -> dict[str, object]:
    """Parse comma-separated axes of looks. Raises ``ArgumentTypeError`` for an unknown axis."""
    names = text.split(",")
    if unknown := [name for name in names if name not in AXES]:
        raise argparse.ArgumentTypeError(f"there is no axis {unknown[0]!r}; axes: {', '.join(AXES)}")
    return {name: AXES[name] for name in names}


def guess_read(text: str) -> Guess:
    """Parse the assumptions for the smallest gap, which are a JSON object."""
    return Guess(**json.loads(text))


# ---- inside
async def _choose_items(client: Client, options: argparse.Namespace) -> dict[str, Items]:
    """Choose the items of each benchmark."""
    return {
        slug: await items_choose(
            client,
            benchmark=slug,
            split=options.split,
            limit=options.limit,
            arms=options.arms,
            observation=options.observation,
        )
        for slug in dict.fromkeys(options.benchmarks)
    }


def _choose_looks(options: argparse.Namespace) -> Looks:
    design, number = options.looks
    factors = {name: list(AXES[name].values) for name in options.factors}
    looks = looks_make(design, count=number, factors=factors, seed=options.seed)
    return Looks(design=design, count=len(looks), factors=factors)


def _build_observation_settings(options: argparse.Namespace) -> dict[str, Any]:
    """Return the observation settings that differ from the defaults."""
    return EpisodeConfig(
        scope=options.scope, max_chars=options.max_chars, picture_max=options.picture_max
    ).observation_settings


def _name_model(options: argparse.Namespace) -> str:
    return PREFIX + planted_read(options.planted).name if options.planted else str(options.model)


def _make_name(options: argparse.Namespace, *, looks: int) -> str:
    items = f"{options.limit} items" if options.limit else "all items"
    size = f"{items}, {options.samples} samples, {looks} looks"
    simulated = "Simulated: " if options.planted else ""
    return f"{simulated}{_name_model(options)} on {', '.join(options.benchmarks)} ({size})"[:160]


def _list_exclusions(chosen: dict[str, Items]) -> list[str]:
    rules = ["Void episodes are played again; those that stay void are covered by bounds, not dropped."]
    for slug, items in chosen.items():
        if items.ineligible:
            rules.append(f"{slug}: {items.ineligible:,} tasks are not eligible for a gap.")
        if items.unseen:
            rules.append(
                f"{slug}: {items.unseen:,} tasks have pictures, which the observation does not show."
            )
    return rules


def _list_contrasts(named: tuple[PlannedArm, ...]) -> list[tuple[str, str]]:
    """Pair the first text arm with every arm that has a page, except probes, which have no accuracy."""
    base = next((arm for arm in named if not arm_of(arm.arm).has_page), None)
    paged = [arm for arm in named if arm_of(arm.arm).has_page and not arm_of(arm.arm).is_probe]
    return [(str(base), str(arm)) for arm in paged if base]


def _estimate_smallest_gap(
    options: argparse.Namespace, chosen: dict[str, Items], *, looks: int
) -> SmallestGap:
    """Estimate the smallest gap that the benchmark with the fewest items can detect."""
    points = compute_smallest_gap(
        options.guess,
        items=min(len(items.tasks) for items in chosen.values()),
        samples=options.samples,
        looks=looks,
        alpha=options.alpha,
        power=POWER,
    )
    guess = options.guess
    assumptions = {name: getattr(guess, name) for name in guess.__struct_fields__}
    rounded = None if points is None else round(points, 2)
    return SmallestGap(points=rounded, power=POWER, assumptions=assumptions)
