"""From two spaces to a dictionary, on a planted pair."""

import os
import subprocess
import sys

import numpy as np
import pytest

import lexalign
from lexalign.errors import LexalignError
from lexalign.induction import Inducer
from lexalign.induction.ranker import Boosting
from lexalign.vectors import Embeddings, Lexicon
from tests.induction.samples import noisy_pair, some_of

QUICK = {"method": "procrustes", "boosting": Boosting(trees=15, leaves=7)}
THREADS = """
import sys
from lexalign import Inducer
from lexalign.demo import demo_embeddings, demo_lexicon

sides = (demo_embeddings(language).top(1500) for language in ("en", "de"))
inducer = Inducer(method="procrustes", ranking="learned", both_directions=False)
inducer.fit(*sides, demo_lexicon("seeds")).dictionary(max_rank=300).write(sys.argv[1])
"""


@pytest.fixture(scope="module")
def pair():
    source, target, lexicon = noisy_pair(noise=0.6)
    return source, target, *some_of(lexicon, 4)


@pytest.fixture(scope="module")
def induced(pair):
    return Inducer(**QUICK, ranking="learned").fit(*pair[:3])


def accuracy(found, wanted):
    return np.mean([one == other for one, other in zip(found, wanted, strict=True)])


def test_held_out_words_are_translated_better_than_by_csls(pair, induced):
    words, wanted = zip(*pair[3].pairs, strict=True)
    plain = Inducer(**QUICK, ranking="csls").fit(*pair[:3])
    assert accuracy(induced.predict(words), wanted) > accuracy(plain.predict(words), wanted)
    assert plain.model.directions["forward"].kind == "csls"
    assert induced.model.directions["forward"].kind == "learned"


def test_unknown_words_have_no_translation(pair, induced):
    known = pair[0].words[0]
    assert induced.predict(["xyzzy", known])[0] is None
    assert induced.predict(["xyzzy", known])[1] is not None
    assert induced.predict(["xyzzy"]) == [None]
    assert induced.predict([]) == []


def test_it_translates_back(pair, induced):
    sources, targets = zip(*pair[3].pairs, strict=True)
    found = induced.translate(targets, top=1, direction="backward")
    right = set(zip(targets, sources, strict=True))
    assert len(right & set(found.pairs)) > len(right) / 2
    one_way = Inducer(**QUICK, ranking="csls", both_directions=False).fit(*pair[:3])
    with pytest.raises(LexalignError, match=r"`direction` must be one of \('forward',\)"):
        one_way.translate(targets, direction="backward")


def test_a_dictionary_has_the_wanted_size(pair, induced):
    found = induced.dictionary(top=2, max_rank=50)
    assert len(found) == 100
    assert list(dict.fromkeys(found.source)) == list(pair[0].words[:50])
    assert found.rank.tolist() == [1, 2] * 50
    first, second = found.probability.reshape(50, 2).T
    assert (first >= second).all()
    assert ((found.probability >= 0) & (found.probability <= 1)).all()
    sure = induced.dictionary(top=2, max_rank=50, min_probability=0.5)
    assert sure.pairs == found.at_least(0.5).pairs


def test_probabilities_come_true_on_held_out_words(pair, induced):
    words = [word for word, _ in pair[3].pairs]
    found = induced.translate(words, top=1)
    right = np.isin([*map(hash, found.pairs)], [*map(hash, pair[3].pairs)]).mean()
    assert found.expected_precision == pytest.approx(right, abs=0.12)


def test_the_same_seed_gives_the_same_dictionary(pair, induced):
    again = Inducer(**QUICK, ranking="learned").fit(*pair[:3])
    one, other = (part.dictionary(max_rank=60) for part in (induced, again))
    assert one.pairs == other.pairs
    np.testing.assert_array_equal(one.probability, other.probability)


def test_the_record_says_how_it_came_about(induced):
    record = induced.record
    assert record["seeds"] == 450
    assert record["choice"]["method"] == "procrustes"
    forward = record["ranking"]["forward"]
    assert forward["seed_words"] == 450
    assert sum(forward["learned"]["importance"].values()) == pytest.approx(1)
    assert sum(one["words"] for one in forward["reliability"]) == 450
    assert len(induced.seed_lexicon) == 450


def test_few_seeds_judge_a_ranking_in_both_directions(pair):
    few = Lexicon(pair[2].pairs[:100])
    found = Inducer(**QUICK).fit(*pair[:2], few)
    for direction in found.record["ranking"].values():
        assert direction["weak_labels"]
        assert direction["seed_words"] == 100
        better = direction["learned"]["p@1"] > direction["csls"]["p@1"]
        assert direction["kind"] == ("learned" if better else "csls")
    assert found.predict(pair[0].words[:1])[0] is not None


def test_rare_words_are_translated_too(pair):
    found = Inducer(**QUICK, ranking="csls", limit=500).fit(*pair[:3])
    assert len(found.dictionary(top=1)) == 600


def test_a_method_is_chosen_by_the_seeds(pair):
    found = Inducer(ranking="csls", budget=1.5).fit(*pair[:3])
    tried = found.record["choice"]["tried"]
    assert found.choice.method.name in [one["method"] for one in tried]
    assert found.choice.reason.startswith(f"{found.choice.method.name} was chosen: P@1 ")


def test_induce_is_one_call(pair):
    found = lexalign.induce(*pair[:3], **QUICK, ranking="csls", top=1, max_rank=20)
    assert len(found) == 20


def test_bad_input_gets_one_sentence(pair):
    source, target, seeds, _ = pair
    narrow = Embeddings(target.words, target.matrix[:, :9])
    for arguments, parameters, sentence in [
        (
            (source, target, seeds),
            {"method": "magic"},
            "`method` parameter of induction .*'magic'",
        ),
        ((source, target, Lexicon([("no", "nein")])), {}, "no|none|pair"),
        ((source, narrow, seeds), {}, "dimension"),
        ((source, target, seeds), {"ranking": "best"}, "`ranking` parameter of induction must be"),
        ((source, "de.vec", seeds), {}, "`target` must be Embeddings"),
    ]:
        with pytest.raises(LexalignError, match=sentence) as caught:
            Inducer(**{**QUICK, **parameters}).fit(*arguments)
        assert "\n" not in str(caught.value)


def test_a_handful_of_seeds_gives_a_dictionary(pair):
    found = Inducer(**QUICK).fit(*pair[:2], Lexicon(pair[2].pairs[:5]))
    assert len(found.dictionary(top=1, max_rank=10)) == 10


def test_the_number_of_threads_does_not_change_the_dictionary(tmp_path):
    found = []
    for threads in ("1", "2"):
        names = ("OMP_NUM_THREADS", "OPENBLAS_NUM_THREADS", "MKL_NUM_THREADS")
        environment = {**os.environ, **dict.fromkeys(names, threads)}
        file = tmp_path / f"{threads}.tsv"
        subprocess.run([sys.executable, "-c", THREADS, file], check=True, env=environment)
        found.append(file.read_bytes())
    assert found[0] == found[1]
