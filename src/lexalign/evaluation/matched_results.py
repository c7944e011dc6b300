"""Match the results of several systems: by protocol, then by order.

A learned ranking has its own protocol, such as "muse with learned". If a system has no learned
ranking, its CSLS results with the same counting rules take part.
"""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

from lexalign.errors import InputError
from lexalign.evaluation.run_results import RunResult


def matched_results(
    paths: Sequence[Path], systems: Sequence[list[RunResult]]
) -> dict[str, list[list[RunResult]]]:
    """The results of all systems by protocol; results at the same place have the same queries.

    Protocols without a learned ranking are left out if a file has only learned results.

    Raises
    ------
    InputError
        If a file lacks results of another file, or has other queries.
    """
    plain = [[run for run in runs if not run.is_learned] for runs in systems]
    found = dict[str, list[list[RunResult]]]()
    if all(plain):
        _require_same_queries(paths, plain)
        for protocol in dict.fromkeys(run.protocol for run in plain[0]):
            found[protocol] = [[run for run in runs if run.protocol == protocol] for runs in plain]
    learned = {run.protocol: run for runs in systems for run in runs if run.is_learned}
    for protocol, example in learned.items():
        found[protocol] = [
            _learned_or_csls(path, runs, example) for path, runs in zip(paths, systems, strict=True)
        ]
        _require_same_queries(paths, found[protocol], of_learned=True)
    return found


def _learned_or_csls(path: Path, runs: list[RunResult], example: RunResult) -> list[RunResult]:
    """The results of a system by the protocol of a learned ranking, otherwise by CSLS."""
    own = [run for run in runs if run.protocol == example.protocol]
    by_csls = [run for run in runs if run.is_csls_of(example)]
    if not own and not by_csls:
        raise InputError(
            f"it has no CSLS result to compare with {example.protocol!r}",
            path=path,
            remedy=(
                "evaluate it with CSLS and the same rules, or evaluate the others with "
                "`ranking=csls`"
            ),
        )
    return own or by_csls


def _require_same_queries(
    paths: Sequence[Path], systems: Sequence[list[RunResult]], *, of_learned: bool = False
) -> None:
    """Raise if a system differs from the first one in queries or protocol."""
    first_path, first = paths[0], systems[0]
    for path, runs in zip(paths[1:], systems[1:], strict=True):
        if len(runs) != len(first):
            raise InputError(
                f"it has {len(runs)} runs, but {first_path} has {len(first)}",
                path=path,
                remedy="evaluate both systems on the same pairs and lexicons, with the same "
                "options",
            )
        for number, (one, other) in enumerate(zip(first, runs, strict=True), 1):
            if one.protocol != other.protocol and not of_learned:
                raise InputError(
                    f"run {number} has the protocol {other.protocol!r}, but that of {first_path} "
                    f"has {one.protocol!r}",
                    path=path,
                    remedy="evaluate both with the same protocol",
                )
            if one.queries != other.queries:
                raise InputError(
                    f"run {number} has {len(other.queries)} queries of {other.lexicon}, but that "
                    f"of {first_path} has {len(one.queries)} of {one.lexicon}, and they differ",
                    path=path,
                    remedy="evaluate both on the same lexicons in the same order, with the same "
                    "words",
                )
