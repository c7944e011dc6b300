"""Figures and the data behind them."""

from lexalign.report.distance_figure import figure_files
from lexalign.report.distances import Change, DistanceChange, Misfit, distance_changes

__all__ = ["Change", "DistanceChange", "Misfit", "distance_changes", "figure_files"]
