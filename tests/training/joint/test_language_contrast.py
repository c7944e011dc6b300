"""Text of the other language is found without knowing any language."""

import numpy as np
import pytest

from lexalign.training.joint.language_contrast import language_contrast
from tests.training.language_text import lines_in, mixed


def share(text, part):
    """The share of the words of a text that are in its last lines."""
    sizes = [len(line.split()) for line in text]
    return sum(sizes[-part:]) / sum(sizes)


@pytest.mark.parametrize("part", [3, 20, 60])
def test_the_share_of_text_in_the_other_language_is_measured(part):
    target = mixed(de=120, en=part)
    found = language_contrast(lines_in("en"), target)
    assert found.is_plain
    assert found.source.other == 0
    assert found.target.other == pytest.approx(share(target, part), abs=0.01)
    assert found.target.example in {line if len(line) <= 40 else found.target.example
                                    for line in lines_in("en", part)}  # fmt: skip
    assert found.suspects("target")
    assert not found.suspects("source")


def test_the_threshold_says_how_bad_it_is():
    found = language_contrast(lines_in("en"), mixed(de=120, en=20))
    (bad,) = found.findings(0.9)
    assert bad.startswith("1")
    assert "of the target text is more like the source (such as" in bad
    assert "nearly all words of the source become shared" in bad
    (less,) = found.findings(0.8)
    assert "some words of the source become shared" in less


def test_both_sides_are_looked_at():
    found = language_contrast(mixed(fr=100, de=20), mixed(de=100, fr=30))
    assert found.source.other == pytest.approx(1 / 6, abs=0.03)
    assert found.target.other == pytest.approx(3 / 13, abs=0.03)
    assert len(found.findings(0.9)) == 2


def test_clean_text_gives_no_finding():
    found = language_contrast(lines_in("en"), lines_in("de"))
    assert found.findings(0.9) == []
    assert (found.source.own, found.target.own) == (1, 1)
    assert found.as_dict()["told_apart"]


def test_languages_that_no_library_knows():
    """Two alphabets of syllables, with a tenth of one in the other."""
    generator = np.random.default_rng(0)

    def invented(syllables, count):
        return [
            " ".join("".join(generator.choice(syllables, 3)) for _ in range(8))
            for _ in range(count)
        ]

    one, other = ["ka", "lo", "mi", "tu", "re"], ["sho", "vek", "anz", "ilq", "dru"]
    found = language_contrast(invented(one, 200), invented(other, 180) + invented(one, 20))
    assert found.target.other == pytest.approx(0.1, abs=0.005)


def test_texts_in_one_language_are_not_told_apart():
    lines = lines_in("en")
    for source, target in ((lines[::2], lines[1::2]), (lines, lines)):
        found = language_contrast(source, target)
        assert not found.is_plain
        (finding,) = found.findings(0.9)
        assert "too similar to compare them; are both in the same language?" in finding


@pytest.mark.parametrize(
    ("source", "target"),
    [([], []), ([], ["a b"]), (["a b"], ["c d"]), (["a\nb"], [""]), (["\ud800"], ["x"])],
)
def test_hardly_any_text_gives_no_finding(source, target):
    found = language_contrast(source, target)
    assert found.findings(0.9) == []
    assert found.statement()


def test_the_result_is_always_the_same():
    text = lines_in("en"), mixed(de=100, en=30)
    assert language_contrast(*text) == language_contrast(*text)
