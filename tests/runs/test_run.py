"""A run is written by one writer and read by one reader."""

import json
import re
from pathlib import Path

import numpy as np
import pytest

import lexalign
from lexalign import Embeddings, Lexicon, LinearMap, Run
from lexalign.errors import InputError, OutputError
from lexalign.progress import Progress
from lexalign.runs import (
    LAYOUT,
    AlignedPair,
    aligned_pairs,
    claim_run,
    is_run,
    new_run,
    run_behind,
)
from lexalign.spaces import Side, Stage
from tests.conftest import random_rotation

WORDS = Embeddings(["a", "b", "c"], np.eye(3))


@pytest.fixture
def folder(tmp_path):
    """A refinement, as a pipeline would write it."""
    rotation = random_rotation(3, np.random.default_rng(0))
    step = LinearMap(Side((Stage(matrix=rotation),)), Side())
    with new_run(claim_run(tmp_path / "run")) as run:
        run.vectors(WORDS.with_matrix(WORDS.matrix @ rotation), "source", ".npz")
        run.vectors(WORDS, "target", "")
        run.map(step)
        run.rotation(step)
        run.lexicon(Lexicon([("a", "a")], np.array([0.5])))
        run.record({"method": "refine", "parameters": {"loss": "l1"}})
    return tmp_path / "run"


def test_a_run_is_read_as_it_was_written(folder):
    run = Run.open(folder)
    assert (run.name, run.method, run.parameters) == ("run", "refine", {"loss": "l1"})
    assert run.source.words == run.target.words == WORDS.words
    np.testing.assert_allclose(run.source.matrix, run.rotation, atol=1e-6)
    assert run.lexicon.pairs == (("a", "a"),)
    assert run.record["versions"]["lexalign"] == lexalign.__version__
    assert not run.changed_nothing


def test_the_limit_counts_words(folder):
    assert len(Run.open(folder, limit=2).source) == 2


def test_a_file_knows_its_run_and_its_side(folder):
    source = Run.open(folder).files[0]
    assert run_behind(source).side_of(source).matrix is not None
    assert run_behind(folder / LAYOUT.lexicon) is None
    assert run_behind(folder.parent / "elsewhere.vec") is None


def test_a_run_json_of_another_program_is_no_run_behind_vectors(folder, tmp_path):
    (tmp_path / LAYOUT.record).write_text("[]", encoding="utf-8")
    assert run_behind(tmp_path / "en.vec") is None
    (folder / LAYOUT.record).write_text("[]", encoding="utf-8")
    with pytest.raises(InputError, match="not the record of a run"):
        run_behind(folder / "source.npz")


def test_the_fingerprint_sees_a_change(folder):
    before = Run.open(folder).fingerprint()
    (folder / LAYOUT.lexicon).write_text("b\tb\t1.0\n")
    assert Run.open(folder).fingerprint() != before


def test_a_missing_lexicon_is_an_empty_one(folder):
    (folder / LAYOUT.lexicon).unlink()
    assert len(Run.open(folder).lexicon) == 0


def test_the_seeds_of_a_run_are_known_unknown_or_none(tmp_path):
    """Only a run that says so had no seeds."""
    pairs = [("a", "b"), ("c", "a")]
    for name, seeds in (("some", Lexicon(pairs)), ("none", None), ("unknown", ...)):
        with new_run(claim_run(tmp_path / name)) as run:
            run.vectors(WORDS, "source", ".npz")
            run.vectors(WORDS, "target", ".npz")
            if seeds is not ...:
                run.seeds(seeds)
            run.record({"method": "procrustes"})
    some, none, unknown = (Run.open(tmp_path / name) for name in ("some", "none", "unknown"))
    assert some.seeds.pairs == tuple(pairs)
    assert none.seeds.pairs == ()
    assert unknown.seeds is None
    source, target = some.files
    assert AlignedPair(target, source).seeds().pairs == (("b", "a"), ("a", "c"))
    assert AlignedPair(source, none.files[1]).seeds() is None
    (tmp_path / "some" / LAYOUT.seeds).unlink()
    assert Run.open(tmp_path / "some").seeds is None
    (tmp_path / "some" / LAYOUT.record).write_text("{}")
    assert AlignedPair(source, target).seeds() is None


