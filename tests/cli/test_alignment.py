"""Aligning and applying maps from the command line."""

import json
from pathlib import Path

import numpy as np
import pytest

from lexalign.aligners import ALIGNERS
from lexalign.runs import Run
from lexalign.spaces import LinearMap, Side, Stage
from lexalign.vectors import Embeddings, read, write
from tests.cli.test_commands import run
from tests.conftest import planted_pair, random_rotation


@pytest.fixture
def files(tmp_path):
    """Two monolingual spaces of 300 words, and 80 seeds."""
    source, target, _ = planted_pair(words=300, dimension=8, noise=0.05)
    rotation = random_rotation(8, np.random.default_rng(5)).astype(np.float32)
    write(Embeddings(source.words, 3 * source.matrix @ rotation), tmp_path / "s.vec")
    write(target, tmp_path / "t.bin")
    for name, rows in (("seeds", range(80)), ("test", range(100, 300))):
        lines = "".join(f"s{i} t{i}\n" for i in rows)
        (tmp_path / f"{name}.txt").write_text(lines, encoding="utf-8")
    return tmp_path


@pytest.mark.parametrize(
    "method", [name for name, aligner in ALIGNERS.items() if aligner().needs_lexicon]
)
def test_every_method_writes_a_run_that_can_be_evaluated(capsys, files, method):
    code, out, _ = run(
        capsys, "align", method, files / "s.vec", files / "t.bin",
        "--lexicon", files / "seeds.txt", "--output", files / "out", "--format", "npz", "--json",
    )  # fmt: skip
    summary = json.loads(out)
    assert code == 0
    assert (summary["method"], summary["seeds"], summary["known_seeds"]) == (method, 80, 80)
    assert sorted(path.name for path in (files / "out").iterdir()) == [
        "lexicon.tsv",
        "map.safetensors",
        "run.json",
        "seeds.tsv",
        "source.npz",
        "target.npz",
    ]
    record = json.loads((files / "out" / "run.json").read_text(encoding="utf-8"))
    assert record["method"] == method
    assert record["citation"]
    code, out, _ = run(capsys, "evaluate", files / "out", "--lexicon", files / "test.txt", "--json")
    assert code == 0
    assert [result["p@1"] > 0.95 for result in json.loads(out)] == [True, True]


@pytest.mark.parametrize(
    "options",
    [
        ["vecmap", "--preset", "unsupervised", "--patience", "5"],
        ["muse", "--epochs", "1", "--epoch-size", "320", "--hidden", "8"],
    ],
)
def test_without_a_lexicon(capsys, files, options):
    code, out, _ = run(
        capsys, "align", options[0], files / "s.vec", files / "t.bin", *options[1:],
        "--output", files / "out", "--seed", "3", "--json",
    )  # fmt: skip
    summary = json.loads(out)
    assert code == 0
    assert summary["seeds"] is None
    assert summary["pairs"] > 0
    record = json.loads((files / "out" / "run.json").read_text(encoding="utf-8"))
    assert (record["seed"], record["parameters"]["lexicon"]) == (3, None)
    assert record["health"]["words"] == 300


def test_parameters_of_a_method_are_its_options(capsys, files):
    code, out, _ = run(capsys, "align", "procb", "--help")
    assert code == 0
    assert all(option in out for option in ("--variant", "--max-pairs", "--loss", "--normalise"))
    code, out, _ = run(
        capsys, "align", "procrustes", files / "s.vec", files / "t.bin",
        "--lexicon", files / "seeds.txt", "--output", files / "out", "--rounds", "2",
        "--loss", "l1",
    )  # fmt: skip
    assert code == 0
    assert "80 of 80" in out
    assert "too few to tell (good 39–85 %, failed 19–27 %)" in out
    record = json.loads((files / "out" / "run.json").read_text(encoding="utf-8"))
    assert (record["parameters"]["rounds"], record["parameters"]["loss"]) == (2, "l1")
    assert len(record["history"]) == 3


