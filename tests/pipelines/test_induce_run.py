"""Induction from vectors that are already aligned, and without seeds."""

import json

import numpy as np
import pytest

from lexalign import Embeddings, Lexicon, Run, read, write
from lexalign.aligners import Procrustes, VecMap
from lexalign.errors import InputError, LexalignError
from lexalign.evaluation import PROTOCOLS
from lexalign.induction import Inducer
from lexalign.induction.ranker import Boosting
from lexalign.pipelines.align import FileAlignment
from lexalign.pipelines.evaluate import evaluate_files
from lexalign.pipelines.induce import FileInduction
from lexalign.pipelines.refine import refine_files
from lexalign.pipelines.translate import TranslationRequest, translate_files
from lexalign.refinement import Refiner
from lexalign.runs import aligned_pairs
from tests.induction.samples import noisy_pair, with_identical
from tests.pipelines.test_whole_maps import assert_leads_there

SMALL = {"boosting": Boosting(trees=5, leaves=7), "both_directions": False}
GIVEN = Inducer(method="given", ranking="learned", **SMALL)


@pytest.fixture(scope="module")
def files(tmp_path_factory):
    """Raw vectors of any length and mean, seeds, others, and the run of an alignment."""
    folder = tmp_path_factory.mktemp("induce-run")
    source, target, lexicon = noisy_pair(words=350, dimension=20, noise=0.4)
    for name, side in (("s", source), ("t", target)):
        write(Embeddings(side.words, 3 * side.matrix + 0.5), folder / f"{name}.vec")
    Lexicon(lexicon.pairs[:100]).write(folder / "seeds.tsv")
    Lexicon(lexicon.pairs[90:150]).write(folder / "others.tsv")
    Lexicon(lexicon.pairs[150:250]).write(folder / "test.tsv")
    sides = folder / "s.vec", folder / "t.vec"
    FileAlignment(VecMap()).align(*sides, str(folder / "seeds.tsv"), folder / "aligned")
    return folder


def induced(sides, output, lexicon=None, inducer=GIVEN):
    summary = FileInduction(inducer=inducer, top=2, max_rank=300).induce(*sides, lexicon, output)
    return Run.open(output), summary


@pytest.fixture(scope="module")
def run(files):
    return induced(Run.open(files / "aligned").files, files / "induced")[0]


def test_the_map_leads_from_the_original_vectors(files, run):
    assert_leads_there(run, files / "s.vec", files / "t.vec")
    assert run.record["base"]["method"] == "vecmap"
    assert run.map.provenance["base"]["method"] == "vecmap"


def test_the_vectors_are_those_of_the_run_at_unit_length(files, run):
    base = Run.open(files / "aligned")
    for one, other in ((base.source, run.source), (base.target, run.target)):
        lengths = np.linalg.norm(one.matrix, axis=1, keepdims=True)
        np.testing.assert_allclose(other.matrix, one.matrix / lengths, atol=1e-5)


def test_the_seeds_of_the_run_take_the_place_of_a_lexicon(files, run):
    seeds = Lexicon.read(files / "seeds.tsv")
    assert set(run.seeds.pairs) == set(seeds.pairs)
    record = json.loads((run.path / "run.json").read_text("utf-8"))
    assert record["induction"]["start"] == "given"
    assert record["induction"]["seeds"] == 100
    assert record["parameters"]["lexicon"] is None
    assert record["induction"]["ranking"]["forward"]["seed_words"] == 100


def test_seeds_of_the_alignment_and_of_the_dictionary_are_recorded(files, tmp_path):
    sides = Run.open(files / "aligned").files
    run, summary = induced(sides, tmp_path / "both", str(files / "others.tsv"))
    both = {*Lexicon.read(files / "seeds.tsv").pairs, *Lexicon.read(files / "others.tsv").pairs}
    assert len(both) == 150
    assert set(run.seeds.pairs) == both
    assert summary["ranking"]["forward"]["seed_words"] == 60


def test_a_chain_of_runs_leads_from_the_original_vectors(files, tmp_path):
    base = Run.open(files / "aligned")
    refine_files(*base.files, tmp_path / "refined", Refiner(horizon=5e-3, max_rank=300))
    run, _ = induced(Run.open(tmp_path / "refined").files, tmp_path / "induced")
    assert_leads_there(run, files / "s.vec", files / "t.vec")
    assert run.record["base"]["base"]["method"] == "vecmap"
    again, _ = induced(run.files, tmp_path / "again")
    assert_leads_there(again, files / "s.vec", files / "t.vec")


def test_the_run_translates_and_is_evaluated(files, run):
    (pair,) = aligned_pairs([run.path])
    word = run.source.words[0]
    found = translate_files(pair, TranslationRequest(words=[word], k=2))
    assert found.score == "probability"
    chosen = [one.word for one in found.entries[0].translations]
    assert chosen == [other for other, _ in run.dictionary.translate(word)]
    results, _ = evaluate_files([pair], [files / "test.tsv"], PROTOCOLS["muse"], ranking="auto")
    assert [one.result.protocol.retrieval for one in results] == ["csls", "learned"]
    assert min(one.result.precision(1) for one in results) > 0.8


def test_two_aligned_files_of_no_run_are_kept(files, tmp_path):
    base = Run.open(files / "aligned")
    for side, name in ((base.source, "one.vec"), (base.target, "two.vec")):
        write(side, tmp_path / name)
    run, summary = induced((tmp_path / "one.vec", tmp_path / "two.vec"), tmp_path / "out")
    assert_leads_there(run, tmp_path / "one.vec", tmp_path / "two.vec")
    assert (summary["start"], summary["seeds"]) == ("given", 0)
    assert "base" not in run.record
    assert run.seeds is None or not len(run.seeds)


def test_files_of_a_run_are_aligned_anew_by_a_named_method(files, tmp_path):
    sides = Run.open(files / "aligned").files
    inducer = Inducer(method="procrustes", ranking="csls", **SMALL)
    run, summary = induced(sides, tmp_path / "out", str(files / "others.tsv"), inducer)
    assert_leads_there(run, files / "s.vec", files / "t.vec")
    assert summary["start"] == "seeds"
    assert set(run.seeds.pairs) == set(Lexicon.read(files / "others.tsv").pairs)


def test_a_run_without_its_map_is_no_start(files, tmp_path):
    base = Run.open(files / "aligned")
    FileAlignment(Procrustes()).align(
        files / "s.vec", files / "t.vec", str(files / "seeds.tsv"), tmp_path / "broken"
    )
    (tmp_path / "broken" / "map.safetensors").unlink()
    with pytest.raises(InputError, match="map.safetensors: it is missing"):
        induced(Run.open(tmp_path / "broken").files, tmp_path / "out")
    with pytest.raises(LexalignError, match="cannot use 'numerals' as seeds"):
        induced(base.files, tmp_path / "out", "numerals")
    assert not (tmp_path / "out").exists()


def test_identical_words_are_the_seeds_of_a_run_without_a_lexicon(tmp_path):
    source, target = with_identical(*noisy_pair(words=350, dimension=50, noise=0.5)[:2], 5)
    sides = tmp_path / "s.vec", tmp_path / "t.vec"
    for side, path in zip((source, target), sides, strict=True):
        write(side, path)
    run, summary = induced(sides, tmp_path / "out", inducer=Inducer(ranking="csls", **SMALL))
    assert (summary["start"], summary["seeds"]) == ("identical", 70)
    assert {one == other for one, other in run.seeds.pairs} == {True}
    assert len(run.seeds) == 70
    assert_leads_there(run, *sides)
    assert len(read(tmp_path / "out" / "source.vec")) == 350
