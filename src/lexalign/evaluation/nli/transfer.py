"""Test a model on another language whose vectors share its space."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np

from lexalign.errors import InputError
from lexalign.evaluation.nli.encoding import EncodedPairs, TokenCoverage, encode
from lexalign.evaluation.nli.examples import LABELS, Examples
from lexalign.evaluation.nli.inference import predict, word_table
from lexalign.progress import Advance, unseen
from lexalign.vectors import Embeddings
from lexalign.vectors.tokens import Tokeniser

if TYPE_CHECKING:
    import torch

    from lexalign.evaluation.nli.esim import Esim


@dataclass(frozen=True)
class Answers:
    """The ``given`` class of each pair of a test set, and the right one."""

    examples: Examples
    given: np.ndarray
    coverage: TokenCoverage

    @property
    def right(self) -> np.ndarray:
        """Whether each answer is right, (n,) bool."""
        return np.asarray(self.given == [pair.label for pair in self.examples.pairs])

    @property
    def accuracy(self) -> float:
        """The share of right answers."""
        return float(self.right.mean())

    @property
    def recall(self) -> dict[str, float | None]:
        """The recall of each class; None if the class does not occur."""
        labels = np.array([pair.label for pair in self.examples.pairs])
        return {
            name: float(self.right[labels == place].mean()) if (labels == place).any() else None
            for place, name in enumerate(LABELS)
        }

    def as_dict(self) -> dict[str, Any]:
        """Everything in JSON types, in the format that ``lexalign compare`` reads.

        Each pair, named with its file, is a query. The "rank" is 1 for a right answer and 0 for a
        wrong one.
        """
        file = self.examples.path.name
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
                [f"{file} {pair.name} {pair.premise[:40]}", [LABELS[pair.label]], int(right)]
                for pair, right in zip(self.examples.pairs, self.right, strict=True)
            ],
        }


def answer(model: Esim, vectors: Embeddings, examples: Examples, tokenise: Tokeniser) -> Answers:
    """Test the model on the pairs with these vectors."""
    encoded = encode(examples, vectors.index, tokenise)
    device = next(model.parameters()).device
    return answer_encoded(model, word_table(vectors, str(device)), examples, encoded)


def answer_encoded(
    model: Esim,
    table: torch.Tensor,
    examples: Examples,
    encoded: EncodedPairs,
    advance: Advance = unseen,
) -> Answers:
    """Test the model on encoded pairs, with a word table on the device of the model."""
    expected, given = model.reader.input_size, table.shape[1]
    if given != expected:
        raise InputError(
            f"the model expects vectors of dimension {expected}. Got {given} instead",
            remedy="use vectors of the space in which the model was trained",
        )
    return Answers(examples, predict(model, table, encoded, advance), encoded.coverage)
