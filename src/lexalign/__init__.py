"""Lexalign: align, refine and evaluate cross-lingual word embeddings."""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from lexalign import evaluate
    from lexalign.aligners import Alignment, align
    from lexalign.errors import LexalignError
    from lexalign.procrustes import solve
    from lexalign.refinement import refine
    from lexalign.spaces import LinearMap
    from lexalign.vectors import Embeddings, Lexicon, convert, read, write

__version__ = "0.1.0"

__all__ = [
    "Alignment",
    "Embeddings",
    "LexalignError",
    "Lexicon",
    "LinearMap",
    "align",
    "convert",
    "evaluate",
    "read",
    "refine",
    "solve",
    "write",
]

_HOME = {
    "Alignment": "aligners",
    "Embeddings": "vectors",
    "LexalignError": "errors",
    "Lexicon": "vectors",
    "align": "aligners",
    "LinearMap": "spaces",
    "convert": "vectors",
    "read": "vectors",
    "refine": "refinement",
    "solve": "procrustes",
    "write": "vectors",
}


def __getattr__(name: str) -> Any:
    """Import a public name when it is first used, so that ``import lexalign`` is instant."""
    if name == "evaluate":
        return import_module("lexalign.evaluation")
    if name not in _HOME:
        raise AttributeError(f"module 'lexalign' has no attribute {name!r}")
    return getattr(import_module(f"lexalign.{_HOME[name]}"), name)


def __dir__() -> list[str]:
    return [*__all__, "__version__"]
