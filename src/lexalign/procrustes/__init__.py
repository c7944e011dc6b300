"""Orthogonal Procrustes with robust losses: problem, solvers, and the path of a refinement."""

from lexalign.procrustes.flow import PAPER_HORIZON
from lexalign.procrustes.loop import Outcome, Record, Solution, SolverState
from lexalign.procrustes.losses import LOSSES
from lexalign.procrustes.orthogonal import procrustes
from lexalign.procrustes.path import RefinementPath, geodesic, path_of_descent, path_to_minimum
from lexalign.procrustes.solvers import SOLVERS, fitted_rotation, solve

__all__ = [
    "LOSSES",
    "PAPER_HORIZON",
    "SOLVERS",
    "Outcome",
    "Record",
    "RefinementPath",
    "Solution",
    "SolverState",
    "fitted_rotation",
    "geodesic",
    "path_of_descent",
    "path_to_minimum",
    "procrustes",
    "solve",
]
