from lexalign.aligners import Procrustes
from lexalign.aligners.health import misalignment_warning
from lexalign.demo import demo_embeddings, demo_lexicon
from lexalign.retrieval import MutualPairs, mutual_pairs
from lexalign.spaces import unit_length


def test_only_unaligned_spaces_are_doubted():
    raw = [unit_length(demo_embeddings(language).top(4000)) for language in ("en", "de")]
    aligned = Procrustes().fit(*raw, demo_lexicon("seeds"))
    for source, target, doubtful in ((*raw, True), (aligned.source, aligned.target, False)):
        mutual = mutual_pairs(source.matrix, target.matrix)
        sentence = misalignment_warning(source.matrix, target.matrix, mutual, 10_000)
        assert (sentence is not None) == doubtful


def test_a_handful_of_pairs_proves_nothing():
    raw = [unit_length(demo_embeddings(language).top(200)) for language in ("en", "de")]
    few = mutual_pairs(raw[0].matrix, raw[1].matrix)
    few = MutualPairs(few.pairs[:5], few.margins[:5])
    assert misalignment_warning(raw[0].matrix, raw[1].matrix, few, 10_000) is None