def test_a_map_is_applied_to_any_file_of_its_language(capsys, files):
    run(
        capsys, "align", "procrustes", files / "s.vec", files / "t.bin",
        "--lexicon", files / "seeds.txt", "--output", files / "out",
    )  # fmt: skip
    code, _, err = run(
        capsys, "apply", files / "out" / "map.safetensors", files / "s.vec",
        "--side", "source", "--output", files / "again.vec", "--limit", "100",
    )  # fmt: skip
    assert code == 0
    assert "kept: 100" in err
    np.testing.assert_allclose(  # products of fewer rows may be rounded otherwise
        read(files / "again.vec").matrix,
        read(files / "out" / "source.vec", limit=100).matrix,
        atol=2e-7,
    )
    code, _, err = run(
        capsys, "apply", files / "out" / "map.safetensors", files / "s.vec",
        "--side", "source", "--output", files / "again.vec",
    )  # fmt: skip
    assert code == 1
    assert "already exists" in err


def test_seeds_may_be_words_spelled_the_same(capsys, tmp_path):
    source, target, _ = planted_pair(words=200, dimension=8)
    for name, side in (("s", source), ("t", target)):
        write(Embeddings([str(i) for i in range(200)], side.matrix), tmp_path / f"{name}.vec")
    for kind in ("identical", "numerals"):
        code, out, _ = run(
            capsys, "align", "procrustes", tmp_path / "s.vec", tmp_path / "t.vec",
            "--lexicon", kind, "--output", tmp_path / kind, "--json",
        )  # fmt: skip
        assert code == 0
        assert json.loads(out)["known_seeds"] == 200


@pytest.mark.parametrize(
    ("arguments", "sentence"),
    [
        (["procrustes", "s.vec", "t.bin", "--lexicon", "none.txt"], "none.txt: it cannot be read"),
        (["procrustes", "t.bin", "s.vec", "--lexicon", "seeds.txt"], "seeds.txt: the lexicon seems "
         "to have the wrong direction"),
        (["procrustes", "s.vec", "t.bin", "--lexicon", "identical"], "no identical words"),
        (["rcsls", "s.vec", "t.bin", "--lexicon", "seeds.txt", "--iterations", "0"],
         "The option --iterations of rcsls must be a whole number"),
        (["vecmap", "s.vec", "t.bin", "--lexicon", "few.txt"], "span all 8 dimensions"),
        (["magic", "s.vec", "t.bin"], "No such command 'magic'"),
        (["procrustes", "s.vec", "narrow.bin", "--lexicon", "seeds.txt"],
         "s.vec: its vectors have 8 dimensions and those of narrow.bin 3"),
    ],
)  # fmt: skip
def test_bad_input_gets_one_sentence_and_writes_nothing(
    capsys, files, monkeypatch, arguments, sentence
):
    monkeypatch.chdir(files)
    write(Embeddings(["t1"], np.ones((1, 3))), files / "narrow.bin")
    (files / "few.txt").write_text("s1 t1\ns2 t2\n", encoding="utf-8")
    code, _, err = run(capsys, "align", *arguments, "--output", "out")
    assert code != 0
    assert sentence in err
    assert "Traceback" not in err
    assert not Path("out").exists()


def test_a_map_of_other_vectors_names_the_file(capsys, files):
    LinearMap(Side((Stage(matrix=np.eye(5)),)), Side()).save(files / "map.safetensors")
    code, _, err = run(
        capsys, "apply", files / "map.safetensors", files / "s.vec", "--side", "source",
        "--output", files / "x.vec",
    )  # fmt: skip
    assert code == 1
    assert "s.vec: The map needs vectors of dimension 5. Got 8 instead; apply it" in err
    assert not (files / "x.vec").exists()


def test_a_map_that_is_none(capsys, files):
    code, _, err = run(
        capsys, "apply", files / "seeds.txt", files / "s.vec", "--side", "source",
        "--output", files / "x.vec",
    )  # fmt: skip
    assert code == 1
    assert "this is not a map of Lexalign" in err


def test_seeds_that_are_hardly_known_are_doubted(capsys, files):
    lines = "".join(f"s{i} t{i}\n" for i in range(288, 388))
    (files / "other.txt").write_text(lines, encoding="utf-8")
    code, _, err = run(
        capsys, "align", "procrustes", files / "s.vec", files / "t.bin",
        "--lexicon", files / "other.txt", "--output", files / "out",
    )  # fmt: skip
    assert code == 0
    assert (
        "the seed lexicon: only 12 of 100 pairs (12.0 %) have vectors; check that the lexicon"
        in err
    )


SENTENCE = "40 of 80 seed pairs were matched by ignoring case; use --case as-is to require the"


