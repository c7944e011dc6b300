"""Every reader of files: valid files to damage, and what must hold for all that it accepts.

A reader gets the folder of the files. It may raise a LexalignError that names one of them; what it
accepts is used as the library uses it, and where it can be written it survives a round trip.
"""

from __future__ import annotations

import bz2
import gzip
import lzma
import re
import shutil
from collections.abc import Callable
from dataclasses import dataclass
from functools import cache, partial
from pathlib import Path

import numpy as np
from hypothesis import strategies as st

from lexalign import Embeddings, Lexicon, LinearMap, Run, read, write
from lexalign.checkpoint import Checkpoint
from lexalign.errors import OutputError, about
from lexalign.evaluation.comparison import compare_files
from lexalign.evaluation.nli.examples import Examples
from lexalign.evaluation.similarity import read_judgements, word_similarity
from lexalign.experiments.inputs import Inputs, MissingInputError
from lexalign.experiments.reading import read_grid
from lexalign.experiments.results import read_results
from lexalign.explore.csls_choices import known_csls_choices
from lexalign.explore.neighbourhoods import find_neighbourhoods
from lexalign.explore.path_of_run import load_path, save_path
from lexalign.explore.vectors import map_folder
from lexalign.explore.vocabulary import find_vocabulary
from lexalign.induction import Dictionary
from lexalign.induction.ranking_files import load_ranking, ranked_words
from lexalign.pipelines.nli import Question, ask_models
from lexalign.procrustes.path import only_start
from lexalign.runs import aligned_pairs
from lexalign.runs.review import RIGHT, VERDICTS, WRONG, Change, Review
from lexalign.training import Counts
from lexalign.training.corpus import Corpus
from lexalign.vectors import Policy
from lexalign.vectors.word_lists import read_words
from tests.fuzz import valid_files as valid
from tests.fuzz.mutations import (
    Draw,
    Structure,
    at_random,
    compressed,
    in_archive,
    in_fields,
    in_json,
    in_json_lines,
    in_lines,
    in_numbers,
    in_tensors,
    in_toml,
    in_word2vec,
)
from tests.vectors.samples import assert_same, tiny

STRUCTURES: dict[str, tuple[Structure, ...]] = {
    "": (at_random, in_fields, in_lines),
    ".bin": (at_random, in_numbers, in_word2vec, in_word2vec),
    ".bz2": (at_random, compressed(bz2.compress, in_fields), compressed(bz2.compress, at_random)),
    ".gz": (at_random, compressed(gzip.compress, in_fields), compressed(gzip.compress, at_random)),
    ".xz": (at_random, compressed(lzma.compress, in_fields), compressed(lzma.compress, at_random)),
    ".json": (at_random, in_json, in_json, in_json),
    ".jsonl": (at_random, in_json_lines, in_json_lines, in_fields, in_lines),
    ".npz": (at_random, in_numbers, in_archive, in_archive),
    ".npy": (at_random, in_numbers, in_fields),
    ".safetensors": (at_random, in_numbers, in_tensors, in_tensors),
    ".toml": (at_random, in_toml, in_toml, in_fields, in_lines),
}
"""How files are damaged, by the last suffix of their names; "" stands for text."""

Use = Callable[[Path, Draw], None]


@dataclass(frozen=True)
class Reader:
    """Valid ``files``, of which all those in ``damaged`` (all by default) are damaged in turn."""

    files: Callable[[], valid.Files]
    use: Use
    damaged: tuple[str, ...] = ()

    @cache  # noqa: B019
    def valid(self) -> valid.Files:
        """The files, made once."""
        return self.files()

    def names(self) -> list[str]:
        """The files to damage."""
        return list(self.damaged or self.valid())


_UNPRINTABLE = re.compile("[\x00-\x1f\x7f-\x9f]")
OUTPUTS = ("out.vec", "out.vec.gz", "out.bin", "out.npz", "out")


