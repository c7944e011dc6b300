"""Own words are aligned, shared ones keep one vector; from text or from vectors."""

import json

import numpy as np
import pytest

from lexalign import Run, read
from lexalign.aligners import ALIGNERS, Procrustes, Rcsls, VecMap
from lexalign.errors import LexalignError
from lexalign.training import Counts
from lexalign.training.joint import align_joint, reallocate
from lexalign.vectors import Embeddings, Lexicon
from tests.conftest import StoppedError, Stops, exit_code, random_rotation
from tests.training.conftest import sentences
from tests.training.language_text import lines_in, mixed

OWN, SHARED, DIMENSION = 150, 60, 10


@pytest.fixture(scope="module")
def planted():
    """A joint space whose source words lie a rotation away from their translations."""
    generator = np.random.default_rng(0)
    target = generator.standard_normal((OWN, DIMENSION))
    target /= np.linalg.norm(target, axis=1, keepdims=True)
    rotation = random_rotation(DIMENSION, generator)
    source = target @ rotation.T + 0.01 * generator.standard_normal(target.shape)
    shared = generator.standard_normal((SHARED, DIMENSION))
    words = [f"{kind}{number}" for number in range(OWN) for kind in "st"]
    words += [f"both{number}" for number in range(SHARED)]
    matrix = np.empty((2 * OWN, DIMENSION))
    matrix[::2], matrix[1::2] = source, target
    joint = Embeddings(words, np.concatenate((matrix, shared)).astype(np.float32))
    counts = [
        Counts({word: 1000 - row for row, word in enumerate(words) if word[0] in kinds}, 10**6)
        for kinds in ("sb", "tb")
    ]
    seeds = Lexicon([(f"s{number}", f"t{number}") for number in range(80)])
    return joint, *counts, seeds


def similar(one, other):
    return one @ other / np.linalg.norm(one) / np.linalg.norm(other)


@pytest.mark.parametrize(
    "aligner", [Procrustes(), Rcsls(), VecMap(), VecMap(preset="semi-supervised", patience=2)]
)
def test_own_words_meet_and_shared_words_are_one(planted, aligner):
    joint, source_counts, target_counts, seeds = planted
    words = reallocate(joint.words, source_counts, target_counts)
    found = align_joint(joint, words, aligner, seeds)
    assert words.as_dict() == {
        "source": OWN, "target": OWN, "shared": SHARED, "unknown": 0,
    }  # fmt: skip
    assert len(found.source) == len(found.target) == OWN + SHARED
    assert found.source.words[:2] == ("s0", "s1")
    closeness = [similar(found.source[f"s{n}"], found.target[f"t{n}"]) for n in range(80, OWN)]
    assert np.mean(closeness) > 0.95
    for number in range(SHARED):
        word = f"both{number}"
        np.testing.assert_array_equal(found.source[word], found.target[word])
        side = found.map.target
        np.testing.assert_allclose(
            found.target[word], side.apply(joint[word][None])[0], rtol=1e-5, atol=1e-6
        )
    assert found.source.normalisation == found.target.normalisation != ()
    assert len(words.known(seeds)) == 80
    assert len(words.known(Lexicon([("s0", "both1"), ("both1", "both1"), ("s0", "t5")]))) == 1


def test_a_method_that_leaves_the_target_leaves_the_shared_words(planted):
    joint, source_counts, target_counts, seeds = planted
    words = reallocate(joint.words, source_counts, target_counts)
    found = align_joint(joint, words, Rcsls(), seeds)
    for number in range(SHARED):
        assert similar(found.source[f"both{number}"], joint[f"both{number}"]) > 1 - 1e-6


def test_one_language_alone_is_refused(planted):
    joint, source_counts, _, seeds = planted
    with pytest.raises(LexalignError, match="belongs only to the source; lower"):
        align_joint(
            joint, reallocate(joint.words, source_counts, source_counts), Procrustes(), seeds
        )


@pytest.fixture(scope="module")
def corpora(tmp_path_factory):
    """Two languages that share a quarter of their words, and seeds for some of the others."""
    folder = tmp_path_factory.mktemp("corpora")
    for name, count, seed in (("en", 800, 0), ("de", 1200, 1)):
        text = sentences(name, shared=3, count=count, seed=seed)
        (folder / f"{name}.txt").write_text("\n".join(text))
    pairs = [
        f"entopic{topic}word{number} detopic{topic}word{number}"
        for topic in range(4)
        for number in range(3, 9)
    ]
    (folder / "seeds.txt").write_text("\n".join(pairs))
    (folder / "other.txt").write_text("hello bonjour\n")
    (folder / "capitals.txt").write_text("\n".join(pairs).upper())
    return folder