@pytest.mark.parametrize(
    ("options", "case", "known", "folded", "says"),
    [
        ((), "auto", 80, 40, True),
        (("--case", "as-is"), "as-is", 40, 0, False),
        (("--case", "lower-lexicon"), "lower-lexicon", 80, 40, False),
        (("--lowercase",), "auto", 80, 0, False),
    ],
)
def test_seeds_of_another_case(capsys, files, options, case, known, folded, says):
    lines = (files / "seeds.txt").read_text(encoding="utf-8").splitlines()
    capitals = [line.upper() if row % 2 else line for row, line in enumerate(lines)]
    (files / "capitals.txt").write_text("\n".join(capitals), encoding="utf-8")
    for out in ("plain", "json"):
        code, shown, err = run(
            capsys, "align", "procrustes", files / "s.vec", files / "t.bin", *options,
            "--lexicon", files / "capitals.txt", "--output", files / out,
            *(["--json"] if out == "json" else []),
        )  # fmt: skip
        assert code == 0
        assert (SENTENCE in err) is says
    summary = json.loads(shown)
    assert (summary["seeds"], summary["known_seeds"], summary["folded_seeds"]) == (
        80,
        known,
        folded,
    )
    record = json.loads((files / "json" / "run.json").read_text(encoding="utf-8"))
    assert record["seed_pairs"] == {"given": 80, "known": known, "folded": folded}
    assert record["parameters"]["case"] == case


def test_seeds_of_another_case_align_as_well_as_others(capsys, files):
    lines = (files / "seeds.txt").read_text(encoding="utf-8")
    (files / "capitals.txt").write_text(lines.upper(), encoding="utf-8")
    for name in ("seeds", "capitals"):
        code, _, _ = run(
            capsys, "align", "procrustes", files / "s.vec", files / "t.bin",
            "--lexicon", files / f"{name}.txt", "--output", files / name,
        )  # fmt: skip
        assert code == 0
    maps = [read(files / name / "source.vec").matrix for name in ("seeds", "capitals")]
    np.testing.assert_array_equal(*maps)
    recorded = [Run.open(files / name).seeds.pairs for name in ("seeds", "capitals")]
    assert recorded[0] == recorded[1]


def test_seeds_of_another_case_are_found_among_the_test_words(capsys, files):
    (files / "capitals.txt").write_text("S3 T3\nS5 t5\ns7 t7\nS999 T999\n", encoding="utf-8")
    run(
        capsys, "align", "procrustes", files / "s.vec", files / "t.bin",
        "--lexicon", files / "capitals.txt", "--output", files / "out",
    )  # fmt: skip
    (files / "test.txt").write_text("s3 t3\ns4 t4\ns5 t5\n", encoding="utf-8")
    _, out, _ = run(
        capsys, "evaluate", files / "out", "--lexicon", files / "test.txt",
        "--protocol", "vecmap", "--retrieval", "nn", "--json",
    )  # fmt: skip
    leakage = json.loads(out)["leakage"]
    assert (leakage["seeds"], leakage["leaked"]) == (3, [0, 2])


def test_a_lexicon_of_another_case_in_the_wrong_direction_is_refused(capsys, files):
    lines = (files / "seeds.txt").read_text(encoding="utf-8")
    (files / "capitals.txt").write_text(lines.upper(), encoding="utf-8")
    code, _, err = run(
        capsys, "align", "procrustes", files / "t.bin", files / "s.vec",
        "--lexicon", files / "capitals.txt", "--output", files / "out",
    )  # fmt: skip
    assert code == 1
    assert "seems to have the wrong direction" in err


@pytest.mark.parametrize("options", [(), ("--checkpoint", "kept")])
def test_whoever_interrupts_is_told_whether_it_can_go_on(capsys, files, monkeypatch, options):
    def interrupt(*arguments):
        raise KeyboardInterrupt

    monkeypatch.setattr("lexalign.pipelines.align.FileAlignment.align", interrupt)
    monkeypatch.chdir(files)
    vectors = "s.vec", "t.bin"
    code, _, err = run(capsys, "align", "muse", *vectors, "--output", "out", *options)
    assert code == 130
    assert "interrupted; unfinished output was removed" in err
    assert ("the same command resumes from the checkpoint." in err) == bool(options)


