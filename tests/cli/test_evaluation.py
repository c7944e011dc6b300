"""Evaluation and translation from the command line: tables, JSON, sentences and exit codes."""

import csv
import json

import numpy as np
import pytest

from lexalign.vectors import Embeddings, Lexicon, read, write
from tests.cli.test_commands import run
from tests.conftest import planted_pair


@pytest.fixture
def files(tmp_path):
    """An aligned pair of 200 words, a better one, and a lexicon of 60 pairs."""
    source, target, _ = planted_pair(words=200, dimension=8, noise=0.35)
    better, _, _ = planted_pair(words=200, dimension=8, noise=0.1)
    for name, side in (("s", source), ("t", target), ("b", better)):
        write(side, tmp_path / f"{name}.vec")
    lines = "".join(f"s{i} t{i}\n" for i in range(60))
    (tmp_path / "test.txt").write_text(lines, encoding="utf-8")
    return tmp_path


def test_one_evaluation_is_one_json_object(capsys, files):
    code, out, err = run(
        capsys, "evaluate", files / "s.vec", files / "t.vec", "--lexicon", files / "test.txt",
        "--retrieval", "csls", "--json", "--verbose",
    )  # fmt: skip
    result = json.loads(out)
    assert code == 0
    assert {"p@1", "p@5", "p@10", "mrr", "coverage", "queries"} <= set(result)
    assert 0 < result["p@1"] < result["p@10"] <= 1
    assert (result["queries"], result["coverage"], result["protocol"]) == (60, 1.0, "muse")
    assert "ranking translations: done, 12,000 comparisons in" in err


@pytest.mark.parametrize(
    ("options", "known", "by_case"),
    [
        (("--protocol", "vecmap"), 30, 30),
        (("--protocol", "fasttext"), 30, 30),
        (("--protocol", "joint"), 60, 0),
        (("--protocol", "vecmap", "--case", "lower"), 60, 0),
        (("--protocol", "muse"), 60, 0),
    ],
)
def test_pairs_that_only_another_case_hides_are_told(capsys, files, options, known, by_case):
    lines = [f"s{i} t{i}" if i % 2 else f"S{i} t{i}" for i in range(60)]
    (files / "capitals.txt").write_text("\n".join(lines), encoding="utf-8")
    code, out, err = run(
        capsys, "evaluate", files / "s.vec", files / "t.vec",
        "--lexicon", files / "capitals.txt", *options, "--json",
    )  # fmt: skip
    assert code == 0
    for result in json.loads(out):
        assert (result["coverage_pairs"]["known"], result["unknown_by_case"]) == (known, by_case)
    sentence = (
        "capitals.txt: 30 of 60 pairs are unknown only because of their case; "
        "use --case lower to ignore it."
    )
    assert err.count(sentence) == bool(by_case)


@pytest.mark.parametrize(
    ("protocol", "names"),
    [("muse", ["muse", "muse with nn"]), ("xling", ["xling", "xling with csls"])],
)
def test_both_retrievals_are_reported_that_of_the_protocol_first(capsys, files, protocol, names):
    arguments = ("evaluate", files / "s.vec", files / "t.vec", "--lexicon", files / "test.txt")
    _, out, err = run(capsys, *arguments, "--protocol", protocol, "--json", "--verbose")
    both = json.loads(out)
    assert [result["protocol"] for result in both] == names
    assert err.count("reading source: done") == err.count("reading target: done") == 1
    for result in both:
        _, out, _ = run(
            capsys, *arguments, "--protocol", protocol, "--json",
            "--retrieval", result["rules"]["retrieval"],
        )  # fmt: skip
        assert json.loads(out) == result
    _, out, _ = run(capsys, *arguments, "--protocol", protocol, "--table", "csv")
    rows = list(csv.DictReader(out.splitlines()))
    assert [row["protocol"] for row in rows] == names
    assert {row["retrieval"] for row in rows} == {"nn", "csls"}
    assert rows[0]["MRR"] != rows[1]["MRR"]