SMALL = ["--dimension", "12", "--epochs", "3", "--sample", "0", "--buckets", "500"]


def joint(corpora, *arguments):
    return exit_code(
        "align", "joint", "--source-corpus", corpora / "en.txt",
        "--target-corpus", corpora / "de.txt", *arguments, *SMALL,
    )  # fmt: skip


@pytest.fixture(scope="module")
def aligned(corpora):
    assert joint(
        corpora, "--preset", "ja-rcsls", "--lexicon", corpora / "seeds.txt",
        "--output", corpora / "aligned", "--format", "npz",
    ) == 0  # fmt: skip
    return corpora / "aligned"


def test_text_goes_in_and_a_run_comes_out(aligned):
    source, target = read(aligned / "source.npz"), read(aligned / "target.npz")
    assert len(source) == len(target) == 48
    assert len(set(source.words) & set(target.words)) == 12
    record = json.loads((aligned / "run.json").read_text())
    assert record["words"] == {"source": 36, "target": 36, "shared": 12, "unknown": 0}
    assert record["method"] == "joint-rcsls"
    assert Run.open(aligned).seeds.pairs == Lexicon.read(aligned.parent / "seeds.txt").pairs
    assert record["training"]["kept"] == [1.0, pytest.approx(2 / 3)]
    assert record["inputs"]["target"]["tokens"] == 1200 * 12
    topics = {
        word: max(target.words, key=lambda other, word=word: source[word] @ target[other])
        for word in source.words
    }
    right = [word.removeprefix("en")[:6] == topics[word].removeprefix("de")[:6] for word in topics]
    assert np.mean(right) > 0.9


def test_what_was_written_can_be_aligned_again_without_training(corpora, aligned):
    """To the same vectors; the case of the lexicon does not matter, as it does not in the text."""
    code = exit_code(
        "align", "joint", "--joint", aligned / "joint.npz", "--source-counts",
        aligned / "source.counts.tsv", "--target-counts", aligned / "target.counts.tsv",
        "--aligner", "rcsls", "--lexicon", corpora / "capitals.txt", "--format", "npz",
        "--output", corpora / "again",
    )  # fmt: skip
    assert code == 0
    for name in ("source.npz", "target.npz"):
        one, other = read(aligned / name), read(corpora / "again" / name)
        assert one.words == other.words
        np.testing.assert_array_equal(one.matrix, other.matrix)


@pytest.mark.parametrize(("case", "code"), [("auto", 0), ("as-is", 1)])
def test_seeds_may_differ_by_case_where_text_keeps_it(corpora, aligned, capsys, case, code):
    assert exit_code(
        "align", "joint", "--joint", aligned / "joint.npz", "--source-counts",
        aligned / "source.counts.tsv", "--target-counts", aligned / "target.counts.tsv",
        "--aligner", "procrustes", "--lexicon", corpora / "capitals.txt", "--keep-case",
        "--set", f"case={case}", "--output", corpora / f"kept-{case}",
    ) == code  # fmt: skip
    err = capsys.readouterr().err
    if code:
        assert "pairs has words that each belong to one language" in err
        return
    assert "24 of 24 seed pairs were matched by ignoring case; use --set case=as-is to" in err
    record = Run.open(corpora / "kept-auto").record
    assert record["seed_pairs"] == {"given": 24, "known": 24, "folded": 24}


def test_no_lexicon_touches_the_vocabulary(corpora, aligned):
    """Neither more words nor others, though the seeds name one that is rare."""
    (corpora / "rare.txt").write_text("rare word\n")
    seeds = (corpora / "seeds.txt").read_text()
    (corpora / "more.txt").write_text(f"{seeds}\nrare detopic1word9\n")
    code = joint(
        corpora, "--source-corpus", corpora / "rare.txt", "--aligner", "procrustes",
        "--lexicon", corpora / "more.txt", "--output", corpora / "rare", "--format", "npz",
    )  # fmt: skip
    assert code == 0
    assert set(read(corpora / "rare" / "source.npz").words) == set(
        read(aligned / "source.npz").words
    )


