"""``lexalign induce SOURCE TARGET --output DIR``, or one folder of a run."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import Any

import click

from lexalign.cli.completion import complete_seeds
from lexalign.cli.options import (
    PATH,
    names_option,
    output_options,
    parameter_options,
    policy_from,
    policy_options,
)
from lexalign.induction.exports import EXPORTS
from lexalign.induction.inducer import AUTO, Inducer
from lexalign.induction.labels import FEWEST_JUDGES
from lexalign.induction.methods import FITTED_WORDS, GIVEN
from lexalign.induction.ranker import Boosting
from lexalign.parameters import parameters_of
from lexalign.vectors import FREQUENT_WORDS


@click.command("induce")
@click.argument("vectors", nargs=-1, required=True, type=PATH, metavar="SOURCE TARGET | RUN")
@click.option(
    "--lexicon",
    metavar="FILE|identical|numerals",
    shell_complete=complete_seeds,
    help="Seed lexicon: a file, or identical words or numerals. Default: the seeds of RUN. "
    "Without a run: identical words or numerals, whichever give the better health check; if the "
    "spaces then do not match, unsupervised VecMap.",
)
@click.option(
    "--top",
    type=click.IntRange(1),
    default=5,
    show_default=True,
    help=("Number of translations per word."),
)
@click.option(
    "--min-probability",
    type=click.FloatRange(0, 1),
    default=0.0,
    show_default=True,
    help="Write only translations with at least this probability.",
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
    help="Also write the dictionary in this format; repeatable.",
)
@parameter_options(Inducer)
@parameter_options(Boosting, without=("seed",))
@policy_options
@names_option("none; the directions are called forward and backward")
@output_options
def command(
    vectors: tuple[Path, ...],
    lexicon: str | None,
    top: int,
    min_probability: float,
    max_rank: int | None,
    vocabulary: int,
    exports: tuple[str, ...],
    names: tuple[str, str] | None,
    output: Path,
    output_format: str,
    overwrite: bool,
    as_json: bool,
    **options: Any,
) -> None:
    """Induce a dictionary from the vectors SOURCE and TARGET, or from RUN, the folder of an
    alignment.

    The command chooses the best aligner on held-out seeds, learns to rank candidates, and estimates
    the probability of each translation. It writes dictionary.tsv and a run into the folder DIR
    (--output). 'translate', 'evaluate', 'report' and 'explore' read this folder.

    The command does not align the vectors of a RUN again. If two files are already aligned, set
    '--method given'.
    """
    from lexalign.cli.printing import direction_names, show_json
    from lexalign.cli.progress import progress_for_humans
    from lexalign.cli.verbosity import is_quiet
    from lexalign.pipelines.induce import FileInduction
    from lexalign.runs import aligned_pairs

    pairs = aligned_pairs(vectors)
    if len(pairs) > 1:
        raise click.UsageError(f"Expected one pair of files or one run, found {len(pairs)}.")
    if pairs[0].folder is not None:
        if options["method"] not in (AUTO, GIVEN):
            raise click.UsageError(
                f"The vectors of {pairs[0].folder} are already aligned; leave out --method, "
                "or name the two original files."
            )
        options["method"] = GIVEN
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
    summary = work.induce(pairs[0].source, pairs[0].target, lexicon, output)
    if as_json:
        show_json(summary)
    elif not is_quiet():
        _show(summary, direction_names(names))


def _show(summary: Mapping[str, Any], directions: Mapping[str, str]) -> None:
    """Print the methods, the choice, the quality of the ranking, and some translations."""
    from lexalign.cli.printing import closing_table, say, show, show_closing_table
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
            Column("held-out words", is_number=True),
            Column("seconds", is_number=True),
            Column("remark"),
        ]
        title = "Methods without seeds"
        if summary["start"] == "seeds":
            title = f"P@1 of each method on held-out seeds, up to {FITTED_WORDS:,} words per side"
        show(Table(columns, rows, title=title), "terminal")
    say(summary["choice"]["reason"])
    table = closing_table(f"Dictionary: P@1 on {_judges(summary)}")
    for key, direction in summary["ranking"].items():
        name = directions[key]
        table.add_row(f"{name}: CSLS", f"{100 * direction['csls']['p@1']:.1f} %")
        if learned := direction.get("learned"):
            table.add_row(f"{name}: learned ranking", f"{100 * learned['p@1']:.1f} %")
        if direction["seed_words"]:
            table.add_row(f"{name}: calibration error", f"{direction['calibration_error']:.3f}")
    table.add_row("translated words", f"{summary['words']:,}")
    table.add_row("of these with probability ≥ 0.8", f"{summary['sure_words']:,}")
    table.add_row("translations", f"{summary['translations']:,}")
    show_closing_table(table, summary, _remarks(summary))


def _remarks(summary: Mapping[str, Any]) -> list[str]:
    forward = summary["ranking"]["forward"]
    if forward["seed_words"]:
        share = f"{100 * summary['expected_precision']:.0f} %"
        trust = f"About {share} of the first translations are expected to be right."
        if forward["selected_by"] == "target":
            trust += (
                " The seeds are frequent target words, so probabilities can be off by 0.1 to "
                "0.2; seeds that are frequent source words are better."
            )
    else:
        trust = (
            "The probabilities are calibrated on mutual pairs and are too high; give "
            f"{FEWEST_JUDGES} or more seed words."
        )
    return [
        START[summary["start"]],
        _what_ranks(forward),
        trust,
        "Examples:",
        *(
            f"  {one['source']} → {one['target']}  {one['probability']:.2f}"
            for one in summary["examples"]
        ),
    ]


START = {
    "seeds": "The alignment was fitted to the seed lexicon.",
    "identical": "The alignment was fitted to identical words.",
    "numerals": "The alignment was fitted to numerals.",
    "nothing": "The alignment is unsupervised and uses no seed lexicon.",
    "given": "The vectors are already aligned; the alignment is kept.",
}


def _judges(summary: Mapping[str, Any]) -> str:
    """The words that P@1 was measured on."""
    judged = summary["ranking"]["forward"]["seed_words"]
    return "held-out seeds" if judged else "held-out mutual pairs"


def _what_ranks(direction: Mapping[str, Any]) -> str:
    """One sentence on the ranking and the reason for it."""
    if direction["kind"] == "learned":
        if not direction["weak_labels"]:
            return "A model that was trained on the seeds ranks the translations."
        judges = direction["seed_words"]
        better = direction["learned"]["p@1"] > direction["csls"]["p@1"]
        proof = f" On {judges:,} seed words, it is better than CSLS." if judges and better else ""
        return f"A model that was trained on mutual pairs ranks the translations.{proof}"
    if "learned" in direction:
        return "CSLS ranks the translations; a trained model is no better on held-out words."
    return "CSLS ranks the translations."


def _interval(bounds: list[float] | None) -> str:
    return "" if bounds is None else f"{100 * bounds[0]:.1f}–{100 * bounds[1]:.1f}"
