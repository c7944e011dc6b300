"""``lexalign refine SOURCE TARGET --output DIR``."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import Any

import click

from lexalign.cli.options import PATH, parameter_options, policy_from, run_options
from lexalign.refinement import Refiner


@click.command("refine")
@click.argument("vectors", nargs=-1, required=True, type=PATH, metavar="SOURCE TARGET")
@parameter_options(Refiner)
@click.option(
    "--seed",
    type=click.IntRange(0),
    default=0,
    show_default=True,
    help="Recorded in run.json; refinement uses no random numbers.",
)
@run_options
def command(
    vectors: tuple[Path, ...],
    output: Path,
    limit: int,
    output_format: str,
    seed: int,
    overwrite: bool,
    as_json: bool,
    **options: Any,
) -> None:
    """Refine SOURCE and TARGET, two embeddings that already share one space.

    Instead of both, you can name the folder of a run, such as one of 'lexalign align'.

    Refinement rotates the source so that the loss of the mutual pairs decreases (Peng, Lin &
    Stevenson 2021). By default, it stops at the point with the most right choices of held-out
    words. If no point is clearly better than the input, it keeps the input.

    DIR receives the refined source and the normalised target. The file map.safetensors is the whole
    map from the original vectors, and rotation.safetensors the rotation of this refinement. The
    mutual pairs are in lexicon.tsv, and the record in run.json.
    """
    from lexalign.cli.printing import show_json, warn
    from lexalign.cli.progress import progress_for_humans
    from lexalign.pipelines.refine import refine_files
    from lexalign.runs import aligned_pairs

    pairs = aligned_pairs(vectors)
    if len(pairs) != 1:
        raise click.UsageError("Name one SOURCE and one TARGET, or one folder of a run.")
    policy = policy_from(options)
    summary = refine_files(
        pairs[0].source,
        pairs[0].target,
        output,
        Refiner(**options),
        limit=limit,
        policy=policy,
        output_format=output_format,
        seed=seed,
        overwrite=overwrite,
        progress=progress_for_humans(),
    )
    if summary["warning"]:
        warn(summary["warning"])
    if as_json:
        show_json(summary)
    else:
        refinement_table(summary)


def refinement_table(summary: Mapping[str, Any]) -> None:
    """Print what a refinement did: pairs, distance, stopping point and total time."""
    from lexalign.cli.printing import closing_table, show_closing_table
    from lexalign.cli.verbosity import is_verbose
    from lexalign.refinement.stopping import REQUIRED_Z

    table = closing_table("Refinement")
    table.add_row("mutual pairs", f"{summary['pairs']:,}")
    if summary["rounds"] > 1:
        table.add_row("rounds", str(summary["rounds"]))
    before, after = summary["l1_before"], summary["l1_after"]
    change = f" ({100 * (after / before - 1):+.2f} %)" if before else ""
    table.add_row("ℓ1 loss of the pairs", f"{before:,.1f} → {after:,.1f}{change}")
    if (stopping := summary["stopping"]) is not None:
        shares = ", ".join(f"{100 * part:.0f} %" for part in stopping["shares"])
        kept = " (input kept)" if summary["outcome"] == "unchanged" else ""
        table.add_row("stopping point", f"{shares} of the path{kept}")
        kind = "spelled alike" if stopping["spelled_alike"] else "rarer words"
        table.add_row("held-out words", f"{stopping['held_out_words']:,} ({kind})")
        accuracy = (f"{100 * stopping[f'accuracy_{end}']:.1f} %" for end in ("before", "after"))
        table.add_row("right choices, held-out words", " → ".join(accuracy))
        gain = f"z = {stopping['z']:.1f} (needs ≥ {REQUIRED_Z:g})"
        table.add_row(f"{'best ' if kept else ''}gain on held-out words", gain)
    if is_verbose():
        table.add_row("max |MᵀM − I|", f"{summary['orthogonality_error']:.1e}")
    remarks = [summary["message"]]
    if summary["outcome"] == "unchanged":
        remarks.append(
            "If you have a test dictionary, refine again with --solver minimum, which minimises "
            "the loss fully, and evaluate both."
        )
    show_closing_table(table, summary, remarks)
