"""Joint-Align: from jointly trained vectors to two languages in one space."""

from lexalign.training.joint.alignment import (
    CITATION,
    PRESETS,
    REMEDIES,
    JointAlignment,
    align_joint,
)
from lexalign.training.joint.reallocation import THRESHOLD, Reallocation, reallocate

__all__ = [
    "CITATION",
    "PRESETS",
    "REMEDIES",
    "THRESHOLD",
    "JointAlignment",
    "Reallocation",
    "align_joint",
    "reallocate",
]
