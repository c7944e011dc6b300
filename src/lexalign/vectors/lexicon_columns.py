"""The third column of a lexicon: a weight or a word class for every pair."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
import numpy.typing as npt

from lexalign.errors import InputError


def checked_weights(
    weights: npt.ArrayLike | None, pairs: Sequence[tuple[str, str]]
) -> npt.NDArray[np.float64] | None:
    """Return a read-only copy of the weights; raise if they are not one finite number a pair."""
    if weights is None:
        return None
    copy = np.array(weights, dtype=np.float64)
    copy.flags.writeable = False
    if copy.shape != (len(pairs),) or not np.isfinite(copy).all():
        raise InputError(
            f"a lexicon of {len(pairs)} pairs needs as many finite weights, but these have shape "
            f"{copy.shape}"
        )
    return copy


def checked_classes(
    classes: Sequence[str] | None,
    weights: npt.ArrayLike | None,
    pairs: Sequence[tuple[str, str]],
) -> tuple[str, ...] | None:
    """Return the classes; raise if they are not one a pair, or if there are weights, too."""
    if classes is None:
        return None
    if len(classes) != len(pairs) or weights is not None:
        raise InputError(
            f"a lexicon of {len(pairs)} pairs needs as many classes, and no weights beside them, "
            f"but there are {len(classes)}"
        )
    return tuple(classes)


def third_column(
    weights: npt.NDArray[np.float64] | None, classes: Sequence[str] | None
) -> Sequence[str] | None:
    """Return what a file says of each pair after its words; None if it says nothing."""
    return classes if weights is None else [repr(weight) for weight in weights.tolist()]
