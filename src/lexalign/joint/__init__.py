"""Joint-Align: from jointly trained vectors to two languages in one space."""

from lexalign.joint.alignment import CITATION, PRESETS, REMEDIES, JointAlignment, align_joint
from lexalign.joint.reallocation import THRESHOLD, Reallocation, reallocate

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
