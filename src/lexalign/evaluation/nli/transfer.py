"""How well a model that knows one language answers in another whose vectors lie in its space."""

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
    """The ``given`` class of every pair of a test set beside the right one."""

    examples: Examples
    given: np.ndarray
    coverage: TokenCoverage

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

        There a pair, named with its file, is a query, and the "rank" of the right class is 1 or, if
        another one was given, 0 for never.
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
    """Ask the model about the pairs, reading them with these vectors."""
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
    """The same of pairs that are encoded already, with a table of words where the model is."""
    expected, given = model.reader.input_size, table.shape[1]
    if given != expected:
        raise InputError(
            f"the model reads vectors of {expected} numbers. Got {given} instead",
            remedy="take vectors of the space that it was trained in",
        )
    return Answers(examples, predict(model, table, encoded, advance), encoded.coverage)
