"""Small runs of every kind, and explorers of them."""

from contextlib import ExitStack
from pathlib import Path

import numpy as np

from lexalign.aligners import ALIGNERS
from lexalign.explore.cache import cache_folder
from lexalign.explore.explorer import open_explorer
from lexalign.explore.preparation import prepare
from lexalign.induction import Inducer
from lexalign.induction.ranker import Boosting
from lexalign.pipelines.align import FileAlignment
from lexalign.pipelines.induce import FileInduction
from lexalign.pipelines.refine import refine_files
from lexalign.procrustes import PAPER_HORIZON
from lexalign.refinement import Refiner
from lexalign.runs import Run
from lexalign.vectors import Embeddings, Lexicon, write
from tests.conftest import planted_pair
from tests.induction.samples import noisy_pair, some_of

ODD_WORDS = {
    3: "Zürich",
    5: "zürich",
    7: "naïve",
    9: "<b>bold</b>",
    11: "שלום",
    13: "a\u00a0b",
    15: "e\u0301te",
    17: "ZÜRICH",
    19: "'\"&\\",
    21: "x" * 150,
}


def named(embeddings: Embeddings, prefix: str) -> Embeddings:
    """The same vectors under words that look like words, some of them odd."""
    words = [f"{prefix}{spelled(row)}" for row in range(len(embeddings))]
    if prefix == "s":
        for row, word in ODD_WORDS.items():
            words[row] = word
    words[-1] = "both"
    return Embeddings(words, embeddings.matrix)


def spelled(number: int) -> str:
    """What the word of a row ends with."""
    letters = "aeioubcdfghlmnprst"
    return "".join(letters[(number // 18**place) % 18] for place in range(3))


def write_pair(folder: Path, words: int = 300, dimension: int = 12) -> tuple[Path, Path]:
    """Two files that are nearly in one space."""
    source, target, _ = planted_pair(words=words, dimension=dimension, noise=0.08, tilt=0.3)
    paths = folder / "one.vec", folder / "two.vec"
    write(named(source, "s"), paths[0])
    write(named(target, "t"), paths[1])
    return paths


def refined_run(folder: Path, output_format: str = "vec", **parameters) -> Path:
    """The folder of a refinement."""
    folder.mkdir(exist_ok=True)
    paths = write_pair(folder)
    refiner = Refiner(**{"horizon": PAPER_HORIZON, **parameters})
    refine_files(*paths, folder / "refined", refiner, output_format=output_format)
    return folder / "refined"


def aligned_run(folder: Path, output_format: str = "vec", words: int = 300) -> Path:
    """The folder of an alignment, left a little askew by its few seeds."""
    folder.mkdir(exist_ok=True)
    source, target = write_pair(folder, words=words)
    pairs = [(f"s{spelled(row)}", f"t{spelled(row)}") for row in range(30, 60)]
    Lexicon(pairs).write(folder / "seeds.tsv")
    aligner = ALIGNERS["procrustes"]()
    FileAlignment(aligner, output_format=output_format).align(
        source, target, str(folder / "seeds.tsv"), folder / "aligned"
    )
    return folder / "aligned"


def induced_run(folder: Path, *, vocabulary: int = 400, **parameters) -> Path:
    """The folder of an induction, by default with a learned ranking of both directions."""
    folder.mkdir(exist_ok=True)
    source, target, lexicon = noisy_pair(words=400, dimension=20, noise=0.6)
    for side, name in ((source, "one.vec"), (target, "two.vec")):
        write(side, folder / name)
    seeds, test = some_of(lexicon, 4)
    seeds.write(folder / "seeds.tsv")
    test.write(folder / "test.tsv")
    boosting = Boosting(trees=10, leaves=7)
    options = {"method": "procrustes", "ranking": "learned", "boosting": boosting, **parameters}
    files = folder / "one.vec", folder / "two.vec", str(folder / "seeds.tsv")
    work = FileInduction(inducer=Inducer(**options), vocabulary=vocabulary)
    work.induce(*files, folder / "induced")
    return folder / "induced"


def prepare_here(run: Path, limit: int = 200_000) -> list:
    """Do the long work in this process, and keep it beside the run; what was reported."""
    stages = []
    with cache_folder(Run.open(run).require_pair(), limit) as cache:
        prepare(run, cache, limit, stages.append)
    return stages


def opened(stack: ExitStack, run: Path, **options):
    """An explorer of a run for which everything is prepared."""
    prepare_here(run, options.get("limit", 200_000))
    explorer = stack.enter_context(open_explorer(run, **options))
    explorer.wait_for_ranking()
    return explorer


def original(run: Path) -> tuple[Embeddings, Embeddings]:
    """What went into a refinement, with unit length."""
    from lexalign.spaces import unit_length
    from lexalign.vectors import read

    return tuple(unit_length(read(run.parent / name)) for name in ("one.vec", "two.vec"))


def rotated(embeddings: Embeddings, rotation: np.ndarray) -> Embeddings:
    """The same words, turned."""
    return embeddings.with_matrix(embeddings.matrix @ rotation.astype(np.float32))
