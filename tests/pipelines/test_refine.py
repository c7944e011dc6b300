import json

import numpy as np
import pytest

import lexalign
from lexalign.errors import InputError, LexalignError, OutputError
from lexalign.pipelines.refine import refine_files
from lexalign.refinement import Refiner
from lexalign.spaces import LinearMap
from lexalign.vectors import Embeddings, Lexicon, Policy, read, write
from tests.conftest import planted_pair

PAPER = Refiner(horizon=5e-3)
SUFFIX = {"vec": ".vec", "bin": ".bin", "npz": ".npz", "folder": ""}


@pytest.fixture
def paths(tmp_path):
    source, target, _ = planted_pair(words=300, dimension=8)
    write(source, tmp_path / "s.vec")
    write(target, tmp_path / "t.vec")
    return tmp_path / "s.vec", tmp_path / "t.vec", tmp_path / "out"


@pytest.mark.parametrize("output_format", SUFFIX)
def test_every_output_format_holds_the_refined_pair(paths, output_format):
    source, target, output = paths
    refine_files(source, target, output, PAPER, output_format=output_format)
    suffix = SUFFIX[output_format]
    expected = PAPER.fit(read(source), read(target))
    for name, embeddings in (("source", expected.source), ("target", expected.target)):
        written = read(output / f"{name}{suffix}")
        assert list(written.words) == list(embeddings.words)
        np.testing.assert_allclose(written.matrix, embeddings.matrix, atol=1e-6)
    assert sorted(path.name for path in output.iterdir()) == sorted(
        [
            f"source{suffix}",
            f"target{suffix}",
            "map.safetensors",
            "rotation.safetensors",
            "lexicon.tsv",
            "run.json",
        ]
    )


@pytest.mark.parametrize("suffix", [".vec.gz", ".bin", ".npz", ""])
def test_every_input_format_works(paths, suffix):
    source, target, output = paths
    lexalign.convert(source, source.with_name(f"other{suffix}"))
    refine_files(source.with_name(f"other{suffix}"), target, output, PAPER)
    assert len(read(output / "source.vec")) == 300


def test_what_was_learned_from_few_words_is_applied_to_all(paths):
    source, target, output = paths
    refine_files(source, target, output, PAPER, limit=200)
    learned = PAPER.fit(read(source, limit=200), read(target, limit=200))
    written = read(output / "source.vec")
    assert len(written) == 300
    np.testing.assert_allclose(
        written.matrix, learned.map.apply(read(source).matrix, "source"), atol=1e-6
    )


def test_the_record_tells_how_to_repeat_it(paths):
    source, target, output = paths
    refine_files(source, target, output, Refiner(horizon=5e-3, rounds=2, loss="huber"), seed=7)
    record = json.loads((output / "run.json").read_text(encoding="utf-8"))
    assert record["parameters"]["loss"] == "huber"
    assert record["parameters"]["limit"] == 200_000
    assert record["seed"] == 7
    assert len(record["history"]) == 2
    assert len(record["inputs"]["source"]["sha256"]) == 64
    assert record["inputs"]["target"]["rows_read"] == 300
    assert {"python", "numpy", "lexalign"} <= set(record["versions"])
    assert set(record["seconds"]) == {
        "reading source",
        "reading target",
        "finding mutual pairs",
        "solving",
        "writing source",
        "writing target",
        "hashing source",
        "hashing target",
    }
    assert "Peng" in record["citation"]


def test_map_and_lexicon_can_be_used_again(paths):
    source, target, output = paths
    refine_files(source, target, output, PAPER)
    loaded = LinearMap.load(output / "map.safetensors")
    np.testing.assert_allclose(
        loaded.apply(read(source).matrix, "source"), read(output / "source.vec").matrix, atol=1e-6
    )
    pairs = Lexicon.read(output / "lexicon.tsv")
    assert len(pairs.pairs) > 250
    assert pairs.weights is not None
    assert (np.diff(pairs.weights) <= 0).all()


def test_a_word_that_no_lexicon_can_hold_fails_no_run(paths, caplog):
    source, target, output = paths
    for path, odd in ((source, {0: "\ufeff", 1: "a\tb"}), (target, {2: " blank"})):
        words = read(path)
        names = [odd.get(row, word) for row, word in enumerate(words.words)]
        write(Embeddings(names, words.matrix), path.with_suffix(".npz"))
    refiner = Refiner(retrieval="nn")
    inputs = source.with_suffix(".npz"), target.with_suffix(".npz")
    refine_files(*inputs, output, refiner, output_format="npz")
    plain = lexalign.refine(read(source), read(target), retrieval="nn").lexicon
    lacking = [pair for pair in plain if read(source).index[pair[0]] == 1]
    lacking += [pair for pair in plain if read(target).index[pair[1]] == 2]
    kept = list(Lexicon.read(output / "lexicon.tsv"))
    assert "\ufeff" in {left for left, _ in kept}
    assert len(lacking) == 2
    assert len(kept) == len(plain) - 2
    assert "lexicon.tsv leaves out pairs" in caplog.text
    assert caplog.text.rstrip().endswith("blanks at an end: 2")


