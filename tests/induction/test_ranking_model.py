"""What a ranking learns from labels that were selected by one side."""

import numpy as np
import pytest

from lexalign.induction import Inducer, ranking_model
from lexalign.induction.calibration import Calibration
from lexalign.induction.label_coverage import LabelCoverage
from lexalign.induction.ranker import Boosting
from lexalign.progress import Progress
from lexalign.vectors import Embeddings, Lexicon
from tests.induction.samples import noisy_pair


@pytest.fixture(scope="module")
def selected():
    """Seeds for the 350 most frequent of 600 target words; their translations are of any rank."""
    source, target, lexicon = noisy_pair(words=600, dimension=20, noise=0.5)
    order = np.random.default_rng(0).permutation(600)
    shuffled = Embeddings([source.words[row] for row in order], source.matrix[order])
    return shuffled, target, Lexicon(lexicon.pairs[:350])


@pytest.fixture
def learned(selected, monkeypatch):
    """The offsets of every ranker, the weights of every calibration, and what was induced."""
    offsets, weights = [], []
    boosted, calibrated = Boosting.fit, Calibration.fit

    def boosting_spy(self, features, labels, groups, folds, **others):
        offsets.append(others["offsets"])
        return boosted(self, features, labels, groups, folds, **others)

    def calibration_spy(scores, groups, labels, weights_=None):
        weights.append(weights_)
        return calibrated(scores, groups, labels, weights_)

    monkeypatch.setattr(Boosting, "fit", boosting_spy)
    monkeypatch.setattr(ranking_model.Calibration, "fit", calibration_spy)
    inducer = Inducer(
        method="procrustes", ranking="learned", boosting=Boosting(trees=5, leaves=7), folds=2
    )
    return offsets, weights, inducer.fit(*selected)


def test_the_record_says_which_side_was_selected(learned):
    record = learned[2].record["ranking"]
    assert record["forward"]["selected_by"] == "target"
    assert record["backward"]["selected_by"] == "source"


def test_only_labels_that_the_target_selected_are_corrected(learned):
    offsets, weights, _ = learned
    assert len(offsets) == 2
    assert offsets[1] is None
    np.testing.assert_array_equal(np.unique(weights[-1]), [1])
    assert weights[2].min() < 1 < weights[2].max()
    assert len(weights) == 6


def test_offsets_are_the_logarithms_of_the_coverage(learned):
    (offsets, _), _, _ = learned
    shares = np.log(LabelCoverage.of(np.arange(350), 600).shares)
    found = np.unique(offsets)
    assert len(found) <= len(shares)
    assert found.max() == pytest.approx(shares.max(), abs=0.1)
    assert found.min() == pytest.approx(shares.min(), abs=0.5)


def test_stages_are_told_to_whoever_listens(selected):
    progress = Progress()
    boosting = Boosting(trees=2, leaves=4)
    Inducer(method="procrustes", ranking="learned", boosting=boosting, folds=2).fit(
        *selected, progress=progress
    )
    assert {"fitting alignments", "cross-fitting", "learning to rank"} <= set(progress.seconds)
