"""What gensim writes we read, and what we write gensim reads."""

from __future__ import annotations

import sys

import numpy as np
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from lexalign.errors import InputError, MissingExtraError
from lexalign.vectors import convert, detect_format, read, write

from .samples import MATRIX, WORDS, tiny
from .test_stream import mutations, read_or_refuse

models = pytest.importorskip("gensim.models")


@pytest.fixture(scope="module")
def fasttext_model():
    return models.FastText(
        sentences=[WORDS, WORDS[::-1]], vector_size=3, min_count=1, bucket=10, epochs=1, workers=1
    )


@pytest.fixture
def fasttext_file(tmp_path, fasttext_model):
    from gensim.models.fasttext import save_facebook_model

    save_facebook_model(fasttext_model, str(tmp_path / "model.bin"))
    return tmp_path / "model.bin"


@pytest.mark.parametrize("name", ["a.vec", "a.vec.gz", "a.bin"])
def test_gensim_reads_ours(tmp_path, name):
    write(tiny(), tmp_path / name)
    found = models.KeyedVectors.load_word2vec_format(
        str(tmp_path / name), binary=name.endswith(".bin")
    )
    assert found.index_to_key == WORDS
    np.testing.assert_array_equal(found.vectors.view(np.uint32), MATRIX.view(np.uint32))


@pytest.mark.parametrize("binary", [True, False])
def test_we_read_gensims(tmp_path, binary):
    path = str(tmp_path / "a")
    tiny().to_gensim().save_word2vec_format(path, binary=binary, sort_attr="")
    found = read(path)
    assert list(found.words) == WORDS
    np.testing.assert_array_equal(found.matrix, MATRIX)


def test_a_saved_gensim_object_is_refused(tmp_path):
    tiny().to_gensim().save(str(tmp_path / "a.kv"))
    with pytest.raises(InputError, match=r"KeyedVectors\.load\(name\)"):
        read(tmp_path / "a.kv")


def test_words_that_a_fasttext_model_does_not_hold_are_composed(fasttext_file, fasttext_model):
    from lexalign.vectors.fasttext_binary import compose

    known, unknown = fasttext_model.wv.index_to_key[0], "never seen"
    block, _ = compose(fasttext_file, [unknown, known])
    assert list(block.words) == [unknown, known]
    np.testing.assert_allclose(block.matrix[1], read(fasttext_file)[known], rtol=1e-6)
    np.testing.assert_allclose(block.matrix[0], fasttext_model.wv[unknown], rtol=1e-5)
    assert block.matrix[0].any()


def test_fasttext_model(fasttext_file, fasttext_model, tmp_path):
    assert detect_format(fasttext_file) == "fasttext-binary"
    found = read(fasttext_file)
    assert list(found.words) == fasttext_model.wv.index_to_key
    np.testing.assert_allclose(found.matrix, fasttext_model.wv.vectors, rtol=1e-6)
    assert list(read(fasttext_file, limit=2).words) == list(found.words[:2])
    convert(fasttext_file, tmp_path / "b.vec", limit=2)
    assert len(read(tmp_path / "b.vec")) == 2


def test_a_model_cut_off_among_its_words(fasttext_file):
    content = fasttext_file.read_bytes()
    for size in (10, 70, content.index("naïve".encode()) + 3):
        fasttext_file.write_bytes(content[:size])
        with pytest.raises(InputError, match="ends among its words"):
            read(fasttext_file)


@settings(max_examples=60, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(data=st.data())
def test_damaged_fasttext_models_are_read_or_refused(fasttext_file, data, tmp_path):
    damaged = tmp_path / "damaged.bin"
    damaged.write_bytes(data.draw(mutations(fasttext_file.read_bytes())))
    read_or_refuse(damaged)


def test_missing_gensim_is_explained(fasttext_file, monkeypatch):
    monkeypatch.setitem(sys.modules, "gensim.models.fasttext", None)
    with pytest.raises(MissingExtraError, match=r"lexalign\[train\]"):
        read(fasttext_file)
