import pytest

import lexalign


def test_every_public_name_is_there():
    for name in lexalign.__all__:
        assert getattr(lexalign, name) is not None


def test_functions_stay_functions_after_their_packages_were_imported():
    import lexalign.evaluation
    import lexalign.refinement
    import lexalign.training

    assert callable(lexalign.refine)
    assert callable(lexalign.train)


def test_an_unknown_name_is_an_attribute_error():
    with pytest.raises(AttributeError, match="no attribute 'magic'"):
        _ = lexalign.magic


def test_the_version_is_that_of_the_package():
    from importlib.metadata import version

    assert lexalign.__version__ == version("lexalign")


def test_what_is_no_embedding_or_lexicon_gets_a_sentence():
    words = lexalign.Embeddings(["a", "b"], [[1.0, 0.0], [0.0, 1.0]])
    with pytest.raises(lexalign.LexalignError, match="`source` must be Embeddings. Got str"):
        lexalign.refine("en.vec", words)
    with pytest.raises(lexalign.LexalignError, match="`target` must be Embeddings. Got ndarray"):
        lexalign.evaluate(words, words.matrix, lexalign.Lexicon([("a", "a")]))
    with pytest.raises(lexalign.LexalignError, match="`lexicon` must be a Lexicon. Got str"):
        lexalign.evaluate(words, words, "test.txt")


def test_results_describe_themselves_in_a_line():
    words = lexalign.Embeddings(["a", "b"], [[1.0, 0.0], [0.0, 1.0]])
    lexicon = lexalign.Lexicon([("a", "a"), ("b", "b")])
    result = lexalign.evaluate(words, words, lexicon, retrieval="nn")
    assert repr(lexicon) == "Lexicon(2 pairs)"
    assert repr(result) == (
        "Accuracy(muse with nn: p@1 1.000, p@5 1.000, p@10 1.000, mrr 1.000, 2 queries)"
    )
    alignment = lexalign.refine(words, words, retrieval="nn", horizon=5e-3)
    assert repr(alignment) == "Alignment(2 pairs, 1 rounds)"
    assert "refine" in dir(lexalign)
