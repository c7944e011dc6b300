"""NLI from files to files: a model in a folder, and its answers in other languages."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple

from lexalign.arrays import require_device
from lexalign.digests import digest_of_input
from lexalign.errors import InputError, LexalignError, about
from lexalign.evaluation.nli.encoding import EncodedPairs, encode
from lexalign.evaluation.nli.examples import Examples
from lexalign.evaluation.nli.inference import require_torch, word_table
from lexalign.evaluation.nli.learner import Learner
from lexalign.evaluation.nli.transfer import Answers, answer_encoded
from lexalign.progress import Progress
from lexalign.runs import Run, claim_run, new_run
from lexalign.vectors import FREQUENT_WORDS, read
from lexalign.vectors.tokens import tokeniser

if TYPE_CHECKING:
    from lexalign.evaluation.nli.esim import Esim

CITATION = (
    "Qian Chen, Xiaodan Zhu, Zhen-Hua Ling, Si Wei, Hui Jiang and Diana Inkpen. 2017. Enhanced "
    "LSTM for Natural Language Inference. ACL 2017."
)


def train_model(
    vectors: Path,
    train: Path,
    dev: Path,
    output: Path,
    learner: Learner,
    *,
    pairs: int | None = None,
    language: str | None = None,
    limit: int = FREQUENT_WORDS,
    rule: str = "words",
    keep_case: bool = False,
    checkpoints: str = "",
    overwrite: bool = False,
    progress: Progress | None = None,
) -> dict[str, Any]:
    """Train on the first ``pairs`` of ``train`` (None: all) and write the folder ``output``.

    Files with several languages need ``language``. ``rule`` and ``keep_case`` set how text is split
    into words. Returns the summary for the closing table.
    """
    progress, tokenise = progress or Progress(), tokeniser(rule, keep_case=keep_case)
    require_torch()
    claim = claim_run(output, (vectors, train, dev), overwrite=overwrite)
    with progress.stage("reading vectors", unit="words") as stage:
        words = read(vectors, limit=limit, stage=stage)
    with progress.stage("reading pairs"):
        segmented = rule == "whitespace"
        sets = {
            "train": Examples.read(train, language, segmented=segmented, limit=pairs),
            "dev": Examples.read(dev, language, segmented=segmented),
        }
        encoded = {name: encode(these, words.index, tokenise) for name, these in sets.items()}
    trained = learner.train(words, encoded["train"], encoded["dev"], progress, checkpoints)
    figures = {
        name: {
            "path": str(these.path),
            "pairs": len(these),
            "unlabelled": these.unlabelled,
            **encoded[name].coverage._asdict(),
        }
        for name, these in sets.items()
    }
    with new_run(claim, progress=progress) as run:
        run.model({name: value.cpu().numpy() for name, value in trained.model.state_dict().items()})
        run.record(
            {
                "method": "nli",
                "parameters": dict(trained.settings),
                "tokens": {"rule": rule, "keep_case": keep_case},
                "seed": learner.seed,
                "inputs": {
                    "vectors": {
                        "path": str(vectors),
                        "sha256": digest_of_input("vectors", vectors, progress),
                        "limit": limit,
                    },
                    **{
                        name: {
                            **figures[name],
                            "sha256": digest_of_input(name, these.path, progress),
                        }
                        for name, these in sets.items()
                    },
                },
                "history": trained.history,
                "dev_accuracy": trained.dev_accuracy,
                "citation": CITATION,
            }
        )
    return {
        "output": str(output),
        **figures,
        "history": list(trained.history),
        "dev_accuracy": trained.dev_accuracy,
        "seconds": progress.seconds,
    }


class TrainedModel(NamedTuple):
    """A model, and its rule for splitting text into words."""

    model: Esim
    rule: str
    keep_case: bool


def load_model(folder: Path, device: str = "cpu") -> TrainedModel:
    """Load a model that ``train_model`` wrote."""
    from safetensors import SafetensorError

    torch = require_torch()
    require_device(device)
    from lexalign.evaluation.nli.esim import Esim

    try:
        run = Run.open(folder)
        weights, settings, tokens = run.weights(), run.parameters, run.record["tokens"]
        learner = Learner(hidden=settings["hidden"], dropout=settings["dropout"])
        with torch.device("meta"):  # takes no memory: a record may claim any size
            model = Esim(settings["dimension"], learner.hidden, learner.dropout)
        tensors = {name: torch.as_tensor(array) for name, array in weights.items()}
        model.load_state_dict(tensors, assign=True)
        if any(t.dtype != torch.float32 or not t.isfinite().all() for t in tensors.values()):
            raise ValueError("some weights are not finite")
        tokeniser(tokens["rule"])
        return TrainedModel(model.to(device), tokens["rule"], bool(tokens["keep_case"]))
    except (
        KeyError,
        LexalignError,
        OSError,
        OverflowError,
        RuntimeError,
        SafetensorError,
        TypeError,
        ValueError,
    ) as error:
        raise InputError(
            "there is no NLI model in this folder, or it is damaged",
            path=folder,
            remedy="name a folder that 'lexalign nli train' wrote",
        ) from error


class Question(NamedTuple):
    """A file of pairs, their vectors, and their language if the file has several.

    Text is split as in training, unless ``rule`` is given. With "whitespace", the segmented
    sentences of XNLI are used.
    """

    vectors: Path
    test: Path
    language: str | None = None
    rule: str | None = None


class ModelAnswers(NamedTuple):
    """The answers of a model to a question."""

    model: Path
    question: Question
    answers: Answers

    def as_dict(self) -> dict[str, Any]:
        """The answers in JSON types, see ``Answers``."""
        return {
            "model": str(self.model),
            "vectors": str(self.question.vectors),
            "language": self.question.language,
            **self.answers.as_dict(),
        }


def ask_models(
    folders: Sequence[Path],
    questions: Sequence[Question],
    *,
    limit: int = FREQUENT_WORDS,
    device: str = "cpu",
    progress: Progress | None = None,
) -> list[ModelAnswers]:
    """The answers of every model to every question, model by model."""
    progress = progress or Progress()
    models = [load_model(folder, device) for folder in folders]
    found = list[list[ModelAnswers]]()
    for question in questions:
        with progress.stage("reading vectors", unit="words") as stage:
            words = read(question.vectors, limit=limit, stage=stage)
        with progress.stage("reading pairs"):
            table, encoded = word_table(words, device), dict[str, EncodedPairs]()
            examples = Examples.read(
                question.test, question.language, segmented=question.rule == "whitespace"
            )
        row = []
        for folder, trained in zip(folders, models, strict=True):
            rule = question.rule or trained.rule
            key = f"{rule} {trained.keep_case}"
            if key not in encoded:
                tokenise = tokeniser(rule, keep_case=trained.keep_case)
                encoded[key] = encode(examples, words.index, tokenise)
            with (
                about(question.vectors),
                progress.stage("answering", total=len(examples), unit="pairs") as stage,
            ):
                answers = answer_encoded(trained.model, table, examples, encoded[key], stage)
            row.append(ModelAnswers(folder, question, answers))
        found.append(row)
    return [row[number] for number in range(len(folders)) for row in found]
