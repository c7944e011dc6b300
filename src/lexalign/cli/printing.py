"""The closing tables of commands."""

from __future__ import annotations

import json
import re
from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any

import click
from rich.console import Console
from rich.measure import Measurement
from rich.table import Table
from rich.text import Text

if TYPE_CHECKING:
    from lexalign.demo import DemoResult
    from lexalign.evaluation.accuracy import Accuracy
    from lexalign.pipelines.evaluate import FileEvaluation
    from lexalign.table import Table as ResultTable

LOW_COVERAGE = 0.15
_CONTROL = re.compile("[\x00-\x1f\x7f-\x9f]")


def show(table: ResultTable, table_format: str, *, compact: bool = False) -> None:
    """Print a table of results; on a terminal ``compact`` says only once what all rows share."""
    if table_format != "terminal":
        click.echo(table.render(table_format), nl=False)
        return
    table = table.compact() if compact else table
    shown = Table(title=Text(_visible(table.title)) if table.title else None, title_justify="left")
    for column in table.columns:
        shown.add_column(
            column.name, justify="right" if column.is_number else "left", overflow="fold"
        )
    for cells in table.cells():
        shown.add_row(*(Text(_visible(cell)) for cell in cells))
    console = Console()
    needed = Measurement.get(console, console.options.update(width=1_000), shown)
    width = max(console.width, needed.minimum) if console.is_terminal else needed.maximum
    Console(width=width).print(shown)


def _visible(text: str) -> str:
    """Words from files may hold characters that would command the terminal."""
    return _CONTROL.sub("\ufffd", text)


def show_json(results: Sequence[Mapping[str, Any]] | Mapping[str, Any]) -> None:
    """Print JSON on standard output."""
    click.echo(json.dumps(results, ensure_ascii=False, allow_nan=False))


def tell_skipped(results: Sequence[FileEvaluation[Accuracy]]) -> None:
    """Say on standard error which lines of lexicons were passed over."""
    for path, skipped in {evaluated.file: evaluated.skipped for evaluated in results}.items():
        for line, problem in skipped:
            click.echo(f"lexalign: {path}, line {line}: skipped, {problem}.", err=True)


def tell_low_coverage(results: Sequence[FileEvaluation[Accuracy]]) -> None:
    """Warn of scores that rest on a small part of their lexicon."""
    for evaluated in results:
        covered = evaluated.result.coverage_pairs
        tell_of_few_known(str(evaluated.file), covered.known, covered.total)


def tell_of_few_known(lexicon: str, known: int, total: int) -> None:
    """Warn of a lexicon that the vocabularies hardly know."""
    if known < LOW_COVERAGE * total:
        click.echo(
            f"lexalign: {lexicon}: only {known:,} of {total:,} pairs ({100 * known / total:.1f} %) "
            "are known; is it the lexicon of these languages?",
            err=True,
        )


def alignment_table(summary: Mapping[str, Any]) -> None:
    """What an aligner did: seeds, pairs and the time of every stage."""
    table = Table(title=f"Alignment by {summary['method']}", show_header=False)
    if "words" in summary:
        for kind in ("source", "target"):
            table.add_row(f"words of the {kind} alone", f"{summary['words'][kind]:,}")
        table.add_row("words of both, shared", f"{summary['words']['shared']:,}")
        if summary["words"]["unknown"]:
            table.add_row("words without counts, left out", f"{summary['words']['unknown']:,}")
    for name, pair in summary.get("languages", {"": summary}).items():
        prefix = f"{name}: " if name else ""
        if pair["seeds"] is not None:
            known = f"{pair['known_seeds']:,} of {pair['seeds']:,}"
            table.add_row(f"{prefix}seeds with vectors", known)
        table.add_row(f"{prefix}pairs of the last fit", f"{pair['pairs']:,}")
        for attempt in pair.get("attempts", ()):
            table.add_row(f"{prefix}{_attempt(attempt)}", _found_again(attempt))
        health = pair["health"]
        if health is not None:
            table.add_row(f"{prefix}mutual pairs found again", _found_again(health))
            table.add_row(
                f"{prefix}mean CSLS, hubness", f"{health['mean_csls']:.3f}, {health['hubness']:.1f}"
            )
    for stage, seconds in summary["seconds"].items():
        table.add_row(stage, f"{seconds:.2f} s")
    console = Console()
    console.print(table)
    console.print(f"Written to {summary['output']}", highlight=False, markup=False, soft_wrap=True)


def training_table(summary: Mapping[str, Any]) -> None:
    """What was trained on how much text, and the time of every stage."""
    table = Table(title="Training", show_header=False)
    table.add_row("tokens", f"{summary['tokens']:,}")
    forgotten = ", and more that were forgotten" if summary["forgotten"] else ""
    table.add_row("different words", f"{summary['different_words']:,}{forgotten}")
    covered = f"{100 * summary['share_covered']:.1f} %"
    table.add_row("words with vectors", f"{summary['words']:,} ({covered} of the tokens)")
    for stage, seconds in summary["seconds"].items():
        table.add_row(stage, f"{seconds:.2f} s")
    console = Console()
    console.print(table)
    console.print(f"Written to {summary['output']}", highlight=False, markup=False, soft_wrap=True)


