"""ℓ1 refinement of an aligned pair: Algorithm 1 of the paper, and its iterated form."""

from lexalign.refinement.refiner import AUTO, CITATION, Refiner, refine

__all__ = ["AUTO", "CITATION", "Refiner", "refine"]
