"""Runs to report on."""

from lexalign import Lexicon, write
from lexalign.induction import Inducer
from lexalign.induction.ranker import Boosting
from lexalign.pipelines.induce import FileInduction
from lexalign.vectors import Embeddings
from tests.conftest import exit_code, planted_pair
from tests.induction.samples import noisy_pair, some_of

PAPER = ("--horizon", "5e-3")


def make_runs(folder):
    """A pair, its alignment and its refinement, and a test dictionary."""
    source, target, _ = planted_pair(words=400, noise=0.15)
    hostile = ["<script>alert(1)</script>", *source.words[1:]]
    write(Embeddings(hostile, source.matrix), folder / "en.npz")
    write(target, folder / "de.npz")
    pairs = [(word, f"t{number}") for number, word in enumerate(hostile)]
    Lexicon(pairs[200:240]).write(folder / "seeds.txt")
    Lexicon([*pairs[:1], *pairs[1:150]]).write(folder / "test.txt")
    files = [folder / "en.npz", folder / "de.npz"]
    seeds = ["--lexicon", folder / "seeds.txt"]
    assert exit_code("align", "procrustes", *files, *seeds, "--output", folder / "aligned") == 0
    assert exit_code("refine", folder / "aligned", "--output", folder / "refined", *PAPER) == 0
    return folder


def make_induced(folder, name="induced", ranking="learned"):
    """The run of an induction, whose words are partly capitalised, and a test dictionary."""
    source, target, lexicon = noisy_pair(words=400, dimension=20, noise=0.6)
    for side, file in ((source, "one.vec"), (target, "two.vec")):
        words = [word.title() if row % 5 == 0 else word for row, word in enumerate(side.words)]
        write(Embeddings(words, side.matrix), folder / file)
    seeds, test = some_of(lexicon, 4)
    seeds.write(folder / "learned.tsv")
    test.write(folder / "held-out.tsv")
    Lexicon([*seeds.pairs[:10], *test.pairs]).write(folder / "leaking.tsv")
    boosting = Boosting(trees=10, leaves=7)
    inducer = Inducer(method="procrustes", ranking=ranking, boosting=boosting)
    files = folder / "one.vec", folder / "two.vec", str(folder / "learned.tsv")
    FileInduction(inducer=inducer, top=2).induce(*files, folder / name)
    return folder / name