def test_refinement_takes_the_output_like_any_other(corpora, aligned):
    """It moves the source, shared words and all, so these are two vectors from then on."""
    options = ("--output", corpora / "refined", "--format", "npz", "--horizon", "5e-3")
    assert exit_code("refine", aligned, *options) == 0
    source, target = (read(corpora / "refined" / f"{name}.npz") for name in ("source", "target"))
    assert source.words == read(aligned / "source.npz").words
    word = "topic0word0"
    assert similar(source[word], target[word]) > 0.9
    assert np.abs(source[word] - target[word]).max() > 1e-4
    run, joint = Run.open(corpora / "refined"), read(aligned / "joint.npz")
    assert {name: map_.words for name, map_ in run.maps.items()} == {"": "own", "shared": "shared"}
    shared = set(read(aligned / "source.npz").words) & set(read(aligned / "target.npz").words)
    for side, written in (("source", source), ("target", target)):
        own = [row for row, word in enumerate(written.words) if word not in shared]
        both = [row for row, word in enumerate(written.words) if word in shared]
        assert own
        assert both
        for rows, map_ in ((own, run.maps[""]), (both, run.maps["shared"])):
            words = [written.words[row] for row in rows]
            original = Embeddings(words, np.stack([joint[word] for word in words]))
            mapped = map_.apply(original, side)
            np.testing.assert_allclose(mapped.matrix, written.matrix[rows], atol=2e-5)


def test_an_interrupted_joint_training_goes_on(corpora, aligned, monkeypatch):
    """To the same bits; with the languages swapped it is another training."""
    states = corpora / "states"
    arguments = [
        "--preset", "ja-rcsls", "--lexicon", corpora / "seeds.txt", "--checkpoint", states,
        "--output", corpora / "resumed", "--format", "npz",
    ]  # fmt: skip
    with monkeypatch.context() as patch:
        patch.setattr(
            "lexalign.cli.progress.progress_for_humans", lambda: Stops("training", 25_000)
        )
        with pytest.raises(StoppedError):
            joint(corpora, *arguments)
    assert not (corpora / "resumed").exists()
    (state,) = states.iterdir()
    assert joint(corpora, *arguments) == 0
    (left,) = states.iterdir()
    assert left == state
    for name in ("source.npz", "joint.npz"):
        np.testing.assert_array_equal(
            read(corpora / "resumed" / name).matrix, read(aligned / name).matrix
        )


def test_the_parameters_of_the_aligner_can_be_set(corpora, aligned, capsys):
    again = [
        "align", "joint", "--joint", aligned / "joint.npz", "--source-counts",
        aligned / "source.counts.tsv", "--target-counts", aligned / "target.counts.tsv",
        "--lexicon", corpora / "seeds.txt", "--output", corpora / "set",
    ]  # fmt: skip
    again += ["--aligner", "rcsls"]
    assert exit_code(*again, "--set", "iterations=2", "--set", "spectral=true") == 0
    parameters = json.loads((corpora / "set" / "run.json").read_text())["parameters"]
    assert parameters["iterations"] == 2
    assert parameters["spectral"] is True
    for setting, problem in {
        "iterations=two": "'two' is not a whole number",
        "depth=2": "with a parameter of rcsls: normalise, loss",
        "spectral=yes": "'yes' is not true or false",
    }.items():
        assert exit_code(*again, "--overwrite", "--set", setting) == 2
        assert problem in " ".join(capsys.readouterr().err.split())


def test_one_seed_serves_training_and_aligner(corpora):
    settings = ("preset=unsupervised", "patience=1", "final=rotation")
    arguments = ["--aligner", "vecmap", *(f"--set={setting}" for setting in settings)]
    assert joint(corpora, *arguments, "--seed", 7, "--output", corpora / "seeded") == 0
    record = json.loads((corpora / "seeded" / "run.json").read_text())
    assert record["seed"] == record["training"]["seed"] == record["parameters"]["seed"] == 7


SEEDED = ["--aligner", "procrustes", "--lexicon", "seeds.txt"]


@pytest.mark.parametrize(
    ("arguments", "problem"),
    [
        (["--aligner", "rcsls", "--preset", "ja-muse"], "Choose either --aligner or --preset"),
        ([], "Choose either --aligner or --preset"),
        (["--aligner", "rcsls"], "rcsls needs a seed lexicon"),
        (["--preset", "ja-muse", "--lexicon", "seeds.txt"], "uses no lexicon"),
        (["--aligner", "rcsls", "--lexicon", "identical"], "identical words are shared"),
        ([*SEEDED, "--joint", "x"], "or --joint"),
        ([*SEEDED, "--source-counts", "x", "--target-counts", "y"], "or --joint"),
        (
            [*SEEDED, "--threshold", "0.4"],
            "The option --threshold of joint alignment must be a finite number, above 0.5",
        ),
        ([*SEEDED, "--restarts", "2"], "uses no random numbers"),
        (["--aligner", "procrustes", "--lexicon", "other.txt"], "other.txt: none of its 1 pairs"),
    ],
)
def test_what_makes_no_sense_is_refused_before_training(
    corpora, arguments, problem, capsys, monkeypatch
):
    def never(*_):
        raise AssertionError("this must not be reached")

    monkeypatch.setattr("lexalign.training.trainer.Trainer.train", never)
    monkeypatch.chdir(corpora)
    assert joint(corpora, *arguments, "--output", corpora / "refused") in (1, 2)
    assert problem in " ".join(capsys.readouterr().err.split())
    assert not (corpora / "refused").exists()