def test_what_was_aligned_can_be_refined(capsys, files):
    run(
        capsys, "align", "procrustes", files / "s.vec", files / "t.bin",
        "--lexicon", files / "seeds.txt", "--output", files / "out",
    )  # fmt: skip
    code, out, _ = run(capsys, "refine", files / "out", "--output", files / "refined", "--json")
    assert code == 0
    assert json.loads(out)["warning"] is None
    code, _, err = run(capsys, "refine", files / "s.vec", "--output", files / "x")
    assert code == 1
    assert "it needs a second file" in err
    code, _, err = run(capsys, "refine", files, "--output", files / "x")
    assert code == 1
    assert "the folder holds no run.json of a run over one pair; name a source" in err
    code, _, err = run(capsys, "refine", files / "out", files / "refined", "--output", files / "x")
    assert code == 2
    assert "one folder of a run" in err


def test_words_of_a_fasttext_model_are_composed_and_mapped(capsys, tmp_path):
    fasttext = pytest.importorskip("gensim.models.fasttext")
    sentences = [[f"word{i}" for i in range(30)]] * 2
    model = fasttext.FastText(sentences=sentences, vector_size=4, min_count=1, bucket=50, workers=1)
    fasttext.save_facebook_model(model, str(tmp_path / "model.bin"))
    rotation = random_rotation(4, np.random.default_rng(0))
    LinearMap(Side((Stage(matrix=rotation),)), Side()).save(tmp_path / "map.safetensors")
    (tmp_path / "words").write_text("word3\nwordy\n", encoding="utf-8")
    arguments = (
        "--side",
        "source",
        "--output",
        tmp_path / "out.vec",
        "--words",
        tmp_path / "words",
    )
    code, _, _ = run(
        capsys, "apply", tmp_path / "map.safetensors", tmp_path / "model.bin", *arguments
    )
    assert code == 0
    found = read(tmp_path / "out.vec")
    np.testing.assert_allclose(found["wordy"], model.wv["wordy"] @ rotation, atol=1e-5)
    write(found, tmp_path / "plain.vec")
    code, _, err = run(
        capsys, "apply", tmp_path / "map.safetensors", tmp_path / "plain.vec", *arguments,
        "--overwrite",
    )  # fmt: skip
    assert code == 1
    assert "only a fastText model can compose words" in err


@pytest.fixture
def three(tmp_path):
    """Three languages of 300 words and lexicons between them."""
    _, pivot, _ = planted_pair(words=300, dimension=8, noise=0.02)
    generator = np.random.default_rng(7)
    for name in ("en", "de", "fr"):
        rotation = random_rotation(8, generator).astype(np.float32)
        words = [f"{name}{i}" for i in range(300)]
        write(Embeddings(words, pivot.matrix @ rotation), tmp_path / f"{name}.vec")
    for name, one, other in (
        ("de-en", "de", "en"), ("fr-en", "fr", "en"), ("en-fr", "en", "fr"), ("de-fr", "de", "fr"),
    ):  # fmt: skip
        lines = "".join(f"{one}{i} {other}{i}\n" for i in range(300))
        (tmp_path / f"{name}.txt").write_text(lines, encoding="utf-8")
    return tmp_path


def test_several_languages_enter_the_space_of_a_pivot(capsys, three, monkeypatch):
    monkeypatch.chdir(three)
    code, out, _ = run(
        capsys, "align", "procrustes", "en.vec", "german=de.vec", "fr.vec", "--pivot", "en",
        "--lexicon", "german=de-en.txt", "--lexicon", "fr=fr-en.txt", "--output", "out",
    )  # fmt: skip
    assert code == 0
    shown = " ".join(out.split())
    assert "│ german │ seeds with vectors: 300 of 300; health check: " in shown
    assert "│ fr │ seeds with vectors: 300 of 300; health check: " in shown
    assert sorted(path.name for path in Path("out").iterdir()) == [
        "en.vec",
        "fr.lexicon.tsv",
        "fr.map.safetensors",
        "fr.seeds.tsv",
        "fr.vec",
        "german.lexicon.tsv",
        "german.map.safetensors",
        "german.seeds.tsv",
        "german.vec",
        "run.json",
    ]
    Path("few.txt").write_text("en3 fr3\nen299 fr299\n", encoding="utf-8")
    _, _, err = run(capsys, "evaluate", "out/en.vec", "out/fr.vec", "--lexicon", "few.txt")
    assert "2 of 2 test words (100.0 %) are seeds of the alignment: en3, en299." in err
    record = json.loads(Path("out/run.json").read_text("utf-8"))
    assert record["parameters"]["pivot"] == "en"
    assert record["seed_pairs"]["fr"] == {"given": 300, "known": 300, "folded": 0}
    code, out, _ = run(
        capsys, "evaluate", "out/german.vec", "out/fr.vec", "--lexicon", "de-fr.txt", "--json"
    )
    assert code == 0
    assert [result["p@1"] > 0.95 for result in json.loads(out)] == [True, True]
    code, _, err = run(capsys, "evaluate", "out", "--lexicon", "de-fr.txt")
    assert code == 1
    assert "name two files of vectors, or the folder of a run over one pair" in err