def test_vectors_that_are_gone_are_named(folder):
    (folder / "source.npz").unlink()
    with pytest.raises(InputError, match="holds none of source.vec, source.bin, source.npz"):
        _ = Run.open(folder).source


def test_another_format_is_refused(folder):
    record = json.loads((folder / LAYOUT.record).read_text())
    (folder / LAYOUT.record).write_text(json.dumps({**record, "format": "lexalign-run-1"}))
    with pytest.raises(
        InputError, match="the record has the format lexalign-run-1, expected lexalign-run-2"
    ):
        Run.open(folder)


def test_a_matrix_that_is_no_rotation_is_refused(folder):
    skewed = LinearMap(Side((Stage(matrix=np.diag([1.0, 2.0, 1.0])),)), Side())
    skewed.save(folder / LAYOUT.rotation, overwrite=True)
    with pytest.raises(InputError, match="its matrix is not a rotation"):
        Run.open(folder).require_pair()


def test_an_interrupted_run_leaves_nothing(tmp_path):
    with (
        pytest.raises(KeyboardInterrupt),
        new_run(claim_run(tmp_path / "run"), progress=Progress()) as run,
    ):
        run.vectors(WORDS, "source", ".vec")
        raise KeyboardInterrupt
    assert list(tmp_path.iterdir()) == []


def test_an_existing_run_is_replaced_only_if_allowed(folder):
    with pytest.raises(OutputError, match="already exists"):
        claim_run(folder)
    claim_run(folder, overwrite=True)


def test_pairs_are_folders_or_two_files(folder):
    one, other = aligned_pairs([folder, Path("x.vec"), Path("y.vec")])
    assert (one.folder, one.paths) == (folder, (folder,))
    assert other.paths == (Path("x.vec"), Path("y.vec"))
    assert is_run(folder)


def test_nobody_else_knows_the_files_of_a_run():
    """Apart from sentences for people: help, docstrings, errors and remedies."""
    home = Path(lexalign.__file__).parent
    names = "|".join(map(re.escape, (LAYOUT.record, LAYOUT.map, LAYOUT.rotation, LAYOUT.lexicon)))
    quoted = re.compile(rf"""["']({names})["']""")
    found = [
        str(path.relative_to(home))
        for path in home.rglob("*.py")
        if path.parent.name != "runs" and quoted.search(path.read_text("utf-8"))
    ]
    assert found == []


def test_a_huge_matrix_is_no_rotation(folder):
    huge = LinearMap(Side((Stage(matrix=np.full((3, 3), 1e38)),)), Side())
    huge.save(folder / LAYOUT.rotation, overwrite=True)
    with pytest.raises(InputError, match="its matrix is not a rotation"):
        Run.open(folder).require_pair()


@pytest.mark.parametrize(
    ("name", "value"),
    [
        ("maps", [1]),
        ("maps", {"": "x"}),
        ("maps", {"x" * 5000: "x"}),
        ("probes", [1]),
        ("probes", {"source": 3}),
        ("probes", {"source": [{"word": "a"}]}),
        ("probes", {"source": [{"word": "a", "length": 10**400, "sketch": [0] * 16}]}),
        ("probes", {"source": [{"word": "a", "length": 1, "sketch": ["x"] * 16}]}),
        ("probes", {"source": [{"word": "a", "length": 1, "sketch": 16}]}),
        ("probes", {"source": [None]}),
    ],
)
def test_a_record_of_another_form_is_one_sentence(folder, name, value):
    record = json.loads((folder / LAYOUT.record).read_bytes())
    (folder / LAYOUT.record).write_text(json.dumps({**record, name: value}))
    with pytest.raises(InputError, match="repeat the run"):
        run = Run.open(folder)
        _ = run.maps, run.probes_of(run.files[0])