def nli_table(summary: Mapping[str, Any]) -> None:
    """What a model was trained on, how well it did, and the time of every stage."""
    table = Table(title="Natural language inference", show_header=False)
    for name in ("train", "dev"):
        figures = summary[name]
        known = 100 * figures["known"] / max(1, figures["tokens"])
        unlabelled = f", {figures['unlabelled']:,} without a label" if figures["unlabelled"] else ""
        table.add_row(f"pairs of {name}", f"{figures['pairs']:,}{unlabelled}")
        table.add_row(f"words of {name} with vectors", f"{known:.1f} %")
    table.add_row("epochs", str(len(summary["history"])))
    table.add_row("accuracy on dev", f"{100 * summary['dev_accuracy']:.1f} %")
    for stage, seconds in summary["seconds"].items():
        table.add_row(stage, f"{seconds:.2f} s")
    console = Console()
    console.print(table)
    console.print(f"Written to {summary['output']}", highlight=False, markup=False, soft_wrap=True)


def tell_of_doubts(summary: Mapping[str, Any]) -> None:
    """Say on the error stream which seeds are hardly known and which spaces were not matched."""
    from lexalign.aligners.retries import REMEDIES

    for name, pair in summary.get("languages", {"": summary}).items():
        if pair["seeds"]:
            tell_of_few_known(name or "the seed lexicon", pair["known_seeds"], pair["seeds"])
        if pair["health"] is not None and pair["health"]["matched"] is False:
            place = f"{name}: " if name else ""
            sentence = pair["health"]["verdict"]
            remedies = summary.get("remedies", REMEDIES)
            click.echo(f"lexalign: {place}{sentence} Remedies: {remedies}.", err=True)


def _attempt(attempt: Mapping[str, Any]) -> str:
    change = f", {attempt['change']}" if attempt["change"] else ""
    return f"{attempt['method']}, seed {attempt['seed']}{change}"


def _found_again(figures: Mapping[str, Any]) -> str:
    if "error" in figures:
        return "failed"
    share = figures.get("found_again")
    return "too few to tell" if share is None else f"{100 * share:.0f} %"


def refinement_table(summary: Mapping[str, Any]) -> None:
    """What a refinement did: pairs, loss, orthogonality and the time of every stage."""
    from lexalign.refinement.stopping import REQUIRED_Z

    table = Table(title="Refinement", show_header=False)
    table.add_row("mutual pairs", f"{summary['pairs']:,}")
    if summary["rounds"] > 1:
        table.add_row("rounds", str(summary["rounds"]))
    before, after = summary["l1_before"], summary["l1_after"]
    table.add_row("ℓ1 before", f"{before:,.1f}")
    change = f" ({100 * (after / before - 1):+.2f} %)" if before else ""
    table.add_row("ℓ1 after", f"{after:,.1f}{change}")
    if (stopping := summary["stopping"]) is not None:
        shares = ", ".join(f"{100 * part:.0f} %" for part in stopping["shares"])
        kept = " (input kept)" if summary["outcome"] == "unchanged" else ""
        table.add_row("stopping point", f"{shares} of the path{kept}")
        table.add_row("fitted words", f"{stopping['fitted_words']:,}")
        kind = "same spelling" if stopping["spelled_alike"] else "rarer words"
        table.add_row("held-out words", f"{stopping['held_out_words']:,} ({kind})")
        accuracy = (f"{100 * stopping[f'accuracy_{end}']:.1f} %" for end in ("before", "after"))
        table.add_row("held-out accuracy", " → ".join(accuracy))
        gain = f"z = {stopping['z']:.1f} (needs ≥ {REQUIRED_Z:g})"
        table.add_row("gain on held-out words", gain)
    table.add_row("max |MᵀM − I|", f"{summary['orthogonality_error']:.1e}")
    for stage, seconds in summary["seconds"].items():
        table.add_row(stage, f"{seconds:.2f} s")
    console = Console()
    console.print(table)
    console.print(summary["message"])
    if summary["outcome"] == "unchanged":
        console.print(
            "If you have a test dictionary, try --solver minimum, which goes to the minimum of the "
            "loss, and compare."
        )
    console.print(f"Written to {summary['output']}", highlight=False, markup=False, soft_wrap=True)


def demo_tables(result: DemoResult) -> None:
    """The demonstration: accuracy before and after, some translations, and what to try next."""
    console = Console()
    queries = result.before["csls"].queries
    accuracy = Table(title=f"English to German, accuracy on {queries:,} test words")
    for column in ("", "nearest neighbour", "CSLS"):
        accuracy.add_column(column, justify="left" if not column else "right")
    for name, scores in (
        ("aligned", result.before),
        ("refined (ℓ1, as in the paper)", result.after),
    ):
        cells = (f"{100 * scores[retrieval].precision(1):.1f} %" for retrieval in ("nn", "csls"))
        accuracy.add_row(name, *cells)
    console.print(accuracy)
    history = result.refined.history[0]
    drop = 100 * (1 - history["l1_after"] / history["l1_before"])
    console.print(
        f"Refinement used {history['pairs']:,} mutual pairs and lowered their ℓ1 distance by "
        f"{drop:.1f} % in {history['seconds']['solve']:.2f} s.",
        highlight=False,
    )
    words = Table(title="Translations after refinement", show_header=False)
    for word, found in result.translations.items():
        words.add_row(word, ", ".join(found))
    console.print(words)
    console.print(
        "Next, with files of your own (any format) and a few hundred seed pairs:\n"
        "  lexalign align procrustes SOURCE TARGET --lexicon SEEDS --rounds 3 --output aligned\n"
        "  lexalign refine aligned --output refined\n"
        "which goes to where it does good; above it went as far as the paper does, with\n"
        "--horizon 5e-3.",
        highlight=False,
    )
