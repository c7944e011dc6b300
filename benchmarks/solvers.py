"""ℓ1 Procrustes on real mutual pairs: ``flow`` and ``minimum`` against the paper's ``vode``.

The pairs are those of the embedded demonstration, aligned with its seeds, or those of an .npz file
with arrays "A" and "B". ``vode`` takes hours; by default 100 of its 5,000 outputs are timed and
extrapolated, which the table says, and the path is compared with a fine explicit integration.
``--minutes`` lets it run so long, or to its end, and compares at the time t that it reached;
``--keep FILE`` keeps its result for the next time.
"""

from __future__ import annotations

import argparse
import statistics
import time
from pathlib import Path
from typing import Any

import numpy as np

from benchmarks.measure import Timing, heading, row, table
from benchmarks.recorded_ratios import Ratios
from lexalign.aligners import Procrustes
from lexalign.arrays import Array, to_device
from lexalign.demo import demo_embeddings, demo_lexicon
from lexalign.procrustes import Solution, solve
from lexalign.procrustes.flow import Flow
from lexalign.procrustes.loop import minimise
from lexalign.procrustes.losses import L1
from lexalign.procrustes.orthogonal import identity, rotate
from lexalign.procrustes.problem import Problem
from lexalign.procrustes.vode import Vode
from lexalign.retrieval import mutual_pairs

HORIZON, OUTPUTS = 5e-3, 5_000


def main() -> Ratios:
    """Measure on one device."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--minutes", type=float, help="run vode so long and compare where it got")
    parser.add_argument("--keep", type=Path, help="keep that run of vode in this file, or reuse it")
    parser.add_argument("--outputs", type=int, default=100, help="outputs of vode to time")
    parser.add_argument("--device", default="cpu", choices=["cpu", "cuda"])
    parser.add_argument("--pairs", help="an .npz file with arrays A and B")
    parser.add_argument("--save-pairs", help="write the demonstration's pairs to this .npz file")
    parser.add_argument("--repeats", type=int, default=7)
    arguments = parser.parse_args()
    a, b = demo_pairs() if arguments.pairs is None else load_pairs(arguments.pairs)
    if arguments.save_pairs:
        np.savez(arguments.save_pairs, A=a, B=b)
    heading(f"ℓ1 Procrustes, {len(a):,} mutual pairs × {a.shape[1]}, {arguments.device}")

    if arguments.keep and arguments.keep.exists():
        vode = dict(np.load(arguments.keep, allow_pickle=False))
    elif arguments.minutes:
        vode = run_vode(a, b, OUTPUTS, 60 * arguments.minutes)
        if arguments.keep:
            np.savez(arguments.keep, **vode)
    if arguments.keep or arguments.minutes:
        reached, reference, note = HORIZON * vode["outputs"] / OUTPUTS, vode["rotation"], "measured"
        seconds = float(vode["seconds"])
    else:
        vode = run_vode(a, b, arguments.outputs, np.inf)
        reached, reference = HORIZON, fine_path(a, b, HORIZON)
        seconds = vode["seconds"] * OUTPUTS / vode["outputs"]
        note = f"extrapolated from {vode['outputs']} outputs"
    print(
        f"vode: {vode['outputs']:,} outputs in {vode['seconds']:.1f} s, loss "
        f"{vode['start']:.2f} → {vode['loss']:.2f}. {vode['message']}\n"
    )
    goal = float(np.abs(a @ reference - b).sum())

    device_a, device_b = (to_device(side, arguments.device) for side in (a, b))
    table("solver", "time to the loss of vode", "gradients", f"vode ({note}) is slower by")
    row("vode on the CPU", f"{seconds:.0f} s", "", "1")
    ratios: Ratios = {}
    for name in ("flow", "minimum"):
        times, processor, steps = [], [], 0
        for _ in range(arguments.repeats + 1):
            worked = time.process_time()
            solution = solve(device_a, device_b, solver=name, horizon=1.1 * reached)
            worked = time.process_time() - worked
            record = next(record for record in solution.history if record.loss <= goal)
            times.append(record.seconds)
            processor.append(worked * record.seconds / solution.history[-1].seconds)
            steps = record.step + 1
        timing = Timing(tuple(times[1:]))
        row(f"{name} on {arguments.device}", timing, steps, f"{seconds / timing.median:,.0f}×")
        ratios[f"{name} / vode"] = statistics.median(processor[1:]) / (
            float(vode["processor" if "processor" in vode else "seconds"])
            * OUTPUTS
            / vode["outputs"]
        )

    minimum = solve(device_a, device_b, solver="minimum")
    print(
        f"\nminimum, to convergence: {len(minimum.history) - 1} steps, "
        f"{minimum.history[-1].seconds:.2f} s, loss {minimum.loss:.2f}"
    )
    deviation(device_a, device_b, reached, reference, note)
    return ratios


def run_vode(a: np.ndarray, b: np.ndarray, outputs: int, limit: float) -> dict[str, Any]:
    """So many outputs of the paper's integrator, or as many as it makes in ``limit`` seconds."""
    began, worked = time.perf_counter(), time.process_time()
    problem, solver = Problem(a, b, L1()), Vode(HORIZON * outputs / OUTPUTS)
    state = start = solver.start(problem)
    outcome = None
    while outcome is None and time.perf_counter() - began < limit:
        state = solver.step(problem, state)
        outcome = solver.stop(problem, state)
    return {
        "seconds": time.perf_counter() - began,
        "processor": time.process_time() - worked,
        "outputs": state.outputs,
        "rotation": state.rotation,
        "start": start.loss,
        "loss": state.loss,
        "message": outcome.value if outcome else "Its time was up.",
    }


def deviation(a: Array, b: Array, reached: float, reference: np.ndarray, note: str) -> None:
    """How far the flow strays from the reference path, relative to the way."""
    problem = Problem(a, b, L1())
    solution: Solution = minimise(problem, Flow(reached))
    way = np.linalg.norm(reference - np.eye(len(reference)))
    stray = np.linalg.norm(solution.rotation - reference) / way
    named = "vode" if note == "measured" else "an explicit integration with steps of 2e-6"
    print(
        f"flow at t = {reached:g}: {len(solution.history) - 1} steps, {stray:.4f} of the way off "
        f"{named}, which travelled {way:.3f}"
    )


def fine_path(a: np.ndarray, b: np.ndarray, horizon: float) -> np.ndarray:
    """The flow by 2,500 plain explicit steps."""
    problem, rotation = Problem(a, b, L1()), identity(a, a.shape[1])
    for _ in range(round(horizon / 2e-6)):
        rotation = rotate(rotation, np.float32(2e-6) * problem.evaluate(rotation)[1])
    return np.asarray(rotation, dtype=np.float64)


def demo_pairs() -> tuple[np.ndarray, np.ndarray]:
    """The mutual pairs of the aligned demonstration."""
    aligner = Procrustes(rounds=3)
    aligned = aligner.fit(demo_embeddings("en"), demo_embeddings("de"), demo_lexicon("seeds"))
    pairs = mutual_pairs(aligned.source.matrix, aligned.target.matrix).pairs
    return aligned.source.matrix[pairs[:, 0]], aligned.target.matrix[pairs[:, 1]]


def load_pairs(path: str) -> tuple[np.ndarray, np.ndarray]:
    """Matrices A and B of an .npz file."""
    with np.load(path, allow_pickle=False) as file:
        return file["A"].astype(np.float32), file["B"].astype(np.float32)


if __name__ == "__main__":
    main()