def test_the_table_names_the_rules_and_what_they_were_applied_to(capsys, files):
    code, out, _ = run(
        capsys, "evaluate", files / "s.vec", files / "t.vec", "--lexicon", files / "test.txt",
        "--retrieval", "nn", "--breakdown", "frequency",
    )  # fmt: skip
    assert code == 0
    assert "protocol: muse with nn" in out.replace("\n", " ")
    assert "rank 1–1,000" in out


def test_several_pairs_and_lexicons_give_one_table(capsys, files):
    (files / "more.txt").write_text("s70\tt70\ns71\tt71\nbad\n", encoding="utf-8")
    code, out, err = run(
        capsys, "evaluate", files / "s.vec", files / "t.vec", files / "b.vec", files / "t.vec",
        "--lexicon", files / "test.txt", "--lexicon", files / "more.txt",
        "--malformed", "skip", "--retrieval", "csls", "--table", "csv",
    )  # fmt: skip
    rows = list(csv.DictReader(out.splitlines()))
    assert code == 0
    assert [(row["vectors"], row["lexicon"], row["queries"]) for row in rows] == [
        ("s.vec t.vec", "test.txt", "60"),
        ("s.vec t.vec", "more.txt", "2"),
        ("b.vec t.vec", "test.txt", "60"),
        ("b.vec t.vec", "more.txt", "2"),
    ]
    assert float(rows[2]["P@1"]) > float(rows[0]["P@1"])
    assert "more.txt, line 3: skipped, expected 2 words, found 1." in err
    for kind, beginning in (("markdown", "| vectors |"), ("latex", r"\begin{tabular}")):
        _, out, _ = run(
            capsys, "evaluate", files / "s.vec", files / "t.vec", files / "b.vec", files / "t.vec",
            "--lexicon", files / "test.txt", "--table", kind,
        )  # fmt: skip
        assert out.startswith(beginning)


def test_a_csv_of_one_row_still_names_its_protocol(capsys, files):
    _, out, _ = run(
        capsys, "evaluate", files / "s.vec", files / "t.vec", "--lexicon", files / "test.txt",
        "--protocol", "xling", "--retrieval", "csls", "--table", "csv",
    )  # fmt: skip
    (row,) = csv.DictReader(out.splitlines())
    assert row["protocol"] == "xling with csls"
    assert row["lexicon"] == "test.txt"


def test_single_rules_can_be_overruled(capsys, files):
    (files / "odd.txt").write_text("S1 T1\ns2 t2\nzz zz\ns3 yy\n", encoding="utf-8")
    counted = {}
    for rules in (
        ["--case", "as-is"],
        ["--oov", "wrong"],
        ["--oov", "identical", "--unit", "pair"],
        ["--duplicates", "last", "--neighbours", "5"],
    ):
        _, out, _ = run(
            capsys, "evaluate", files / "b.vec", files / "t.vec", "--lexicon", files / "odd.txt",
            *rules, "--retrieval", "csls", "--json",
        )  # fmt: skip
        result = json.loads(out)
        counted[result["protocol"]] = (result["queries"], result["p@1"])
    assert counted == {
        "muse with case as it is": (1, 1.0),
        "muse with unknown words wrong": (4, 0.5),
        "muse with counting pairs, unknown words wrong unless identical": (4, 0.75),
        "muse with last of repeated words, 5 neighbours": (2, 1.0),
    }


def test_repeated_words_of_a_file_are_kept_where_the_protocol_keeps_them(capsys, files):
    """In the file w stands first at 90° and then at 0°, where a is; vecmap takes the last."""
    (files / "two.vec").write_text("3 2\nw 0 1\nx 0.6 0.8\nw 1 0\n", encoding="utf-8")
    (files / "one.vec").write_text("1 2\na 1 0\n", encoding="utf-8")
    (files / "a.txt").write_text("a w\n", encoding="utf-8")
    places = {}
    for protocol in ("vecmap", "muse"):
        _, out, _ = run(
            capsys, "evaluate", files / "one.vec", files / "two.vec",
            "--lexicon", files / "a.txt", "--protocol", protocol, "--retrieval", "nn", "--json",
        )  # fmt: skip
        result = json.loads(out)
        places[protocol] = (result["vocabularies"], result["ranks"][0][2])
    assert places == {"vecmap": ([1, 3], 1), "muse": ([1, 2], 2)}


