"""Induction from files: what is written translates as before, or nothing is written."""

import json

import numpy as np
import pytest

from lexalign import Lexicon, Run, write
from lexalign.errors import InputError, LexalignError
from lexalign.evaluation import PROTOCOLS
from lexalign.induction import Inducer
from lexalign.induction.ranker import Boosting
from lexalign.pipelines.evaluate import evaluate_files
from lexalign.pipelines.induce import FileInduction
from lexalign.pipelines.translate import TranslationRequest, translate_files
from lexalign.runs import aligned_pairs
from tests.induction.samples import noisy_pair, some_of

INDUCER = Inducer(method="procrustes", ranking="learned", boosting=Boosting(trees=10, leaves=7))


@pytest.fixture(scope="module")
def files(tmp_path_factory):
    """Vectors, seeds and a test, and the run of an induction from them."""
    folder = tmp_path_factory.mktemp("induce")
    source, target, lexicon = noisy_pair(words=400, dimension=20, noise=0.6)
    write(source, folder / "s.vec")
    write(target, folder / "t.vec")
    seeds, test = some_of(lexicon, 4)
    seeds.write(folder / "seeds.tsv")
    test.write(folder / "test.tsv")
    work = FileInduction(inducer=INDUCER, exports=("muse", "tmx"), top=3)
    work.induce(folder / "s.vec", folder / "t.vec", str(folder / "seeds.tsv"), folder / "run")
    return folder


def translations(files, **request):
    (pair,) = aligned_pairs([files / "run"])
    return translate_files(pair, TranslationRequest(**request))


def test_a_run_has_all_files(files):
    names = {path.name for path in (files / "run").iterdir()}
    assert {"source.vec", "target.vec", "map.safetensors", "run.json", "ranking"} <= names
    assert {"dictionary.tsv", "dictionary.muse.txt", "dictionary.tmx", "seeds.tsv"} <= names
    record = json.loads((files / "run" / "run.json").read_text("utf-8"))
    assert record["method"] == "induce"
    assert record["induction"]["words"] == 400
    assert record["induction"]["ranking"]["forward"]["kind"] == "learned"
    run = Run.open(files / "run")
    assert run.has_ranking
    assert len(run.seeds) == 300


def test_the_run_translates_as_its_dictionary_says(files):
    dictionary = Run.open(files / "run").dictionary
    assert len(dictionary) == 1200
    words = list(dict.fromkeys(dictionary.source))
    found = translations(files, words=words, k=3)
    assert found.score == "probability"
    same = 0
    for entry in found.entries:
        expected = dictionary.translate(entry.word)
        if [one.word for one in entry.translations] == [word for word, _ in expected]:
            same += 1
            scores = [one.score for one in entry.translations]
            np.testing.assert_allclose(scores, [chance for _, chance in expected], atol=2e-2)
    assert same > 0.98 * len(words)


def test_both_directions_and_csls(files):
    word = Run.open(files / "run").target.words[0]
    back = translations(files, words=[word], direction="backward")
    assert back.score == "probability"
    assert back.entries[0].translations
    assert translations(files, words=[word], direction="backward", ranking="csls").score == "score"


def test_unknown_words_are_named(files):
    found = translations(files, words=["xyzzy"])
    assert not found.any_known
    assert "xyzzy" in found.warning


@pytest.mark.parametrize(
    ("ranking", "retrievals"),
    [("auto", ["csls", "learned"]), ("learned", ["learned"]), ("csls", ["csls"])],
)
def test_evaluation_shows_the_wanted_rankings(files, ranking, retrievals):
    pairs, protocol = aligned_pairs([files / "run"]), PROTOCOLS["muse"]
    found, _ = evaluate_files(pairs, [files / "test.tsv"], protocol, ranking=ranking)
    assert [one.result.protocol.retrieval for one in found] == retrievals
    if len(found) == 2:
        assert found[1].result.precision(1) > found[0].result.precision(1)
        assert len(found[1].result.ranks) == len(found[0].result.ranks)


def test_the_first_translation_is_the_evaluated_one(files):
    (found,), _ = evaluate_files(
        aligned_pairs([files / "run"]), [files / "test.tsv"], PROTOCOLS["muse"], ranking="learned"
    )
    words = list(found.result.words)
    first = {
        entry.word: entry.translations[0].word
        for entry in translations(files, words=words, k=1).entries
    }
    right = [
        first[word] in references
        for word, references in zip(words, found.result.references, strict=True)
    ]
    np.testing.assert_array_equal(found.result.ranks == 1, right)


def test_a_learned_ranking_that_is_not_there_is_a_sentence(files):
    (pair,) = aligned_pairs([files / "s.vec", files / "t.vec"])
    with pytest.raises(InputError, match="there is no learned ranking"):
        translate_files(pair, TranslationRequest(words=["a"], ranking="learned"))


def test_an_existing_folder_and_a_bad_lexicon_leave_things_as_they_are(files, tmp_path):
    work, sides = FileInduction(inducer=INDUCER), (files / "s.vec", files / "t.vec")
    before = (files / "run" / "run.json").read_bytes()
    with pytest.raises(LexalignError, match="run already exists"):
        work.induce(*sides, str(files / "seeds.tsv"), files / "run")
    assert (files / "run" / "run.json").read_bytes() == before
    Lexicon([("no", "nein")]).write(tmp_path / "bad.tsv")
    with pytest.raises(LexalignError, match="bad.tsv"):
        work.induce(*sides, str(tmp_path / "bad.tsv"), tmp_path / "out")
    assert [path.name for path in tmp_path.iterdir()] == ["bad.tsv"]


def test_unlikely_translations_are_left_out(files, tmp_path):
    work = FileInduction(inducer=INDUCER, min_probability=0.5, max_rank=100, top=1)
    sides = files / "s.vec", files / "t.vec"
    summary = work.induce(*sides, str(files / "seeds.tsv"), tmp_path / "out")
    found = Run.open(tmp_path / "out").dictionary
    assert found.probability.min() >= 0.5 - 5e-5
    assert 0 < summary["words"] == summary["translations"] == len(found) < 100
