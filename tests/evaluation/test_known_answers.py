"""Figures of evaluation that are worked out by hand, as users and files see them."""

import json

import numpy as np
import pytest

from lexalign.errors import LexalignError
from lexalign.evaluation import (
    PROTOCOLS,
    Evaluator,
    Judgement,
    Leakage,
    evaluate,
    read_judgements,
    word_similarity,
)
from lexalign.evaluation.accuracy import contributions
from lexalign.evaluation.breakdown import breakdown
from lexalign.evaluation.cautions import score_cautions
from lexalign.evaluation.comparison import compare_files
from lexalign.evaluation.run_results import read_results
from lexalign.evaluation.significance import bootstrap, paired_t_test
from lexalign.progress import Progress
from lexalign.vectors import Embeddings, Lexicon

ANGLES = np.deg2rad([0, 20, 50, 90])
SOURCE = Embeddings(
    ["dog", "Cat", "sun", "taxi"], np.column_stack((np.cos(ANGLES), np.sin(ANGLES)))
)
TARGET = Embeddings(["hund", "katze", "sonne", "taxi"], SOURCE.matrix)
TEST = Lexicon(
    [("dog", "hund"), ("dog", "katze"), ("sun", "katze"), ("taxi", "taxi"), ("ice", "eis")]
)


def test_contributions_of_ranks():
    ranks = np.array([0, 1, 2, 5, 6])
    assert contributions(ranks, "p@1").tolist() == [0, 1, 0, 0, 0]
    assert contributions(ranks, "p@5").tolist() == [0, 1, 1, 1, 0]
    assert contributions(ranks, "mrr").tolist() == [0, 1, 1 / 2, 1 / 5, 1 / 6]


def test_an_accuracy_as_json():
    """The sun lies at 50°, the katze at 20°: the sonne comes before it. Nobody knows the ice."""
    found = evaluate(SOURCE, TARGET, TEST, retrieval="nn")
    assert json.loads(json.dumps(found.as_dict())) == {
        "protocol": "muse with nn",
        "p@1": pytest.approx(2 / 3),
        "p@5": 1.0,
        "p@10": 1.0,
        "mrr": pytest.approx((1 + 1 / 2 + 1) / 3),
        "coverage": 3 / 4,
        "queries": 3,
        "copying": pytest.approx(1 / 3),
        "other_spelling": {"p@1": 0.5, "p@5": 1.0, "p@10": 1.0, "mrr": 0.75, "queries": 2},
        "coverage_words": {"known": 3, "total": 4},
        "coverage_pairs": {"known": 4, "total": 5},
        "vocabularies": [4, 4],
        "rules": {
            "unit": "word",
            "oov": "drop",
            "case": "lower",
            "duplicates": "first",
            "retrieval": "nn",
            "neighbours": 10,
            "beta": 30.0,
            "similarity": "cosine",
            "zero_vectors": "axis",
        },
        "ranks": [["dog", ["hund", "katze"], 1], ["sun", ["katze"], 2], ["taxi", ["taxi"], 1]],
    }
    assert repr(found) == (
        "Accuracy(muse with nn: p@1 0.667, p@5 1.000, p@10 1.000, mrr 0.833, 3 queries)"
    )


def test_the_accuracy_of_words_from_that_of_pairs():
    classes = ["noun", "pet", "noun", "noun", "noun"]
    lexicon = Lexicon(TEST.pairs, classes=classes)
    pairs = evaluate(SOURCE, TARGET, lexicon, protocol="xling")
    assert pairs.ranks.tolist() == [1, 2, 2, 1]
    assert pairs.coverage == 4 / 5
    assert pairs.classes == (("noun",), ("pet",), ("noun",), ("noun",))
    words = pairs.by_word()
    assert words.words == ("dog", "sun", "taxi")
    assert words.references == (("hund", "katze"), ("katze",), ("taxi",))
    assert words.ranks.tolist() == [1, 2, 1]
    assert words.source_rows.tolist() == [0, 2, 3]
    assert words.classes == (("noun", "pet"), ("noun",), ("noun",))
    assert words.protocol.unit == "word"
    assert words.coverage == 3 / 4
    part = pairs.only(np.array([1, 3]))
    assert part.classes == (("pet",), ("noun",))
    assert part.source_rows.tolist() == [0, 3]


def test_an_accuracy_without_queries_scores_nothing():
    nothing = evaluate(SOURCE, TARGET, TEST, retrieval="nn").only(np.array([], dtype=int))
    assert (nothing.precision(1), nothing.mrr, nothing.copying, nothing.queries) == (0, 0, 0, 0)