def test_categories_do_not_hide_the_whole(capsys, files):
    (files / "pos.tsv").write_text("s1\tall\ns2\tNOUN\n", encoding="utf-8")
    _, out, _ = run(
        capsys, "evaluate", files / "b.vec", files / "t.vec", "--lexicon", files / "test.txt",
        "--breakdown", files / "pos.tsv", "--breakdown", "identical", "--retrieval", "csls",
        "--table", "csv",
    )  # fmt: skip
    rows = {row["group"]: row["queries"] for row in csv.DictReader(out.splitlines())}
    assert rows == {
        "all": "60",
        "category NOUN": "1",
        "category all": "1",
        "category no category": "58",
        "other spelling": "60",
    }


def test_a_lexicon_that_is_hardly_known_is_doubted(capsys, files):
    lines = "".join(f"s{i} t{i}\n" for i in range(195, 300))
    (files / "other.txt").write_text(lines, encoding="utf-8")
    code, _, err = run(
        capsys, "evaluate", files / "s.vec", files / "t.vec", "--lexicon", files / "other.txt"
    )
    assert code == 0
    assert "other.txt: only 5 of 105 pairs (4.8 %) have vectors; check that the lexicon" in err


def test_spaces_that_were_never_aligned_are_doubted(capsys, tmp_path):
    """But not aligned ones, nor so few queries that all may be wrong by chance."""
    source, target, _ = planted_pair(words=3000, dimension=20, noise=0.05)
    noise = np.random.default_rng(7).normal(size=source.matrix.shape)
    for name, side in (("s", source), ("t", target), ("other", source.with_matrix(noise))):
        write(side, tmp_path / f"{name}.npz")
    for name, count in (("few", 20), ("many", 100)):
        lines = "".join(f"s{i} t{i}\n" for i in range(count))
        (tmp_path / f"{name}.txt").write_text(lines, encoding="utf-8")

    def warnings(side, lexicon):
        pair = tmp_path / f"{side}.npz", tmp_path / "t.npz"
        return run(capsys, "evaluate", *pair, "--lexicon", tmp_path / f"{lexicon}.txt")[2]

    err = warnings("other", "many")
    assert err.count("many.txt: Hardly any test word is translated correctly.") == 1
    assert "name the folder of a run" in err
    assert "Hardly any" not in warnings("other", "few")
    assert "Hardly any" not in warnings("s", "many")


def test_low_coverage_is_said_once_for_both_retrievals(capsys, files):
    lines = "".join(f"s{i} t{i}\n" for i in range(160, 300))
    (files / "rare.txt").write_text(lines, encoding="utf-8")
    _, _, err = run(
        capsys, "evaluate", files / "s.vec", files / "t.vec", "--lexicon", files / "rare.txt"
    )
    assert err.count("rare.txt: Low coverage: only 40 of 140 test words (29 %) are in both") == 1


def test_word_classes_give_a_breakdown(capsys, files):
    lines = "".join(f"s{i}\tt{i}\t{('noun', 'verb')[i % 3 == 0]}\n" for i in range(60))
    (files / "classes.tsv").write_text(lines, encoding="utf-8")
    arguments = ("evaluate", files / "b.vec", files / "t.vec", "--lexicon", files / "classes.tsv")
    _, out, _ = run(capsys, *arguments, "--retrieval", "nn", "--table", "csv")
    rows = {row["group"]: row["queries"] for row in csv.DictReader(out.splitlines())}
    assert rows == {"all": "60", "class noun": "40", "class verb": "20"}
    _, out, _ = run(capsys, *arguments, "--json")
    assert [result["breakdown"]["class verb"]["queries"] for result in json.loads(out)] == [20, 20]
    (files / "classes.tsv").write_text(lines + "s61\tt61\t1\n", encoding="utf-8")
    code, _, err = run(capsys, *arguments)
    assert code == 1
    assert "classes.tsv, line 61: the line has a weight, but earlier lines have a class" in err


