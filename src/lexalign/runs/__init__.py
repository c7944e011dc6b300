"""Runs as folders: the layout, the reader and the writer."""

from lexalign.runs.aligned_pair import AlignedPair, aligned_pairs
from lexalign.runs.layout import LAYOUT, SIDES, RunLayout
from lexalign.runs.reader import Run, run_behind
from lexalign.runs.record import is_run, read_record
from lexalign.runs.writer import RunInput, RunWriter, claim_run, new_run

__all__ = [
    "LAYOUT",
    "SIDES",
    "AlignedPair",
    "Run",
    "RunInput",
    "RunLayout",
    "RunWriter",
    "aligned_pairs",
    "claim_run",
    "is_run",
    "new_run",
    "read_record",
    "run_behind",
]
