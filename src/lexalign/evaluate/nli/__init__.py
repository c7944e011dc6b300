"""Natural language inference: the downstream test of a shared space.

A model learns on one language, reading its vectors; then those of another language take their
place. How well it still answers says how well the two spaces match.
"""

from lexalign.evaluate.nli.encoding import Coverage, Encoded, encode
from lexalign.evaluate.nli.examples import LABELS, Example, Examples
from lexalign.evaluate.nli.files import Question, ask_models, load_model, train_model
from lexalign.evaluate.nli.learner import Learner, Trained
from lexalign.evaluate.nli.transfer import Answers, answer

__all__ = [
    "LABELS",
    "Answers",
    "Coverage",
    "Encoded",
    "Example",
    "Examples",
    "Learner",
    "Question",
    "Trained",
    "answer",
    "ask_models",
    "encode",
    "load_model",
    "train_model",
]