def test_copying_and_words_spelled_alike_stand_beside_the_score(capsys, files):
    for name in "bt":
        side = read(files / f"{name}.vec")
        write(Embeddings(["taxi", *side.words[1:]], side.matrix), files / f"{name}2.vec")
    (files / "taxi.txt").write_text("Taxi taxi\ns1 t1\ns2 t3\ns3 t3\n", encoding="utf-8")
    arguments = ("evaluate", files / "b2.vec", files / "t2.vec", "--lexicon", files / "taxi.txt")
    _, out, _ = run(capsys, *arguments, "--retrieval", "nn", "--table", "csv")
    (row,) = csv.DictReader(out.splitlines())
    assert float(row["P@1"]) == 0.75
    assert float(row["P@1 other spelling"]) == pytest.approx(2 / 3)
    assert float(row["P@1 copying"]) == 0.25
    assert "seeds" not in row


@pytest.fixture
def learned(capsys, files):
    """A refined alignment whose seeds are the first ten pairs of the test."""
    lines = "".join(f"s{i} t{i}\n" for i in (*range(10), *range(100, 150)))
    (files / "seeds.txt").write_text(lines, encoding="utf-8")
    run(
        capsys, "align", "procrustes", files / "s.vec", files / "t.vec",
        "--lexicon", files / "seeds.txt", "--output", files / "aligned",
    )  # fmt: skip
    output = ("--output", files / "refined", "--horizon", "5e-3")
    assert run(capsys, "refine", files / "aligned", *output)[0] == 0
    return files


@pytest.mark.parametrize("folder", ["aligned", "refined"])
def test_test_words_that_are_seeds_are_counted_and_left_out(capsys, learned, folder):
    arguments = ("evaluate", learned / folder, "--lexicon", learned / "test.txt")
    _, out, err = run(capsys, *arguments, "--json")
    said = "test.txt: 10 of 60 test words (16.7 %) are seeds of the alignment, such as s0, s1, s2,"
    assert err.count(said) == 1
    assert "Test words that are seeds can be left out with --exclude-seeds." in err
    whole = json.loads(out)[0]
    assert whole["leakage"]["leaked"] == list(range(10))
    _, out, _ = run(capsys, *arguments, "--table", "csv")
    row = next(csv.DictReader(out.splitlines()))
    assert (row["seeds"], row["queries"]) == ("10", "60")
    code, out, err = run(capsys, *arguments, "--exclude-seeds", "--json")
    clean = json.loads(out)[0]
    assert code == 0
    assert "Test words that are seeds are left out." in err
    assert clean["queries"] == 50
    assert (
        clean["p@1"] == whole["leakage"]["without_seeds"]["p@1"] == float(row["P@1 without seeds"])
    )
    assert clean["ranks"] == whole["ranks"][10:]
    assert clean["leakage"]["leaked"] == []


def test_a_score_without_seeds_has_no_column_if_all_words_are_seeds(capsys, learned):
    words = "".join(f"s{i} t{i}\n" for i in range(10))
    (learned / "only-seeds.txt").write_text(words, encoding="utf-8")
    arguments = ("evaluate", learned / "aligned", "--lexicon", learned / "only-seeds.txt")
    _, out, err = run(capsys, *arguments, "--table", "csv")
    row = next(csv.DictReader(out.splitlines()))
    assert "10 of 10 test words (100.0 %) are seeds" in err
    assert row["seeds"] == "10"
    assert "P@1 without seeds" not in row