def use_vectors(name: str, folder: Path, draw: Draw) -> None:
    """What is read is finite, different and the same after a round trip through any format."""
    policy = Policy(duplicates=draw(st.sampled_from(["first", "error"])))
    limit = draw(st.sampled_from([None, 1, 3]))
    found = read(folder / name, limit=limit, policy=policy)
    assert np.isfinite(found.matrix).all()
    assert len(set(found.words)) == len(found.words)
    output = folder / draw(st.sampled_from(OUTPUTS))
    try:
        write(found, output)
        assert_same(read(output), found)
    except OutputError as error:  # no format holds all words
        require_message(error, "; write to ", "; rename it")
    finally:
        shutil.rmtree(output, ignore_errors=True) if output.is_dir() else output.unlink(True)


def use_folder(folder: Path, draw: Draw) -> None:
    """A folder is also mapped into memory, as the explorer does."""
    use_vectors("words", folder, draw)
    map_folder(folder / "words", 3)


def use_lexicon(folder: Path, draw: Draw) -> None:
    """A lexicon is the same after a round trip as "tsv"."""
    name = draw(st.sampled_from(sorted(valid.lexicons())))
    malformed, lowercase = draw(st.sampled_from(["error", "skip"])), draw(st.booleans())
    found = Lexicon.read(folder / name, malformed=malformed, lowercase=lowercase)
    assert len(found)
    output = folder / "out.tsv"
    try:
        found.write(output)
        again = Lexicon.read(output)
        assert again.pairs == found.pairs
        assert again.classes == found.classes
        assert (again.weights is None) == (found.weights is None)
        if found.weights is not None:
            np.testing.assert_array_equal(again.weights, found.weights)
    except OutputError as error:
        require_message(error)
    finally:
        output.unlink(missing_ok=True)


def use_words(folder: Path, draw: Draw) -> None:
    """A list has a word at least."""
    assert read_words(folder / "words.txt")


def use_map(folder: Path, draw: Draw) -> None:
    """A map is the same after a round trip, and applies to rows of its size."""
    path = folder / "map.safetensors"
    found = LinearMap.load(path)
    found.save(folder / "out.safetensors", overwrite=True)
    again = LinearMap.load(folder / "out.safetensors")
    rows = np.eye(3, dtype=np.float32) + 0.1
    with about(path):  # as commands do
        for side in ("source", "target"):
            mapped = found.apply(rows, side)
            assert np.isfinite(mapped).all()
            np.testing.assert_array_equal(mapped, again.apply(rows, side))
        found.apply(Embeddings(["a", "b", "c"], rows), "source", force=draw(st.booleans()))


def use_run(folder: Path, draw: Draw) -> None:
    """All that a run has is read; what it says is used as commands do."""
    run = Run.open(folder / "run")
    assert isinstance(run.language_names["source"], str)
    for pair in aligned_pairs([run.path]):
        pair.read(Policy())
        pair.seeds()
    for file in run.files:
        run.side_of(file)
        run.probes_of(file).look(run.source.words, run.source.matrix)
    _ = run.require_pair().map, run.lexicon, run.seeds, run.changed_nothing, run.dictionary
    _ = run.counts, run.name, run.method, run.has_ranking
    run.base_record()
    run.fingerprint()


def use_dictionary(folder: Path, draw: Draw) -> None:
    """A dictionary is the same after a round trip, up to the digits that are written."""
    found = Dictionary.read(folder / "dictionary.tsv")
    _ = repr(found), found.lexicon, found.top(1), found.at_least(0.5), found.to_polars()
    found.write(folder / "out.tsv", overwrite=True)
    again = Dictionary.read(folder / "out.tsv")
    assert again.pairs == found.pairs
    np.testing.assert_allclose(again.probability, found.probability, atol=1e-4)


def use_ranking(folder: Path, draw: Draw) -> None:
    """A ranking ranks, with finite probabilities."""
    sides = valid.induced().alignment.source, valid.induced().alignment.target
    ranked_words(folder / "ranking")
    for ranking in load_ranking(folder / "ranking", *sides).values():
        found = ranking.rank(np.arange(5), 2)
        assert np.isfinite(found.probabilities).all()


def use_examples(folder: Path, draw: Draw) -> None:
    """Examples are labelled pairs of texts."""
    name = draw(st.sampled_from(sorted(valid.inference())))
    segmented = draw(st.booleans())
    for pair in Examples.read(folder / name, segmented=segmented).pairs:
        assert pair.label in (0, 1, 2)
        assert all(isinstance(text, str) for text in pair[:3])


