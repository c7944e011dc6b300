"""Runs to report on."""

from lexalign import Lexicon, write
from lexalign.vectors import Embeddings
from tests.conftest import exit_code, planted_pair

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