def test_seeds_of_plain_files_can_be_named(capsys, learned):
    arguments = (
        "evaluate",
        learned / "s.vec",
        learned / "t.vec",
        "--lexicon",
        learned / "test.txt",
    )
    _, out, err = run(capsys, *arguments, "--retrieval", "nn", "--json")
    assert json.loads(out)["leakage"] is None
    assert "seeds" not in err
    code, out, err = run(capsys, *arguments, "--exclude-seeds")
    assert code == 1
    assert "No run records the seeds of" in err
    assert "name their file with --seeds." in err
    seeds = ("--seeds", learned / "seeds.txt")
    code, out, _ = run(capsys, *arguments, *seeds, "--exclude-seeds", "--retrieval", "nn", "--json")
    assert code == 0
    assert json.loads(out)["queries"] == 50
    few = ("--lexicon", learned / "seeds.txt", "--exclude-seeds")
    code, _, err = run(capsys, "evaluate", learned / "aligned", *few)
    assert code == 1
    assert "seeds.txt: all 60 queries are seeds of the alignment; test on words" in err


def test_seeds_are_left_out_of_a_comparison(capsys, learned):
    for name, pair in (
        ("one", [learned / "aligned"]),
        ("two", [learned / "b.vec", learned / "t.vec"]),
    ):
        _, out, _ = run(capsys, "evaluate", *pair, "--lexicon", learned / "test.txt", "--json")
        (learned / f"{name}.json").write_text(out, encoding="utf-8")
    arguments = ("compare", learned / "one.json", learned / "two.json")
    _, _, err = run(capsys, *arguments)
    assert "one.json: 10 of 60 queries are seeds of the alignment; leave them out with" in err
    code, out, err = run(capsys, *arguments, "--exclude-seeds", "--json")
    assert code == 0
    assert "10 queries that are seeds are left out; 50 remain." in err
    assert [found["excluded"] for found in json.loads(out)] == [10, 10]


def test_a_folder_of_a_run_is_a_pair(capsys, files):
    output = ("--output", files / "refined", "--horizon", "5e-3")
    run(capsys, "refine", files / "s.vec", files / "t.vec", *output)
    code, out, _ = run(
        capsys, "evaluate", files / "refined", files / "s.vec", files / "t.vec",
        "--lexicon", files / "test.txt", "--lexicon", files / "test.txt", "--match",
        "--retrieval", "nn", "--json",
    )  # fmt: skip
    assert code == 0
    assert [result["source"].split("/")[-1] for result in json.loads(out)] == [
        "source.vec",
        "s.vec",
    ]
    code, out, _ = run(capsys, "translate", files / "refined", "s3", "-k", "1", "--table", "csv")
    assert code == 0
    assert len(out.splitlines()) == 2
    code, out, _ = run(capsys, "outliers", files / "refined", "--lexicon", files / "test.txt")
    assert code == 0