def test_the_evaluator_counts_what_only_case_hides():
    lexicon = Lexicon([("cat", "katze"), ("DOG", "Hund"), ("sun", "mond"), ("taxi", "taxi")])
    assert Evaluator(SOURCE, TARGET, PROTOCOLS["vecmap"]).unknown_by_case(lexicon) == 2
    assert Evaluator(SOURCE, TARGET, PROTOCOLS["muse"]).unknown_by_case(lexicon) == 0


def test_the_stages_of_an_evaluation_are_timed():
    progress = Progress()
    matrix = np.random.default_rng(0).standard_normal((30, 4))
    source, target = (Embeddings([f"{side}{i}" for i in range(30)], matrix) for side in "st")
    lexicon = Lexicon([("s1", "t1")])
    evaluate(source, target, lexicon, progress=progress)
    evaluate(source, target, lexicon, progress=progress, retrieval="invnn")
    assert list(progress.seconds) == [
        "preparing csls",
        "ranking translations",
        "ranking all words both ways",
    ]


def test_penalties_must_be_one_for_each_target_word():
    with pytest.raises(LexalignError, match=r"each of the 4 target words. Got shape \(3,\)"):
        Evaluator(SOURCE, TARGET, PROTOCOLS["xling"], penalties=np.zeros(3))
    high = np.array([9.0, 0, 0, 0])
    found = Evaluator(SOURCE, TARGET, PROTOCOLS["xling"], penalties=high).evaluate(TEST)
    assert found.ranks.tolist() == [4, 1, 2, 1]


def test_leakage_as_json():
    found = evaluate(SOURCE, TARGET, TEST, retrieval="nn")
    leakage = Leakage.of(found, Lexicon([("dog", "katze"), ("sunny", "taxi")]))
    assert json.loads(json.dumps(leakage.as_dict())) == {
        "seeds": 2,
        "queries": 1,
        "examples": ["dog"],
        "shares_target": 2,  # the sun, whose katze is the target of a seed, and the taxi
        "shares_stem": 0,
        "without_seeds": {"p@1": 0.5, "p@5": 1.0, "p@10": 1.0, "mrr": 0.75, "queries": 2},
        "leaked": [0],
    }


def test_stems_are_five_letters_and_at_most_three_more():
    words = ["house", "houses", "housekee", "housekeep", "hous", "mouse", "housx"]
    source = Embeddings(words, np.eye(7))
    lexicon = Lexicon([(word, f"t{word}") for word in words])
    target = Embeddings([f"t{word}" for word in words], np.eye(7))
    found = evaluate(source, target, lexicon, retrieval="nn")
    stems = Leakage.of(found, Lexicon([("house", "x"), ("hous", "y")])).shares_stem
    assert [word for word, same in zip(words, stems, strict=True) if same] == [*words[:3], "hous"]


def test_all_cautions_of_a_result():
    found = evaluate(SOURCE, TARGET, TEST, retrieval="nn")
    leakage = Leakage.of(found, Lexicon([("dog", "hund")]))
    assert score_cautions(found, leakage) == [
        "Copying the source word gives P@1 33.3 %. Without the queries that copying answers, "
        "P@1 is 50.0 % (2 queries).",
        "1 of 3 test words (33.3 %) are seeds of the alignment: dog.",
        "Without the seeds, P@1 is 50.0 %.",
    ]
    assert score_cautions(found, leakage, without_seeds=True)[-1] == (
        "The seeds are left out of the score."
    )
    assert len(score_cautions(found)) == 1
    clean = Leakage.of(found, Lexicon([("rain", "regen")]))
    assert score_cautions(found, clean, without_seeds=True) == score_cautions(found)


def test_groups_of_every_kind(tmp_path):
    found = evaluate(SOURCE, TARGET, Lexicon(TEST.pairs, classes=list("abcab")), retrieval="nn")
    assert {name: part.words for name, part in breakdown(found, "frequency").items()} == {
        "rank 1–1,000": ("dog", "sun", "taxi")
    }
    assert {name: part.words for name, part in breakdown(found, "identical").items()} == {
        "same spelling": ("taxi",),
        "other spelling": ("dog", "sun"),
    }
    assert {name: part.words for name, part in breakdown(found, "class").items()} == {
        "class a": ("dog", "taxi"),
        "class b": ("dog",),
        "class c": ("sun",),
    }
    file = tmp_path / "categories.tsv"
    file.write_text("Dog\tnoun\nsun\tname\nsun\tnoun\n", encoding="utf-8")
    assert {name: part.words for name, part in breakdown(found, file).items()} == {
        "category name": ("sun",),
        "category noun": ("dog",),
        "category no category": ("taxi",),
    }


