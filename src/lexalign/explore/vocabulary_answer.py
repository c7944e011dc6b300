"""The answer of ``/api/vocabulary``, with and without a finished map."""

from __future__ import annotations

from typing import Any

import numpy as np

from lexalign.explore.explorer import View
from lexalign.explore.requests import RefusedError
from lexalign.explore.vocabulary import EXTENT, VocabularyMap
from lexalign.spaces.linear_map import SIDES


def drawn(vocabulary: VocabularyMap) -> dict[str, Any]:
    """The words and points of both languages; one array for every coordinate is compact."""
    ends = np.cumsum([0, *(len(vocabulary.words[side]) for side in SIDES)])
    x, y = vocabulary.points.T.tolist()
    return {
        "method": vocabulary.method,
        "extent": EXTENT,
        **{
            side: {"words": vocabulary.words[side], "x": x[start:end], "y": y[start:end]}
            for side, start, end in zip(SIDES, ends[:-1], ends[1:], strict=True)
        },
    }


def require_vocabulary(view: View) -> VocabularyMap:
    """The map of a view; RefusedError says how far it is, or why there is none."""
    if view.vocabulary is not None:
        return view.vocabulary
    stage = view.stage
    if stage.state == "running":
        share = "" if stage.share is None else f", {100 * stage.share:.0f} %"
        message = f"The map is not ready (at work: {stage.name}{share}); ask again later."
        raise RefusedError(503, "not-ready", message)
    reason = f" ({stage.message.rstrip('.')})" if stage.message else ""
    raise RefusedError(
        503, "no-map", f"The map could not be drawn{reason}; start the explorer again."
    )


def vocabulary_state(view: View) -> str:
    """How far the map is: "running", "done" or "failed"."""
    if view.vocabulary is not None:
        return "done"
    return "running" if view.stage.state == "running" else "failed"