@pytest.mark.parametrize(
    ("arguments", "sentence"),
    [
        (["s.vec", "t.vec", "--lexicon", "none.txt"], "none.txt: it cannot be read (No such file"),
        (["s.vec", "t.vec", "--lexicon", "comma.txt"], "comma.txt, line 1: expected 2 words, "
         "found 1 (the separator seems to be ','"),
        (["s.vec", "t.vec", "--lexicon", "empty.txt"], "empty.txt: the file holds no pairs"),
        (["s.vec", "t.vec", "--lexicon", "other.txt"], "other.txt: none of the"),
        (["t.vec", "s.vec", "--lexicon", "test.txt"], "test.txt: the lexicon seems to have the "
         "wrong direction: 0 of its 60 pairs are known as they are, and 60 with"),
        (["s.vec", "--lexicon", "test.txt"], "s.vec: it needs a second file"),
        (["s.vec", "t.vec"], "Name a test dictionary with --lexicon"),
        (["s.vec", "t.vec", "--lexicon", "test.txt", "--lexicon", "test.txt", "--match"],
         "1 pairs and 2 lexicons"),
        (["s.vec", "narrow.vec", "--lexicon", "test.txt"], "its vectors have 8 dimensions and"),
        (["s.vec", "t.vec", "--lexicon", "test.txt", "--breakdown", "no"], "no: it cannot be read"),
        (["s.vec", "t.vec", "--lexicon", "test.txt", "--gold", "x"], "--gold needs exactly"),
        (["s.vec", "t.vec", "--similarity", "no"], "no: it cannot be read"),
        (["s.vec", "t.vec", "--similarity", "test.txt", "--match"], "need --lexicon"),
        (["s.vec", "t.vec", "--similarity", "test.txt", "--exclude-seeds"], "need --lexicon"),
        (["s.vec", "t.vec", "--lexicon", "test.txt", "--seeds", "no"], "no: it cannot be read"),
    ],
)  # fmt: skip
def test_bad_input_gets_one_sentence(capsys, files, monkeypatch, arguments, sentence):
    monkeypatch.chdir(files)
    (files / "comma.txt").write_text("s1,t1\n", encoding="utf-8")
    (files / "empty.txt").write_text("\n", encoding="utf-8")
    (files / "other.txt").write_text("dog hund\n", encoding="utf-8")
    write(Embeddings(["t1"] + [f"x{i}" for i in range(20)], np.ones((21, 3))), files / "narrow.vec")
    code, out, err = run(capsys, "evaluate", *arguments)
    assert code != 0
    assert out == ""
    assert sentence in err.replace("\n", " ")
    assert "Traceback" not in err


def test_similarity_of_one_language_and_of_two(capsys, files):
    lines = "".join(f"s{i}\ts{i + 1}\t{i % 7}\n" for i in range(30))
    (files / "mono.tsv").write_text(lines, encoding="utf-8")
    (files / "cross.tsv").write_text(
        "".join(f"s{i}\tt{i + i % 2}\t{1 - i % 2}\n" for i in range(30)), encoding="utf-8"
    )
    code, out, _ = run(
        capsys, "evaluate", files / "s.vec", "--similarity", files / "mono.tsv", "--json"
    )
    assert code == 0
    assert json.loads(out)["queries"] == 30
    code, out, _ = run(
        capsys, "evaluate", files / "b.vec", files / "t.vec", "--similarity", files / "cross.tsv"
    )
    assert code == 0
    assert "Spearman" in out
    for name, column in (("data", slice(0, 2)), ("gold", slice(2, 3))):
        rows = ("\t".join(line.split("\t")[column]) for line in lines.splitlines())
        (files / name).write_text("\n".join(rows), encoding="utf-8")
    code, out, _ = run(
        capsys, "evaluate", files / "s.vec", "--similarity", files / "data",
        "--gold", files / "gold", "--json",
    )  # fmt: skip
    assert code == 0
    assert json.loads(out)["queries"] == 30


def test_systems_are_compared(capsys, files):
    for name in "sb":
        _, out, _ = run(
            capsys, "evaluate", files / f"{name}.vec", files / "t.vec",
            "--lexicon", files / "test.txt", "--json",
        )  # fmt: skip
        (files / f"{name}.json").write_text(out, encoding="utf-8")
    code, out, _ = run(capsys, "compare", files / "s.json", files / "b.json", "--table", "markdown")
    assert code == 0
    assert "| protocol | system | runs | failed | P@1 | low | high | gain |" in out
    assert "| muse with nn | b.json |" in out
    code, out, _ = run(capsys, "compare", files / "s.json", files / "b.json", "--json")
    comparisons = json.loads(out)
    assert [found["protocol"] for found in comparisons] == ["muse", "muse with nn"]
    for found in comparisons:
        gain = found["differences"][0]["difference"]
        assert gain["low"] > 0
        assert gain["p"] < 0.05
    code, _, err = run(capsys, "compare", files / "s.json")
    assert code == 1
    assert "at least two systems" in err