def test_a_similarity_as_json():
    judgements = [
        Judgement("dog", word, score) for word, score in (("hund", 3), ("katze", 2), ("sonne", 1))
    ]
    found = word_similarity(SOURCE, TARGET, [*judgements, Judgement("dog", "eis", 9)])
    cosines, scores = np.cos(ANGLES[:3]), np.array([3, 2, 1])
    pearson = np.corrcoef(cosines, scores)[0, 1]
    assert found.as_dict() == {
        "spearman": pytest.approx(1.0),
        "pearson": pytest.approx(pearson),
        "semeval": pytest.approx(2 * pearson / (1 + pearson)),
        "coverage": 3 / 4,
        "queries": 3,
        "pairs": 4,
    }


def test_similarities_that_fall_have_no_semeval_score():
    judgements = [
        Judgement("dog", word, score) for word, score in (("hund", 1), ("katze", 2), ("sonne", 3))
    ]
    found = word_similarity(SOURCE, TARGET, judgements)
    assert found.spearman == pytest.approx(-1.0)
    assert found.semeval == 0.0


def test_terms_without_a_vector_are_the_mean_of_unit_vectors():
    """The mean of (1, 0), however long, and (0, 1) lies at 45°."""
    long = Embeddings(["a", "b", "zero", "c_d"], [[9, 0], [0, 1], [0, 0], [1, 1]])
    other = Embeddings(["x", "y", "z", "w"], [[1, 1], [1, 0], [0, -1], [0, 1]])
    pairs = [("a b", "x", 4), ("a b", "y", 3), ("a b", "z", 1), ("c d", "x", 4), ("zero", "x", 0)]
    found = word_similarity(
        long, other, [*(Judgement(*pair) for pair in pairs), Judgement("a zero", "x", 0)]
    )
    assert (found.queries, found.pairs) == (4, 6)
    cosines = [1, 0.5**0.5, -(0.5**0.5), 1]
    assert found.pearson == pytest.approx(np.corrcoef(cosines, [4, 3, 1, 4])[0, 1])


def test_judgements_need_two_words_and_a_score(tmp_path):
    file, gold = tmp_path / "pairs.tsv", tmp_path / "gold.txt"
    for text in ("a\tb\n", "a\t\t1\n", "a\tb\t1\t2\n"):
        file.write_text(text)
        with pytest.raises(LexalignError, match="line 1: expected 2 words and a score with tabs"):
            read_judgements(file)
    file.write_text("a\tb\n\nc\td\n")
    gold.write_text("1\n2.5\n")
    assert read_judgements(file, gold) == [("a", "b", 1.0), ("c", "d", 2.5)]
    gold.write_text("1\ninf\n")
    with pytest.raises(LexalignError, match="gold.txt, line 2: the score 'inf' is not a finite"):
        read_judgements(file, gold)


def test_a_bootstrap_draws_queries_with_its_seed():
    values = np.arange(50) % 2
    one, same, other = (bootstrap([values], seed=seed, resamples=500) for seed in (1, 1, 2))
    assert one == same != other
    generator = np.random.default_rng(1)
    means = values[generator.integers(0, 50, (500, 50))].mean(axis=1)
    assert (one.low, one.high) == pytest.approx(tuple(np.percentile(means, (2.5, 97.5))))
    assert one.mean == 0.5
    assert one.p == pytest.approx(2 / 501)
    assert bootstrap([values]) == bootstrap([values], resamples=10_000, seed=0)
    assert bootstrap([values - 0.5], resamples=500).p > 0.5
    assert bootstrap([np.zeros(3)], resamples=100).p == 1.0


def test_a_t_test_needs_two_runs_that_differ():
    assert paired_t_test([0.1], [0.2]) is None
    assert paired_t_test([0.1, 0.2], [0.2, 0.3]) is None
    found = paired_t_test([0.1, 0.2], [0.2, 0.4], comparisons=3)
    # Differences 0.1 and 0.2: t = 0.15 / 0.05 = 3 with one degree of freedom.
    assert found.statistic == pytest.approx(3.0)
    assert found.p == pytest.approx(1 - 2 * np.arctan(3) / np.pi)
    assert found.corrected_p == pytest.approx(3 * found.p)
    assert found.runs == 2
    assert paired_t_test([0.1, 0.2], [0.2, 0.4], comparisons=30).corrected_p == 1.0
    assert paired_t_test([0.1, 0.2], [0.2, 0.4]).corrected_p == found.p


