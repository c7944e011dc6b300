"""A ranking as files: what is read ranks as before."""

import json

import numpy as np
import pytest

from lexalign.errors import InputError
from lexalign.induction import Inducer
from lexalign.induction.ranker import Boosting
from lexalign.induction.ranking_files import load_ranking, ranked_words, save_ranking
from tests.induction.samples import noisy_pair


@pytest.fixture(scope="module", params=["procrustes", "vecmap"])
def induced(request):
    boosting = Boosting(trees=10, leaves=7)
    inducer = Inducer(method=request.param, boosting=boosting, ranking="learned")
    return inducer.fit(*noisy_pair(words=400, dimension=20))


@pytest.fixture
def saved(induced, tmp_path):
    forward = induced.rankings["forward"]
    save_ranking(tmp_path / "ranking", induced.pair, induced.model, forward, induced.maps)
    return tmp_path / "ranking"


def test_translations_and_probabilities_are_as_before(induced, saved):
    loaded = load_ranking(saved, induced.alignment.source, induced.alignment.target)
    assert set(loaded) == {"forward", "backward"}
    for name, ranking in loaded.items():
        one, other = induced.rankings[name].rank(np.arange(200), 3), ranking.rank(np.arange(200), 3)
        assert (one.keys == other.keys).mean() > 0.99
        # Rounding may carry a feature of a candidate across the threshold of a tree.
        apart = np.abs(one.probabilities - other.probabilities)[one.keys == other.keys]
        assert np.median(apart) < 1e-6
        assert apart.mean() < 2e-3


def test_fewer_words_are_ranked_too(induced, saved):
    source, target = induced.alignment.source.top(150), induced.alignment.target.top(120)
    found = load_ranking(saved, source, target)["forward"].rank(np.arange(20), 1)
    assert found.keys.max() < 120


def test_a_damaged_folder_is_one_sentence_that_names_it(induced, saved):
    facts = json.loads((saved / "ranking.json").read_text("utf-8"))
    damages = {
        "ranking.json": ["{", json.dumps({**facts, "format": "other"}), json.dumps({"a": 1}), "[]"],
        "views.safetensors": ["broken"],
        "forward.0.txt": ["broken"],
        "pairs.tsv": [""],
    }
    for name, texts in damages.items():
        whole = (saved / name).read_bytes()
        for text in texts:
            (saved / name).write_text(text, encoding="utf-8")
            with pytest.raises(InputError) as caught:
                load_ranking(saved, induced.alignment.source, induced.alignment.target)
            assert "ranking" in str(caught.value)
            assert "\n" not in str(caught.value)
        (saved / name).unlink()
        with pytest.raises(InputError, match="ranking"):
            load_ranking(saved, induced.alignment.source, induced.alignment.target)
        (saved / name).write_bytes(whole)
    load_ranking(saved, induced.alignment.source, induced.alignment.target)


def test_what_was_learned_of_letters_and_words_is_read_again(induced, saved):
    loaded = load_ranking(saved, induced.alignment.source, induced.alignment.target)
    before, after = (one["forward"].evidence for one in (induced.rankings, loaded))
    for name in ("replace", "drop", "insert"):
        expected = getattr(before.letters.tables, name)
        np.testing.assert_array_equal(getattr(after.letters.tables, name), expected)
    for one, other in zip(before.letters.tables.shares, after.letters.tables.shares, strict=True):
        np.testing.assert_array_equal(one, other)
    assert after.letters.tables.alphabets == before.letters.tables.alphabets
    assert after.letters.tables.related == before.letters.tables.related
    for one, other in zip(before.views, after.views, strict=True):
        np.testing.assert_array_equal(other.source_density, one.source_density)
        np.testing.assert_array_equal(other.target_density, one.target_density)
        np.testing.assert_allclose(np.abs(other.source - one.source).max(), 0, atol=1e-4)
        np.testing.assert_allclose(np.abs(other.target - one.target).max(), 0, atol=1e-4)
    for name, ranking in loaded.items():
        expected = induced.rankings[name]
        assert ranking.groups == expected.groups
        np.testing.assert_allclose(ranking.calibration.weights, expected.calibration.weights)
    assert ranked_words(saved) == (400, 400)
    facts = json.loads((saved / "ranking.json").read_text("utf-8"))
    assert facts["views"] == len(before.views)
    for name, model in induced.model.directions.items():
        assert facts["directions"][name]["kind"] == "learned"
        assert facts["directions"][name]["csls"] == model.record["csls"]


def test_a_flipped_byte_is_noticed(induced, saved):
    places = {
        "ranking.json": b'"calibration": [\n    ',
        "forward.0.txt": b"left_child=",
        "views.safetensors": b'"F64"',
        "pairs.tsv": b"\t",
    }
    for name, mark in places.items():
        whole = (saved / name).read_bytes()
        damaged = bytearray(whole)
        damaged[whole.index(mark) + len(mark)] ^= 1
        (saved / name).write_bytes(damaged)
        with pytest.raises(InputError, match="not a ranking of Lexalign"):
            load_ranking(saved, induced.alignment.source, induced.alignment.target)
        (saved / name).write_bytes(whole)


def test_views_without_a_row_for_each_word_are_one_sentence(saved):
    from safetensors.numpy import save_file

    names = ("0.source.density", "0.target.density")
    save_file({name: np.array(1.0) for name in names}, saved / "views.safetensors")
    with pytest.raises(InputError, match="does not hold the views of a ranking"):
        ranked_words(saved)