def test_outliers_are_listed_and_left_out(capsys, files):
    wrong = "".join(f"s{i} t{i}\n" for i in range(100)) + "s150 t3\ns151 t9\n"
    (files / "train.txt").write_text(wrong, encoding="utf-8")
    arguments = (
        "outliers", files / "b.vec", files / "t.vec", "--lexicon", files / "train.txt",
        "--test", files / "test.txt", "--inliers", files / "clean.tsv",
    )  # fmt: skip
    code, out, _ = run(capsys, *arguments)
    assert code == 0
    assert "fitted without outliers" in out
    clean = Lexicon.read(files / "clean.tsv")
    assert clean.weights is None
    assert ("s150", "t3") not in clean.pairs
    assert ("s5", "t5") in clean.pairs
    code, _, err = run(capsys, *arguments)
    assert code == 1
    assert "clean.tsv already exists" in err
    code, out, _ = run(capsys, *arguments, "--overwrite", "--json")
    assert ["s150", "t3"] in [pair[:2] for pair in json.loads(out)["outliers"]]


def test_words_are_translated_in_both_directions(capsys, files):
    code, out, err = run(
        capsys, "translate", files / "b.vec", files / "t.vec", "s3", "t4", "zzz", "--direction",
        "both", "-k", "2", "--json",
    )  # fmt: skip
    found = {entry["word"]: entry for entry in json.loads(out)}
    assert code == 0
    assert found["s3"]["direction"] == "forward"
    assert found["s3"]["translations"][0]["word"] == "t3"
    assert found["t4"]["direction"] == "backward"
    assert found["t4"]["translations"][0]["word"] == "s4"
    assert found["zzz"]["translations"] is None
    assert "lexalign: 1 unknown word: 'zzz'; check spelling" in err
    code, out, err = run(capsys, "translate", files / "b.vec", files / "t.vec", "t4")
    assert code == 1
    assert "a word of the other language" in err


def test_unknown_words_get_an_empty_row_and_stay_out_of_dictionaries(capsys, files):
    words = ("s3", "zzz", "s4", "s3", "-k", "1")
    code, out, err = run(
        capsys, "translate", files / "b.vec", files / "t.vec", *words, "--table", "csv"
    )
    rows = [(row["word"], row["translation"]) for row in csv.DictReader(out.splitlines())]
    assert code == 0
    assert rows == [("s3", "t3"), ("zzz", ""), ("s4", "t4"), ("s3", "t3")]
    assert err.count("lexalign: ") == 1
    output = files / "known.tsv"
    code, _, _ = run(
        capsys, "translate", files / "b.vec", files / "t.vec", *words, "--output", output
    )
    assert code == 0
    assert Lexicon.read(output).pairs == (("s3", "t3"), ("s4", "t4"))


@pytest.mark.parametrize("format", ["tsv", "muse", "xling", "vecmap"])
def test_dictionaries_are_exported_in_every_format(capsys, files, format):
    output = files / "out.txt"
    code, _, err = run(
        capsys, "translate", files / "b.vec", files / "t.vec", "--mutual", "--min-margin", "0.05",
        "--output", output, "--format", format,
    )  # fmt: skip
    assert code == 0
    lexicon = Lexicon.read(output)
    assert f"{len(lexicon)} pairs" in err
    assert np.mean([pair[0][1:] == pair[1][1:] for pair in lexicon]) > 0.9
    assert (lexicon.weights is not None) == (format == "tsv")
    assert (b"\t" in output.read_bytes()) == (format in ("tsv", "xling"))


def test_all_words_and_words_of_a_file(capsys, files):
    (files / "words").write_text("s1\ns2\n", encoding="utf-8")
    for arguments, count in ((["--all"], 200), (["--file", files / "words", "-k", "3"], 6)):
        code, _, _ = run(
            capsys, "translate", files / "b.vec", files / "t.vec", *arguments,
            "--output", files / "d.tsv", "--overwrite",
        )  # fmt: skip
        assert code == 0
        assert len(Lexicon.read(files / "d.tsv")) == count


