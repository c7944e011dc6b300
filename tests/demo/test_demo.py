from lexalign import refine
from lexalign.demo import demo_embeddings, demo_lexicon, run_demo


def test_the_embedded_data_is_complete():
    for language in ("en", "de"):
        assert demo_embeddings(language).matrix.shape == (10_000, 300)
    assert len(demo_lexicon("seeds").pairs) == 600
    assert len(demo_lexicon("test").pairs) == 1_200


def test_the_demonstration_aligns_and_refines():
    result = run_demo()
    for scores in (result.before, result.after):
        assert scores["csls"].queries == 1_200
        assert scores["csls"].precision(1) > 0.7
        assert scores["csls"].precision(1) >= scores["nn"].precision(1)
    entry = result.refined.history[0]
    assert entry["l1_after"] < entry["l1_before"]
    assert "wasser" in result.translations["water"]


def test_refinement_that_stops_by_itself_leaves_the_demonstration_alone():
    aligned = run_demo().aligned
    (entry,) = refine(aligned.source, aligned.target).history
    assert entry["outcome"] == "unchanged"
