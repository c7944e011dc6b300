"""``lexalign experiment``: run grids of experiments, and print their tables."""

from __future__ import annotations

import shlex
from pathlib import Path
from typing import Any

import click

from lexalign.cli.completion import complete_grids
from lexalign.cli.options import PATH, device_option
from lexalign.cli.printing import conclude, note
from lexalign.cli.progress import progress_for_humans
from lexalign.errors import LexalignError
from lexalign.json_text import json_text
from lexalign.table import TABLE_FORMATS


@click.group()
def command() -> None:
    """Run grids of experiments, and print their tables.

    A grid (TOML) declares vectors, pairs, aligners, refinements, seeds and the evaluation. Lexalign
    includes the grids of the paper. A second file lists the paths of the inputs.
    """


@command.command("list")
def list_grids() -> None:
    """List the grids that Lexalign includes."""
    from lexalign.cli.printing import show
    from lexalign.experiments import read_grid, shipped
    from lexalign.table import Column, Table

    names = ("grid", "shows", "source", "pairs", "aligners")
    rows = [
        [
            name,
            f"{grid.title}, {grid.metric}",
            grid.source,
            ", ".join(pair.languages for pair in grid.pairs),
            ", ".join(choice.label for choice in grid.aligners),
        ]
        for name, grid in ((name, read_grid(name)) for name in shipped())
    ]
    show(Table([Column(name) for name in names], rows), "terminal")


@command.command()
@click.argument("folder", metavar="DIR", type=PATH)
@click.option("--overwrite", is_flag=True, help="Replace DIR if this command wrote it.")
def new(folder: Path, overwrite: bool) -> None:
    """Write a grid to begin with into DIR: a commented file that runs on the embedded vectors.

    DIR gets the grid, which has the name of DIR, a file that says where the inputs are, and the
    inputs: 10,000 English and German words with vectors, seeds and a test dictionary.
    """
    from lexalign.atomic import atomic_folder, claim_folder
    from lexalign.demo import write_demo_files
    from lexalign.experiments.template import INPUTS, NEW_EXPERIMENT, grid_file, write_template

    claim = claim_folder(folder, NEW_EXPERIMENT, overwrite=overwrite)
    with atomic_folder(claim, NEW_EXPERIMENT) as made:
        write_demo_files(made)
        write_template(made, grid_file(folder))
    grid, inputs, results = folder / grid_file(folder), folder / INPUTS, folder / "results"
    run = ["run", str(grid), "--inputs", str(inputs), "--output", str(results)]
    conclude(
        f"Written to {folder}; change {grid} and run it with",
        f"  lexalign experiment {shlex.join(run)}",
        f"  lexalign experiment {shlex.join(['table', str(results)])}",
    )


@command.command()
@click.argument("grids", metavar="GRID...", nargs=-1, required=True, shell_complete=complete_grids)
@click.option(
    "--inputs",
    type=PATH,
    metavar="FILE",
    help="Paths of the inputs (TOML). [default: the inputs that 'lexalign data fetch' fetched]",
)
@click.option(
    "--output", required=True, type=PATH, metavar="DIR",
    help="Folder of the jobs; finished jobs in it are not repeated.",
)  # fmt: skip
@click.option(
    "--executor",
    type=click.Choice(["local", "ray"]),
    default="local",
    show_default=True,
    help="Run jobs in processes on this machine, or on a Ray cluster.",
)
@click.option("--workers", type=click.IntRange(1), default=1, show_default=True,
              help="Number of jobs that run at the same time.")  # fmt: skip
@click.option(
    "--only",
    multiple=True,
    metavar="LABEL",
    help="Run only aligners with this label; repeatable. You can run the others later.",
)
@device_option
@click.option("--json", "as_json", is_flag=True, help="Print the summary as JSON.")
def run(
    grids: tuple[str, ...],
    inputs: Path | None,
    output: Path,
    executor: str,
    workers: int,
    only: tuple[str, ...],
    device: str,
    as_json: bool,
) -> None:
    """Run grids, by name or file, job by job.

    After an interruption, the same command continues. Failed jobs are repeated, and do not stop the
    others.
    """
    from lexalign.arrays import require_device
    from lexalign.cli.printing import say, warn
    from lexalign.experiments import Inputs, plan, read_grid, run_plans
    from lexalign.experiments.data.data_folder import default_folder
    from lexalign.experiments.local import JobResult

    if executor == "local":
        require_device(device)
    given = Inputs.public(default_folder()) if inputs is None else Inputs.read(inputs)
    plans = [plan(read_grid(name), given, device) for name in grids]
    left_out = {cell.missing for one in plans for cell in one.cells if cell.missing}
    for reason in sorted(left_out):
        note(f"left out: {reason}")
    jobs = {job.name: job for one in plans for job in one.jobs_of(only)}

    def on_end(ended: JobResult) -> None:
        advance(1)
        if ended.failure is not None:
            told = f"failed: {ended.job.step} {ended.job.title}: {ended.failure.sentence}"
            say(told, err=True)

    try:
        with progress_for_humans().stage("running", total=len(jobs), unit="jobs") as advance:
            advance.resume(sum(job.is_done(output) for job in jobs.values()))
            outcome = run_plans(
                plans, output, executor=executor, workers=workers, only=only, on_end=on_end
            )
    except KeyboardInterrupt:
        told = "interrupted; finished jobs are kept, and the same command continues."
        warn(told)
        raise click.exceptions.Exit(130) from None
    summary = {
        "output": str(output),
        "done": outcome.done,
        "done_before": outcome.before,
        "failed": {ended.job.name: ended.failure.sentence for ended in outcome.failed
                   if ended.failure},
        "waiting_for_these": len(outcome.waiting),
        "left_out": sorted(left_out),
    }  # fmt: skip
    if as_json:
        click.echo(json_text(summary, indent=1))
    else:
        conclude(_sentence(summary))
    if outcome.failed:
        raise LexalignError(
            f"{len(outcome.failed)} jobs failed, and {len(outcome.waiting)} jobs that need "
            f"them did not run; see {output / 'failures'}."
        )


def _sentence(summary: dict[str, Any]) -> str:
    return (
        f"{summary['done']} jobs done, {summary['done_before']} done before. Tables: lexalign "
        f"experiment table {summary['output']}"
    )


@command.command()
@click.argument("folder", metavar="DIR", type=PATH)
@click.argument("grids", metavar="[GRID]...", nargs=-1)
@click.option(
    "--format",
    "form",
    type=click.Choice(TABLE_FORMATS),
    default="markdown",
    show_default=True,
    help="Format of the tables.",
)
@click.option("--metric", help="Show another score, such as p@5 or mrr.")
def table(folder: Path, grids: tuple[str, ...], form: str, metric: str | None) -> None:
    """Print the tables of the grids in a folder, or only of the named grids.

    The tables hold means over successful runs (the best in bold), gains by refinement,
    significance, and the published figures. An empty cell states its reason.
    """
    from lexalign.cli.wording import visible
    from lexalign.experiments import grids_in, read_results, render

    names = grids or grids_in(folder)
    if not names:
        raise LexalignError(
            f"{folder} holds no experiment; run one with 'lexalign experiment run'."
        )
    results = [read_results(folder, name) for name in names]
    texts = [render(result, form, metric) for result in results]
    if form == "csv":
        # One heading for all of them.
        texts = [texts[0], *(text.partition("\n")[2] for text in texts[1:])]
        click.echo("".join(texts), nl=False)
    else:
        click.echo(visible("\n".join(texts), line_ends=True), nl=False)
