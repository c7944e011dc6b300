"""Experiments: grids, their jobs, and the tables of results."""

from lexalign.experiments.grid import Grid
from lexalign.experiments.inputs import Inputs
from lexalign.experiments.plan import Plan, plan
from lexalign.experiments.reading import read_grid, shipped
from lexalign.experiments.rendering import render
from lexalign.experiments.results import Results, grids_in, read_results
from lexalign.experiments.runner import RunSummary, run_jobs, run_plans

__all__ = [
    "Grid",
    "Inputs",
    "Plan",
    "Results",
    "RunSummary",
    "grids_in",
    "plan",
    "read_grid",
    "read_results",
    "render",
    "run_jobs",
    "run_plans",
    "shipped",
]
