"""The third column of a lexicon: a weight or a word class for each pair."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
import numpy.typing as npt

from lexalign.errors import InputError


def checked_weights(
    weights: npt.ArrayLike | None, pairs: Sequence[tuple[str, str]]
) -> npt.NDArray[np.float64] | None:
    """Return a read-only copy of the weights; raise unless there is one finite number per pair."""
    if weights is None:
        return None
    copy = np.array(weights, dtype=np.float64)
    copy.flags.writeable = False
    if copy.shape != (len(pairs),) or not np.isfinite(copy).all():
        raise InputError(
            f"a lexicon of {len(pairs)} pairs needs one finite weight per pair, found the shape "
            f"{copy.shape}"
        )
    return copy


def checked_classes(
    classes: Sequence[str] | None,
    weights: npt.ArrayLike | None,
    pairs: Sequence[tuple[str, str]],
) -> tuple[str, ...] | None:
    """Return the classes; raise unless there is one per pair and no weights."""
    if classes is None:
        return None
    if len(classes) != len(pairs) or weights is not None:
        raise InputError(
            f"a lexicon of {len(pairs)} pairs needs one class per pair and no weights, found "
            f"{len(classes)} classes"
        )
    return tuple(classes)


def third_column(
    weights: npt.NDArray[np.float64] | None, classes: Sequence[str] | None
) -> Sequence[str] | None:
    """Return the third column of a file as weights or classes; None if there is none."""
    return classes if weights is None else [repr(weight) for weight in weights.tolist()]