def test_one_pattern_serves_all_lexicons(capsys, three, monkeypatch):
    monkeypatch.chdir(three)
    for options in (["{}-en.txt"], ["en-{}.txt", "--pivot-first"]):
        files = ["en.vec", "fr.vec"]
        code, out, _ = run(
            capsys, "align", "procrustes", *files, "--pivot", "en", "--lexicon", *options,
            "--output", "out", "--overwrite", "--json",
        )  # fmt: skip
        assert code == 0
        assert json.loads(out)["languages"]["fr"]["known_seeds"] == 300


@pytest.mark.parametrize(
    ("arguments", "sentence"),
    [
        (["en.vec", "de.vec", "fr.vec", "--lexicon", "de-en.txt"], "or use --pivot for several"),
        (["en.vec", "de.vec", "fr.vec", "--pivot", "en", "--lexicon", "de=de-en.txt"],
         "There is no --lexicon for fr"),
        (["en.vec", "de.vec", "--pivot", "it", "--lexicon", "{}-en.txt"], "--pivot must be one of"),
        (["en.vec", "en=de.vec", "--pivot", "en", "--lexicon", "{}-en.txt"], "the same name"),
        (["en.vec", "de.vec", "--pivot", "en", "--lexicon", "a.txt", "--lexicon", "b.txt"],
         "Only one --lexicon can serve all languages, found a.txt, b.txt"),
        (["en.vec", "de.vec", "--pivot", "en"], "needs a seed lexicon"),
        (["en.vec", "fr.vec", "--pivot", "en", "--lexicon", "en-fr.txt"],
         "en-fr.txt: the lexicon seems to have the wrong direction: 0 of its 300 pairs are known "
         "as they are, and 300 with the words swapped; set --pivot-first, as it lists "
         "the word of the pivot first."),
        (["en.vec", "fr.vec", "--pivot", "en", "--lexicon", "fr-en.txt", "--pivot-first"],
         "leave out --pivot-first, as it lists the word of the pivot second."),
        (["en.vec", "fr.vec", "--lexicon", "en-fr.txt", "--pivot-first"],
         "--pivot-first needs --pivot NAME"),
    ],
)  # fmt: skip
def test_what_cannot_be_pivoted_is_refused(capsys, three, monkeypatch, arguments, sentence):
    monkeypatch.chdir(three)
    code, _, err = run(capsys, "align", "procrustes", *arguments, "--output", "out")
    assert code != 0
    assert sentence in err
    assert not Path("out").exists()


def test_a_method_that_moves_the_pivot_names_the_option_that_keeps_it(capsys, three, monkeypatch):
    monkeypatch.chdir(three)
    command = ["align", "vecmap", "en.vec", "fr.vec", "--pivot", "en", "--lexicon", "fr-en.txt"]
    code, _, err = run(capsys, *command, "--output", "out")
    assert code == 1
    assert "a pivot must not move; set --final rotation, or choose another method." in err
    assert run(capsys, *command, "--final", "rotation", "--output", "out")[0] == 0


@pytest.mark.parametrize("unequal", ["pca", "rectangular"])
def test_files_of_different_dimension_are_aligned_by_choice(capsys, files, unequal):
    wide = read(files / "s.vec")
    noise = 0.01 * np.random.default_rng(0).standard_normal((300, 3))
    write(Embeddings(wide.words, np.column_stack((wide.matrix, noise))), files / "wide.vec")
    code, _, _ = run(
        capsys, "align", "procrustes", files / "wide.vec", files / "t.bin", "--unequal", unequal,
        "--lexicon", files / "seeds.txt", "--output", files / "out",
    )  # fmt: skip
    assert code == 0
    assert LinearMap.load(files / "out" / "map.safetensors").source.matrix.shape == (11, 8)
    code, out, _ = run(capsys, "evaluate", files / "out", "--lexicon", files / "test.txt", "--json")
    assert code == 0
    assert [result["p@1"] > 0.95 for result in json.loads(out)] == [True, True]
