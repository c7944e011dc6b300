"""``lexalign demo``."""

from __future__ import annotations

import click


@click.command("demo")
def command() -> None:
    """Align, refine and measure the embedded English and German vectors (10,000 words each)."""
    from lexalign.cli.printing import demo_tables
    from lexalign.cli.progress import progress_for_humans
    from lexalign.demo import run_demo

    demo_tables(run_demo(progress_for_humans()))