def use_judgements(folder: Path, draw: Draw) -> None:
    """Judgements are compared with cosines."""
    with_scores = read_judgements(folder / "pairs.tsv")
    apart = read_judgements(folder / "words.tsv", folder / "gold.txt")
    for found in (with_scores, apart):
        assert all(np.isfinite(judgement.score) for judgement in found)
        if len(found) >= 3 and len({score for *_, score in found}) > 1:
            with_known_words = [j for j in found if j.first in tiny() and j.second in tiny()]
            if len({score for *_, score in with_known_words}) > 2:
                with about(folder):  # as the command does
                    word_similarity(tiny(), tiny(), with_known_words)


def use_grid(folder: Path, draw: Draw) -> None:
    """A grid can be run: its methods can be made."""
    grid = read_grid(folder / "grid.toml")
    _ = grid.rows, [str(pair) for pair in grid.pairs]
    inputs = Inputs.read(folder / "inputs.toml")
    try:
        for pair in inputs.grid(grid).pairs:
            inputs.title(pair.vectors)
            inputs.vectors_of(pair)
    except MissingInputError:
        pass  # what needs the input is left out


def use_corpus(folder: Path, draw: Draw) -> None:
    """Text is counted, and the counts survive a round trip."""
    rule = draw(st.sampled_from(["words", "whitespace"]))
    paths = tuple(folder / name for name in ("text.txt", "text.txt.gz"))
    counts = Counts.of(Corpus(paths, rule=rule, keep_case=draw(st.booleans())))
    (folder / "out.tsv").unlink(missing_ok=True)
    counts.write(folder / "out.tsv")
    assert Counts.read(folder / "out.tsv").words == counts.words


def use_counts(folder: Path, draw: Draw) -> None:
    """Counts survive a round trip."""
    counts = Counts.read(folder / "counts.tsv")
    (folder / "out.tsv").unlink(missing_ok=True)
    counts.write(folder / "out.tsv")
    assert Counts.read(folder / "out.tsv").words == counts.words


def use_results(folder: Path, draw: Draw) -> None:
    """Two systems are compared."""
    exclude = draw(st.booleans())
    paths = [folder / "a.json", folder / "b.json"]
    compare_files(paths, resamples=100, exclude_seeds=exclude)


def use_experiment(folder: Path, draw: Draw) -> None:
    """All cells of a table are read."""
    found = read_results(folder, "table")
    _ = found.metric, found.metrics, found.seconds
    for aligner, refinement in found.rows:
        for pair in found.pairs:
            cell = found.entry(aligner, refinement, pair)
            found.published(aligner, refinement, pair, found.metric)
            _ = [cell.mean(metric) for metric in found.metrics], cell.failed, cell.is_partial


def use_checkpoint(folder: Path, draw: Draw) -> None:
    """The state is the one that was kept: work that goes on from another one would be wrong."""
    state = Checkpoint(folder / "work.safetensors").load()
    if state is None:  # there is no file: the work starts anew
        return
    assert state.facts["epochs"] == 2
    assert state.facts["keep"] == 0.5
    np.testing.assert_array_equal(state.arrays["matrix"], np.eye(2))
    np.testing.assert_array_equal(state.arrays["tail"], np.arange(3))


def use_path(folder: Path, draw: Draw) -> None:
    """The path of a refinement, as the explorer keeps it."""
    found = load_path(folder / "path.safetensors")
    assert found.rotations.shape[1:] == (3, 3)
    assert np.isfinite(found.rotations).all()


def use_review(folder: Path, draw: Draw) -> None:
    """Verdicts are read, changed, and make seeds."""
    review = Review(folder)
    verdicts = dict(review.verdicts())
    assert set(verdicts.values()) <= set(VERDICTS)
    if RIGHT in verdicts.values():
        assert len(review.seeds())
    review.decide([Change("new", "neu", WRONG)])
    assert review.verdicts() == {**verdicts, ("new", "neu"): WRONG}


def use_model(folder: Path, draw: Draw) -> None:
    """A model of inference answers with finite numbers."""
    vectors, test = folder / "a.vec", folder / "test.tsv"
    (answers,) = ask_models([folder / "model"], [Question(vectors, test)])
    assert 0 <= answers.answers.accuracy <= 1


