"""Joint-Align: from jointly trained vectors to two languages in one space."""

from lexalign.training.joint.joint_alignment import (
    CITATION,
    PRESETS,
    REMEDIES,
    align_joint,
    shared_map,
)
from lexalign.training.joint.reallocation import THRESHOLD, Reallocation, reallocate

__all__ = [
    "CITATION",
    "PRESETS",
    "REMEDIES",
    "THRESHOLD",
    "Reallocation",
    "align_joint",
    "reallocate",
    "shared_map",
]
