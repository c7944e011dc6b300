"""Natural language inference: the downstream test of a shared space.

A model learns on one language, reading its vectors; then those of another language take their
place. How well it still answers says how well the two spaces match.
"""

from lexalign.evaluation.nli.encoding import EncodedPairs, TokenCoverage, encode
from lexalign.evaluation.nli.examples import LABELS, Example, Examples
from lexalign.evaluation.nli.learner import Learner, TrainedModel
from lexalign.evaluation.nli.transfer import Answers, answer

__all__ = [
    "LABELS",
    "Answers",
    "EncodedPairs",
    "Example",
    "Examples",
    "Learner",
    "TokenCoverage",
    "TrainedModel",
    "answer",
    "encode",
]
