"""How well a model that knows one language answers in another whose vectors lie in its space."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np

from lexalign.errors import InputError
from lexalign.evaluate.nli.encoding import Coverage, encode
from lexalign.evaluate.nli.examples import LABELS, Examples
from lexalign.evaluate.nli.learner import predict, require_torch, word_table
from lexalign.tokens import Tokeniser
from lexalign.vectors import Embeddings

if TYPE_CHECKING:
    from lexalign.evaluate.nli.esim import Esim


@dataclass(frozen=True)
class Answers:
    """The ``given`` class of every pair of a test set beside the right one."""

    examples: Examples
    given: np.ndarray
    coverage: Coverage

    @property
    def right(self) -> np.ndarray:
        """Whether each was right, (n,) bool."""
        return np.asarray(self.given == [pair.label for pair in self.examples.pairs])

    @property
    def accuracy(self) -> float:
        """The share of right answers."""
        return float(self.right.mean())

    @property
    def recall(self) -> dict[str, float | None]:
        """Of each class the share that was recognised; None if there is none of it."""
        labels = np.array([pair.label for pair in self.examples.pairs])
        return {
            name: float(self.right[labels == place].mean()) if (labels == place).any() else None
            for place, name in enumerate(LABELS)
        }

    def as_dict(self) -> dict[str, Any]:
        """Everything as JSON, in terms that ``lexalign compare`` understands.

        There an answer is a query, and the "rank" of the right class is 1 or, if another one was
        given, 0 for never.
        """
        return {
            "protocol": "nli",
            "lexicon": str(self.examples.path),
            "p@1": self.accuracy,
            "accuracy": self.accuracy,
            "recall": self.recall,
            "pairs": len(self.examples),
            "unlabelled": self.examples.unlabelled,
            "coverage": self.coverage._asdict(),
            "ranks": [
                [pair.name, [LABELS[pair.label]], int(right)]
                for pair, right in zip(self.examples.pairs, self.right, strict=True)
            ],
        }


def answer(model: Esim, vectors: Embeddings, examples: Examples, tokenise: Tokeniser) -> Answers:
    """Ask the model about the pairs, reading them with these vectors."""
    expected = model.reader.input_size
    if vectors.dimension != expected:
        raise InputError(
            f"the model reads vectors of {expected} numbers. Got {vectors.dimension} instead",
            remedy="take vectors of the space that it was trained in",
        )
    device = next(model.parameters()).device
    encoded = encode(examples, vectors.index, tokenise)
    given = predict(model, word_table(require_torch(), vectors, str(device)), encoded)
    return Answers(examples, given, encoded.coverage)
