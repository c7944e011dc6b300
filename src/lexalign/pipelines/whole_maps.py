"""Maps over a chain of runs: from the original vectors into the space of the last step."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from lexalign.runs import LAYOUT, SIDES, Run
from lexalign.spaces import LinearMap, Side


def whole_maps(
    files: tuple[Path, Path], behind: tuple[Run | None, Run | None], step: LinearMap
) -> dict[str, LinearMap]:
    """Maps from the vectors of the first run into the space of ``step``, by name.

    ``step`` was learned from two files, and ``behind`` are the runs that wrote them. The map of
    such a run comes first. A joint run has another map for shared words.
    """
    if not any(behind):
        return {"": step}
    source, target = (
        (run.side_of(file) if run is not None else None) or Side(probes=side.probes)
        for run, file, side in zip(behind, files, (step.source, step.target), strict=True)
    )
    found = {"": LinearMap(source, target, _provenance(behind)).followed_by(step)}
    run = _one_run(behind)
    if run is not None and LAYOUT.shared in run.maps:
        found[LAYOUT.shared] = run.maps[LAYOUT.shared].followed_by(step)
    return found


def _one_run(behind: tuple[Run | None, Run | None]) -> Run | None:
    """The run that wrote both files, if there is one."""
    source, target = behind
    same = source is not None and target is not None and source.path == target.path
    return source if same else None


def _provenance(behind: tuple[Run | None, Run | None]) -> dict[str, Any]:
    """The origin of the earlier maps, by side; one entry if both sides have the same run."""
    found = {
        name: dict(next(iter(run.maps.values())).provenance)
        for name, run in zip(SIDES, behind, strict=True)
        if run is not None
    }
    return found["source"] if _one_run(behind) is not None else found


def base_of(behind: tuple[Run | None, Run | None]) -> dict[str, Any]:
    """The run that wrote both files, for the record; None if there is none."""
    run = _one_run(behind)
    return {} if run is None else {"base": run.base_record()}
