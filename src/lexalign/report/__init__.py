"""Figures and the data behind them."""

from lexalign.report.distances import Change, DistanceChange, Misfit, distance_changes
from lexalign.report.figure import figure_files

__all__ = ["Change", "DistanceChange", "Misfit", "distance_changes", "figure_files"]
