"""Lexalign: align, refine and evaluate cross-lingual word embeddings."""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from lexalign.aligners import Alignment, align
    from lexalign.errors import LexalignError
    from lexalign.evaluation import evaluate
    from lexalign.induction import Dictionary, Inducer, induce
    from lexalign.refinement import refine
    from lexalign.retrieval import Translator, translate
    from lexalign.runs import Run
    from lexalign.spaces import LinearMap
    from lexalign.training import train
    from lexalign.vectors import Embeddings, Lexicon, convert, read, write

__version__ = "0.1.0"

_HOME = {
    "Alignment": "aligners",
    "Dictionary": "induction",
    "Embeddings": "vectors",
    "Inducer": "induction",
    "LexalignError": "errors",
    "Lexicon": "vectors",
    "LinearMap": "spaces",
    "Run": "runs",
    "Translator": "retrieval",
    "align": "aligners",
    "convert": "vectors",
    "evaluate": "evaluation",
    "induce": "induction",
    "read": "vectors",
    "refine": "refinement",
    "train": "training",
    "translate": "retrieval",
    "write": "vectors",
}

__all__ = [
    "Alignment",
    "Dictionary",
    "Embeddings",
    "Inducer",
    "LexalignError",
    "Lexicon",
    "LinearMap",
    "Run",
    "Translator",
    "align",
    "convert",
    "evaluate",
    "induce",
    "read",
    "refine",
    "train",
    "translate",
    "write",
]


def __getattr__(name: str) -> Any:
    """Import a public name when it is first used, so that ``import lexalign`` is instant."""
    if name not in _HOME:
        raise AttributeError(f"module 'lexalign' has no attribute {name!r}")
    return getattr(import_module(f"lexalign.{_HOME[name]}"), name)


def __dir__() -> list[str]:
    return [*__all__, "__version__"]