def use_arrays(folder: Path, draw: Draw) -> None:
    """What the explorer works out about a run."""
    sides = valid.small_pair()
    assert np.isfinite(find_neighbourhoods(*sides, only_start(2), folder).source).all()
    choices = known_csls_choices(folder, *sides)
    assert choices is None or (choices < len(sides[1])).all()
    points = find_vocabulary(*sides, folder).points
    assert points.shape == (len(sides[0]) + len(sides[1]), 2)


def require_message(error: Exception, *parts: str) -> None:
    """An error is one printable sentence of reasonable length that quotes no field in full.

    It has one of the ``parts``, if there are any, such as the name of the file or the way out.
    """
    message = str(error)
    assert not parts or any(part in message for part in parts), message
    assert not _UNPRINTABLE.search(message), message
    assert len(message.splitlines()) == 1, message
    assert message.endswith("."), message
    assert len(message) < 1000, message
    assert "x" * 200 not in message, message
    assert "9" * 200 not in message, message
    message.encode()


def _named(name: str, content: bytes) -> Callable[[], valid.Files]:
    return lambda: {name: content}


_TEXT = "The dog sees the cat.\n\nDer Hund sieht die Katze auf der Straße, 3 mal.\r\n".encode()
_FOLDER = partial(valid.vectors, "words")

READERS = {
    "text": Reader(partial(valid.vectors, "a.vec"), partial(use_vectors, "a.vec")),
    "text without header": Reader(valid.headless_text, partial(use_vectors, "glove.txt")),
    "text, gzip": Reader(partial(valid.vectors, "a.vec.gz"), partial(use_vectors, "a.vec.gz")),
    "text, bzip2": Reader(partial(valid.vectors, "a.vec.bz2"), partial(use_vectors, "a.vec.bz2")),
    "text, xz": Reader(partial(valid.vectors, "a.vec.xz"), partial(use_vectors, "a.vec.xz")),
    "word2vec binary": Reader(partial(valid.vectors, "a.bin"), partial(use_vectors, "a.bin")),
    "NumPy archive": Reader(partial(valid.vectors, "a.npz"), partial(use_vectors, "a.npz")),
    "folder": Reader(_FOLDER, use_folder),
    "fastText binary": Reader(valid.fasttext_model, partial(use_vectors, "model.bin")),
    "lexicon": Reader(valid.lexicons, use_lexicon),
    "word list": Reader(_named("words.txt", b"dog\ncat\tnoun\n\nice cream\r\n"), use_words),
    "map": Reader(valid.linear_map, use_map),
    "run": Reader(valid.refinement, use_run),
    "dictionary": Reader(
        lambda: valid.files_of(lambda folder: valid.dictionary().write(folder / "dictionary.tsv")),
        use_dictionary,
    ),
    "ranking": Reader(valid.ranking, use_ranking),
    "inference": Reader(valid.inference, use_examples),
    "similarity": Reader(valid.judgements, use_judgements),
    "grid": Reader(valid.grid, use_grid),
    "corpus": Reader(lambda: {"text.txt": _TEXT, "text.txt.gz": gzip.compress(_TEXT)}, use_corpus),
    "counts": Reader(_named("counts.tsv", b"dog\t12\nice cream\t3\ncat 1\n"), use_counts),
    "results": Reader(valid.results, use_results),
    "experiment": Reader(valid.experiment, use_experiment),
    "checkpoint": Reader(valid.checkpoint, use_checkpoint),
    "path": Reader(
        lambda: valid.files_of(
            lambda folder: save_path(only_start(3), folder / "path.safetensors")
        ),
        use_path,
    ),
    "review": Reader(valid.review, use_review),
    "inference model": Reader(
        valid.inference_model,
        use_model,
        ("model/model.safetensors", "model/run.json"),
    ),
    "cache of the explorer": Reader(valid.explorer_arrays, use_arrays),
}


def structures_of(name: str) -> tuple[Structure, ...]:
    """How a file is damaged."""
    return STRUCTURES.get(Path(name).suffix, STRUCTURES[""])