def test_results_are_read_with_their_rules(tmp_path):
    rows = [["dog", ["hund"], 1], ["sun", ["sonne", "sol"], 0]]
    rules = {"retrieval": "csls", "neighbours": 10, "beta": 1, "unit": "word"}
    content = {
        "p@1": 0.5, "protocol": "muse", "ranks": rows, "rules": rules,
        "lexicon": "folder/test.txt", "leakage": {"leaked": [1]},
    }  # fmt: skip
    file = tmp_path / "results.json"
    file.write_text(json.dumps([content, {"spearman": 1}]))
    (run,) = read_results(file)
    assert (run.lexicon, run.protocol, run.retrieval) == ("test.txt", "muse", "csls")
    assert run.queries == (("dog", "hund"), ("sun", "sonne", "sol"))
    assert run.ranks.tolist() == [1, 0]
    assert run.leaked == {1}
    assert run.excluded == 0
    assert run.counting == {("unit", "word")}
    rest = run.without({1})
    assert (rest.queries, rest.ranks.tolist(), rest.excluded) == ((("dog", "hund"),), [1], 1)
    assert rest.leaked == frozenset()
    plain = {name: content[name] for name in ("p@1", "protocol", "ranks")}
    file.write_text(json.dumps(plain))
    (run,) = read_results(file)
    assert (run.lexicon, run.retrieval, run.leaked, run.counting) == (
        "its lexicon",
        "",
        None,
        frozenset(),
    )


@pytest.mark.parametrize(
    "change",
    [{"ranks": []}, {"ranks": [["a", ["b"], -1]]}, {"ranks": [["a", ["b"], 1.5]]},
     {"ranks": [["a", ["b"], True]]}, {"leakage": {"leaked": [2]}}, {"leakage": {"leaked": [-1]}},
     {"leakage": {"leaked": ["0"]}}, {"ranks": [["a", ["b"], 2**53]]}],
)  # fmt: skip
def test_results_that_are_none_are_refused(tmp_path, change):
    content = {"p@1": 0.5, "protocol": "muse", "ranks": [["a", ["b"], 1], ["c", ["d"], 1]]}
    file = tmp_path / "results.json"
    file.write_text(json.dumps({**content, **change}))
    with pytest.raises(LexalignError, match="it holds no result of a translation test; name a"):
        read_results(file)


def test_systems_are_compared_with_their_names_and_seeds(tmp_path):
    def system(name, places, leaked):
        ranks = [[f"w{i}", [f"t{i}"], place] for i, place in enumerate(places)]
        content = {"p@1": 0.5, "protocol": "muse", "ranks": ranks, "leakage": {"leaked": leaked}}
        (tmp_path / name).write_text(json.dumps(content))
        return tmp_path / name

    files = [system("a.json", [1, 2, 0, 1], [0]), system("b.json", [1, 1, 1, 0], [0, 3])]
    (found,) = compare_files(files, metric="mrr", resamples=200, seed=3)
    assert (found.protocol, found.metric, found.excluded) == ("muse", "mrr", 0)
    assert [one.name for one in found.systems] == list(map(str, files))
    assert [(one.runs, one.failed, one.queries, one.leaked) for one in found.systems] == [
        (1, 0, 4, 1),
        (1, 0, 4, 2),
    ]
    assert [one.score.mean for one in found.systems] == [2.5 / 4, 3 / 4]
    (gain,) = found.differences
    assert (gain.name, gain.runs, gain.t_test) == (str(files[1]), 1, None)
    gains = np.array([0, 0.5, 1, -1])
    assert gain.difference == bootstrap([gains], resamples=200, seed=3)
    assert gain.corrected_p == gain.difference.p
    (clean,) = compare_files(files, exclude_seeds=True, resamples=200)
    assert clean.excluded == 2
    assert [one.queries for one in clean.systems] == [2, 2]
    assert [one.failed for one in clean.systems] == [1, 0]
    assert clean.systems[1].score.mean == 1.0
    for below in (-0.1, 1.1):
        with pytest.raises(LexalignError, match="`failed_below` must be between 0 and 1"):
            compare_files(files, failed_below=below)
    assert compare_files(files, failed_below=1.0)[0].systems[0].failed == 1
    with pytest.raises(LexalignError, match="at least two systems"):
        compare_files(files[:1])


def test_words_of_a_similarity_test_are_looked_up_as_they_are():
    judgements = [Judgement("Cat", word, score) for score, word in enumerate(TARGET.words)]
    assert word_similarity(SOURCE, TARGET, judgements).queries == 4
    with pytest.raises(LexalignError, match="only 0 of the 4 pairs have vectors"):
        word_similarity(SOURCE, TARGET, judgements, lowercase=True)