def test_without_any_pair_nothing_is_written(capsys, files):
    for arguments, sentence in (
        (["nowhere"], "1 unknown word: 'nowhere'"),
        (["--mutual", "--min-margin", "99"], "no pair is mutual"),
        (["--mutual", "--min-margin", "nan"], "The option --min-margin must be a finite number"),
    ):
        code, _, err = run(
            capsys, "translate", files / "b.vec", files / "t.vec", *arguments,
            "--output", files / "new.tsv",
        )  # fmt: skip
        assert code == 1
        assert sentence in err
        assert not (files / "new.tsv").exists()


def test_tables_never_crop_numbers_and_show_no_control_characters(capsys, tmp_path, monkeypatch):
    monkeypatch.setenv("COLUMNS", "20")
    for name, words in (("s", ["a", "b"]), ("t", ["\x1b[31mred", "w"])):
        write(Embeddings(words, np.eye(2)), tmp_path / f"{name}.npz")
    code, out, _ = run(
        capsys, "translate", tmp_path / "s.npz", tmp_path / "t.npz", "a", "--retrieval", "nn"
    )
    assert code == 0
    assert "1.000" in out
    assert "\ufffd[31mred" in out
    assert "\x1b" not in out


@pytest.mark.parametrize("form", ["markdown", "latex"])
def test_tables_for_people_show_no_control_characters(capsys, tmp_path, form):
    for name, words in (("s", ["a", "b"]), ("t", ["\x1b[31mred", "w"])):
        write(Embeddings(words, np.eye(2)), tmp_path / f"{name}.npz")
    _, out, _ = run(
        capsys, "translate", tmp_path / "s.npz", tmp_path / "t.npz", "a", "--retrieval", "nn",
        "--table", form,
    )  # fmt: skip
    assert "\ufffd[31mred" in out
    assert "\x1b" not in out


def test_names_of_files_do_not_command_the_terminal(capsys, tmp_path):
    write(Embeddings(["a"], np.eye(1)), tmp_path / "s.npz")
    odd = tmp_path / "\x1b[31mred.vec"
    _, _, told = run(capsys, "convert", tmp_path / "s.npz", odd)
    _, _, refused = run(capsys, "convert", tmp_path / "\x1b[31mnone.vec", odd, "--overwrite")
    for err in (told, refused):
        assert "[31m" in err
        assert "\x1b" not in err


def test_words_that_a_format_cannot_hold_are_left_out_and_counted(capsys, tmp_path):
    for name, words in (("s", ["ice cream", "dog"]), ("t", ["Eis", "Hund"])):
        write(Embeddings(words, np.eye(2)), tmp_path / f"{name}.npz")
    code, _, err = run(
        capsys, "translate", tmp_path / "s.npz", tmp_path / "t.npz", "--all", "--retrieval", "nn",
        "--output", tmp_path / "d.txt", "--format", "muse",
    )  # fmt: skip
    assert code == 0
    assert (tmp_path / "d.txt").read_text(encoding="utf-8") == "dog Hund\n"
    assert "1 pairs; 1 pairs left out that this format cannot hold" in err


def test_an_existing_output_is_refused_before_anything_is_read(capsys, files):
    (files / "there.txt").write_text("precious", encoding="utf-8")
    code, _, err = run(
        capsys, "translate", files / "b.vec", files / "t.vec", "--all",
        "--output", files / "there.txt",
    )  # fmt: skip
    assert code == 1
    assert "already exists" in err
    assert "reading" not in err
    assert (files / "there.txt").read_text(encoding="utf-8") == "precious"


def test_translate_wants_one_kind_of_words(capsys, files):
    for arguments in ([], ["s1", "--all"], ["s1", "--min-margin", "1"], ["--mutual", "-k", "2"]):
        code, _, err = run(capsys, "translate", files / "b.vec", files / "t.vec", *arguments)
        assert code == 2
        assert "--mutual" in err
    code, _, err = run(capsys, "translate", files / "b.vec")
    assert code == 1
    assert "it needs a second file" in err