def test_the_policy_holds_for_learning_and_writing(paths):
    source, target, output = paths
    rows = source.read_text(encoding="utf-8").split("\n")
    rows[0] = "301 8"
    source.write_text("\n".join([*rows[:-1], "S0 " + "1 " * 8, ""]), encoding="utf-8")
    refine_files(source, target, output, PAPER, policy=Policy(lowercase=True))
    assert len(read(output / "source.vec")) == 300
    record = json.loads((output / "run.json").read_text(encoding="utf-8"))
    assert record["inputs"]["source"]["duplicates_dropped"] == 1
    assert record["policy"]["lowercase"] is True


def test_the_same_input_gives_the_same_files(paths):
    source, target, output = paths
    for number in (1, 2):
        refine_files(source, target, output.with_name(f"out{number}"), PAPER)
    for name in ("source.vec", "target.vec", "map.safetensors", "lexicon.tsv"):
        first, second = (output.with_name(f"out{number}") / name for number in (1, 2))
        assert first.read_bytes() == second.read_bytes()


def test_an_existing_output_is_refused_before_anything_is_read(paths):
    source, target, output = paths
    refine_files(source, target, output, PAPER)
    before = {path.name: path.read_bytes() for path in output.iterdir()}
    with pytest.raises(OutputError, match="set `overwrite=True`"):
        refine_files(source.with_name("missing"), target, output, PAPER)
    assert before == {path.name: path.read_bytes() for path in output.iterdir()}
    refine_files(source, target, output, PAPER, output_format="bin", overwrite=True)
    assert not (output / "source.vec").exists()


@pytest.mark.parametrize("failure", [KeyboardInterrupt, OSError(28, "No space left on device")])
def test_a_failure_while_writing_leaves_the_earlier_output(paths, monkeypatch, failure):
    source, target, output = paths
    refine_files(source, target, output, PAPER)
    before = {path.name: path.read_bytes() for path in output.iterdir()}

    def fail(*_, **__):
        raise failure

    monkeypatch.setattr(LinearMap, "save", fail)
    expected = KeyboardInterrupt if failure is KeyboardInterrupt else OutputError
    with pytest.raises(expected):
        refine_files(source, target, output, Refiner(loss="l2"), overwrite=True)
    assert before == {path.name: path.read_bytes() for path in output.iterdir()}
    assert sorted(path.name for path in output.parent.iterdir()) == ["out", "s.vec", "t.vec"]


def test_different_dimensions_name_both_files(paths):
    source, target, output = paths
    write(Embeddings(["a"], np.ones((1, 3), np.float32)), target, overwrite=True)
    with pytest.raises(InputError, match=r"s\.vec: its vectors have 8 dimensions.*t\.vec 3"):
        refine_files(source, target, output, PAPER)
    assert not output.exists()


def test_too_few_words_for_the_neighbourhoods(paths):
    source, target, output = paths
    with pytest.raises(LexalignError, match="has 5 words, fewer than the 10"):
        refine_files(source, target, output, PAPER, limit=5)


def test_an_unknown_format_is_refused(paths):
    with pytest.raises(LexalignError, match="`output_format` must be one of"):
        refine_files(*paths, PAPER, output_format="pickle")


def test_several_rounds_are_summed_up_on_one_dictionary(paths):
    source, target, output = paths
    summary = refine_files(source, target, output, Refiner(horizon=5e-3, rounds=3))
    refined = [read(output / f"{name}.vec") for name in ("source", "target")]
    pairs = Lexicon.read(output / "lexicon.tsv").indices(*refined).pairs
    misfit = np.abs(refined[0].matrix[pairs[:, 0]] - refined[1].matrix[pairs[:, 1]]).sum()
    assert summary["l1_after"] == pytest.approx(misfit, rel=1e-5)
    assert summary["l1_after"] < summary["l1_before"]
    assert summary["orthogonality_error"] <= 1e-6


def test_a_folder_keeps_its_language_and_earlier_normalisation(paths):
    source, target, output = paths
    words = read(source)
    folder = source.with_name("folder")
    write(Embeddings(words.words, words.matrix, "en", ("unit", "centre")), folder)
    refine_files(folder, target, output, PAPER, output_format="folder")
    written = read(output / "source")
    assert written.language == "en"
    assert written.normalisation == ("unit", "centre", "unit")


def test_a_solver_that_failed_writes_nothing(paths, monkeypatch):
    from lexalign.procrustes import Outcome, Solution
    from lexalign.refinement import refiner

    failed = Solution(np.eye(8), Outcome.NOT_FINITE, ())
    monkeypatch.setattr(refiner, "solve", lambda *_, **__: failed)
    with pytest.raises(LexalignError, match="no longer finite"):
        refine_files(*paths, PAPER)
    assert not paths[2].exists()