def test_options_of_training_are_refused_without_text(corpora, aligned, capsys):
    code = exit_code(
        "align", "joint", "--joint", aligned / "joint.npz", "--source-counts",
        aligned / "source.counts.tsv", "--target-counts", aligned / "target.counts.tsv",
        "--aligner", "rcsls", "--lexicon", corpora / "seeds.txt", "--output", corpora / "o",
        "--epochs", 7,
    )  # fmt: skip
    assert code == 2
    assert "--epochs concerns training" in capsys.readouterr().err
    code = exit_code(
        "align", "joint", "--joint", aligned / "joint.npz", "--source-counts",
        aligned / "source.counts.tsv", "--target-counts", aligned / "target.counts.tsv",
        "--aligner", "rcsls", "--output", corpora / "o", "--source-language", "en",
    )  # fmt: skip
    assert code == 2
    assert "--source-language concerns training" in capsys.readouterr().err


@pytest.mark.parametrize(("name", "extra"), [("muse", "torch"), ("gwa", "ot")])
def test_a_missing_package_is_told_before_training(corpora, name, extra, capsys, monkeypatch):
    monkeypatch.setattr("lexalign.libraries.find_spec", lambda _: None)
    assert joint(corpora, "--aligner", name, "--output", corpora / "refused") == 1
    assert f"pip install 'lexalign[{extra}]'" in capsys.readouterr().err


def test_the_presets_name_aligners():
    from lexalign.training.joint import PRESETS

    assert set(PRESETS.values()) <= set(ALIGNERS)


@pytest.fixture(scope="module")
def languages(tmp_path_factory):
    """English, and German with 24 English lines of 144."""
    folder = tmp_path_factory.mktemp("languages")
    (folder / "en.txt").write_text("\n".join(lines_in("en") * 2), encoding="utf-8")
    (folder / "de.txt").write_text("\n".join(mixed(de=120, en=24) * 2), encoding="utf-8")
    (folder / "seeds.txt").write_text("sister schwester\ngarden garten\n", encoding="utf-8")
    return folder


def of_languages(folder, *arguments):
    return exit_code(
        "align", "joint", "--source-corpus", folder / "en.txt", "--target-corpus",
        folder / "de.txt", "--aligner", "procrustes", "--lexicon", folder / "seeds.txt",
        "--threshold", "0.8", *arguments, *SMALL,
    )  # fmt: skip


def test_text_of_the_other_language_is_said_before_training_and_recorded(languages, capsys, caplog):
    assert of_languages(languages, "--output", languages / "out", "--json") == 0
    said = capsys.readouterr()
    before = said.err.split("training ...")[0]
    for part in (
        "lower case, composed form (NFC); tokens are runs of letters",
        "size of the source        ",
        "vocabulary of the target  ",
        "language of the source    100 % English",
        "joint vocabulary          ",
        "0 % of the source is more like the target, 18 % of the target is more like the source",
    ):
        assert part in before
    for part in (
        "18 % of the target text is more like the source (such as",
        "some words of the source become shared; clean the text, or lower the threshold",
    ):
        assert part in caplog.text
    assert "looks English" not in caplog.text  # the same is not said twice
    text = Run.open(languages / "out").record["text"]
    assert json.loads(said.out)["text"] == text
    assert text["preparation"] == {"case": "lower", "unicode_form": "NFC", "tokens": "words"}
    assert text["language"]["source"]["main"] == "en"
    assert text["language"]["target"]["shares"]["en"] == pytest.approx(0.18, abs=0.01)
    assert text["contrast"]["target"]["other"] == pytest.approx(0.18, abs=0.01)
    assert text["covered"]["source"] == 1


def test_swapped_languages_are_refused_where_they_are_named(languages, capsys):
    assert of_languages(
        languages, "--source-language", "de", "--target-language", "en",
        "--output", languages / "swapped",
    ) == 1  # fmt: skip
    err = capsys.readouterr().err
    assert "en.txt: this text is hardly German: the sample is 100 % English" in err
    assert "training ..." not in err


def test_the_check_of_a_side_can_be_left_out(languages, caplog):
    assert of_languages(
        languages, "--target-language", "none", "--output", languages / "off"
    ) == 0  # fmt: skip
    assert "more like the source" not in caplog.text
    text = Run.open(languages / "off").record["text"]
    assert text["contrast"] is None
    assert text["language"]["source"]["checked"]
    assert not text["language"]["target"]["checked"]
