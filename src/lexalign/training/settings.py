"""The parameters of training with any library."""

from __future__ import annotations

from typing import ClassVar

import attrs

from lexalign.arrays import device_parameter
from lexalign.errors import ParameterError
from lexalign.libraries import require
from lexalign.parameters import parameter, seed_parameter

MODELS = ("fasttext", "skipgram", "cbow")
ENGINES = ("auto", "gensim", "torch")
LOWEST_RATE = 1e-4
"""The final learning rate, as a share of the initial one."""


@attrs.frozen(kw_only=True)
class TrainingSettings:
    """Declares the parameters of training; ``Trainer`` explains them."""

    role: ClassVar[str] = "training"

    model: str = parameter(
        "fasttext",
        choices=MODELS,
        help="Skip-gram with subwords, skip-gram, or continuous bag of words.",
    )
    dimension: int = parameter(300, at_least=1, help="Dimension of the vectors.")
    vocabulary: int = parameter(
        200_000, at_least=1, help="Train this number of most frequent words per language."
    )
    minimum_count: int = parameter(5, at_least=1, help="Leave out words that occur less often.")
    epochs: int = parameter(5, at_least=1, help="Number of passes over the text.")
    window: int = parameter(5, at_least=1, help="Number of context words to either side.")
    negative: int = parameter(10, at_least=1, help="Number of negative samples per context.")
    sample: float = parameter(
        1e-4, at_least=0, below=1, help="Downsample words above this frequency; 0 keeps all."
    )
    rate: float = parameter(0.05, above=0, help="Initial learning rate; falls to almost 0.")
    buckets: int = parameter(
        200_000, at_least=1, help="Number of hashed subword vectors (model fasttext)."
    )
    workers: int = parameter(
        1, at_least=1, help="Number of threads of gensim; only 1 gives the same result every time."
    )
    device: str = device_parameter()
    engine: str = parameter(
        "auto",
        choices=ENGINES,
        help="Library: gensim, or torch; auto: torch on a GPU, gensim on the CPU.",
    )
    seed: int = seed_parameter(below=2**32)

    def __attrs_post_init__(self) -> None:
        """Validate the model for the chosen library."""
        if self.uses_torch and self.model == "cbow":
            raise ParameterError(
                "The `model` parameter of training must be one of 'fasttext', 'skipgram' if torch "
                "trains. Got 'cbow' instead."
            )
        if self.device != "cpu" and not self.uses_torch:
            raise ParameterError(
                "The `engine` parameter of training must be one of 'auto', 'torch' on a GPU. "
                f"Got {self.engine!r} instead."
            )

    @property
    def uses_torch(self) -> bool:
        """Whether torch trains, instead of gensim."""
        return self.engine == "torch" or (self.engine == "auto" and self.device != "cpu")

    def require_packages(self) -> None:
        """Raise MissingExtraError if the training library is not installed."""
        if self.uses_torch:
            require("torch", feature="Training by torch", extra="torch")
        else:
            require("gensim", feature="Training", extra="train")
