"""Natural language inference: a downstream test of a shared space.

A model is trained on one language with its vectors. It is then tested on another language, whose
vectors replace the first ones. Its accuracy shows how well the two spaces match.
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
