"""``lexalign induce SOURCE TARGET --lexicon FILE --output DIR``."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import Any

import click

from lexalign.cli.options import (
    PATH,
    output_options,
    parameter_options,
    policy_from,
    policy_options,
)
from lexalign.induction.exports import EXPORTS
from lexalign.induction.inducer import Inducer
from lexalign.induction.ranker import Boosting
from lexalign.parameters import parameters_of
from lexalign.vectors import FREQUENT_WORDS


@click.command("induce")
@click.argument("source", type=PATH)
@click.argument("target", type=PATH)
@click.option("--lexicon", required=True, metavar="FILE", help="Seeds: a dictionary.")
@click.option(
    "--top", type=click.IntRange(1), default=5, show_default=True, help="Translations a word."
)
@click.option(
    "--min-probability",
    type=click.FloatRange(0, 1),
    default=0.0,
    show_default=True,
    help="Write only translations that are right with at least this probability.",
)
@click.option(
    "--max-rank", type=click.IntRange(1), help="Translate only the N most frequent source words."
)
@click.option(
    "--vocabulary",
    type=click.IntRange(100),
    default=FREQUENT_WORDS,
    show_default=True,
    help="Read the N most frequent words of each side.",
)
@click.option(
    "--export",
    "exports",
    multiple=True,
    type=click.Choice(list(EXPORTS)),
    help="Write the dictionary in this format too; may be repeated.",
)
@parameter_options(Inducer)
@parameter_options(Boosting, without=("seed",))
@policy_options
@output_options
def command(
    source: Path,
    target: Path,
    lexicon: str,
    top: int,
    min_probability: float,
    max_rank: int | None,
    vocabulary: int,
    exports: tuple[str, ...],
    output: Path,
    output_format: str,
    overwrite: bool,
    as_json: bool,
    **options: Any,
) -> None:
    """Induce a dictionary from the vectors SOURCE and TARGET and a seed lexicon.

    The best aligner is chosen on held-out seeds, a ranking of candidates is learned, and every
    translation gets the probability that it is right. DIR gets dictionary.tsv and a run that
    translate, evaluate, report and explore take.
    """
    from lexalign.cli.printing import show_json
    from lexalign.cli.progress import progress_for_humans
    from lexalign.pipelines.induce import FileInduction

    policy = policy_from(options)
    size = {name: options.pop(name) for name in parameters_of(Boosting) if name != "seed"}
    work = FileInduction(
        inducer=Inducer(**options, boosting=Boosting(**size)),
        vocabulary=vocabulary,
        max_rank=max_rank,
        top=top,
        min_probability=min_probability,
        exports=exports,
        policy=policy,
        output_format=output_format,
        overwrite=overwrite,
        progress=progress_for_humans(),
    )
    summary = work.induce(source, target, lexicon, output)
    if as_json:
        show_json(summary)
    else:
        _show(summary)


def _show(summary: Mapping[str, Any]) -> None:
    """What was tried, what was chosen, how good the ranking is, and some words."""
    from lexalign.cli.printing import closing_table, show, show_closing_table
    from lexalign.table import Column, Table, percent

    tried = summary["choice"]["tried"]
    if tried:
        rows = [
            [
                trial["method"],
                trial["p@1"],
                _interval(trial["interval"]),
                trial["words"],
                f"{trial['seconds']:.1f}",
                trial["remark"],
            ]
            for trial in tried
        ]
        columns = [
            Column("method"),
            Column("P@1", percent, is_number=True),
            Column("95 %", is_number=True),
            Column("words", is_number=True),
            Column("seconds", is_number=True),
            Column("remark"),
        ]
        show(Table(columns, rows, title="Methods on held-out seeds"), "terminal")
    click.echo(summary["choice"]["reason"])
    table = closing_table("Dictionary")
    for name, direction in summary["ranking"].items():
        learned = direction.get("learned")
        table.add_row(
            f"{name}: CSLS, held-out seeds", f"P@1 {100 * direction['csls']['p@1']:.1f} %"
        )
        if learned:
            table.add_row(f"{name}: learned ranking", f"P@1 {100 * learned['p@1']:.1f} %")
        table.add_row(f"{name}: calibration error", f"{direction['calibration_error']:.3f}")
    table.add_row("words", f"{summary['words']:,}")
    table.add_row("translations", f"{summary['translations']:,}")
    table.add_row("with probability ≥ 0.8", f"{summary['sure_words']:,} words")
    show_closing_table(table, summary, _remarks(summary))


def _remarks(summary: Mapping[str, Any]) -> list[str]:
    kind = summary["ranking"]["forward"]["kind"]
    how = "a ranking learned from the seeds" if kind == "learned" else "CSLS"
    share = f"{100 * summary['expected_precision']:.0f} %"
    return [
        f"Candidates are ranked by {how}; about {share} of the first translations are right.",
        *(
            f"  {one['source']} → {one['target']}  {one['probability']:.2f}"
            for one in summary["examples"]
        ),
    ]


def _interval(bounds: list[float] | None) -> str:
    return "" if bounds is None else f"{100 * bounds[0]:.1f}–{100 * bounds[1]:.1f}"
